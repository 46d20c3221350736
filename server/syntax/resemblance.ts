/** Which names of a table resemble a pattern or a misspelled name. Goes through all of them, some nanoseconds for each. */
import { literal } from "./characters.ts";
import { LOWER, type NameId, type NameTable } from "./name-table.ts";

const STAR = 42;
const QUESTION = 63;
const BACKSLASH = 92;
/** In a pattern read: any bytes, any one. */
const ANY = -1;
const ONE = -2;

/** Names that fit a pattern of `*` and `?` as a whole, without regard to case. */
export function fitting(table: NameTable, pattern: string): readonly NameId[] {
  const read = readPattern(pattern.toLowerCase());
  const wildcard = read.findIndex((part) => part < 0);
  const beginning = wildcard < 0 ? read.length : wildcard;
  const wide = expression(pattern);
  const { arena } = table;
  const fits = (id: NameId): boolean =>
    fitsBytes(arena, table.startOf(id), table.lengthOf(id), read) || (!table.isAscii(id) && wide.test(table.text(id)));
  // What stands before the first wildcard narrows it down.
  if (beginning > 0) return table.beginningWith(Buffer.from(read.slice(0, beginning)).toString()).filter(fits);
  // Else the longest text between wildcards does, unless case is more than that of ASCII there.
  const literal = Buffer.from(longest(read));
  if (literal.length === 0 || literal.some((byte) => byte >= 0x80)) return allIds(table).filter(fits);
  return [...new Set([...table.containing(literal), ...table.others()])].filter(fits);
}

function allIds(table: NameTable): readonly NameId[] {
  const ids: NameId[] = [];
  for (let id = 0; id < table.size; id++) ids.push(id);
  return ids;
}

/** Of the runs of bytes between wildcards. */
function longest(pattern: readonly number[]): readonly number[] {
  let best: readonly number[] = [];
  let run: number[] = [];
  for (const part of [...pattern, ANY]) {
    if (part >= 0) run.push(part);
    else {
      if (run.length > best.length) best = run;
      run = [];
    }
  }
  return best;
}

function readPattern(pattern: string): readonly number[] {
  const parts: number[] = [];
  const bytes = Buffer.from(pattern);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === BACKSLASH && i + 1 < bytes.length) parts.push(bytes[++i] ?? 0);
    else if (byte === STAR) parts.push(ANY);
    else parts.push(byte === QUESTION ? ONE : byte);
  }
  return parts;
}

function expression(pattern: string): RegExp {
  const source = [...pattern.matchAll(/\\(.)|([*?])|(.)/gsu)].map(([, escaped, wildcard, plain]) => {
    if (wildcard !== undefined) return wildcard === "*" ? ".*" : ".";
    return literal(escaped ?? plain ?? "");
  });
  return new RegExp(`^(?:${source.join("")})$`, "isu");
}

/** Goes back to the last `*` only: linear but for the length of the pattern. */
function fitsBytes(bytes: Uint8Array, start: number, length: number, pattern: readonly number[]): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let starAt = 0;
  while (at < length) {
    const wanted = pattern[part];
    if (wanted === ANY) {
      star = part++;
      starAt = at;
    } else if (wanted === ONE || wanted === LOWER[bytes[start + at] ?? 0]) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (pattern[part] === ANY) part++;
  return part === pattern.length;
}

/** So many letters wrong at most, in a name of at least so many letters. */
const DISTANCES: readonly (readonly [letters: number, distance: number])[] = [
  [8, 3],
  [5, 2],
  [3, 1],
  [0, 0],
];

/** Names at a small distance: letters put in, left out, changed, or two of them swapped; case does not count. */
export function near(table: NameTable, name: string): readonly { readonly id: NameId; readonly distance: number }[] {
  const wanted = Buffer.from(name.toLowerCase());
  const most = DISTANCES.find(([letters]) => wanted.length >= letters)?.[1] ?? 0;
  const letters = lettersOf(wanted, 0, wanted.length);
  const { arena } = table;
  const sets = letterSets(table);
  const found: { id: NameId; distance: number }[] = [];
  for (let id = 0; id < table.size; id++) {
    const length = table.lengthOf(id);
    if (Math.abs(length - wanted.length) > most) continue;
    // One change of a letter takes one out of the set and puts another in.
    if (ones(letters ^ (sets[id] ?? 0)) > 2 * most) continue;
    const distance = distanceOf(wanted, arena, table.startOf(id), length, most);
    if (distance <= most) found.push({ id, distance });
  }
  return found;
}

/** Of all names of a table; made when they are first asked for, those of new names when they are asked for again. */
function letterSets(table: NameTable): Int32Array {
  const { size, arena } = table;
  const known = setsOf.get(table) ?? { count: 0, all: new Int32Array(0) };
  const all = known.all.length >= size ? known.all : new Int32Array(Math.ceil(size * 1.2));
  if (all !== known.all) all.set(known.all);
  for (let id = known.count; id < size; id++) all[id] = lettersOf(arena, table.startOf(id), table.lengthOf(id));
  setsOf.set(table, { count: size, all });
  return all;
}

const setsOf = new WeakMap<NameTable, { readonly count: number; readonly all: Int32Array }>();

/** Which letters and digits occur, as bits. */
function lettersOf(bytes: Uint8Array, start: number, length: number): number {
  let set = 0;
  for (let i = 0; i < length; i++) set |= 1 << ((LOWER[bytes[start + i] ?? 0] ?? 0) & 31);
  return set;
}

function ones(bits: number): number {
  let left = bits;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}

const rows = [new Int32Array(600), new Int32Array(600), new Int32Array(600)] as const;

/** Damerau's distance (optimal string alignment) up to `most`; beyond, anything above it. */
function distanceOf(a: Uint8Array, bytes: Uint8Array, start: number, length: number, most: number): number {
  let [before, last, row]: Int32Array[] = [...rows];
  if (before === undefined || last === undefined || row === undefined || length >= row.length) return most + 1;
  for (let j = 0; j <= length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    let least = i;
    row[0] = i;
    for (let j = 1; j <= length; j++) {
      const byte = LOWER[bytes[start + j - 1] ?? 0];
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === byte ? 0 : 1);
      let cost = Math.min(changed, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 2] === byte && a[i - 1] === LOWER[bytes[start + j - 2] ?? 0])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    [before, last, row] = [last, row, before];
  }
  return last[length] ?? 0;
}
