/**
 * What the core itself does with a client's messages: the life of a session and the notifications about folders, files and
 * settings (documents: `sync.ts`). `own` is found by the row's `own` name; the order of the table is that of a session.
 */

import { errors, type ResponseError } from "../../protocol/errors.ts";
import type { OwnName, Row } from "../../protocol/methods.ts";
import { stringField } from "../../wire/fields.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import { announce, announcedMethods } from "../backends/abilities.ts";
import { detach, release } from "../backends/leaving.ts";
import { cancel, cancelLater } from "../calls/deadlines.ts";
import type { Client, Folder, Setup } from "../clients.ts";
import { pathOf, uriOfPath } from "../documents/uris.ts";
import { ownerOfCommand } from "../merge/ownership.ts";
import { tokensDelta } from "../merge/token-deltas.ts";
import type { Mux } from "../mux.ts";
import type { FileEvent, Timer } from "../ports.ts";
import type { Encoding } from "../positions.ts";
import { isToken } from "../progress.ts";
import { showKept } from "../publish.ts";
import { isLegend, type Options } from "../registrations.ts";
import { relay } from "../relay.ts";
import { recordedOf } from "../route/plan.ts";
import { announcedTriggers } from "../route/triggers.ts";
import { isObject, lookUp } from "../settings.ts";
import { clientLegend } from "../tokens.ts";
import { settingsChanged, tellSettings } from "./configuring.ts";
import { foldersChanged, moveHome } from "./folders.ts";
import { didChange, didClose, didOpen, didSave, willSave } from "./sync.ts";

type Own = (mux: Mux, client: Client, packet: Packet, row: Row) => void;

/** How long the answer to a cancelled command is awaited: it may have changed files already, ms (design section 4). */
const COMMAND_CANCEL_MS = 2000;
/** How long `initialized` is awaited once a client has sent something else, ms: some never send it. */
const INITIALIZED_MS = 2000;

/**
 * Whether a client may send this now (contract section 5): the error for a request, "drop" for a notification to be
 * ignored, null when it may.
 */
export function refuses(client: Client, row: Row | undefined, packet: Packet): ResponseError | "drop" | null {
  const own = row?.own;
  const { method = "" } = packet;
  if (own === "exit") return null;
  if (client.state === "new")
    return own === "initialize" ? null : packet.kind === "request" ? errors.notInitialized(method) : "drop";
  if (client.state !== "open") return packet.kind === "request" ? errors.afterShutdown(method) : "drop";
  return own === "initialize" ? errors.initializedTwice() : null;
}

/** A client that has not said `initialized` sends something: it may never say it, and works all the same. */
export function hasBegun(mux: Mux, client: Client, row: Row | undefined): void {
  if (client.state !== "open" || client.begins || row?.own === "initialized") return;
  client.begins = true;
  mux.ports.after(INITIALIZED_MS, () => {
    if (client.state === "open") initialized(mux, client);
  });
}

/** Answers to a client's own messages; names that only backends' messages have are in `callbacks.ts`. */
export const own: Readonly<Partial<Record<OwnName, Own>>> = {
  initialize,
  initialized,
  didOpen,
  didChange,
  didSave,
  didClose,
  willSave,
  didChangeConfiguration: (mux, client, packet) => settingsChanged(mux, client, lookUp(parseBody(packet), "settings")),
  didChangeWatchedFiles: (mux, _client, packet) => {
    const changes = lookUp(parseBody(packet), "changes");
    if (Array.isArray(changes)) mux.watching.seen("clients", changes.filter(isFileEvent));
  },
  didChangeWorkspaceFolders,
  executeCommand,
  semanticTokensDelta: tokensDelta,
  extension: (mux, client, packet, row) => {
    const extension = mux.options.extensions?.get(row.method);
    if (extension === undefined) return mux.reject(client, packet, errors.methodNotFound(row.method));
    const call = mux.open(client, packet, row);
    if (call !== null) extension(mux, call, parseBody(packet));
  },
  cancel: (mux, client, packet) => {
    const id = lookUp(parseBody(packet), "id");
    const call = typeof id === "string" || typeof id === "number" ? mux.calls.find(client, id) : undefined;
    if (call === undefined) return mux.drops.count("cancel of an unknown request");
    if (call.row.cancel === "afterAnswer") cancelLater(mux, call, COMMAND_CANCEL_MS);
    else cancel(mux, call, errors.cancelled());
  },
  workDoneProgressCancel: (mux, client, packet) => {
    const token = lookUp(parseBody(packet), "token");
    if (isToken(token)) mux.progress.cancel(client, token);
  },
  progress: (mux) => mux.drops.count("progress of a client"),
  setTrace: () => {},
  notebook: (mux) => mux.drops.count("notebook, which is not built"),
  shutdown: (mux, client, packet) => {
    client.state = "shutdown";
    for (const call of mux.calls.of(client)) cancel(mux, call, errors.cancelled());
    mux.respond(client, packet, null);
    release(mux, client);
  },
  exit: goodbye,
};

