// Frames over blocking file descriptors, for both ends of the benchmark: the fast backend and the measuring client.
// Blocking reads and writes on one big reusable buffer keep their own cost to a few microseconds a message, so that
// what is seen is the subject. Finding ids and methods in a frame is left to the two ends.
import { readSync, writeSync, writevSync } from "node:fs";

const CANONICAL = Buffer.from("Content-Length: ");
const ZERO = 48;
const NINE = 57;
const CR = 13;

/** Where a frame's JSON lies in the reader's buffer: bytes `[start, end)`, valid until the next frame is taken. */
export interface Slice {
  start: number;
  end: number;
}

/** Takes one frame after the other from a blocking descriptor. */
export class FrameReader {
  readonly #fd: number;
  #start = 0;
  #end = 0;
  bytes: Buffer;

  /** @param capacity bytes to start with; grows to the largest frame seen */
  constructor(fd: number, capacity = 1 << 20) {
    this.#fd = fd;
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Blocks for the next frame; null at end of input. Throws on a header without a length. */
  next(): Slice | null {
    for (;;) {
      const header = this.#header();
      if (header !== null) {
        while (this.#end - this.#start < header.length + header.size) {
          if (!this.#fill(header.length + header.size)) return null;
        }
        const start = this.#start + header.length;
        const end = start + header.size;
        this.#start = end;
        return { start, end };
      }
      if (!this.#fill(0)) return null;
    }
  }

  /** Length of the header and size of the body, in bytes; null when the header is not complete yet. */
  #header(): { length: number; size: number } | null {
    const bytes = this.bytes;
    let at = this.#start + CANONICAL.length;
    if (at >= this.#end) return null;
    if (bytes.compare(CANONICAL, 0, CANONICAL.length, this.#start, at) === 0) {
      let size = 0;
      for (; at < this.#end; at++) {
        const digit = bytes[at] ?? 0;
        if (digit < ZERO || digit > NINE) break;
        size = size * 10 + digit - ZERO;
      }
      if (at + 4 > this.#end) return null;
      if (bytes[at] === CR && bytes[at + 2] === CR) return { length: at + 4 - this.#start, size };
    }
    const text = bytes.toString("latin1", this.#start, Math.min(this.#end, this.#start + 4096));
    const length = text.indexOf("\r\n\r\n");
    if (length < 0) return null;
    const size = /^content-length:\s*(\d+)/im.exec(text.slice(0, length))?.[1];
    if (size === undefined) throw new Error(`header without a length: ${JSON.stringify(text.slice(0, length))}`);
    return { length: length + 4, size: Number(size) };
  }

  /** Reads what there is, with room for `need` bytes from the frame's start; false at end of input. */
  #fill(need: number): boolean {
    if (this.#start === this.#end) {
      this.#start = this.#end = 0;
    } else if (this.#start > 0 && this.bytes.length - this.#start < Math.max(need, this.#end - this.#start + 4096)) {
      this.bytes.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.bytes.length < need || this.#end === this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(need + 4096, this.bytes.length * 2));
      this.bytes.copy(larger, 0, this.#start, this.#end);
      this.bytes = larger;
      this.#end -= this.#start;
      this.#start = 0;
    }
    const got = readSync(this.#fd, this.bytes, this.#end, this.bytes.length - this.#end, null);
    this.#end += got;
    return got > 0;
  }
}

/** Writes all of one buffer to a blocking descriptor. */
export function writeAll(fd: number, bytes: Buffer, length = bytes.length): void {
  for (let at = 0; at < length; ) at += writeSync(fd, bytes, at, length - at);
}

/** Writes several buffers as one piece, without copying them together. */
export function writePieces(fd: number, pieces: readonly Buffer[]): void {
  let left = pieces.filter((piece) => piece.length > 0);
  while (left.length > 0) {
    let written = writevSync(fd, left);
    const rest: Buffer[] = [];
    for (const piece of left) {
      const taken = Math.min(written, piece.length);
      written -= taken;
      if (taken < piece.length) rest.push(taken === 0 ? piece : piece.subarray(taken));
    }
    left = rest;
  }
}

/** A whole frame around a JSON text. */
export function frame(json: string): Buffer {
  return Buffer.from(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
}
