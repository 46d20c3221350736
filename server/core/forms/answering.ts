/**
 * The way back of an answer that cannot pass untouched (`raw.ts` tells which can): it is parsed, corrected by the backend's
 * quirks, and brought into the client's terms: the text it had when it asked, its columns, its URIs, its versions, the forms
 * it takes.
 */
import type { Ask, Read } from "../../../adapters/adapter.ts";
import { errors, type ResponseError } from "../../protocol/errors.ts";
import { ECHO, type Row } from "../../protocol/methods.ts";
import { withBody } from "../../wire/compose.ts";
import { isMalformed, type Packet, parseBody, readPacket } from "../../wire/packet.ts";
import { wrapData } from "../../wire/wrapping.ts";
import type { Backend } from "../backends.ts";
import type { Call, Leg } from "../calls.ts";
import { isCut, withoutForeign } from "../clients/foreign.ts";
import { type Client, spelledIn } from "../clients.ts";
import { Text } from "../documents/text.ts";
import { eachOnce } from "../merge/same.ts";
import type { Mux } from "../mux.ts";
import { type Mapper, mapper } from "../positions.ts";
import { isObject } from "../settings.ts";
import { remap } from "../tokens.ts";
import { encodingOf } from "./asking.ts";
import { convertPositions, convertTokens, mapUris } from "./convert.ts";
import { unsavedIn, versionsFor, withoutUnsaved } from "./edits.ts";
import { toClientForm, unresolved } from "./forms.ts";
import { holdsTextsOf, legendOf } from "./raw.ts";
import type { Asked } from "./symbols.ts";

export type Prepared = { readonly result: unknown } | { readonly error: ResponseError };

/** A leg's answer as a value in the client's terms; `then` is called exactly once, maybe later (quirks, files to read). */
export function prepare(mux: Mux, leg: Leg, backend: Backend, packet: Packet, then: (p: Prepared) => void): void {
  const { call } = leg;
  let result: unknown;
  try {
    result = bodyOf(call, backend, packet);
  } catch {
    return then({ error: errors.garbage(backend.name, call.method) });
  }
  const finish = (value: unknown): void =>
    resolved(mux, call, backend, value, (whole) => inClientTerms(mux, leg, backend, whole, then));
  if (call.uncorrected) return finish(result);
  const corrections = backend.quirksOn(call.method).flatMap(({ response }) => response ?? []);
  // On nobody's behalf: its answers are in the backend's terms, as the one that they mend.
  const ask: Ask = (method, params, answered) =>
    mux.ask(null, method, params, { backend, uncorrected: method === call.method }, answered);
  const read: Read = (uri, done) => textHeld(mux, leg, backend, uri, done);
  const correct = (value: unknown, [next, ...others]: typeof corrections): void =>
    next === undefined ? finish(value) : next(value, leg.params, ask, (corrected) => correct(corrected, others), read);
  correct(result, corrections);
}

function textHeld(mux: Mux, leg: Leg, backend: Backend, uri: string, then: (text: string | null) => void): void {
  const key = mux.documents.keyOf(uri);
  const held = (key === leg.call.key ? leg.reads : null) ?? backend.docs.get(key)?.text;
  if (held !== undefined) return then(held.string);
  mux.ports.read(key, (read) => then(read.ok ? read.text : null));
}

/** Items that say too little are resolved for a client that cannot do so itself (it would drop or crash on them). */
function resolved(mux: Mux, call: Call, backend: Backend, result: unknown, then: (result: unknown) => void): void {
  const missing = unresolved(call.row, result, call.client?.capabilities ?? {});
  if (missing === null || !Array.isArray(result)) return then(result);
  const items: unknown[] = [...result];
  let open = missing.indexes.length;
  for (const i of missing.indexes)
    mux.ask(null, missing.method, items[i], { backend }, (reply) => {
      if ("result" in reply && isObject(reply.result)) items[i] = reply.result;
      open--;
      if (open === 0) then(items);
    });
}

