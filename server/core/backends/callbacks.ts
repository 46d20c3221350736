/**
 * What backends ask and tell. Each request is answered: by the client where it can, by us where it cannot or does not in
 * time. Registrations and settings end here; edits, dialogs and documents to show go to one client, never to two.
 */
import { Code, errors } from "../../protocol/errors.ts";
import type { Registration, Unregistration } from "../../protocol/messages.ts";
import { M, type OwnName, type Row, rowOf } from "../../protocol/methods.ts";
import { error as errorFrame, notification, result as resultFrame } from "../../wire/compose.ts";
import { type Id, type Packet, parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import { cancel } from "../calls/deadlines.ts";
import type { Call, Leg, Reply } from "../calls.ts";
import { configuration } from "../clients/configuring.ts";
import { tellFolders } from "../clients/folders.ts";
import type { Client } from "../clients.ts";
import type { Text } from "../documents/text.ts";
import { readTexts, towardsClient } from "../forms/answering.ts";
import { mapUris } from "../forms/convert.ts";
import { unsavedIn } from "../forms/edits.ts";
import { takePiece } from "../forms/partial.ts";
import type { Mux } from "../mux.ts";
import { isToken } from "../progress.ts";
import { publishDiagnostics, pullSoon } from "../publish.ts";
import { relay } from "../relay.ts";
import { pump } from "../route/queue.ts";
import { serves } from "../route/serving.ts";
import { isObject, lookUp } from "../settings.ts";

type Answer = (r: Reply) => void;
type Ask = (mux: Mux, backend: Backend, params: unknown, answer: Answer) => void;
type Tell = (mux: Mux, backend: Backend, packet: Packet) => void;

const NOTHING = { result: null };

export function fromBackendRequest(mux: Mux, backend: Backend, packet: Packet): void {
  const { id, method = "" } = packet;
  if (id === undefined || id === null) return;
  let answered = false;
  const { generation } = backend;
  const answer: Answer = (r) => {
    if (answered) return mux.drops.count("second answer");
    answered = true;
    if (backend.generation !== generation) return mux.drops.count("answer for a process that has ended");
    mux.send(backend, ["error" in r ? errorFrame(id, r.error) : resultFrame(id, r.result)]);
  };
  const row = rowOf(method);
  const ask = row?.own === null || row?.own === undefined ? undefined : asks[row.own];
  if (ask !== undefined) return ask(mux, backend, parseBody(packet), answer);
  if (row?.own === "refresh") return refresh(mux, backend, row, answer);
  const client = row === undefined ? onlyClient(backend) : chosenClient(mux, backend, row, parseBody(packet));
  if (row === undefined || row.direction === "toServer") {
    if (client === null || row !== undefined) return answer({ error: errors.methodNotFound(method) });
    return asking(backend, id, mux.askClient(client, method, parseBody(packet), UNLISTED_MS, answer));
  }
  const without: Reply = row.without === null || row.without === "own" ? NOTHING : row.without;
  if (client === null || !client.initialized) return answer(without);
  if (row.clientCapability !== null && !client.can(row.clientCapability)) return answer(without);
  const reply: Answer = (r) => answer("error" in r && r.error.code !== Code.requestCancelled ? without : r);
  const put = (texts?: ReadonlyMap<string, Text>): void => {
    const params = towardsClient(mux, backend, client, "", parseBody(packet), row, texts);
    if (params === null || client.state === "gone") return answer(without);
    if (backend.generation === generation)
      asking(backend, id, mux.askClient(client, method, params, row.limits.hard, reply));
  };
  const convert = (): void => {
    if (client.encoding === backend.encoding) put();
    else readTexts(mux, backend, "", parseBody(packet), put);
  };
  if (!row.asks.includes("version")) return convert();
  unsavedIn(mux, backend, client, parseBody(packet), (uri) => {
    if (uri === null) return convert();
    mux.ports.log("warn", backend.name, errors.editOfUnsaved(backend.name, uri).message);
    answer(without);
  });
}

/** Remembers what a backend waits for, so that it can take its question back. */
function asking(backend: Backend, id: Id, call: Call): void {
  for (const [known, { state }] of backend.asking) if (state !== "open") backend.asking.delete(known);
  backend.asking.set(id, call);
}

/** For a request outside of the table, ms. */
const UNLISTED_MS = 30_000;

/** Requests that the core answers. */
const asks: Readonly<Partial<Record<OwnName, Ask>>> = {
  configuration,
  workspaceFolders: (_mux, backend, _params, answer) =>
    answer({ result: backend.folders.map(({ uri, name }) => ({ uri, name })) }),
  registerCapability: (mux, backend, params, answer) => {
    const list = lookUp(params, "registrations");
    backend.abilities.register(Array.isArray(list) ? list.filter(isRegistration) : []);
    registrationsChanged(mux, backend);
    answer(NOTHING);
  },
  unregisterCapability: (mux, backend, params, answer) => {
    // LSP's own spelling has a typing error that servers repeat or correct.
    const list = lookUp(params, "unregisterations") ?? lookUp(params, "unregistrations");
    backend.abilities.unregister(Array.isArray(list) ? list.filter(isRegistration) : []);
    registrationsChanged(mux, backend);
    answer(NOTHING);
  },
  workDoneProgressCreate: (mux, backend, params, answer) => {
    const token = lookUp(params, "token");
    if (isToken(token)) mux.progress.create(backend, token);
    answer(NOTHING);
  },
};

/** Of an unregistration, too. */
function isRegistration(value: unknown): value is Registration & Unregistration {
  return isObject(value) && typeof value.id === "string" && typeof value.method === "string";
}

/** A refresh is passed to the clients that take it; for those that cannot pull diagnostics we pull. */
function refresh(mux: Mux, backend: Backend, row: Row, answer: Answer): void {
  const pulls = row === rowOf(M.diagnosticRefresh);
  for (const client of backend.clients) {
    if (client.initialized && row.clientCapability !== null && client.can(row.clientCapability))
      mux.askClient(client, row.method, undefined, row.limits.hard, () => {});
    if (!pulls) continue;
    for (const view of client.views.values()) if (serves(mux, backend, view)) pullSoon(mux, backend, view);
  }
  answer(NOTHING);
}

function registrationsChanged(mux: Mux, backend: Backend): void {
  mux.routes++;
  mux.watching.update(backend);
  if (backend.runs) tellFolders(mux, backend);
  backend.tokenMappings.clear();
  for (const client of backend.clients) relay(mux, client);
  pump(mux, backend);
}

function onlyClient(backend: Backend): Client | null {
  const [first, second] = backend.clients;
  return first !== undefined && second === undefined ? first : null;
}

/**
 * The client of the only open call that waits on this backend and may cause such a request (a command first); of several
 * the one that has a touched document open, then the longest attached. Null when the cause is a call that was cancelled:
 * its edit must not come after all.
 */
function chosenClient(mux: Mux, backend: Backend, row: Row, params: unknown): Client | null {
  const commands = [...backend.working].filter(({ call }) => call.row.own === "executeCommand");
  const open = commands.filter(isAwaited);
  if (row.asks.includes("version") && commands.length > 0 && open.length === 0) {
    mux.drops.count("edit of a cancelled command");
    return null;
  }
  const waiting = open.length > 0 ? open : [...backend.working].filter(isAwaited);
  const asking = new Set(waiting.map(({ call }) => call.client));
  const [...attached] = backend.clients;
  const among = attached.filter((client) => asking.has(client));
  const candidates = among.length > 0 ? among : attached;
  if (candidates.length < 2) return candidates[0] ?? null;
  const touched = new Set<string>();
  mapUris(params, (uri) => {
    touched.add(mux.documents.keyOf(uri));
    return uri;
  });
  const hasOpen = (client: Client) => [...touched].some((key) => mux.documents.viewByKey(client, key) !== undefined);
  return candidates.find(hasOpen) ?? candidates[0] ?? null;
}

/** Not so a command that its client has cancelled, though its answer is still waited for. */
function isAwaited({ call, told }: Leg): boolean {
  return call.state === "open" && !told;
}

// ---- Notifications ------------------------------------------------------------------------------------------------------

export function fromBackendNotification(mux: Mux, backend: Backend, packet: Packet): void {
  const { method = "" } = packet;
  const row = rowOf(method);
  if (backend.gate.listensTo === method) {
    backend.gate.notified(parseBody(packet));
    if (backend.gate.open) pump(mux, backend);
  }
  const tell = row?.own === null || row?.own === undefined ? undefined : tells[row.own];
  if (tell !== undefined) return tell(mux, backend, packet);
  if (row?.direction === "toServer") return mux.drops.count("notification in the wrong direction");
  for (const client of backend.clients) if (client.initialized) mux.send(client, packet.pieces);
}

const tells: Readonly<Partial<Record<OwnName, Tell>>> = {
  showMessage: (mux, backend, packet) => {
    const params = parseBody(packet);
    // The user sees one server and wants to know which of those behind it speaks.
    const named = isObject(params) ? { ...params, message: `${backend.name}: ${params.message}` } : params;
    const frame = notification(packet.method ?? "", named);
    for (const client of backend.clients) if (client.initialized) mux.send(client, [frame]);
  },
  publishDiagnostics,
  progress: (mux, backend, packet) => {
    const params = parseBody(packet);
    const token = lookUp(params, "token");
    if (!isToken(token)) return mux.drops.count("progress without a token");
    if (takePiece(mux, backend, packet, token)) return;
    const value = lookUp(params, "value");
    if (isObject(value)) backend.gate.progress(token, value);
    mux.progress.report(backend, token, value);
    if (backend.gate.open) pump(mux, backend);
  },
  cancel: (mux, backend, packet) => {
    const id = lookUp(parseBody(packet), "id");
    const call = typeof id === "string" || typeof id === "number" ? backend.asking.get(id) : undefined;
    if (call?.state === "open") cancel(mux, call, errors.cancelled());
    else mux.drops.count("cancel of an unknown request");
  },
};
