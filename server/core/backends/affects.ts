/**
 * Whether a correction holds for the version of a server that runs (`affects` of a quirk). Pure: where the version comes
 * from is `lifecycle.ts`'s business.
 */

/**
 * A range is `*`, or bounds that must all hold (`>=14 <20`), or several such parted by `||`. A bound speaks of as many
 * numbers as it names: `<=22` takes in 22.1.1, `>22` does not; a bound without a sign is `=`.
 * @param said what the server says of its version, in any words; null: it says nothing
 * @returns true as well where no number is said: a correction was made for what servers do, and does no harm to one that
 *   does otherwise
 * @throws RangeError for what is no range
 */
export function affects(range: string, said: string | null): boolean {
  const alternatives = range.split("||").map((all) => all.trim().split(/\s+/).map(boundOf));
  const version = said === null ? null : numbersIn(said);
  return version === null || alternatives.some((bounds) => bounds.every((bound) => holds(bound, version)));
}

/** Whether it takes a version to judge the range. */
export function isForAll(range: string): boolean {
  return range.trim() === "*";
}

interface Bound {
  readonly sign: string;
  readonly numbers: readonly number[];
}

function boundOf(text: string): Bound {
  if (text === "*") return { sign: ">=", numbers: [] };
  const [, sign, numbers] = /^(<=?|>=?|=)?(\d+(?:\.\d+)*)$/.exec(text) ?? [];
  if (numbers === undefined) throw new RangeError(`"${text}" is no bound of versions`);
  return { sign: sign ?? "=", numbers: numbers.split(".").map(Number) };
}

function holds({ sign, numbers }: Bound, version: readonly number[]): boolean {
  const order = numbers.map((number, i) => (version[i] ?? 0) - number).find((difference) => difference !== 0) ?? 0;
  if (order === 0) return sign.includes("=");
  return order < 0 ? sign.startsWith("<") : sign.startsWith(">");
}

/**
 * The first number with a dot, else the first at all: `Debian clangd version 14.0.6`, `v0.21.1`. What Go programs print
 * of themselves is JSON that names the versions of its parts as well: there that of `Main` counts.
 */
function numbersIn(said: string): readonly number[] | null {
  const own = /"Main":\{[^}]*"Version":"([^"]*)"/.exec(said)?.[1] ?? said;
  const found = /\d+(?:\.\d+)+/.exec(own) ?? /\d+/.exec(own);
  return found === null ? null : found[0].split(".").map(Number);
}