/** A client says goodbye, or its connection has ended; the exit code is that of contract section 5. */
export function goodbye(mux: Mux, client: Client): void {
  mux.ports.close(client.id, client.state === "shutdown" ? 0 : 1);
  detach(mux, client);
}

// ---- Initialize ---------------------------------------------------------------------------------------------------------

/** LSP 3.18, InitializeParams.processId: when that process has ended, so has the client, also if its connection lives on. */
function parentOf(mux: Mux, client: Client, pid: unknown): Timer | null {
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return null;
  return mux.ports.watchParent(client.id, pid, () => {
    mux.ports.log("info", `client ${client.id}`, `its process ${pid} has ended`);
    goodbye(mux, client);
  });
}

/** From now on it may be told things. */
function initialized(mux: Mux, client: Client): void {
  if (client.initialized) return;
  client.initialized = true;
  for (const message of client.setup.messages) mux.say(client, "warning", message, "once");
  for (const frame of client.unsaid.splice(0)) mux.send(client, [frame]);
  for (const view of client.views.values()) showKept(mux, view);
  relay(mux, client);
}

/** Answered at once, before any backend has started (design section 7). */
function initialize(mux: Mux, client: Client, packet: Packet): void {
  const params = parseBody(packet);
  if (!isObject(params)) return mux.reject(client, packet, errors.invalidParams("initialize needs params."));
  client.state = "open";
  client.capabilities = isObject(params.capabilities) ? params.capabilities : {};
  client.folders = foldersOf(mux, params);
  const { workingFolder } = client.origin;
  if (client.folders.length === 0 && workingFolder !== undefined) {
    client.guessed = true;
    client.folders = foldersOf(mux, { rootUri: workingFolder });
  }
  client.parent = parentOf(mux, client, params.processId);
  client.encoding = chosenEncoding(client);
  client.options = lookUp(params.initializationOptions, "switchboard") ?? null;
  client.setup = setupOf(client);
  const present = client.setup.backends.filter((spec) => spec.launch !== null);
  const recorded = present.map(recordedOf).filter((one): one is Options => one !== null);
  client.legend = clientLegend(
    recorded.map((capabilities) => lookUp(capabilities, "semanticTokensProvider.legend")).filter(isLegend),
  );
  const capabilities = announce({
    recorded,
    unrecorded: present.some((spec) => recordedOf(spec) === null),
    legend: client.legend,
    encoding: client.encoding,
    client: client.capabilities,
    commands: [...mux.options.twins.keys()].map((command) => client.setup.commandPrefix + command),
    experimental: mux.options.experimental,
  });
  client.announced = announcedMethods(capabilities);
  client.triggers = announcedTriggers(capabilities);
  const legacy = "offsetEncoding" in client.capabilities ? { offsetEncoding: client.encoding } : {};
  mux.respond(client, packet, {
    capabilities,
    serverInfo: { name: "switchboard", version: mux.options.version },
    ...legacy,
  });
}

function setupOf({ origin, folders, options }: Client): Setup {
  return origin.setup(
    folders.flatMap((folder) => pathOf(folder.uri) ?? []),
    options,
  );
}

