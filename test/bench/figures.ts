// The figures that a run yields: their names, titles and units. Facts only.

export const FIGURES = {
  startMs: { title: "start: spawn to initialize answered, ms", digits: 1 },
  firstMs: { title: "first answer: spawn to hover answered, ms", digits: 1 },
  pingEarly: { title: "ping p50 of the first 500 (hover, 150 B), us", digits: 0 },
  pingP50: { title: "ping p50 after 5,500, us", digits: 0 },
  pingP99: { title: "ping p99, us", digits: 0 },
  perSecond: { title: "pipelined requests/s, 64 in flight", digits: 0 },
  plain: { title: "1 MB completion, items without data, us", digits: 0 },
  data: { title: "1 MB completion, items with data, us", digits: 0 },
  otherData: { title: "1 MB completion, data that another backend could own, us", digits: 0 },
  huge: { title: "8 MB documentSymbol (id first), us", digits: 0 },
  tail: { title: "8 MB references (id last), us", digits: 0 },
  edit: { title: "edit + request, us", digits: 0 },
  open: { title: "didOpen of 1 MB + request, us", digits: 0 },
  peakMb: { title: "peak resident memory, MB", digits: 1 },
  resident10k: { title: "resident after 10,000 messages, MB", digits: 1 },
  resident100k: { title: "resident after 100,000 messages, MB", digits: 1 },
  resident300k: { title: "resident after 300,000 messages, MB", digits: 1 },
  exitMs: { title: "exit: shutdown sent to process gone, ms", digits: 1 },
} as const;

export type Figure = keyof typeof FIGURES;
/** Medians; a figure that was not measured is absent. */
export type Figures = Partial<Record<Figure, number>>;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param q 0..1 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * q));
  const value = sorted[at];
  if (value === undefined) throw new Error("no values");
  return value;
}
