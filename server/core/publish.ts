/**
 * Diagnostics on their way to clients: pushed ones as they come, and for clients that cannot pull, pulled ones by push
 * (some servers only answer pulls). The lists stand in `diagnostics.ts`; this decides who is shown what, and when to pull.
 *
 * A publish describes the text that the backend held: it goes to the clients that see this text. A file that only we
 * opened is shown to nobody until a client opens it.
 */
import { Code } from "../protocol/errors.ts";
import type { Diagnostic } from "../protocol/messages.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { notification, withBody } from "../wire/compose.ts";
import { isMalformed, type Packet, parseBody, readPacket } from "../wire/packet.ts";
import { plainData } from "../wire/splice.ts";
import { wrapData } from "../wire/wrapping.ts";
import type { Backend } from "./backends.ts";
import { isForeign } from "./clients/foreign.ts";
import type { Client } from "./clients.ts";
import { type Channel, pulledFor, type Sight, type Slot, slotFor } from "./diagnostics.ts";
import { tookIn } from "./documents/catching-up.ts";
import type { Text } from "./documents/text.ts";
import type { View } from "./documents.ts";
import { readTexts, spellingFor, towardsClient } from "./forms/answering.ts";
import { convertPositions } from "./forms/convert.ts";
import { spellsAlike } from "./forms/raw.ts";
import { isCancelled } from "./merge/reports.ts";
import type { Mux } from "./mux.ts";
import type { ClientId } from "./ports.ts";
import { mapper } from "./positions.ts";
import { inRank, serves, specFor } from "./route/serving.ts";
import { isObject, lookUp } from "./settings.ts";

/** A pull follows the last edit after this time, ms (design section 8). */
const PULL_MS = 200;

/** A backend's textDocument/publishDiagnostics: kept, and shown to whom it concerns. */
export function publishDiagnostics(mux: Mux, backend: Backend, published: Packet): void {
  const packet = withEnvelopes(backend, published);
  const params = parseBody(packet);
  if (!isObject(params) || typeof params.uri !== "string") return mux.drops.count("diagnostics without a URI");
  const key = mux.documents.keyOf(params.uri);
  const version = typeof params.version === "number" ? params.version : null;
  const items: Diagnostic[] = Array.isArray(params.diagnostics) ? params.diagnostics : [];
  const slot: Slot = { items, version, ...about(mux, backend, key, version) };
  tookIn(mux, backend, key, version);
  if (items.length > 0 || mux.documents.viewsOf(key).size > 0) mux.slots.set(key, backend.id, "push", slot);
  else mux.slots.drop(key, "push", backend.id);
  const held = backend.docs.get(key);
  if (held !== undefined && (version === null || version === held.version)) held.said = held.text;
  mux.slots.pushed(key, backend.id);
  const { uri } = params;
  if ([...backend.clients].every((client) => client.encoding === backend.encoding))
    return tell(mux, backend, packet, uri, key, slot);
  const text = backend.docs.get(key)?.text;
  readTexts(mux, backend, uri, items, (texts) => {
    if (texts.size === 0) return tell(mux, backend, packet, uri, key, slot);
    // Said anew meanwhile, or about another text by now: what follows is shown instead.
    if (mux.slots.get(key, backend.id, "push") !== slot || backend.docs.get(key)?.text !== text) return;
    const complete = { ...slot, texts };
    mux.slots.set(key, backend.id, "push", complete);
    tell(mux, backend, packet, uri, key, complete);
  });
}

/**
 * A list is about the text of its version, else about the one that the backend holds: for those who see another one, what was
 * said of theirs stands on. A text that nobody sees any more is an older one of those who see what the backend holds now.
 */
