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
  return p.idSpan === undefined ? p.pieces : spliced(p.pieces, p.idSpan, idBytes(id));
}

/** The body with other bytes for params, result or error (added where there were none), and another id if given. */
export function withBody(p: Packet, pieces: readonly Buffer[], id?: Id): readonly Buffer[] {
  const body = p.bodySpan === undefined ? addition(p, pieces) : { span: p.bodySpan, pieces };
  if (id === undefined || p.idSpan === undefined) return edited(p.pieces, [body]);
  return edited(p.pieces, [body, { span: p.idSpan, pieces: [idBytes(id)] }]);
}

/**
 * The body with other values for some fields of its params, all else as it came: a document's whole text may stand beside
 * them. Null where one of the fields is missing.
 */
export function withFields(
  p: Packet,
  fields: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): readonly Buffer[] | null {
  const edits: Edit[] = [];
  for (const { path, value } of fields) {
    const span = fieldSpan(p, path);
    if (span === undefined) return null;
    edits.push({ span, pieces: [Buffer.from(JSON.stringify(value))] });
  }
  return edited(p.pieces, edits);
}

/** Bytes that take the place of a span. */
interface Edit {
  readonly span: Span;
  readonly pieces: readonly Buffer[];
}

/** Pieces with some spans, none of which overlap, replaced; the rest as views. */
function edited(pieces: readonly Buffer[], edits: readonly Edit[]): readonly Buffer[] {
  const out: Buffer[] = [];
  let from = 0;
  for (const { span, pieces: fresh } of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    out.push(...cut(pieces, from, span.start), ...fresh);
    from = span.end;
  }
  out.push(...cut(pieces, from, Number.POSITIVE_INFINITY));
  return out;
}

/** Pieces with one span replaced; the rest as views, unless that is so short that a copy is cheaper. */
export function spliced(pieces: readonly Buffer[], { start, end }: Span, bytes: Buffer): readonly Buffer[] {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1 && only.length <= COPIED) {
    const out = Buffer.allocUnsafe(only.length - (end - start) + bytes.length);
    only.copy(out, 0, 0, start);
    bytes.copy(out, start);
    only.copy(out, start + bytes.length, end);
    return [out];
  }
  return [...cut(pieces, 0, start), bytes, ...cut(pieces, end, Number.POSITIVE_INFINITY)];
}

/** Up to so many bytes, making views takes longer than copying. */
const COPIED = 1024;

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
function addition(p: Packet, pieces: readonly Buffer[]): Edit {
  const start = p.bytes.indexOf(OPEN_BRACE) + 1;
  const name = p.kind === "response" ? '"result":' : '"params":';
  return { span: { start, end: start }, pieces: [Buffer.from(name), ...pieces, Buffer.from(",")] };
}
