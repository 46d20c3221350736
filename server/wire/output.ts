/**
 * JSON text that is taken over in part and rewritten in part, gathered in one buffer, since the pieces may be thousands. What
 * is rewritten, and where, is splice.ts's and wrapping.ts's.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./scan.ts";

/** As many bytes may become of one, a control character; and what may follow the last one. */
const LONGEST = 6;
const ROOM = 16;
/** What escaping answers when it cannot be sure that there is room. */
const NO_ROOM = -2;
const NOTHING = Buffer.alloc(0);

/** The text so far; sources are read one after the other, each from front to back. */
export class Output {
  readonly #expected: number;
  #source: Buffer = NOTHING;
  /** The source's own, asked for once: each time takes as long as twenty bytes. */
  #memory: ArrayBufferLike = NOTHING.buffer;
  #offset = 0;
  #from = 0;
  #out: Buffer = NOTHING;
  #length = 0;

  /** @param expected bytes of all sources together */
  constructor(expected: number) {
    this.#expected = expected;
  }

  /** What has been gathered. */
  get bytes(): Buffer {
    return this.#out.subarray(0, this.#length);
  }

  /** What of the source lies before it is dealt with. */
  get from(): number {
    return this.#from;
  }

  /** Goes on with another source, from `from` on. */
  read(source: Buffer, from: number): void {
    this.#source = source;
    this.#memory = source.buffer;
    this.#offset = source.byteOffset;
    this.#from = from;
  }

  /**
   * Takes over the source up to the JSON value at `value`, and that as the inside of a JSON string behind `opening`, which
   * begins with its quote. Returns where the value ends; -1, and nothing is taken, when none does before `limit`, where what
   * it stands in would go on.
   */
  wrap(value: number, opening: Buffer, limit: number): number {
    const [from, length] = [this.#from, this.#length];
    this.keepTo(value);
    this.#add(opening);
    const end = this.#addValue(value, limit);
    if (end >= 0 && end < limit) {
      this.skipTo(end);
      return end;
    }
    this.#from = from;
    this.#length = length;
    return -1;
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
  }

  /** A short piece: byte by byte, which is faster than a call out of JavaScript. */
  #add(piece: Buffer): void {
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
  #addValue(from: number, limit: number): number {
    for (;;) {
      const end = this.#escape(from, limit);
      if (end !== NO_ROOM) return end;
      this.#reserve(this.#out.length + ROOM);
    }
  }

  /** As `#addValue`, but for making room: to look after it at each byte would cost a quarter more. */
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

  #hex(u: number): number {
    return Number.parseInt(this.#source.toString("latin1", u + 1, u + 5), 16);
  }

  /** Room for so much more. Grows by halves, from a guess that fits most lists at once. */
  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#out.length) return;
    const guess = (this.#length === 0 ? this.#expected : this.#out.length) * 1.5;
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
