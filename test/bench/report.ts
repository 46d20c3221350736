// The report of a run, in Markdown: the figures side by side, and below them what the goals ask of switchboard.
// A pure function of the figures.
import type { Figure, Figures } from "./figures.ts";
import { FIGURES } from "./figures.ts";

export interface Run {
  readonly date: string;
  readonly machine: string;
  readonly rounds: number;
  /** Figures by subject, in the table's order. */
  readonly subjects: ReadonlyMap<string, Figures>;
  /** Peers that are not installed here. */
  readonly missing: readonly string[];
}

/** A goal: what it asks, the value that was measured and its limit. */
interface Goal {
  readonly title: string;
  /** Null where a figure that it needs was not measured. */
  value(run: Run): number | null;
  readonly limit: number;
  /** Default: at most. */
  readonly atLeast?: true;
  readonly unit: "x" | "ms" | "MB";
}

const SUBJECT = "switchboard";
/** The same as a server for several clients, beside the peer that is one. */
const SHARED = "shared";
const SHARING_PEER = "lspmux";

const GOALS: readonly Goal[] = [
  {
    title: "added ping / lspmux's added ping",
    value: (run) => ratio(added(run, SUBJECT, "pingP50"), added(run, "lspmux", "pingP50")),
    limit: 0.8,
    unit: "x",
  },
  {
    title: "added ping / the pipe's added ping",
    value: (run) => ratio(added(run, SUBJECT, "pingP50"), added(run, "pipe", "pingP50")),
    limit: 2,
    unit: "x",
  },
  {
    title: "pipelined requests/s / lspmux's",
    value: (run) => ratio(figure(run, SUBJECT, "perSecond"), figure(run, "lspmux", "perSecond")),
    limit: 1.3,
    atLeast: true,
    unit: "x",
  },
  againstPipe("1 MB completion without data", "plain", "plain", 1.3),
  againstPipe("8 MB documentSymbol, id first", "huge", "huge", 1.3),
  againstPipe("8 MB references, id last", "tail", "tail", 1.3),
  againstPipe("didOpen of 1 MB + request", "open", "open", 1.3),
  againstPipe("1 MB completion, data of the only backend", "data", "data", 2.5),
  againstPipe("1 MB completion, data that another backend could own", "otherData", "data", 2.5),
  {
    title: "initialize answered, after the pipe's",
    value: (run) => difference(figure(run, SUBJECT, "startMs"), figure(run, "pipe", "startMs")),
    limit: 60,
    unit: "ms",
  },
  {
    title: "the same, if the backend started in no time",
    value: (run) => difference(figure(run, SUBJECT, "startMs"), added(run, "pipe", "startMs")),
    limit: 60,
    unit: "ms",
  },
  {
    title: "memory flat: growth from 10,000 to 100,000 messages",
    value: (run) => difference(figure(run, SUBJECT, "resident100k"), figure(run, SUBJECT, "resident10k")),
    limit: 16,
    unit: "MB",
  },
  {
    title: "memory flat: growth from 100,000 to 300,000 messages",
    value: (run) => difference(figure(run, SUBJECT, "resident300k"), figure(run, SUBJECT, "resident100k")),
    limit: 8,
    unit: "MB",
  },
];

/** Ahead of the peer on every figure but the start, which is held against the pipe's. */
const SHARED_GOALS: readonly Goal[] = [
  ...(Object.keys(FIGURES) as Figure[])
    .filter((key) => key !== "startMs" && key !== "firstMs" && key !== "otherData")
    .map(
      (key): Goal => ({
        title: `${SHARED}: ${FIGURES[key].title.replace(/, [^,]*$/, "")} / ${SHARING_PEER}'s`,
        value: (run) => ratio(figure(run, SHARED, key), figure(run, SHARING_PEER, key)),
        limit: 1,
        ...(key === "perSecond" && { atLeast: true }),
        unit: "x",
      }),
    ),
  {
    title: `${SHARED}: initialize answered, after the pipe's, if the backend started in no time`,
    value: (run) => difference(figure(run, SHARED, "startMs"), added(run, "pipe", "startMs")),
    limit: 60,
    unit: "ms",
  },
];

export function report(run: Run): string {
  const rounds = run.rounds === 1 ? "one round" : `medians of ${run.rounds} interleaved rounds`;
  const missing = run.missing.length === 0 ? "" : ` Not installed: ${run.missing.join(", ")}.`;
  return [
    `${run.date}, ${run.machine}, ${rounds}.${missing}`,
    table(figuresTable(run)),
    run.subjects.has(SUBJECT) ? table(goalsTable(run)) : `Goals: ${SUBJECT} was not measured.`,
  ].join("\n\n");
}

function figuresTable(run: Run): string[][] {
  const names = [...run.subjects.keys()];
  const rows = (Object.keys(FIGURES) as Figure[]).map((key) => [
    FIGURES[key].title,
    ...names.map((name) => grouped(figure(run, name, key), FIGURES[key].digits)),
  ]);
  return [["figure", ...names], ...rows];
}

function goalsTable(run: Run): string[][] {
  const goals = run.subjects.has(SHARED) ? [...GOALS, ...SHARED_GOALS] : GOALS;
  const rows = goals.map((goal) => {
    const value = goal.value(run);
    const met = value !== null && (goal.atLeast === true ? value >= goal.limit : value <= goal.limit);
    const verdict = value === null ? "not measured" : met ? "met" : "NOT MET";
    const shown = value === null ? "-" : `${value.toFixed(goal.unit === "x" ? 2 : 1)} ${goal.unit}`;
    return [goal.title, shown, `${goal.atLeast ? ">=" : "<="} ${goal.limit} ${goal.unit}`, verdict];
  });
  return [["goal", SUBJECT, "limit", "verdict"], ...rows];
}

function againstPipe(title: string, ours: Figure, pipes: Figure, limit: number): Goal {
  return {
    title: `${title} / the pipe's`,
    value: (run) => ratio(figure(run, SUBJECT, ours), figure(run, "pipe", pipes)),
    limit,
    unit: "x",
  };
}

function figure(run: Run, subject: string, key: Figure): number | null {
  return run.subjects.get(subject)?.[key] ?? null;
}

/** What a subject adds to the backend asked directly. */
function added(run: Run, subject: string, key: Figure): number | null {
  return difference(figure(run, subject, key), figure(run, "direct", key));
}

function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a / b;
}

/** A Markdown table, its columns as wide as their widest cell; all but the first are flush right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  });
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [lines[0], `| ${rule.join(" | ")} |`, ...lines.slice(1)].join("\n");
}

/** `12345.6` as `12,346`; a dash for what was not measured. */
function grouped(value: number | null, digits: number): string {
  if (value === null) return "-";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
