/** The beginning of a long message, read before its rest has come: what it is, and where its body begins. */
import { keyOf, readId, readString } from "./packet.ts";
import { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, type Span, skipBlanks, stringEnd, valueEnd } from "./scan.ts";

/** What the beginning of a long answer, or of a long notification, tells. */
export interface Start {
  /** Of a notification; undefined: it is an answer. */
  readonly method: string | undefined;
  /** Of an answer; undefined where it does not come before the result. */
  readonly id: number | undefined;
  readonly idSpan: Span | undefined;
  /** The bytes read. */
  readonly bytes: Buffer;
  readonly pieces: readonly Buffer[];
  /** From the first byte of the result or params to the message's last but one: what else stands there is not known yet. */
  readonly bodySpan: Span;
  readonly failed: false;
}

/**
 * Reads the beginning of a body of `length` bytes of which the rest is still to come; null where it is neither an answer with
 * a result that is an object or an array, nor a notification whose method comes before its params.
 */
export function readStart(bytes: Buffer, length: number): Start | null {
  let at = skipBlanks(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return null;
  let method: string | undefined;
  let id: number | undefined;
  let idSpan: Span | undefined;
  at = skipBlanks(bytes, at + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = stringEnd(bytes, at, bytes.length);
    if (keyEnd < 0) return null;
    const key = keyOf(bytes, at + 1, keyEnd - 1);
    at = skipBlanks(bytes, keyEnd);
    if (bytes[at] !== COLON) return null;
    const start = skipBlanks(bytes, at + 1);
    const first = bytes[start];
    if (key === "result" || key === "params") {
      const isOne = key === "result" ? method === undefined : method !== undefined && id === undefined;
      if (!isOne || (first !== OPEN_BRACE && first !== OPEN_BRACKET)) return null;
      const bodySpan = { start, end: length - 1 };
      return { method, id, idSpan, bytes, pieces: [bytes], bodySpan, failed: false };
    }
    if (key === "error") return null;
    const end = valueEnd(bytes, start, bytes.length);
    if (end < 0) return null;
    if (key === "id") {
      const read = readId(bytes, start, end);
      if (typeof read !== "number" || id !== undefined) return null;
      id = read;
      idSpan = { start, end };
    } else if (key === "method") {
      if (first !== QUOTE || method !== undefined) return null;
      method = readString(bytes, start, end);
    }
    at = skipBlanks(bytes, end);
    if (bytes[at] !== COMMA) return null;
    at = skipBlanks(bytes, at + 1);
  }
  return null;
}
