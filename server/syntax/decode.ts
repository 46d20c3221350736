/** From the bytes of a file to UTF-8: what encoding they are in, and whether they are text at all. */
import { isUtf8 } from "node:buffer";

/** A NUL within so many bytes means that a file is no text. */
const BINARY_BYTES = 8_000;

export interface Decoded {
  readonly bytes: Buffer;
  /** So many of the bytes count. */
  readonly length: number;
  /** They were neither UTF-8 nor marked as UTF-16, and are read as Latin-1. */
  readonly guessed: boolean;
}

/** @returns null where it is no text. `bytes` itself where it is UTF-8. */
export function decode(bytes: Buffer, length: number): Decoded | null {
  const text = bytes.subarray(0, length);
  const mark = length >= 2 ? text.readUInt16BE(0) : 0;
  if (mark === 0xfffe || mark === 0xfeff)
    return whole(Buffer.from(new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(text)), false);
  if (isBinary(text)) return null;
  return isUtf8(text) ? { bytes, length, guessed: false } : whole(Buffer.from(text.toString("latin1")), true);
}

/** Of bytes without the mark of UTF-16: whether they are no text. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_BYTES).includes(0);
}

function whole(bytes: Buffer, guessed: boolean): Decoded {
  return { bytes, length: bytes.length, guessed };
}
