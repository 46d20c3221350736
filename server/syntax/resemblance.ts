/** Which names of a table resemble a pattern or a misspelled name. Goes through all of them, some nanoseconds for each. */

import { LOWER, type NameId, type NameTable } from "./index/name-table.ts";
import { literal } from "./lexis/characters.ts";

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
  const { ids, starts, once, twice, size } = censusOf(table);
  const [own, ownTwice] = lettersOf(wanted, 0, wanted.length);
  const { arena } = table;
  const found: { id: NameId; distance: number }[] = [];
  const look = (id: NameId): void => {
    const distance = distanceOf(wanted, arena, table.startOf(id), table.lengthOf(id), most);
    if (distance <= most) found.push({ id, distance });
  };
  const end = starts[Math.min(wanted.length + most + 1, starts.length - 1)] ?? 0;
  for (let i = starts[Math.max(0, Math.min(wanted.length - most, starts.length - 1))] ?? 0; i < end; i++) {
    const letters = once[i] ?? 0;
    // One change takes at most one letter away, and adds at most one.
    if (ones(own & ~letters) > most || ones(letters & ~own) > most) continue;
    const more = twice[i] ?? 0;
    if (ones(own & ~letters) + ones(ownTwice & ~more) > most) continue;
    if (ones(letters & ~own) + ones(more & ~ownTwice) > most) continue;
    look(ids[i] ?? 0);
  }
  for (let id = size; id < table.size; id++) if (Math.abs(table.lengthOf(id) - wanted.length) <= most) look(id);
  return found;
}

/** The names of a table by their length, with the letters that occur in each. */
interface Census {
  /** So many names, the first of the table. */
  readonly size: number;
  readonly ids: Uint32Array;
  /** By length in bytes, where its names begin in `ids`; at the end, where all end. */
  readonly starts: Uint32Array;
  /** At the places of `ids`: which letters occur, as bits, and which more than once. */
  readonly once: Int32Array;
  readonly twice: Int32Array;
}

/** Of all names of a table but the newest: made anew where these are more than such a share. */
const NEW_SHARE = 1 / 8;

const censuses = new WeakMap<NameTable, Census>();

function censusOf(table: NameTable): Census {
  const known = censuses.get(table);
  if (known !== undefined && table.size - known.size <= known.size * NEW_SHARE) return known;
  const made = takeCensus(table);
  censuses.set(table, made);
  return made;
}

function takeCensus(table: NameTable): Census {
  const { size, arena } = table;
  const lengths = Uint32Array.from({ length: size }, (_, id) => table.lengthOf(id));
  const starts = new Uint32Array(lengths.reduce((most, length) => Math.max(most, length), 0) + 2);
  for (const length of lengths) starts[length + 1] = (starts[length + 1] ?? 0) + 1;
  for (let length = 1; length < starts.length; length++)
    starts[length] = (starts[length] ?? 0) + (starts[length - 1] ?? 0);
  const [ids, once, twice] = [new Uint32Array(size), new Int32Array(size), new Int32Array(size)];
  const next = starts.slice();
  for (let id = 0; id < size; id++) {
    const length = lengths[id] ?? 0;
    const at = next[length] ?? 0;
    next[length] = at + 1;
    ids[at] = id;
    const [letters, more] = lettersOf(arena, table.startOf(id), length);
    once[at] = letters;
    twice[at] = more;
  }
  return { size, ids, starts, once, twice };
}

/** Which letters, digits and other signs occur, as bits, and which of them more than once. */
function lettersOf(bytes: Uint8Array, start: number, length: number): readonly [once: number, twice: number] {
  let [once, twice] = [0, 0];
  for (let i = 0; i < length; i++) {
    const bit = 1 << (BITS[bytes[start + i] ?? 0] ?? 0);
    twice |= once & bit;
    once |= bit;
  }
  return [once, twice];
}

/** A bit for each letter, five for the digits, one for all that is left. */
const BITS = Uint8Array.from(LOWER, (byte) =>
  byte >= 97 && byte <= 122 ? byte - 97 : byte >= 48 && byte <= 57 ? 26 + (byte % 5) : 31,
);

/** How many bits are set (Warren, Hacker's Delight, 5-1). */
function ones(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const rows = [new Int32Array(600), new Int32Array(600), new Int32Array(600)] as const;

/**
 * Damerau's distance (optimal string alignment) up to `most`; beyond, anything above it. Places that are further apart than
 * that in the two names are not compared (Ukkonen).
 */
function distanceOf(a: Uint8Array, bytes: Uint8Array, start: number, length: number, most: number): number {
  let [before, last, row]: readonly Int32Array[] = rows;
  if (before === undefined || last === undefined || row === undefined || length >= row.length) return most + 1;
  for (let j = 0; j <= Math.min(length, most); j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(length, i + most);
    let least = from === 1 ? i : most + 1;
    row[from - 1] = least;
    if (i + most <= length) last[i + most] = most + 1;
    for (let j = from; j <= to; j++) {
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