/** Opaque values are put into envelopes before parsing, so that they survive it byte for byte. */
function bodyOf(call: Call, backend: Backend, packet: Packet): unknown {
  if (!call.row.carries.includes("data") || packet.bodySpan === undefined) return parseBody(packet);
  const wrapped = wrapData(packet.pieces, packet.bodySpan, backend.envelope);
  if (wrapped === null) return parseBody(packet);
  const again = readPacket(Buffer.concat([...withBody(packet, wrapped)]));
  return isMalformed(again) ? parseBody(packet) : parseBody(again);
}

/** What an answer holds, in the terms of the client that asked; `then` is called once. */
export function inClientTerms(mux: Mux, leg: Leg, backend: Backend, value: unknown, then: (p: Prepared) => void): void {
  const { call } = leg;
  const { row, client } = call;
  const from = backend.encoding;
  const to = encodingOf(client, backend);
  let result = value;
  if (client !== null && !call.uncut && isCut(row, backend, client))
    result = withoutForeign(mux, backend, client, result);
  if (row.carries.includes("tokens")) result = tokensFor(mux, call, backend, leg, result);
  if (row.carries.includes("version") && client !== null && result !== null) {
    const moved = versionsFor(mux, backend, client, result, leg);
    if (moved === null) return then({ error: errors.editOfOtherText(backend.name) });
    result = moved;
  }
  const finish = (texts: ReadonlyMap<string, Text>): void => {
    const base = call.key === null ? "" : (backend.knownSpelling(call.key) ?? call.uri ?? "");
    const mappers = new Map<string, Mapper | null>();
    if (row.carries.includes("range"))
      result = convertPositions(result, base, (uri, position, side) => {
        let map = mappers.get(uri);
        if (map === undefined) {
          map = mapperFor(mux, leg, backend, uri, texts);
          mappers.set(uri, map);
        }
        return map === null ? position : map(position, side);
      });
    if (row.carries.includes("uri") && client !== null) result = inSpellingOf(mux, client, result);
    // Our own questions keep what servers say.
    if (client !== null && call.origin === client)
      result = toClientForm(row, result, client.capabilities, askedLines(leg, client));
    then({ result: result === null || result === undefined ? emptyOf(call) : result });
  };
  const convert = (): void => {
    if (from === to || !row.carries.includes("range")) return finish(NO_TEXTS);
    readTexts(mux, backend, call.uri ?? "", result, finish);
  };
  if (client === null || !row.carries.includes("version")) return convert();
  if (Array.isArray(result))
    return withoutUnsaved(mux, backend, client, result, (kept) => {
      result = kept;
      convert();
    });
  unsavedIn(mux, backend, client, result, (uri) => {
    if (uri === null) convert();
    else then({ error: errors.editOfUnsaved(backend.name, spellingFor(mux, client, uri)) });
  });
}

const NO_TEXTS: ReadonlyMap<string, Text> = new Map();

/** The method's empty value where its type has no null. */
export function emptyOf(call: Call): unknown {
  return call.row.empty === ECHO ? parseBody(call.packet) : call.row.empty;
}

/**
 * From positions of the text that the backend held into the text that the client sees (of the asked document: saw when it
 * asked); null: nothing to do.
 */
function mapperFor(mux: Mux, leg: Leg, backend: Backend, uri: string, texts: ReadonlyMap<string, Text>): Mapper | null {
  const { call } = leg;
  const to = encodingOf(call.client, backend);
  const key = mux.documents.keyOf(uri);
  const held = (key === call.key ? leg.reads : null) ?? backend.docs.get(key)?.text ?? texts.get(key);
  if (held === undefined) return null;
  const asked = key === call.key ? call.asked?.text : undefined;
  const view = call.client === null ? undefined : mux.documents.viewByKey(call.client, key);
  const seen = asked ?? view?.text ?? held;
  if (seen === held && backend.encoding === to) return null;
  return mapper(held, backend.encoding, seen, to);
}

/**
 * Columns of a file that is open nowhere can only be counted anew with its text at hand. `then` is called once, at once
 * where no file has to be read.
 */
