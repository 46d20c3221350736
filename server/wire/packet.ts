/**
 * One frame's body as a Packet: what kind it is, its method, and where its id and its params, result or error lie in
 * the bytes. The body itself is parsed only when asked for, and this is the only file that calls JSON.parse. It knows
 * no methods; framing is framing.ts's, the `data` inside of bodies splice.ts's.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  depthOver,
  hasEscape,
  isDigit,
  longValueEnd,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Span,
  skipBlanks,
  spells,
  stringEnd,
  valueEnd,
} from "./scan.ts";

export { depthOver, type Span } from "./scan.ts";

/** A request's id: a safe integer or a string. `1` and `"1"` are two ids. */
export type Id = number | string;

/** One frame's body as it came: one buffer, or the pieces of a long one in order. */
export type Body = Buffer | readonly Buffer[];

export interface Packet {
  /**
   * The body of one frame; a long one is joined at the first use. May be a view of a larger chunk: copy it (`Buffer.from`)
   * to keep a small one for long.
   */
  readonly bytes: Buffer;
  /** The same bytes as they came, for passing them on. */
  readonly pieces: readonly Buffer[];
  readonly kind: "request" | "notification" | "response";
  readonly method: string | undefined;
  /** undefined: a notification. null: a response to something whose id could not be read. */
  readonly id: Id | null | undefined;
  /** The id's JSON value. */
  readonly idSpan: Span | undefined;
  /** The value of `params`, `result` or `error`, whichever counts; undefined when there is none. */
  readonly bodySpan: Span | undefined;
  /** A response with an `error` that is not null. */
  readonly failed: boolean;
}

/** A frame that is no packet, as JSON-RPC 2.0 section 5.1 wants it answered: parse error or invalid request. */
export interface Malformed {
  readonly problem: string;
  readonly code: -32700 | -32600;
  readonly id: Id | null;
}

/** Tells the two outcomes of `readPacket` apart. */
export function isMalformed(x: Packet | Malformed): x is Malformed {
  return "problem" in x;
}

/** Bodies shorter than this are walked to the end; longer ones are believed to be what their ends say. */
const LONG = 4096;

/** What the top level of a frame says. */
type Reading = Omit<Packet, "bytes" | "pieces">;

class Received implements Packet {
  readonly kind: Packet["kind"];
  readonly method: string | undefined;
  readonly id: Id | null | undefined;
  readonly idSpan: Span | undefined;
  readonly bodySpan: Span | undefined;
  readonly failed: boolean;
  #bytes: Buffer | null;
  #pieces: readonly Buffer[] | null;

  constructor(body: Body, reading: Reading) {
    this.kind = reading.kind;
    this.method = reading.method;
    this.id = reading.id;
    this.idSpan = reading.idSpan;
    this.bodySpan = reading.bodySpan;
    this.failed = reading.failed;
    this.#bytes = Buffer.isBuffer(body) ? body : null;
    this.#pieces = Buffer.isBuffer(body) ? null : body;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.concat([...(this.#pieces ?? [])]);
    return this.#bytes;
  }

  get pieces(): readonly Buffer[] {
    this.#pieces ??= [this.bytes];
    return this.#pieces;
  }
}

/** Reads a frame. A long one that came in pieces is read from its ends where that is sound, so that it is never joined. */
export function readPacket(body: Body): Packet | Malformed {
  if (Buffer.isBuffer(body)) {
    const reading = readWhole(body);
    return "problem" in reading ? reading : new Received(body, reading);
  }
  const reading = readEnds(body);
  return reading === null ? readPacket(Buffer.concat([...body])) : new Received(body, reading);
}

/**
 * From the first and the last 4 KiB alone, put side by side as if nothing lay between them. Null when a value other than
 * the long one reaches beyond the first part, or the ends do not tell.
 */
