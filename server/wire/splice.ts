/**
 * The envelope around opaque `data`: on its way to a client each item's `data` becomes one JSON string, the owner's
 * prefix followed by the original JSON text; on its way back the text is cut out again. Nothing is parsed, so 2^60,
 * 1.0, equal keys or 2,000 levels come back byte for byte, even through clients that re-encode objects. Which
 * messages carry `data`, and what an owner means, is the core's.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isDigit,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Span,
  skipBlanks,
  valueEnd,
} from "./scan.ts";

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
 * Wraps the value of every `data` key within the span; a `data` inside another one's value belongs to that value.
 * Returns what replaces the span, or null when there is nothing to wrap and the bytes can go as they are.
 */
export function wrapData(bytes: Buffer, span: Span, prefix: string): readonly Buffer[] | null {
  let value = nextData(bytes, span.start, span.end);
  if (value < 0) return null;
  const opening = Buffer.from(JSON.stringify(prefix).slice(0, -1));
  const out = new Output(bytes, span.start, span.end);
  while (value >= 0) {
    out.keepTo(value);
    out.add(opening);
    const end = out.addValue(value, span.end);
    // No JSON: passed on as it is, whoever reads it will say so.
    if (end < 0) return [bytes.subarray(span.start, span.end)];
    out.skipTo(end);
    value = nextData(bytes, end, span.end);
  }
  return out.done();
}

/** Undoes wrapData. null: no `data` key at all within the span, send the bytes as they are. */
export function unwrapData(bytes: Buffer, span: Span): Unwrapped | null {
  let value = nextData(bytes, span.start, span.end);
  if (value < 0) return null;
  const out = new Output(bytes, span.start, span.end);
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
      out.keepTo(value);
      out.addUnescaped(text, end - 1);
      out.skipTo(end);
    }
    value = nextData(bytes, end, span.end);
  }
  return { pieces: out.done(), owners: [...owners], bare };
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
/** As many bytes may become of one, a control character; and what may follow the last one. */
const LONGEST = 6;
const ROOM = 16;
/** What escaping answers when it cannot be sure that there is room. */
const NO_ROOM = -2;

/**
 * Where the next value under a `data` key begins, or -1. The bare quotes around the word make it a whole string, since
 * inside of a longer one they would be escaped; the colon makes it a key. Searching from the letter d on is faster
 * than from the quote, which is everywhere.
 */
function nextData(bytes: Buffer, from: number, end: number): number {
  for (let at = from; ; at += KEY.length) {
    at = bytes.indexOf(KEY, at);
    if (at < 0 || at >= end) return -1;
    if (at <= from || bytes[at - 1] !== QUOTE || bytes[at - 2] === BACKSLASH) continue;
    const colon = skipBlanks(bytes, at + KEY.length);
    if (bytes[colon] === COLON && colon < end) return skipBlanks(bytes, colon + 1);
  }
}

/** The value's first byte after `"sb1:<backend>:<generation>:`, or -1 when it is no envelope. */
function innerStart(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== QUOTE || bytes.compare(MARK, 0, 4, start + 1, start + 5) !== 0) return -1;
  const name = bytes.indexOf(COLON, start + 5);
  if (name < 0 || name >= end) return -1;
  let at = name + 1;
  while (isDigit(bytes[at])) at += 1;
  return at > name + 1 && bytes[at] === COLON ? at + 1 : -1;
}

/** The rewritten span: what is kept and what replaces it, gathered in one buffer, since the pieces may be thousands. */
class Output {
  readonly #source: Buffer;
  /** The source's own, asked for once: each time takes as long as twenty bytes. */
  readonly #memory: ArrayBufferLike;
  readonly #offset: number;
  readonly #start: number;
  readonly #end: number;
  #from: number;
  #out: Buffer;
  #length = 0;
  #changed = false;

  constructor(source: Buffer, start: number, end: number) {
    this.#source = source;
    this.#memory = source.buffer;
    this.#offset = source.byteOffset;
    this.#start = start;
    this.#end = end;
    this.#from = start;
    this.#out = Buffer.allocUnsafeSlow(0);
  }

  /** Takes over the source as far as `to`. */
  keepTo(to: number): void {
    const length = to - this.#from;
    this.#reserve(length);
    // Half of what copy() or subarray() take for the hundred bytes between two values.
    this.#out.set(new Uint8Array(this.#memory, this.#offset + this.#from, length), this.#length);
    this.#length += length;
    this.#from = to;
  }

  /** Leaves the source out as far as `to`. */
  skipTo(to: number): void {
    this.#from = to;
    this.#changed = true;
  }