function about(mux: Mux, backend: Backend, key: string, version: number | null): Pick<Slot, "about"> {
  const held = backend.docs.get(key);
  if (held === undefined) return {};
  const views = mux.documents.viewsOf(key);
  const told = (version === null ? undefined : held.past.get(version)) ?? held.text;
  const shown = [...views].some(({ text }) => isText(told, text)) ? told : held.text;
  const before = mux.slots.get(key, backend.id, "push");
  const clients = new Set([...backend.clients].map(({ id }) => id));
  const others = new Map<ClientId, Slot>();
  for (const { client, text } of views) {
    if (isText(shown, text) || !clients.delete(client.id)) continue;
    const slot = slotFor(client.id, before);
    // By itself: what stood for others then is no longer of use.
    if (slot?.about !== undefined)
      others.set(client.id, { ...slot, about: { ...slot.about, clients: new Set([client.id]), others: new Map() } });
  }
  return { about: { text: told, clients, others } };
}

function isText(a: Text, b: Text): boolean {
  return a === b || a.same(b);
}

/** What a backend said just now of a document, to all whom it concerns. */
function tell(mux: Mux, backend: Backend, packet: Packet, uri: string, key: string, slot: Slot): void {
  const held = backend.docs.get(key);
  for (const client of backend.clients) {
    if (slotFor(client.id, slot) !== slot) continue;
    const view = mux.documents.viewByKey(client, key);
    if (!reports(mux, client, backend, key)) continue;
    if (view === undefined) {
      if (backend.spec.adapter.publishes === "project" && held?.by !== "disk")
        showUnopened(mux, backend, client, packet, uri, slot);
      continue;
    }
    if (client.initialized && mayPassRaw(mux, backend, client, view, slot)) mux.send(client, packet.pieces);
    else show(mux, client, view);
  }
}

/** Clients send diagnostics back with a code action: what a client that parses `data` would spoil goes in an envelope. */
function withEnvelopes(backend: Backend, packet: Packet): Packet {
  const { bytes, bodySpan } = packet;
  if (bodySpan === undefined || plainData(bytes, bodySpan, Number.POSITIVE_INFINITY)) return packet;
  const wrapped = wrapData([bytes], bodySpan, backend.envelope);
  const again = wrapped === null ? packet : readPacket(Buffer.concat([...withBody(packet, wrapped)]));
  return isMalformed(again) ? packet : again;
}

/** The bytes as they came: one list, one way of counting, one spelling, the client's own version. */
function mayPassRaw(mux: Mux, backend: Backend, client: Client, view: View, { version, about }: Slot): boolean {
  if (client.encoding !== backend.encoding || !view.plain || backend.knownSpelling(view.key) !== view.uri) return false;
  if (version !== null && version !== view.version) return false;
  if (version === null && backend.clients.size > 1) return false;
  if (about !== undefined && !isText(about.text, view.text)) return false;
  const { sole } = mux.slots.union(view.key, sight(mux, view));
  // Related information may name a document that the client spells in its own way.
  return sole !== null && sole.backend === backend.id && sole.channel === "push" && spellsAlike(backend, client);
}

/**
 * Publishes what stands in all slots of a document to one client that has it open. Before `initialized` nothing is shown
 * (some clients drop what comes earlier); what is known by then is shown with it.
 */
export function show(mux: Mux, client: Client, view: View): void {
  if (!client.initialized) return;
  const diagnostics: unknown[] = [];
  const versions = new Set<number | null>();
  for (const backend of reporters(mux, client, view.key)) {
    const pushed = slotFor(client.id, mux.slots.get(view.key, backend.id, "push"));
    if (pushed !== undefined) {
      const isOfNow = pushed.about === undefined || isText(pushed.about.text, view.text);
      versions.add(pushed.version !== null && isOfNow ? view.version : null);
      diagnostics.push(...pushedTo(mux, backend, client, view.key, pushed));
    }
    const pulled = pulls(client) ? undefined : mux.slots.get(view.key, backend.id, pulledFor(client.id));
    if (pulled !== undefined) {
      versions.add(pulled.of === undefined || isText(pulled.of, view.text) ? pulled.version : null);
      diagnostics.push(...pulledTo(mux, view, pulled));
    }
  }
  const [version = null] = versions;
  const sure = versions.size === 1 && version !== null ? { version } : {};
  mux.send(client, [notification(M.publishDiagnostics, { uri: view.uri, diagnostics, ...sure })]);
}

