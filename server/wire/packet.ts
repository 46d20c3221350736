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
  hasEscape,
  isDigit,
  longValueEnd,
  memberStart,
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

export interface Packet {
  /** The body of one frame. May be a view of a larger chunk: copy it (`Buffer.from`) to keep a small one for long. */
  readonly bytes: Buffer;
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

export function isMalformed(x: Packet | Malformed): x is Malformed {
  return "problem" in x;
}

/** Bodies shorter than this are walked to the end; longer ones are believed to be what their ends say. */
const LONG = 4096;

/**
 * Reads the top level of a frame. Keys come in any order, of equal keys the last counts, unknown keys are passed over.
 * Strings and brackets inside the body are only counted, so that a packet's body can still turn out not to be JSON.
 */
export function readPacket(bytes: Buffer): Packet | Malformed {
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
    if (end < 0) end = valueEnd(bytes, start, n);
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
      return { bytes, kind: "notification", method, id, idSpan, bodySpan: params, failed: false };
    }
    if (id === null) return malformed(-32600, `the id of a request (${method}) is null`);
    return { bytes, kind: "request", method, id, idSpan, bodySpan: params, failed: false };
  }
  if (id === undefined) return malformed(-32600, "the message has neither a method nor an id");
  const failed = error !== undefined && !isNull(bytes, error);
  return { bytes, kind: "response", method, id, idSpan, bodySpan: failed ? error : result, failed };
}

const parsed = new WeakMap<Packet, unknown>();

/**
 * The value of params, result or error; undefined when absent. Parsed once and shared: treat it as read-only.
 * Throws SyntaxError when the bytes are not JSON.
 */
export function parseBody(p: Packet): unknown {
  if (p.bodySpan === undefined) return undefined;
  if (parsed.has(p)) return parsed.get(p);
  const value: unknown = JSON.parse(p.bytes.toString("utf8", p.bodySpan.start, p.bodySpan.end));
  parsed.set(p, value);
  return value;
}

/** Parses a whole JSON text from outside the wire, such as a recorded file. Throws SyntaxError. */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}

/** Whether an answer carries nothing: its result is null, or is missing, as some servers write null. */
export function isNullBody(p: Packet): boolean {
  return !p.failed && (p.bodySpan === undefined || isNull(p.bytes, p.bodySpan));
}

/** The body with another id, as views around the old one. A notification, which has none, comes back as it is. */
export function withId(p: Packet, id: Id): readonly Buffer[] {
  if (p.idSpan === undefined) return [p.bytes];
  return [p.bytes.subarray(0, p.idSpan.start), idBytes(id), p.bytes.subarray(p.idSpan.end)];
}

/** The body with other bytes for params, result or error (added where there were none), and another id if given. */
export function withBody(p: Packet, pieces: readonly Buffer[], id?: Id): readonly Buffer[] {
  const { bytes, bodySpan } = p;
  const ids = id === undefined || p.idSpan === undefined ? undefined : { span: p.idSpan, pieces: [idBytes(id)] };
  const body = bodySpan === undefined ? addition(p, pieces) : { span: bodySpan, pieces };
  const edits = ids === undefined ? [body] : ids.span.start < body.span.start ? [ids, body] : [body, ids];
  const out: Buffer[] = [];
  let from = 0;
  for (const edit of edits) {
    out.push(bytes.subarray(from, edit.span.start), ...edit.pieces);
    from = edit.span.end;
  }
  out.push(bytes.subarray(from));
  return out;
}

/** `params.textDocument.uri`, found without parsing the rest. */
export function uriOf(p: Packet): string | undefined {
  return stringField(p, URI);
}
const URI = ["textDocument", "uri"] as const;

/** `params.textDocument.version`, found without parsing the rest; undefined when absent or no integer. */
export function versionOf(p: Packet): number | null | undefined {
  const span = fieldSpan(p, VERSION);
  if (span === undefined) return undefined;
  const version = readId(p.bytes, span.start, span.end);
  return typeof version === "string" ? undefined : version;
}
const VERSION = ["textDocument", "version"] as const;

/** The text of a string at a path of object keys within the body; undefined when absent, no string or broken. */
export function stringField(p: Packet, path: readonly string[]): string | undefined {
  const span = fieldSpan(p, path);
  return span !== undefined && p.bytes[span.start] === QUOTE ? readString(p.bytes, span.start, span.end) : undefined;
}

/**
 * The span of the value at a path of object keys within the body. The values before it are stepped over and those
 * after it not looked at: of equal keys the first counts here.
 */
export function fieldSpan(p: Packet, path: readonly string[]): Span | undefined {
  if (p.bodySpan === undefined) return undefined;
  let { start } = p.bodySpan;
  const { end: limit } = p.bodySpan;
  for (const key of path) {
    start = memberStart(p.bytes, start, limit, key);
    if (start < 0) return undefined;
  }
  const end = valueEnd(p.bytes, start, limit);
  return end < 0 ? undefined : { start, end };
}

/** Bodies of our own messages. `params` that are undefined are left out. */
export function request(id: Id, method: string, params: unknown): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}

export function notification(method: string, params: unknown): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", method, params }));
}

/** A result of undefined is sent as null: an answer must have one. */
export function result(id: Id, value: unknown): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: value ?? null }));
}

export function error(id: Id | null, e: { code: number; message: string; data?: unknown }): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error: { code: e.code, message: e.message, data: e.data } }));
}

type Key = "id" | "method" | "params" | "result" | "error" | "other";

/** The first letter tells the known keys apart, except where it is escaped. */
function keyOf(bytes: Buffer, start: number, end: number): Key {
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
function readId(bytes: Buffer, start: number, end: number): Id | null | undefined {
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

function readString(bytes: Buffer, start: number, end: number): string | undefined {
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

function idBytes(id: Id): Buffer {
  return Buffer.from(typeof id === "number" ? String(id) : JSON.stringify(id));
}

/** A member put in front of all others, for a packet that lacks its body. */
function addition(p: Packet, pieces: readonly Buffer[]): { span: Span; pieces: readonly Buffer[] } {
  const start = p.bytes.indexOf(OPEN_BRACE) + 1;
  const name = p.kind === "response" ? '"result":' : '"params":';
  return { span: { start, end: start }, pieces: [Buffer.from(name), ...pieces, Buffer.from(",")] };
}

function notJson(at: number, id: Id | null | undefined): Malformed {
  return malformed(-32700, `the message is not valid JSON near byte ${at}`, id);
}

function malformed(code: Malformed["code"], problem: string, id: Id | null = null): Malformed {
  return { problem, code, id };
}
