/**
 * Byte chunks to frames, and the one header that we write (LSP 3.18, "Base Protocol"). Every header form met in the
 * wild is read; text that is no frame is passed over up to the next header and said. Bodies are handed on unread.
 */

import type { Body } from "./packet.ts";
import { isDigit } from "./scan.ts";

/** Something in the stream that is no frame. The stream goes on after it. */
export interface FrameProblem {
  /**
   * "noise": text that is no header; "length": a Content-Length that is none, or none at all; "tooLarge": a frame or a
   * header over its cap, skipped; "truncated": the stream ended within a frame.
   */
  readonly kind: "noise" | "length" | "tooLarge" | "truncated";
  /** For people; quotes at most 200 characters of the stream. */
  readonly text: string;
}

/** Takes a body while it comes in. */
export interface Flow {
  /** False: it is not rid of it yet. More may be written all the same. */
  write(piece: Buffer): boolean;
  /** The body is whole, or its stream has ended within it. */
  end(whole: boolean): void;
}

export interface FrameOptions {
  /** Longest body in bytes; default 256 MiB. */
  readonly maxFrameBytes?: number;
  /**
   * Called with each body: one buffer, or the pieces of one that came in several chunks and is long. A buffer may be a
   * view of the chunk: whoever keeps a small one for long copies it, or a whole chunk stays in memory with it. Must not
   * throw.
   */
  onBody(body: Body): void;
  /**
   * Offered each long body whose rest is still to come, with its first bytes (16 KiB at least) and its length. Who takes it
   * is given these at once and all further bytes as they come, and `onBody` is not called for it. Must not throw.
   */
  onLong?(start: Buffer, length: number): Flow | null;
  /** Called once for each stretch of the stream that is no frame. */
  onProblem(problem: FrameProblem): void;
  /** Takes stray text where it is to be expected (a backend's stdout), in place of "noise" problems; may come often. */
  onNoise?(text: string): void;
}

const MAX_HEADER = 8 * 1024;
const MAX_FRAME = 256 * 1024 * 1024;
const QUOTED = 200;
/** Bodies from this length on are handed on in the pieces in which they came. */
const IN_PIECES = 64 * 1024;
/** So much of a long body is waited for before it is offered. */
const OFFERED = 16 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES = Buffer.alloc(0);

/** The canonical header, the only form that every server reads, for a body of so many bytes. */
export function header(length: number): Buffer {
  const known = headers[length];
  if (known !== undefined) return known;
  const made = Buffer.from(`Content-Length: ${length}\r\n\r\n`, "latin1");
  if (length < headers.length) headers[length] = made;
  return made;
}
const headers: (Buffer | undefined)[] = new Array(2048).fill(undefined);

