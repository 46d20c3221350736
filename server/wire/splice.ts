/**
 * The envelope around opaque `data`: on its way to a client each item's `data` becomes one JSON string, the owner's
 * prefix followed by the original JSON text; on its way back the text is cut out again. Nothing is parsed, so 2^60,
 * 1.0, equal keys or 2,000 levels come back byte for byte, even through clients that re-encode objects. Which
 * messages carry `data`, and what an owner means, is the core's.
 */
import { Output } from "./output.ts";
import { BACKSLASH, COLON, isDigit, memberSpan, QUOTE, type Span, skipBlanks, valueEnd } from "./scan.ts";

/** What stands before the original text: `sb1:<backend>:<generation>:`. What names a backend has no colon. */
export function prefixOf(backend: string | number, generation: number): string {
  return `sb1:${backend}:${generation}:`;
}

export interface Unwrapped {
  /** The span's bytes with the envelopes undone. */
  readonly pieces: readonly Buffer[];
  /** The distinct owners met, `sb1:<backend>:<generation>`. */
  readonly owners: readonly string[];
  /** How many `data` had no envelope; they are left as they are. */
  readonly bare: number;
}

/**
 * Undoes what wrapping.ts does. An envelope around nothing is a mark on an item that had no `data`: it goes with its key.
 * null: no `data` key at all within the span, send the bytes as they are.
 */
export function unwrapData(bytes: Buffer, span: Span): Unwrapped | null {
  let value = nextData(bytes, span.start, span.end);
  if (value < 0) return null;
  const out = new Output([bytes], span);
  const owners = new Set<string>();
  let last = "";
  let bare = 0;
  while (value >= 0) {
    const end = valueEnd(bytes, value, span.end);
    if (end < 0) break;
    const text = innerStart(bytes, value, end);
    if (text < 0) bare += 1;
    else {
      const owner = bytes.toString("utf8", value + 1, text - 1);
      if (owner !== last) owners.add(owner);
      last = owner;
      const isMark = text === end - 1;
      const cut = isMark ? memberSpan(bytes, value, end, KEY.length + 1) : { start: value, end };
      out.keepTo(Math.max(cut.start, out.from));
      out.addUnescaped(text, end - 1);
      out.skipTo(cut.end);
    }
    value = nextData(bytes, end, span.end);
  }
  if (owners.size === 0) return { pieces: [bytes.subarray(span.start, span.end)], owners: [], bare };
  out.keepTo(span.end);
  return { pieces: [out.bytes], owners: [...owners], bare };
}

/**
 * Whether the first `sample` values under `data` survive a client that parses and writes them again: no number beyond 15
 * digits or with a fraction, no null, nothing empty (Lua cannot tell `{}` from `[]`), no escape but the short ones, no
 * equal keys, no more than 32 levels. A list without `data` is plain. A sample, because a server makes all its items
 * alike, and looking at each costs as much as wrapping it; an odd one beyond it is treated as if we were not there.
 */
export function plainData(bytes: Buffer, span: Span, sample: number): boolean {
  let value = nextData(bytes, span.start, span.end);
  for (let seen = 0; value >= 0 && seen < sample; seen += 1) {
    const end = valueEnd(bytes, value, span.end);
    if (end < 0 || !isPlain(bytes.toString("latin1", value, end))) return false;
    value = nextData(bytes, end, span.end);
  }
  return true;
}

const TOKEN = /\s*("(?:[^"\\]|\\["\\/bfnrt])*"|-?(?:0|[1-9]\d{0,14})(?![\d.eE])|true|false|[[\]{}:,])\s*/y;

function isPlain(json: string): boolean {
  // What looks like an envelope must come back in one.
  if (json.startsWith('"sb1:')) return false;
  const keys: Set<string>[] = [];
  let last = "";
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < json.length; ) {
    const token = TOKEN.exec(json)?.[1];
    if (token === undefined) return false;
    if (token === "{" || token === "[") {
      if (keys.push(new Set()) > 32) return false;
    } else if (token === "}" || token === "]") {
      if (last === "{" || last === "[") return false;
      keys.pop();
    } else if (token === ":") {
      const known = keys.at(-1);
      if (known?.has(last) !== false) return false;
      known.add(last);
    }
    last = token;
  }
  return true;
}

const KEY = Buffer.from('data"');
const MARK = Buffer.from("sb1:");

/**
 * Where the next value under a `data` key begins, or -1. The bare quotes around the word make it a whole string, since
 * inside of a longer one they would be escaped; the colon makes it a key. Searching from the letter d on is faster
 * than from the quote, which is everywhere.
 */
export function nextData(bytes: Buffer, from: number, end: number): number {
  for (let at = from; ; at += KEY.length) {
    at = bytes.indexOf(KEY, at);
    if (at < 0 || at >= end) return -1;
    if (at <= from || bytes[at - 1] !== QUOTE || bytes[at - 2] === BACKSLASH) continue;
    const colon = skipBlanks(bytes, at + KEY.length);
    if (bytes[colon] === COLON && colon < end) return skipBlanks(bytes, colon + 1);
  }
}

/** The value's first byte after `"sb1:<backend>:<generation>:`, or -1 when it is no envelope. */
export function innerStart(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== QUOTE || bytes.compare(MARK, 0, 4, start + 1, start + 5) !== 0) return -1;
  const name = bytes.indexOf(COLON, start + 5);
  if (name < 0 || name >= end) return -1;
  let at = name + 1;
  while (isDigit(bytes[at])) at += 1;
  return at > name + 1 && bytes[at] === COLON ? at + 1 : -1;
}