function readEnds(pieces: readonly Buffer[]): Reading | null {
  const first = pieces[0];
  const last = pieces.at(-1);
  if (first === undefined || last === undefined || pieces.length < 2) return null;
  const head = first.subarray(0, LONG);
  const tail =
    last.length >= LONG ? last.subarray(last.length - LONG) : Buffer.concat(pieces.slice(-2)).subarray(-LONG);
  const between = pieces.reduce((sum, piece) => sum + piece.length, 0) - head.length - tail.length;
  if (head.length < LONG || between < 0) return null;
  const reading = readWhole(Buffer.concat([head, tail]), LONG);
  if ("problem" in reading) return null;
  const shifted = (span: Span | undefined): Span | undefined =>
    span === undefined
      ? undefined
      : { start: span.start + (span.start >= LONG ? between : 0), end: span.end + (span.end > LONG ? between : 0) };
  return { ...reading, idSpan: shifted(reading.idSpan), bodySpan: shifted(reading.bodySpan) };
}

/**
 * Reads the top level of a frame. Keys come in any order, of equal keys the last counts, unknown keys are passed over.
 * Strings and brackets inside the body are only counted, so that a packet's body can still turn out not to be JSON.
 * `gap`: an offset at which bytes were left out (0: nowhere); only a value read from its end may lie across it.
 */
function readWhole(bytes: Buffer, gap = 0): Reading | Malformed {
  const n = bytes.length;
  let at = skipBlanks(bytes, 0);
  if (bytes[at] === OPEN_BRACKET) return malformed(-32600, "batches are not part of LSP: send one message a frame");
  if (bytes[at] !== OPEN_BRACE) return malformed(-32700, n === at ? "empty message" : "the message is not an object");

  let method: string | undefined;
  let methodIsText = true;
  let id: Id | null | undefined;
  let idSpan: Span | undefined;
  let params: Span | undefined;
  let result: Span | undefined;
  let error: Span | undefined;

  at = skipBlanks(bytes, at + 1);
  for (let more = bytes[at] !== CLOSE_BRACE; more; ) {
    if (bytes[at] !== QUOTE) return notJson(at, id);
    const keyEnd = stringEnd(bytes, at, n);
    if (keyEnd < 0) return notJson(at, id);
    const key = keyOf(bytes, at + 1, keyEnd - 1);
    at = skipBlanks(bytes, keyEnd);
    if (bytes[at] !== COLON) return notJson(at, id);
    const start = skipBlanks(bytes, at + 1);

    let end = -1;
    if (n - start > LONG) {
      if (key === "params" ? method !== undefined : key === "result" || key === "error") {
        end = longValueEnd(bytes, start, key === "params", id !== undefined);
      }
    }
    if (end < 0) {
      end = valueEnd(bytes, start, n);
      if (start < gap && end > gap) return malformed(-32700, "a value beyond the gap");
    }
    if (end < 0) return notJson(start, id);

    if (key === "id") {
      id = readId(bytes, start, end);
      if (id === undefined) return malformed(-32600, "an id is an integer below 2^53, a string or null");
      idSpan = { start, end };
    } else if (key === "method") {
      method = bytes[start] === QUOTE ? readString(bytes, start, end) : undefined;
      methodIsText = method !== undefined;
    } else if (key === "params") params = { start, end };
    else if (key === "result") result = { start, end };
    else if (key === "error") error = { start, end };

    at = skipBlanks(bytes, end);
    if (bytes[at] === COMMA) at = skipBlanks(bytes, at + 1);
    else if (bytes[at] === CLOSE_BRACE) more = false;
    else return notJson(at, id);
  }
  if (skipBlanks(bytes, at + 1) !== n) return notJson(at + 1, id);

  if (!methodIsText) return malformed(-32600, "the method is not a string", id);
  if (method !== undefined) {
    if (id === undefined) {
      return { kind: "notification", method, id, idSpan, bodySpan: params, failed: false };
    }
    if (id === null) return malformed(-32600, `the id of a request (${method}) is null`);
    return { kind: "request", method, id, idSpan, bodySpan: params, failed: false };
  }
  if (id === undefined) return malformed(-32600, "the message has neither a method nor an id");
  const failed = error !== undefined && !isNull(bytes, error);
  return { kind: "response", method, id, idSpan, bodySpan: failed ? error : result, failed };
}

