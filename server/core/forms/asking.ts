/**
 * The bytes of one question as a backend is to see it: the client's own where nothing differs, else rewritten into the
 * backend's spelling of URIs, its way of counting, and our progress tokens.
 */

import { familyOf, type Row } from "../../protocol/methods.ts";
import { notification, request, withBody, withId } from "../../wire/compose.ts";
import { fieldSpan, stringField, uriOf } from "../../wire/fields.ts";
import { isMalformed, type Packet, parseBody, readPacket } from "../../wire/packet.ts";
import { unwrapData } from "../../wire/splice.ts";
import type { Backend } from "../backends.ts";
import type { Call, Leg } from "../calls.ts";
import type { Client } from "../clients.ts";
import { isPortioned, portion } from "../merge/portions.ts";
import type { Mux } from "../mux.ts";
import { type Encoding, mapper } from "../positions.ts";
import { isToken } from "../progress.ts";
import { isForeign, untriggered } from "../route/triggers.ts";
import { isObject } from "../settings.ts";
import { convertPositions, mapUris } from "./convert.ts";
import { mayComeInPieces } from "./partial.ts";
import { spellsAlike } from "./raw.ts";

/** One question's bytes for a backend, in pieces, under our wire id. */
export function requestFor(mux: Mux, backend: Backend, leg: Leg, wireId: number): readonly Buffer[] {
  const { call } = leg;
  const quirks = backend.quirksOn(call.method);
  if (quirks.length === 0 && !needsRewriting(backend, call) && !isPortioned(mux, call, backend)) {
    const body = leg.body ?? withoutEnvelopes(call.packet, call.row);
    return body === null ? withId(call.packet, wireId) : withBody(call.packet, body, wireId);
  }
  let params = portion(mux, call, backend, call.moved ?? parseBody(call.packet));
  params = toBackend(mux, backend, leg, params);
  params = untriggered(call, backend, params);
  params = withOurTokens(mux, backend, leg, params);
  for (const { request: changed } of quirks) params = changed === undefined ? params : changed(params);
  if (quirks.some(({ response }) => response !== undefined)) leg.params = params;
  const bytes = request(wireId, call.method, params);
  const packet = readPacket(bytes);
  const body = isMalformed(packet) ? null : withoutEnvelopes(packet, call.row);
  return body === null || isMalformed(packet) ? [bytes] : withBody(packet, body);
}

/** Whether the columns of a question are to be counted anew. */
export function isCountedAnew({ row, client }: Call, backend: Backend): boolean {
  return (
    encodingOf(client, backend) !== backend.encoding && (row.asks.includes("position") || row.asks.includes("range"))
  );
}

function needsRewriting(backend: Backend, call: Call): boolean {
  if (call.moved !== null || hasToken(call.packet) || isForeign(call, backend)) return true;
  if (isCountedAnew(call, backend)) return true;
  const { row } = call;
  if (!row.asks.includes("uri")) return false;
  if (call.client !== null && !spellsAlike(backend, call.client)) return true;
  return call.key !== null && call.uri !== backend.spelling(call.key, call.uri ?? call.key);
}

/**
 * The document that a question is about, as its asker spells it: the one named, that of a hierarchy item; for an item that
 * names none (completion, hint, lens, link) the one whose items were asked for last. Null where it is about none.
 */
export function askedUri(client: Client | null, row: Row, packet: Packet): string | null {
  const family = familyOf(row);
  const uri = row.asks.includes("uri") ? (uriOf(packet) ?? stringField(packet, ITEM_URI) ?? null) : null;
  if (uri === null) return row.asks.includes("data") ? (client?.itemsOf.get(family) ?? null) : null;
  if (row.carries.includes("data")) client?.itemsOf.set(family, uri);
  return uri;
}

const ITEM_URI = ["item", "uri"] as const;

/** Params of a client in the backend's terms: its URIs, its columns. */
function toBackend(mux: Mux, backend: Backend, { call, texts }: Leg, params: unknown): unknown {
  let value = params;
  const uri = call.uri ?? "";
  const from = encodingOf(call.client, backend);
  // Diagnostics go back to whom they came from, as they came.
  const said = mux.slots.get(mux.documents.keyOf(uri), backend.id, "push")?.texts;
  const read = texts === "reading" ? null : texts;
  if (isCountedAnew(call, backend))
    value = convertPositions(value, uri, (at, position, side) => {
      const key = mux.documents.keyOf(at);
      const text = backend.docs.get(key)?.text ?? said?.get(key) ?? read?.get(key);
      return text === undefined ? position : mapper(text, from, text, backend.encoding)(position, side);
    });
  return mapUris(value, (at) => backend.spelled(mux.documents.keyOf(at), at));
}

/** A client's notification as it came, under the backend's spelling of what it names. */
export function noticeFor(mux: Mux, backend: Backend, client: Client, packet: Packet): readonly Buffer[] {
  if (spellsAlike(backend, client)) return packet.pieces;
  const params = mapUris(parseBody(packet), (at) => backend.spelled(mux.documents.keyOf(at), at));
  return [notification(packet.method ?? "", params)];
}

/** The params with their envelopes undone; null where there is none. After all rewriting: opaque values are not parsed. */
function withoutEnvelopes(packet: Packet, row: Row): readonly Buffer[] | null {
  if (!row.asks.includes("data") || packet.bodySpan === undefined) return null;
  const unwrapped = unwrapData(packet.bytes, packet.bodySpan);
  return unwrapped === null || unwrapped.owners.length === 0 ? null : unwrapped.pieces;
}

const TOKEN_PATHS = [["workDoneToken"], ["partialResultToken"]] as const;
const TOKEN = Buffer.from('Token"');

function hasToken(packet: Packet): boolean {
  return packet.bytes.includes(TOKEN) && TOKEN_PATHS.some((path) => fieldSpan(packet, path) !== undefined);
}

/** Progress tokens are ours, per client and backend. Partial results are asked for where they can be passed on. */
function withOurTokens(mux: Mux, backend: Backend, leg: Leg, params: unknown): unknown {
  const { client } = leg.call;
  if (!isObject(params) || !("workDoneToken" in params || "partialResultToken" in params)) return params;
  const { workDoneToken, partialResultToken, ...others } = params;
  const rest: Record<string, unknown> = others;
  if (client === null) return rest;
  if (isToken(workDoneToken)) {
    leg.token = mux.progress.ofRequest(backend, client, workDoneToken);
    rest.workDoneToken = leg.token;
  }
  if (isToken(partialResultToken) && mayComeInPieces(leg, backend)) {
    leg.partial = { ours: mux.progress.next(), theirs: partialResultToken, begun: false };
    rest.partialResultToken = leg.partial.ours;
  }
  return rest;
}

/** In which the positions of a client count; those of nobody's questions count as the backend's. */
export function encodingOf(client: Client | null, backend: Backend): Encoding {
  return client?.encoding ?? backend.encoding;
}
