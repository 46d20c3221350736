/**
 * JSON text that is taken over in part and rewritten in part, gathered in one buffer, since the pieces may be thousands. The
 * source lies at the end of that buffer and what is gathered grows towards it, so that taking over is moving. What is
 * rewritten, and where, is splice.ts's and wrapping.ts's.
 */
import { cut } from "./compose.ts";
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, type Span } from "./scan.ts";

/** As many bytes may become of one, a control character; and what may follow the last one. */
const LONGEST = 6;
const ROOM = 16;
/** What escaping answers when it cannot be sure that there is room. */
const NO_ROOM = -2;

/** The text so far; the source is read from front to back. Places are those of the body that the source is a span of. */
export class Output {
  /** What has been gathered, a gap, and the source. */
  #bytes: Buffer;
  /** How much has been gathered. */
  #length = 0;
  /** What of the source lies before it is dealt with. */
  #from: number;
  /** Where the source's end is in the body. */
  readonly #end: number;

  /** @param body that the span is of, one buffer or several in order */
  constructor(body: readonly Buffer[], { start, end }: Span) {
    this.#from = start;
    this.#end = end;
    // A guess that fits most lists at once.
    const room = Math.ceil((end - start) * 1.5) + 4 * ROOM;
    this.#bytes = Buffer.allocUnsafeSlow(room);
    let at = room - (end - start);
    for (const piece of cut(body, start, end)) at += piece.copy(this.#bytes, at);
  }

  /** What has been gathered. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** What of the source lies before it is dealt with. */
  get from(): number {
    return this.#from;
  }

  /** What is left of the source, a character for each byte. */
  get rest(): string {
    return this.#bytes.toString("latin1", this.#place(this.#from));
  }

  /**
   * Takes over the source up to the JSON value at `value`, and that as the inside of a JSON string behind `opening`, which
   * begins with its quote. Returns where the value ends; -1 when none does before the source's end, where what it stands in
   * would go on: what has been gathered is then good for nothing.
   */
  wrap(value: number, opening: Buffer): number {
    this.keepTo(value);
    this.#add(opening);
    const end = this.#addValue(value);
    if (end < 0 || end >= this.#end) return -1;
    this.#from = end;
    return end;
  }

  /** Takes over the source as far as `to`. */
  keepTo(to: number): void {
    const start = this.#place(this.#from);
    this.#bytes.copyWithin(this.#length, start, this.#place(to));
    this.#length += to - this.#from;
    this.#from = to;
  }

  /** Leaves the source out as far as `to`. */
  skipTo(to: number): void {
    this.#from = to;
  }

  /** A short piece: byte by byte, which is faster than a call out of JavaScript. */
  #add(piece: Buffer): void {
    this.#reserve(piece.length);
    const out = this.#bytes;
    let n = this.#length;
    for (let i = 0; i < piece.length; i += 1) out[n++] = piece[i] ?? 0;
    this.#length = n;
  }

  /**
   * Adds the JSON value that begins at `from` as the inside of a JSON string, and the closing quote; its end is found in
   * the same pass. Returns that, or -1 when the value does not end before the source does.
   */
  #addValue(from: number): number {
    for (;;) {
      const end = this.#escape(this.#place(from));
      if (end >= 0) return end - this.#place(0);
      if (end !== NO_ROOM) return end;
      this.#reserve(this.#bytes.length + ROOM);
    }
  }

  /** As `#addValue`, in places of the buffer and but for making room: to look after it at each byte would cost a quarter more. */
  #escape(from: number): number {
    const bytes = this.#bytes;
    const limit = bytes.length;
    let n = this.#length;
    const stop = Math.min(limit, from + Math.floor((from - n - ROOM) / LONGEST));
    let depth = 0;
    let i = from;
    for (; i < stop; i += 1) {
      const c = bytes[i] ?? 0;
      if (c === QUOTE) {
        bytes[n++] = BACKSLASH;
        bytes[n++] = c;
        for (i += 1; i < stop; i += 1) {
          const inner = bytes[i] ?? 0;
          if (inner === QUOTE) break;
          bytes[n++] = inner;
          if (inner !== BACKSLASH) continue;
          bytes[n++] = inner;
          i += 1;
          const escaped = bytes[i] ?? 0;
          if (escaped === QUOTE || escaped === BACKSLASH) bytes[n++] = BACKSLASH;
          bytes[n++] = escaped;
        }
        if (i >= stop) return stop < limit ? NO_ROOM : -1;
        bytes[n++] = BACKSLASH;
        bytes[n++] = QUOTE;
      } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        bytes[n++] = c;
        depth += 1;
        continue;
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
        if (depth === 0) break;
        bytes[n++] = c;
        depth -= 1;
      } else if (depth > 0) {
        // Blanks between tokens are the only control characters.
        if (c < 0x20) n += bytes.write(`\\u00${c < 0x10 ? "0" : ""}${c.toString(16)}`, n, "latin1");
        else bytes[n++] = c;
        continue;
      } else if (c <= 0x20 || c === COMMA) break;
      else {
        bytes[n++] = c; // a number or a word, which ends before what follows it
        continue;
      }
      if (depth === 0) {
        i += 1;
        break;
      }
    }
    if (i >= stop && stop < limit) return NO_ROOM;
    if (depth > 0 || i === from) return -1;
    bytes[n++] = QUOTE;
    this.#length = n;
    return i;
  }

  /** Adds what the inside of a JSON string stands for, however the client has escaped it: never more bytes than stand there. */
  addUnescaped(from: number, to: number): void {
    const bytes = this.#bytes;
    const end = this.#place(to);
    let n = this.#length;
    for (let i = this.#place(from); i < end; i += 1) {
      const c = bytes[i] ?? 0;
      if (c !== BACKSLASH) {
        bytes[n++] = c;
        continue;
      }
      i += 1;
      const escaped = bytes[i] ?? 0;
      if (escaped !== 0x75) {
        bytes[n++] = ESCAPES.get(escaped) ?? escaped;
        continue;
      }
      let text = String.fromCharCode(this.#hex(i));
      i += 4;
      if (isHigh(text) && bytes[i + 1] === BACKSLASH && bytes[i + 2] === 0x75) {
        text += String.fromCharCode(this.#hex(i + 2));
        i += 6;
      }
      n += bytes.write(text, n, "utf8");
    }
    this.#length = n;
  }

  #hex(u: number): number {
    return Number.parseInt(this.#bytes.toString("latin1", u + 1, u + 5), 16);
  }

  /** Where a byte of the source lies now. */
  #place(at: number): number {
    return this.#bytes.length - this.#end + at;
  }

  /** Room for so much more in front of what is left of the source. */
  #reserve(more: number): void {
    const rest = this.#place(this.#from);
    if (this.#length + more <= rest) return;
    const left = this.#bytes.subarray(rest);
    const grown = Buffer.allocUnsafeSlow(this.#length + more + left.length + (this.#bytes.length >> 1));
    this.#bytes.copy(grown, 0, 0, this.#length);
    left.copy(grown, grown.length - left.length);
    this.#bytes = grown;
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