const parsed = new WeakMap<Packet, unknown>();

/** What passes unparsed may nest deeper. V8's stack lasts for some 3,000 levels of our walks, and of JSON.stringify. */
const MAX_DEPTH = 1000;

/**
 * The value of params, result or error; undefined when absent. Parsed once and shared: treat it as read-only.
 * Throws SyntaxError when the bytes are not JSON, or nest so deep that walks over the value would exhaust the stack.
 */
export function parseBody(p: Packet): unknown {
  if (p.bodySpan === undefined) return undefined;
  if (parsed.has(p)) return parsed.get(p);
  const { start, end } = p.bodySpan;
  if (end - start > MAX_DEPTH && depthOver(p.bytes.subarray(start, end), MAX_DEPTH))
    throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
  const value: unknown = JSON.parse(p.bytes.toString("utf8", start, end));
  parsed.set(p, value);
  return value;
}

/** Parses a whole JSON text from outside the wire, such as a recorded file. Throws SyntaxError. */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}

/** Whether an answer carries nothing: its result is null, or is missing, as some servers write null. */
export function isNullBody(p: Pick<Packet, "bytes" | "bodySpan" | "failed">): boolean {
  return !p.failed && (p.bodySpan === undefined || isNull(p.bytes, p.bodySpan));
}

type Key = "id" | "method" | "params" | "result" | "error" | "other";

/** The first letter tells the known keys apart, except where it is escaped. */
export function keyOf(bytes: Buffer, start: number, end: number): Key {
  switch (bytes[start]) {
    case 0x69:
      return spells(bytes, start, end, "id") ? "id" : "other";
    case 0x6d:
      return spells(bytes, start, end, "method") ? "method" : "other";
    case 0x70:
      return spells(bytes, start, end, "params") ? "params" : "other";
    case 0x72:
      return spells(bytes, start, end, "result") ? "result" : "other";
    case 0x65:
      return spells(bytes, start, end, "error") ? "error" : "other";
    case BACKSLASH:
      return KEYS.find((key) => spells(bytes, start, end, key)) ?? "other";
    default:
      return "other";
  }
}
const KEYS = ["id", "method", "params", "result", "error"] as const;

/** undefined: not fit to be an id. Plain integers, which nearly all are, are read digit by digit. */
export function readId(bytes: Buffer, start: number, end: number): Id | null | undefined {
  const first = bytes[start];
  if (isDigit(first) && (first !== 0x30 || end === start + 1) && end - start <= 15) {
    let value = 0;
    let at = start;
    for (; at < end; at += 1) {
      const c = bytes[at];
      if (!isDigit(c)) break;
      value = value * 10 + (c - 0x30);
    }
    if (at === end) return value;
  }
  if (first === QUOTE) return readString(bytes, start, end);
  try {
    const value: unknown = JSON.parse(bytes.toString("latin1", start, end));
    if (value === null) return null;
    return Number.isSafeInteger(value) && typeof value === "number" ? value + 0 : undefined;
  } catch {
    return undefined;
  }
}

/** The text of the JSON string in [start, end), its quotes included; undefined when it is broken. */
export function readString(bytes: Buffer, start: number, end: number): string | undefined {
  if (!hasEscape(bytes, start + 1, end - 1)) return bytes.toString("utf8", start + 1, end - 1);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNull(bytes: Buffer, span: Span): boolean {
  return span.end - span.start === 4 && bytes[span.start] === 0x6e;
}

function notJson(at: number, id: Id | null | undefined): Malformed {
  return malformed(-32700, `the message is not valid JSON near byte ${at}`, id);
}

function malformed(code: Malformed["code"], problem: string, id: Id | null = null): Malformed {
  return { problem, code, id };
}