/** Reads one stream. */
export class FrameReader {
  readonly #options: FrameOptions;
  readonly #maxFrame: number;
  /** The part of a header line that has come so far. */
  #carry: Buffer = NO_BYTES;
  /** The Content-Length of the header block being read; "bad" when it was none. */
  #length: number | "bad" | undefined;
  /** Bytes of the header block so far, and whether it has any line. */
  #headerBytes = 0;
  /** A body that comes in several chunks: the pieces so far. */
  #pieces: Buffer[] | undefined;
  /** Who takes that body as it comes; "none" once it was offered in vain. */
  #flow: Flow | "none" | undefined;
  #ahead = false;
  #wanted = 0;
  #filled = 0;
  /** What is left of a frame over the cap. */
  #skip = 0;
  #noise = "";
  /** Whether the present stretch of noise has been reported as a problem. */
  #reported = false;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#maxFrame = options.maxFrameBytes ?? MAX_FRAME;
  }

  /** Whether the present body comes in faster than whoever takes it as it comes gets rid of it. */
  get isAhead(): boolean {
    return this.#ahead && typeof this.#flow === "object";
  }

  /** Takes the next chunk; bodies that end in it are handed on before this returns. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#pieces !== undefined) at = this.#fill(this.#pieces, chunk, at);
      else if (this.#skip > 0) {
        const n = Math.min(this.#skip, chunk.length - at);
        this.#skip -= n;
        at += n;
      } else {
        if (this.#carry.length > 0) {
          chunk = Buffer.concat([this.#carry, chunk.subarray(at)]);
          this.#carry = NO_BYTES;
          at = 0;
        }
        at = this.#readHeader(chunk, at);
      }
    }
    this.#flushNoise();
  }

  /** The stream has ended: reports what was left unfinished. */
  end(): void {
    if (this.#pieces !== undefined) {
      this.#endFlow(false);
      this.#problem("truncated", `the stream ended after ${this.#filled} of ${this.#wanted} bytes of a message`);
    } else if (typeof this.#length === "number") this.#problem("truncated", "the stream ended within a header");
    else if (this.#carry.length > 0) this.#addNoise(this.#carry.toString("utf8"));
    this.#flushNoise();
    this.#pieces = undefined;
    this.#carry = NO_BYTES;
  }

  /** Reads one header line, or a whole canonical header, at `at`; returns where to go on. */
  #readHeader(chunk: Buffer, at: number): number {
    const plain = this.#headerBytes === 0 ? canonical(chunk, at) : -1;
    if (plain >= 0) {
      const colon = at + CANONICAL.length;
      this.#length = digits(chunk, colon, plain - 4);
      return this.#startBody(chunk, plain);
    }
    const lf = chunk.indexOf(LF, at);
    if (lf < 0) return this.#keepLine(chunk, at);
    const end = lf > at && chunk[lf - 1] === CR ? lf - 1 : lf;
    if (end > at) {
      this.#headerBytes += lf + 1 - at;
      // Of an endless line only the end can be a header.
      this.#readLine(chunk.toString("utf8", Math.max(at, end - MAX_HEADER), end));
      if (this.#headerBytes > MAX_HEADER) {
        this.#stray("tooLarge", `a header of more than ${MAX_HEADER} bytes`);
        this.#length = undefined;
        this.#headerBytes = 1;
      }
      return lf + 1;
    }
    if (this.#headerBytes === 0) return lf + 1; // blank lines between frames
    if (typeof this.#length === "number") return this.#startBody(chunk, lf + 1);
    if (this.#length === undefined) this.#stray("length", "a header without Content-Length");
    this.#length = undefined;
    this.#headerBytes = 0;
    return lf + 1;
  }

  /** No line end yet: waits for it, but keeps no more than a header may be long. */
  #keepLine(chunk: Buffer, at: number): number {
    const from = chunk.length - at > MAX_HEADER ? chunk.length - MAX_HEADER / 2 : at;
    if (from > at) this.#addNoise(chunk.toString("utf8", at, Math.min(from, at + QUOTED)));
    this.#carry = Buffer.from(chunk.subarray(from));
    return chunk.length;
  }

  #readLine(line: string): void {
    const field = FIELD.exec(line);
    const name = field?.[1]?.toLowerCase();
    if (name === "content-length") this.#setLength(field?.[2] ?? "");
    else if (name === undefined || GLUED.test(name)) {
      // Stray text may stand on the header's own line: a prompt, ANSI codes, the rest of a body that was cut short.
      const hidden = HIDDEN.exec(line);
      this.#addNoise(hidden === null ? `${line}\n` : line.slice(0, hidden.index));
      if (hidden !== null) this.#setLength(hidden[1] ?? "");
    } else if (this.#options.onNoise !== undefined && !EXPECTED.test(name)) this.#addNoise(`${line}\n`);
  }

  #setLength(text: string): void {
    const length = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    if (length === undefined || (typeof this.#length === "number" && this.#length !== length)) {
      this.#problem("length", `Content-Length: ${text.slice(0, QUOTED)}`);
      this.#reported = true; // its body, whatever its length, is part of the same stretch
      this.#length = "bad";
    } else if (this.#length === undefined) this.#length = length;
  }

  #startBody(chunk: Buffer, at: number): number {
    const length = typeof this.#length === "number" ? this.#length : 0;
    this.#length = undefined;
    this.#headerBytes = 0;
    this.#flushNoise();
    this.#reported = false;
    if (length > this.#maxFrame) {
      this.#problem("tooLarge", `a message of ${length} bytes, more than the limit of ${this.#maxFrame}`);
      this.#skip = length;
      return at;
    }
    if (chunk.length - at >= length) {
      this.#options.onBody(chunk.subarray(at, at + length));
      return at + length;
    }
    this.#pieces = [];
    this.#flow = length < IN_PIECES || this.#options.onLong === undefined ? "none" : undefined;
    this.#wanted = length;
    this.#filled = 0;
    return at;
  }

  /** Nothing is copied while a body comes in; what is passed on untouched never is. */
  #fill(pieces: Buffer[], chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#wanted - this.#filled);
    const piece = chunk.subarray(at, end);
    this.#filled += end - at;
    if (typeof this.#flow === "object") this.#ahead = !this.#flow.write(piece);
    else {
      pieces.push(piece);
      if (this.#flow === undefined && this.#filled >= OFFERED) this.#offer(pieces);
    }
    if (this.#filled === this.#wanted) {
      this.#pieces = undefined;
      if (!this.#endFlow(true))
        this.#options.onBody(this.#wanted < IN_PIECES ? Buffer.concat(pieces, this.#wanted) : pieces);
    }
    return end;
  }

  #offer(pieces: Buffer[]): void {
    const [first] = pieces;
    const start = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    this.#flow = this.#options.onLong?.(start, this.#wanted) ?? "none";
    if (this.#flow === "none") return;
    pieces.length = 0;
    this.#ahead = !this.#flow.write(start);
  }

  /** Whether somebody took the present body as it came. */
  #endFlow(whole: boolean): boolean {
    const flow = this.#flow;
    this.#flow = undefined;
    if (typeof flow !== "object") return false;
    flow.end(whole);
    return true;
  }

  #problem(kind: FrameProblem["kind"], text: string): void {
    this.#options.onProblem({ kind, text });
  }

  /** A header block that is none, as text where that is expected. */
  #stray(kind: FrameProblem["kind"], text: string): void {
    if (this.#options.onNoise !== undefined || this.#reported) return;
    this.#reported = true;
    this.#problem(kind, text);
  }

  #addNoise(text: string): void {
    if (this.#noise.length < QUOTED) this.#noise += text.slice(0, QUOTED);
  }

  #flushNoise(): void {
    if (this.#noise === "") return;
    const text = this.#noise.slice(0, QUOTED).replace(CONTROL, "").trim();
    this.#noise = "";
    if (text === "") return;
    if (this.#options.onNoise !== undefined) this.#options.onNoise(text);
    else if (!this.#reported) {
      this.#reported = true;
      this.#problem("noise", text);
    }
  }
}

const CONTROL = /(?![\n\t])\p{Cc}/gu;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/;
/** A field's name that has swallowed stray text: "doneContent-Length". */
const GLUED = /[^-]content-length$/;
const HIDDEN = /content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/i;
/** Fields that are passed over in silence; other ones in front of a backend's frame are more likely a log line. */
const EXPECTED = /^(content-|x-)/;
const CANONICAL = Buffer.from("Content-Length: ");

/** Where the body begins if exactly a canonical header stands at `at`, else -1. */
function canonical(chunk: Buffer, at: number): number {
  const start = at + CANONICAL.length;
  if (chunk.length < start + 5 || chunk.compare(CANONICAL, 0, CANONICAL.length, at, start) !== 0) return -1;
  let i = start;
  while (isDigit(chunk[i])) i += 1;
  if (i === start || i - start > 15) return -1;
  return chunk[i] === CR && chunk[i + 1] === LF && chunk[i + 2] === CR && chunk[i + 3] === LF ? i + 4 : -1;
}

function digits(chunk: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i += 1) value = value * 10 + ((chunk[i] ?? 0x30) - 0x30);
  return value;
}