/** Places move along with what the client has changed since the text that a list is about. */
function pushedTo(mux: Mux, backend: Backend, client: Client, key: string, slot: Slot): readonly unknown[] {
  const view = mux.documents.viewByKey(client, key);
  const uri = backend.knownSpelling(key) ?? view?.uri ?? key;
  const { items, about } = slot;
  const held = backend.docs.get(key)?.text;
  const isOther = about !== undefined && (about.text !== held || about.text !== (view?.text ?? held));
  const texts = isOther ? new Map([...(slot.texts ?? []), [key, about.text]]) : slot.texts;
  return towardsClient(mux, backend, client, uri, items, undefined, texts) ?? [];
}

/** What was pulled is in the client's terms already; it moves along likewise. */
function pulledTo(mux: Mux, { client, key, uri, text }: View, { items, of }: Slot): readonly unknown[] {
  if (of === undefined || isText(of, text)) return items;
  const map = mapper(of, client.encoding, text, client.encoding);
  return convertPositions(items, uri, (at, position, side) =>
    mux.documents.keyOf(at) === key ? map(position, side) : position,
  );
}

/** All that a backend has told a client of a document by either channel, in the client's terms. */
export function diagnosticsFrom(mux: Mux, backend: Backend, client: Client, key: string): readonly unknown[] {
  const pushed = slotFor(client.id, mux.slots.get(key, backend.id, "push"));
  const pulled = mux.slots.get(key, backend.id, pulledFor(client.id));
  const view = mux.documents.viewByKey(client, key);
  const shown = view === undefined || pulled === undefined ? pulled?.items : pulledTo(mux, view, pulled);
  return [...(pushed === undefined ? [] : pushedTo(mux, backend, client, key, pushed)), ...(shown ?? [])];
}

function showUnopened(
  mux: Mux,
  backend: Backend,
  client: Client,
  packet: Packet,
  uri: string,
  { items, texts }: Slot,
): void {
  if (!client.initialized || isForeign(mux, backend, client, uri)) return;
  if (client.encoding === backend.encoding && spellsAlike(backend, client)) return void mux.send(client, packet.pieces);
  const params = {
    uri: spellingFor(mux, client, uri),
    diagnostics: towardsClient(mux, backend, client, uri, items, undefined, texts),
  };
  mux.send(client, [notification(M.publishDiagnostics, params)]);
}

/** What a client is shown by push: pulled lists too where it cannot pull itself. */
function sight(mux: Mux, { client, key }: View): Sight {
  const channels: readonly Channel[] = pulls(client) ? ["push"] : ["push", pulledFor(client.id)];
  return { client: client.id, backends: reporters(mux, client, key).map((b) => b.id), channels };
}

/**
 * The backends whose diagnostics of a document a client is shown, in rank order: addons, and of general servers the first
 * that has told any, be it that there are none. Two of them would tell everything twice.
 */
function reporters(mux: Mux, client: Client, key: string): readonly Backend[] {
  const language = mux.documents.viewByKey(client, key)?.language ?? mux.languageOf(key, undefined, client);
  let isTold = false;
  return inRank(client).filter((backend) => {
    const { name, adapter } = specFor(client, backend) ?? backend.spec;
    if (language !== undefined && !client.setup.allows(language, name, M.publishDiagnostics)) return false;
    if (adapter.role === "addon") return true;
    if (isTold) return false;
    isTold = mux.slots.has(key, backend.id);
    return true;
  });
}

/** Whether what a backend publishes of a document is shown to a client. */
function reports(mux: Mux, client: Client, backend: Backend, key: string): boolean {
  return reporters(mux, client, key).includes(backend);
}

function pulls(client: Client): boolean {
  return client.can("textDocument.diagnostic");
}