export function readTexts(
  mux: Mux,
  backend: Backend,
  base: string,
  value: unknown,
  then: (texts: ReadonlyMap<string, Text>) => void,
): void {
  const missing = new Set<string>();
  convertPositions(value, base, (uri, position) => {
    const key = mux.documents.keyOf(uri);
    if (!backend.docs.has(key)) missing.add(key);
    return position;
  });
  const texts = new Map<string, Text>();
  let open = missing.size;
  if (open === 0) return then(texts);
  for (const key of missing)
    mux.ports.read(key, (read) => {
      if (read.ok) texts.set(key, Text.of(read.text));
      if (--open === 0) then(texts);
    });
}

/** The client's own spelling of a document that it has open, and of what lies in its folders; else as the backend writes it. */
export function spellingFor(mux: Mux, client: Client, uri: string): string {
  if (client.views.has(uri)) return uri;
  const key = mux.documents.keyOf(uri);
  const folder = client.folderOf(key);
  return mux.documents.viewByKey(client, key)?.uri ?? (folder === undefined ? uri : spelledIn(folder, key, uri));
}

/** With the client's URIs. What a backend says of one document under two of them (its link, its real path) is told once. */
function inSpellingOf(mux: Mux, client: Client, value: unknown): unknown {
  const original = new Map<string, string>();
  let isDouble = false;
  const spelled = mapUris(value, (uri) => {
    const to = spellingFor(mux, client, uri);
    if ((original.get(to) ?? uri) !== uri) isDouble = true;
    original.set(to, uri);
    return to;
  });
  return isDouble ? eachOnce(spelled) : spelled;
}

function tokensFor(mux: Mux, call: Call, backend: Backend, leg: Leg, result: unknown): unknown {
  if (call.client === null || !isObject(result) || !Array.isArray(result.data)) return result;
  let data: readonly number[] = result.data;
  if (leg.reads !== null)
    data = convertTokens(data, leg.reads.string, leg.reads.lines, backend.encoding, call.client.encoding);
  const { data: mapped, dropped } = remap(data, legendOf(call.row, call.client, backend));
  mux.drops.count("semantic token without a type in the legend", dropped.tokens);
  mux.drops.count("token modifier without a bit in the legend", dropped.modifiers);
  return { ...result, data: mapped };
}

/** The document asked about, with its lines: as the client has it, else as the backend read it. */
function askedLines({ call, reads }: Leg, { encoding }: Client): Asked {
  const text = call.asked?.text ?? reads;
  const uri = call.uri ?? "";
  return text === null ? { uri } : { uri, encoding, line: (n) => lineOf(text, n) };
}

function lineOf(text: Text, line: number): string | undefined {
  const start = text.lines[line];
  if (start === undefined) return undefined;
  return text.string.slice(start, text.lines[line + 1] ?? text.string.length).replace(/[\r\n]+$/, "");
}

/**
 * Params of a backend's own request or notification in a client's terms; null when they edit a text that it does not have.
 * `base` is the backend's URI of the document that bare positions belong to, `texts` those that they are about where the
 * backend holds none (`readTexts`) or others by now.
 */
export function towardsClient<T>(
  mux: Mux,
  backend: Backend,
  client: Client,
  base: string,
  params: T,
  row?: Row,
  texts = NO_TEXTS,
): T | null {
  let value: unknown = params;
  if (row?.asks.includes("version")) value = versionsFor(mux, backend, client, value);
  if (value === null) return null;
  const sameTexts = holdsTextsOf(backend, client);
  if (backend.encoding !== client.encoding || !sameTexts || texts.size > 0)
    value = convertPositions(value, base, (uri, position, side) => {
      const key = mux.documents.keyOf(uri);
      const held = texts.get(key) ?? backend.docs.get(key)?.text;
      if (held === undefined) return position;
      const seen = mux.documents.viewByKey(client, key)?.text ?? held;
      return mapper(held, backend.encoding, seen, client.encoding)(position, side);
    });
  value = mapUris(value, (uri) => spellingFor(mux, client, uri));
  return (row === undefined ? value : toClientForm(row, value, client.capabilities, { uri: base })) as T;
}
