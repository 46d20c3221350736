/**
 * Finding one's way through the bytes of a JSON text without parsing it: blanks, strings, values, members.
 * The scans trust that the text is valid JSON and say -1 when it visibly is not; who needs certainty parses.
 */

/** Byte offsets into a buffer, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Index of the first byte at or after `i` that is not JSON white space. */
export function skipBlanks(bytes: Buffer, i: number): number {
  while (isBlank(bytes[i])) i += 1;
  return i;
}

/** Index just after the last byte before `end` that is not JSON white space. */
export function trimBlanks(bytes: Buffer, end: number): number {
  while (isBlank(bytes[end - 1])) end -= 1;
  return end;
}

/**
 * `i` is at an opening quote; the index after the closing one, or -1 when `end` comes first. Most strings are short;
 * for the rest (a document's text) each quote is found natively, and is a closing one after an even run of backslashes.
 */
export function stringEnd(bytes: Buffer, i: number, end: number): number {
  const near = Math.min(i + 64, end);
  for (i += 1; i < near; i += 1) {
    const c = bytes[i];
    if (c === QUOTE) return i + 1;
    if (c === BACKSLASH) i += 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0 || quote >= end) return -1;
    let run = quote;
    while (bytes[run - 1] === BACKSLASH) run -= 1;
    i = quote + 1;
    if ((quote - run) % 2 === 0) return i;
  }
}

/** `i` is at the first byte of a value; the index after it, or -1. Depth is counted, never recursed into. */
export function valueEnd(bytes: Buffer, i: number, end: number): number {
  const first = bytes[i];
  if (first === QUOTE) return stringEnd(bytes, i, end);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return scalarEnd(bytes, i, end);
  let depth = 0;
  while (i < end) {
    const c = bytes[i];
    if (c === QUOTE) {
      i = stringEnd(bytes, i, end);
      if (i < 0) return -1;
      continue;
    }
    i += 1;
    if (c === OPEN_BRACE || c === OPEN_BRACKET) depth += 1;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return -1;
}

/**
 * `i` is at an object; the first byte of the value under `key`, or -1. Of equal keys the first is taken, so that what
 * follows (a document's whole text) need not be walked.
 */
export function memberStart(bytes: Buffer, i: number, end: number, key: string): number {
  if (bytes[i] !== OPEN_BRACE) return -1;
  i = skipBlanks(bytes, i + 1);
  while (bytes[i] === QUOTE) {
    const keyEnd = stringEnd(bytes, i, end);
    if (keyEnd < 0) return -1;
    const found = spells(bytes, i + 1, keyEnd - 1, key);
    i = skipBlanks(bytes, keyEnd);
    if (bytes[i] !== COLON) return -1;
    i = skipBlanks(bytes, i + 1);
    if (found) return i;
    i = valueEnd(bytes, i, end);
    if (i < 0) return -1;
    i = skipBlanks(bytes, i);
    if (bytes[i] !== COMMA) return -1;
    i = skipBlanks(bytes, i + 1);
  }
  return -1;
}

/**
 * The span of a member of an object and of the comma that parts it from its neighbour, so that what is left is an object.
 * @param value where its value begins
 * @param end where that ends
 * @param key bytes of its key, the quotes included
 */
export function memberSpan(bytes: Buffer, value: number, end: number, key: number): Span {
  const start = trimBlanks(bytes, trimBlanks(bytes, value) - 1) - key;
  const before = trimBlanks(bytes, start) - 1;
  if (bytes[before] === COMMA) return { start: before, end };
  const after = skipBlanks(bytes, end);
  return { start, end: bytes[after] === COMMA ? after + 1 : end };
}

/** Whether the inside of a JSON string, [start, end), stands for `word` (ASCII letters); `\u0069` is an i as well. */
export function spells(bytes: Buffer, start: number, end: number, word: string): boolean {
  let i = start;
  for (let at = 0; at < word.length; at += 1) {
    let c = bytes[i];
    i += 1;
    if (c === BACKSLASH) {
      if (bytes[i] !== 0x75 || i + 5 > end) return false;
      c = Number.parseInt(bytes.toString("latin1", i + 1, i + 5), 16);
      i += 5;
    }
    if (c !== word.charCodeAt(at)) return false;
  }
  return i === end;
}

/** Whether [start, end), the inside of a JSON string, holds an escape. */
export function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (bytes[i] === BACKSLASH) return true;
  return false;
}

/** Whether arrays and objects nest deeper than `limit` anywhere in the text. */
export function depthOver(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const c = bytes[i];
    if (c === QUOTE) {
      i = stringEnd(bytes, i, bytes.length) - 1;
      if (i < 0) return false;
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      depth += 1;
      if (depth > limit) return true;
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

/**
 * The end of a long params, result or error without walking through it, or -1 when the ends of the frame do not tell.
 * The frame's last `}` closes the message. Before it stands either the bracket that closes this value, or a number
 * under the key `id` (whose key can be in no string: its quotes are bare), and before that the bracket.
 */
export function longValueEnd(bytes: Buffer, start: number, isParams: boolean, idKnown: boolean): number {
  const open = bytes[start];
  const close = open === OPEN_BRACE ? CLOSE_BRACE : open === OPEN_BRACKET ? CLOSE_BRACKET : undefined;
  if (close === undefined) return -1;
  const last = trimBlanks(bytes, bytes.length) - 1;
  if (bytes[last] !== CLOSE_BRACE) return -1;

  let end = trimBlanks(bytes, last);
  if (bytes[end - 1] === close) {
    // An answer whose id was not met yet has it inside or nowhere: walk. Params may be followed by an id and then
    // something else in brackets: no bare "id" after them excludes that.
    if (isParams ? bytes.indexOf(ID_KEY, start) < 0 : idKnown) return end;
    return -1;
  }
  const digits = end;
  while (isDigit(bytes[end - 1])) end -= 1;
  if (end === digits) return -1;
  end = trimBlanks(bytes, end);
  if (bytes[end - 1] !== COLON) return -1;
  end = trimBlanks(bytes, end - 1) - ID_KEY.length;
  if (end <= start || bytes.compare(ID_KEY, 0, ID_KEY.length, end, end + ID_KEY.length) !== 0) return -1;
  end = trimBlanks(bytes, end);
  if (bytes[end - 1] !== COMMA) return -1;
  end = trimBlanks(bytes, end - 1);
  return bytes[end - 1] === close && end > start + 1 ? end : -1;
}
const ID_KEY = Buffer.from('"id"');

export function isDigit(c: number | undefined): c is number {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

function scalarEnd(bytes: Buffer, start: number, end: number): number {
  let i = start;
  while (i < end) {
    const c = bytes[i];
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || isBlank(c)) break;
    i += 1;
  }
  return i === start ? -1 : i;
}

function isBlank(c: number | undefined): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}