/** A client opened a document whose diagnostics came before, to others or while it was open on our account only. */
export function showKept(mux: Mux, view: View): void {
  const { client, key, text } = view;
  for (const { id } of client.backends) {
    const said = mux.slots.get(key, id, "push")?.about;
    if (said !== undefined && isText(said.text, text)) said.clients.add(client.id);
    else said?.clients.delete(client.id);
  }
  if (mux.slots.union(view.key, sight(mux, view)).items.length > 0) show(mux, view.client, view);
}

/** The backend's process ended: what it said no longer holds. */
export function clearOf(mux: Mux, backend: Backend): void {
  for (const key of mux.slots.clearBackend(backend.id))
    for (const view of mux.documents.viewsOf(key)) if (backend.clients.has(view.client)) show(mux, view.client, view);
}

/** A document that is still open is no longer a backend's business: what it said of it goes. */
export function clearFrom(mux: Mux, backend: Backend, view: View): void {
  for (const other of mux.documents.viewsOf(view.key)) if (serves(mux, backend, other)) return;
  const had = mux.slots.union(view.key, sight(mux, view)).items.length > 0;
  for (const channel of ["push", pulledFor(view.client.id)] as const) mux.slots.drop(view.key, channel, backend.id);
  if (had) show(mux, view.client, view);
}

/** A client closed a document: its list goes with it. */
export function clearClosed(mux: Mux, view: View): void {
  const had = mux.slots.union(view.key, sight(mux, view)).items.length > 0;
  mux.slots.drop(view.key, pulledFor(view.client.id));
  const kept = inRank(view.client).some(
    (b) => b.spec.adapter.publishes === "project" && mux.slots.get(view.key, b.id, "push"),
  );
  if (had && !kept) mux.send(view.client, [notification(M.publishDiagnostics, { uri: view.uri, diagnostics: [] })]);
}

// ---- Push from pull -----------------------------------------------------------------------------------------------------

/** A document was opened, changed, or a backend asked for a refresh: pull, for a client that cannot. */
export function pullSoon(mux: Mux, backend: Backend, view: View): void {
  if (pulls(view.client)) return;
  backend.pulls.get(view)?.timer.cancel();
  const timer = mux.ports.after(PULL_MS, () => pull(mux, backend, view));
  backend.pulls.set(view, { timer });
}

function pull(mux: Mux, backend: Backend, view: View): void {
  backend.pulls.delete(view);
  const row = rowOf(M.diagnostic);
  const document = { uri: backend.knownSpelling(view.key) ?? view.uri, language: view.language ?? "" };
  if (row === undefined || !backend.runs || !backend.abilities.can(row, document)) return;
  if (!view.client.setup.allows(document.language, backend.name, row.method)) return;
  if (view.client.views.get(view.uri) !== view) return;
  if (backend.pulling.has(view)) return pullSoon(mux, backend, view);
  backend.pulling.add(view);
  const channel = pulledFor(view.client.id);
  const before = mux.slots.get(view.key, backend.id, channel)?.resultId;
  const { text, version } = view;
  const params = { textDocument: { uri: view.uri }, ...(before === undefined ? {} : { previousResultId: before }) };
  mux.ask(view.client, M.diagnostic, params, { backend }, (reply) => {
    backend.pulling.delete(view);
    if (view.client.views.get(view.uri) !== view) return;
    if ("error" in reply) {
      const { code } = reply.error;
      if (isCancelled(reply.error) || (code === Code.contentModified && view.text !== text))
        pullSoon(mux, backend, view);
      return;
    }
    const report = reply.result;
    const known = mux.slots.get(view.key, backend.id, channel);
    // Of this text the server says just what it said of another one.
    if (lookUp(report, "kind") === "unchanged" && known !== undefined)
      return mux.slots.set(view.key, backend.id, channel, { ...known, version, of: text });
    if (!isObject(report) || !Array.isArray(report.items)) return;
    const resultId = typeof report.resultId === "string" ? { resultId: report.resultId } : {};
    mux.slots.set(view.key, backend.id, channel, { items: report.items, version, of: text, ...resultId });
    show(mux, view.client, view);
  });
}
