/**
 * Envelopes around opaque `data` (`splice.ts` says what they are), put on at once, or while a long message comes in: then a
 * list of a megabyte is done with its last byte.
 */
import type { Flow } from "./framing.ts";
import { Output } from "./output.ts";
import type { Packet } from "./packet.ts";
import { type Span, skipBlanks, trimBlanks } from "./scan.ts";
import { nextData } from "./splice.ts";

/**
 * Wraps the value of every `data` key within the span; a `data` inside another one's value belongs to that value.
 * Returns what replaces the span, or null when there is nothing to wrap and the bytes can go as they are.
 */
export function wrapData(bytes: Buffer, span: Span, prefix: string): readonly Buffer[] | null {
  let value = nextData(bytes, span.start, span.end);
  if (value < 0) return null;
  const opening = openingOf(prefix);
  const out = new Output(span.end - span.start);
  out.read(bytes, span.start);
  let end = span.start;
  while (value >= 0) {
    end = out.wrap(value, opening, span.end);
    // No JSON: passed on as it is, whoever reads it will say so.
    if (end < 0) return [bytes.subarray(span.start, span.end)];
    value = nextData(bytes, end, span.end);
  }
  return [out.bytes, bytes.subarray(end, span.end)];
}

/** The longest key `"data"` whose rest may still be to come, and the byte before it, which may escape its quote. */
const KEPT = 7;
/** A value that does not end within so many bytes would be begun anew with each piece: then all waits for the last one. */
const MOST_KEPT = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/** Takes a long answer whole, and puts envelopes around its result's `data` as the pieces come. */
export class Wrapping implements Flow {
  readonly #start: number;
  readonly #length: number;
  readonly #opening: Buffer;
  readonly #out: Output;
  readonly #pieces: Buffer[] = [];
  #seen = 0;
  /** What has come and cannot be judged yet: the end of a piece. */
  #rest: Buffer = NOTHING;
  /** It begins with a value under `data`. */
  #inValue = false;
  /** It turned out not to be possible piece by piece. */
  #failed = false;
  #changed = false;

  /** @param start where the result begins in the body, within its first piece; `length`: of the body, bytes */
  constructor(start: number, length: number, prefix: string) {
    this.#start = start;
    this.#length = length;
    this.#opening = openingOf(prefix);
    this.#out = new Output(length);
  }

  write(piece: Buffer): boolean {
    const from = this.#seen === 0 ? this.#start : 0;
    this.#pieces.push(piece);
    this.#seen += piece.length;
    if (!this.#failed) this.#wrap(this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]), from);
    return true;
  }

  end(whole: boolean): readonly Buffer[] | null {
    return whole ? this.#pieces : null;
  }

  /**
   * What replaces the result of the packet that was read from these very pieces, null where nothing of it was wrapped.
   * Undefined: this cannot be told, wrap it now. Read from its ends, a packet has nothing behind its result but an id.
   */
  resultOf({ pieces, bodySpan, failed }: Packet): readonly Buffer[] | null | undefined {
    if (pieces !== this.#pieces || this.#failed || failed || bodySpan?.start !== this.#start) return undefined;
    if (!this.#changed) return null;
    const { bytes } = this.#out;
    return [bytes.subarray(0, bytes.length - (this.#length - bodySpan.end))];
  }

  #wrap(bytes: Buffer, from: number): void {
    const isLast = this.#seen === this.#length;
    const all = bytes.length;
    this.#out.read(bytes, from);
    let end = from;
    let value = this.#inValue ? skipBlanks(bytes, from) : nextData(bytes, from, all);
    while (value >= 0) {
      const after = this.#out.wrap(value, this.#opening, all);
      if (after < 0) return this.#waitFor(bytes, value, isLast);
      end = after;
      this.#changed = true;
      value = nextData(bytes, end, all);
    }
    this.#inValue = false;
    this.#keepFrom(bytes, isLast ? all : Math.max(end, trimBlanks(bytes, all) - KEPT));
  }

  /** The value that begins here is not whole. */
  #waitFor(bytes: Buffer, value: number, isLast: boolean): void {
    this.#failed = isLast || bytes.length - value > MOST_KEPT;
    this.#inValue = true;
    this.#keepFrom(bytes, value);
  }

  #keepFrom(bytes: Buffer, at: number): void {
    this.#out.keepTo(at);
    this.#rest = bytes.subarray(at);
  }
}

/** What stands before the original text: the string's quote, then the prefix. */
function openingOf(prefix: string): Buffer {
  return Buffer.from(JSON.stringify(prefix).slice(0, -1));
}
