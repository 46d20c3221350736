/** Bodies to be sent: our own messages, and received ones under another id or with another body. */
import { fieldSpan } from "./fields.ts";
import type { Id, Packet } from "./packet.ts";
import { OPEN_BRACE, type Span } from "./scan.ts";

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

/** The body with another id, as views around the old one. A notification, which has none, comes back as it is. */
export function withId(p: Packet, id: Id): readonly Buffer[] {
  if (p.idSpan === undefined) return p.pieces;
  return [...cut(p.pieces, 0, p.idSpan.start), idBytes(id), ...cut(p.pieces, p.idSpan.end, Number.POSITIVE_INFINITY)];
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

/**
 * The body with other values for some fields of its params, all else as it came: a document's whole text may stand beside
 * them. Null where one of the fields is missing.
 */
export function withFields(
  p: Packet,
  fields: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): readonly Buffer[] | null {
  const edits: { span: Span; bytes: Buffer }[] = [];
  for (const { path, value } of fields) {
    const span = fieldSpan(p, path);
    if (span === undefined) return null;
    edits.push({ span, bytes: Buffer.from(JSON.stringify(value)) });
  }
  edits.sort((a, b) => a.span.start - b.span.start);
  const out: Buffer[] = [];
  let from = 0;
  for (const { span, bytes } of edits) {
    out.push(...cut(p.pieces, from, span.start), bytes);
    from = span.end;
  }
  return [...out, ...cut(p.pieces, from, Number.POSITIVE_INFINITY)];
}

/** The bytes [start, end) of pieces, as views. */
export function cut(pieces: readonly Buffer[], start: number, end: number): Buffer[] {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return [only.subarray(start, Math.min(end, only.length))];
  const out: Buffer[] = [];
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, piece.length);
    if (from < to) out.push(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
    at += piece.length;
  }
  return out;
}

export function idBytes(id: Id): Buffer {
  return Buffer.from(typeof id === "number" ? String(id) : JSON.stringify(id));
}

/** A member put in front of all others, for a packet that lacks its body. */
function addition(p: Packet, pieces: readonly Buffer[]): { span: Span; pieces: readonly Buffer[] } {
  const start = p.bytes.indexOf(OPEN_BRACE) + 1;
  const name = p.kind === "response" ? '"result":' : '"params":';
  return { span: { start, end: start }, pieces: [Buffer.from(name), ...pieces, Buffer.from(",")] };
}