  /** A short piece: byte by byte, which is faster than a call out of JavaScript. */
  add(piece: Buffer): void {
    this.#reserve(piece.length);
    const out = this.#out;
    let n = this.#length;
    for (let i = 0; i < piece.length; i += 1) out[n++] = piece[i] ?? 0;
    this.#length = n;
  }

  /**
   * Adds the JSON value that begins at `from` as the inside of a JSON string, and the closing quote; its end is found in
   * the same pass. Returns that, or -1 when the value does not end before `limit`.
   */
  addValue(from: number, limit: number): number {
    for (;;) {
      const end = this.#escape(from, limit);
      if (end !== NO_ROOM) return end;
      this.#reserve(this.#out.length + ROOM);
    }
  }

  /** As `addValue`, but for making room: to look after it at each byte would cost a quarter more. */
  #escape(from: number, limit: number): number {
    const source = this.#source;
    const out = this.#out;
    let n = this.#length;
    const stop = Math.min(limit, from + Math.floor((out.length - n - ROOM) / LONGEST));
    let depth = 0;
    let i = from;
    for (; i < stop; i += 1) {
      const c = source[i] ?? 0;
      if (c === QUOTE) {
        out[n++] = BACKSLASH;
        out[n++] = c;
        for (i += 1; i < stop; i += 1) {
          const inner = source[i] ?? 0;
          if (inner === QUOTE) break;
          out[n++] = inner;
          if (inner !== BACKSLASH) continue;
          out[n++] = inner;
          i += 1;
          const escaped = source[i] ?? 0;
          if (escaped === QUOTE || escaped === BACKSLASH) out[n++] = BACKSLASH;
          out[n++] = escaped;
        }
        if (i >= stop) return stop < limit ? NO_ROOM : -1;
        out[n++] = BACKSLASH;
        out[n++] = QUOTE;
      } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        out[n++] = c;
        depth += 1;
        continue;
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
        if (depth === 0) break;
        out[n++] = c;
        depth -= 1;
      } else if (depth > 0) {
        // Blanks between tokens are the only control characters.
        if (c < 0x20) n += out.write(`\\u00${c < 0x10 ? "0" : ""}${c.toString(16)}`, n, "latin1");
        else out[n++] = c;
        continue;
      } else if (c <= 0x20 || c === COMMA) break;
      else {
        out[n++] = c; // a number or a word, which ends before what follows it
        continue;
      }
      if (depth === 0) {
        i += 1;
        break;
      }
    }
    if (i >= stop && stop < limit) return NO_ROOM;
    if (depth > 0 || i === from) return -1;
    out[n++] = QUOTE;
    this.#length = n;
    return i;
  }

  /** Adds what the inside of a JSON string stands for, however the client has escaped it. */
  addUnescaped(from: number, to: number): void {
    this.#reserve((to - from) * 3);
    const source = this.#source;
    const out = this.#out;
    let n = this.#length;
    for (let i = from; i < to; i += 1) {
      const c = source[i] ?? 0;
      if (c !== BACKSLASH) {
        out[n++] = c;
        continue;
      }
      i += 1;
      const escaped = source[i] ?? 0;
      if (escaped !== 0x75) {
        out[n++] = ESCAPES.get(escaped) ?? escaped;
        continue;
      }
      let text = String.fromCharCode(this.#hex(i));
      i += 4;
      if (isHigh(text) && source[i + 1] === BACKSLASH && source[i + 2] === 0x75) {
        text += String.fromCharCode(this.#hex(i + 2));
        i += 6;
      }
      n += out.write(text, n, "utf8");
    }
    this.#length = n;
  }

  /** Bytes before the first change and after the last one stay views of the source. */
  done(): readonly Buffer[] {
    const tail = this.#source.subarray(this.#from, this.#end);
    if (!this.#changed) return [this.#source.subarray(this.#start, this.#end)];
    return [this.#out.subarray(0, this.#length), tail];
  }

  #hex(u: number): number {
    return Number.parseInt(this.#source.toString("latin1", u + 1, u + 5), 16);
  }

  /** Room for so much more. Grows by halves, from a guess that fits most lists at once. */
  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#out.length) return;
    const guess = this.#length === 0 ? (this.#end - this.#start) * 1.5 : this.#out.length * 1.5;
    const grown = Buffer.allocUnsafeSlow(Math.max(need, Math.ceil(guess)) + 64);
    this.#out.copy(grown, 0, 0, this.#length);
    this.#out = grown;
  }
}

/** The byte after a backslash and what it stands for, where that is another. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

function isHigh(unit: string): boolean {
  return unit >= "\ud800" && unit <= "\udbff";
}