/** utf-16, unless the client's offer (clangd's older name counts too) is not empty and lacks it. */
function chosenEncoding(client: Client): Encoding {
  const offered =
    lookUp(client.capabilities, "general.positionEncodings") ?? lookUp(client.capabilities, "offsetEncoding");
  if (!Array.isArray(offered) || offered.length === 0 || offered.includes("utf-16")) return "utf-16";
  const first: unknown = offered.find((name) => name === "utf-8" || name === "utf-32");
  return first === "utf-8" || first === "utf-32" ? first : "utf-16";
}

/** Folders as given; else the root that older clients name. A client without any serves files by their own roots. */
function foldersOf(mux: Mux, params: { readonly [key: string]: unknown }): Folder[] {
  const { workspaceFolders, rootUri, rootPath } = params;
  const listed = Array.isArray(workspaceFolders)
    ? workspaceFolders.flatMap((folder) => folderOf(mux, folder) ?? [])
    : [];
  if (listed.length > 0) return listed;
  const uri =
    typeof rootUri === "string"
      ? rootUri
      : typeof rootPath === "string" && rootPath !== ""
        ? uriOfPath(rootPath)
        : null;
  return uri === null ? [] : [folderOf(mux, { uri })].flatMap((folder) => folder ?? []);
}

function folderOf(mux: Mux, folder: unknown): Folder | undefined {
  if (!isObject(folder) || typeof folder.uri !== "string") return undefined;
  const uri = folder.uri.length > "file:///".length ? folder.uri.replace(/\/+$/, "") : folder.uri;
  const key = mux.documents.keyOf(uri);
  const name = typeof folder.name === "string" ? folder.name : (uri.split("/").at(-1) ?? uri);
  return { uri, key, name };
}

// ---- Settings, folders, files -------------------------------------------------------------------------------------------

function didChangeWorkspaceFolders(mux: Mux, client: Client, packet: Packet): void {
  const event = lookUp(parseBody(packet), "event");
  const list = (value: unknown): Folder[] =>
    Array.isArray(value) ? value.flatMap((folder) => folderOf(mux, folder) ?? []) : [];
  const added = list(lookUp(event, "added"));
  const removed = new Set(list(lookUp(event, "removed")).map((folder) => folder.key));
  // What was guessed gives way to what is said.
  if (added.length > 0 && client.guessed) client.folders = [];
  client.guessed &&= added.length === 0;
  const kept = client.folders.filter((folder) => !removed.has(folder.key));
  client.folders = [...new Map([...kept, ...added].map((folder) => [folder.key, folder])).values()];
  client.moved = true;
  mux.routes++;
  reconfigure(mux, client);
  for (const backend of [...client.backends]) foldersChanged(mux, backend);
  moveHome(mux, client);
}

/** Folders bring their own files of configuration, and take them along; what was announced stays as it was. */
function reconfigure(mux: Mux, client: Client): void {
  const setup = setupOf(client);
  if (setup.said === client.setup.said) return;
  client.setup = setup;
  for (const message of setup.messages) mux.say(client, "warning", message, "once");
  for (const backend of client.backends) tellSettings(mux, backend);
}

function isFileEvent(value: unknown): value is FileEvent {
  return isObject(value) && typeof value.uri === "string" && (value.type === 1 || value.type === 2 || value.type === 3);
}

// ---- Commands -----------------------------------------------------------------------------------------------------------

/** To the backend whose command it is; ours are the twins of our own requests. */
function executeCommand(mux: Mux, client: Client, packet: Packet, row: Row): void {
  const command = stringField(packet, ["command"]) ?? "";
  const { commandPrefix } = client.setup;
  const twin = command.startsWith(commandPrefix)
    ? mux.options.twins.get(command.slice(commandPrefix.length))
    : undefined;
  if (twin !== undefined) {
    const args = lookUp(parseBody(packet), "arguments");
    const call = mux.open(client, packet, row);
    return call === null ? undefined : twin(mux, call, Array.isArray(args) ? args[0] : undefined);
  }
  const owned = ownerOfCommand(mux, client, packet, command);
  if (owned === null) return mux.reject(client, packet, errors.unknownCommand(command));
  const { backend, body } = owned;
  const call = mux.open(client, packet, row);
  if (call !== null) mux.begin(call, { backends: [backend], ...(body === null ? {} : { body }) });
}
