/**
 * The lives of a backend: started at the first need, initialized, given the documents it is to hold, restarted with
 * back-off after a crash. A document that kills it twice is kept from it. How it is asked to end is in `leaving.ts`.
 */
import { errors, type ResponseError } from "../../protocol/errors.ts";
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import type { Backend } from "../backends.ts";
import { askNow } from "../calls/asks.ts";
import { fail } from "../calls/settling.ts";
import type { Leg } from "../calls.ts";
import { settingsFor, settle } from "../clients/configuring.ts";
import { holdAnew, tellFolders } from "../clients/folders.ts";
import type { Client } from "../clients.ts";
import { wantedOf } from "../documents/align.ts";
import { pathOf } from "../documents/uris.ts";
import type { Mux } from "../mux.ts";
import type { Exit } from "../ports.ts";
import type { Encoding } from "../positions.ts";
import { clearOf, pullSoon } from "../publish.ts";
import { Registrations } from "../registrations.ts";
import { relay } from "../relay.ts";
import { hold, pump } from "../route/queue.ts";
import { serves } from "../route/serving.ts";
import { isObject, lookUp, mergeTrees, type Settings } from "../settings.ts";
import { towardsBackend, used } from "./abilities.ts";
import { affects, isForAll } from "./affects.ts";
import { richest } from "./richest.ts";

/** Starts within this time count against the limit of starts, ms. */
const STARTS_WINDOW_MS = 180_000;
/** Back-off before the n-th start in a row, ms. */
const backOff = [0, 200, 400, 800, 1600];
/** How long the replay of one document waits for the backend to survive it, ms. */
const FENCE_MS = 2000;

export function start(mux: Mux, backend: Backend): void {
  const now = mux.ports.now();
  backend.state = "starting";
  mux.routes++;
  backend.generation++;
  backend.starts.push(now);
  settle(backend);
  const { spec, root, inherited } = backend;
  const path = pathOf(root.uri) ?? "/";
  const here = spec.adapter.start?.(path, mux.ports.site(backend.id, inherited)) ?? {};
  if ("missing" in here) return cannotStart(mux, backend, here.missing);
  const env = { ...backend.environment.env, ...here.env, ...spec.env };
  const command = [...(spec.launch ?? []), ...(here.args ?? [])];
  mux.ports.spawn(backend.id, { name: backend.name, command, cwd: path, inherited, env });
  mux.watching.update(backend);
  const [client] = backend.clients;
  const limits = mux.limitsOf(client);
  const { generation } = backend;
  askNow(
    mux,
    backend,
    M.initialize,
    initializeParams(mux, backend, client, here.initializationOptions),
    spec.adapter.startMs ?? limits.startMs,
    (reply) => {
      if (backend.generation !== generation || backend.state !== "starting") return;
      if ("error" in reply) {
        backend.trouble = reply.error.message;
        mux.ports.kill(backend.id, "force");
      } else initialized(mux, backend, reply.result);
    },
  );
}

/** As if its process had failed to start, and like that not at once: whoever needs it is still at asking. */
function cannotStart(mux: Mux, backend: Backend, error: string): void {
  const { generation } = backend;
  mux.ports.after(0, () => {
    if (backend.generation === generation) exited(mux, backend, { code: null, signal: null, error });
  });
}

function initializeParams(mux: Mux, backend: Backend, client: Client | undefined, here: Settings | undefined): unknown {
  const { adapter } = backend.spec;
  backend.told = backend.folders;
  const capabilities = towardsBackend(mux.options.shared ? richest : (client?.capabilities ?? {}), adapter);
  backend.announced = capabilities;
  const path = pathOf(backend.root.uri);
  const folders = backend.folders.map(({ uri, name }) => ({ uri, name }));
  const options = initializationOptions(backend, here);
  return {
    processId: mux.ports.pid,
    clientInfo: { name: "switchboard", version: mux.options.version },
    rootUri: path === null ? null : backend.root.uri,
    rootPath: path,
    workspaceFolders: folders.length === 0 ? null : folders,
    capabilities,
    ...(options === undefined ? {} : { initializationOptions: options }),
  };
}

function initialized(mux: Mux, backend: Backend, result: unknown): void {
  const answer = isObject(result) ? result : {};
  const capabilities = used(isObject(answer.capabilities) ? answer.capabilities : {}, backend.spec.adapter);
  backend.abilities = new Registrations(capabilities);
  backend.encoding = encodingOf(backend, capabilities);
  if (backend.spec.configured) mux.options.remember?.(backend.spec, capabilities);
  mux.send(backend, [notification(M.initialized, {})]);
  const settings = settingsFor(backend);
  if (Object.keys(settings).length > 0) mux.send(backend, [notification(M.didChangeConfiguration, { settings })]);
  backend.gate.initialized(mux.ports.now());
  mux.ports.log("info", backend.name, `initialized (process ${backend.generation})`);
  const { generation } = backend;
  withVersion(mux, backend, lookUp(answer.serverInfo, "version"), (version) => {
    if (backend.generation !== generation || backend.state !== "starting") return;
    backend.version = version;
    backend.quirks = backend.spec.adapter.quirks.filter((quirk) => affects(quirk.affects, version));
    replay(mux, backend);
  });
}

/** The command itself is asked for its version only where the server does not say it and a correction depends on it. */
function withVersion(mux: Mux, { spec }: Backend, said: unknown, then: (version: string | null) => void): void {
  if (typeof said === "string") return then(said);
  const { command, version, quirks } = spec.adapter;
  if (version === undefined || spec.launch === null || quirks.every((quirk) => isForAll(quirk.affects)))
    return then(null);
  const args = "embedded" in command ? command.args : command.slice(1);
  mux.ports.versionOf([...spec.launch.slice(0, spec.launch.length - args.length), ...version], then);
}

function encodingOf(backend: Backend, capabilities: { readonly [key: string]: unknown }): Encoding {
  const named = backend.spec.adapter.encoding ?? capabilities.positionEncoding;
  return named === "utf-8" || named === "utf-32" ? named : "utf-16";
}

/** Those of this start and of its root, below the adapter's and the configuration's (merged into the adapter). */
function initializationOptions({ environment, spec }: Backend, here: Settings | undefined): unknown {
  const around = environment.initializationOptions;
  const under = here === undefined ? around : mergeTrees(around ?? {}, here);
  const over = spec.adapter.initializationOptions;
  return isObject(under) && isObject(over) ? mergeTrees(under, over) : (over ?? under);
}

// ---- Documents of a new process ---------------------------------------------------------------------------------------

/**
 * Opens what clients have open. After a crash one at a time, the suspects last, each followed by a question whose answer
 * shows that the backend lives on.
 */
function replay(mux: Mux, backend: Backend): void {
  const views = new Map<string, Client>();
  for (const client of backend.clients)
    for (const view of client.views.values())
      if (!views.has(view.key) && !backend.quarantine.has(view.key) && serves(mux, backend, view))
        views.set(view.key, client);
  const suspect = (key: string): number => backend.deaths.get(key) ?? 0;
  const keys = [...views.keys()].sort((a, b) => suspect(a) - suspect(b));
  if (backend.deaths.size === 0) {
    for (const key of keys) open(mux, backend, key, views.get(key));
    return running(mux, backend);
  }
  backend.state = "replaying";
  const { generation } = backend;
  const next = (): void => {
    if (backend.generation !== generation || backend.state !== "replaying") return;
    const key = keys.shift();
    if (key === undefined) return running(mux, backend);
    open(mux, backend, key, views.get(key));
    fence(mux, backend, key, next);
  };
  next();
}

function open(mux: Mux, backend: Backend, key: string, client: Client | undefined): void {
  const view = client === undefined ? undefined : mux.documents.viewByKey(client, key);
  // Its client's folders may be others since.
  if (view !== undefined && serves(mux, backend, view)) hold(mux, backend, wantedOf(view));
}

function fence(mux: Mux, backend: Backend, key: string, then: () => void): void {
  const uri = backend.knownSpelling(key) ?? key;
  const params = { textDocument: { uri }, position: { line: 0, character: 0 } };
  askNow(mux, backend, M.hover, params, FENCE_MS, () => {
    // Any answer will do, an error too; when the backend died, its exit has changed the state.
    then();
  });
}

function running(mux: Mux, backend: Backend): void {
  backend.state = "running";
  mux.routes++;
  backend.trouble = null;
  tellFolders(mux, backend);
  mux.watching.update(backend);
  for (const client of backend.clients)
    for (const view of client.views.values()) if (serves(mux, backend, view)) pullSoon(mux, backend, view);
  pump(mux, backend);
}

// ---- The end of a process ---------------------------------------------------------------------------------------------

export function exited(mux: Mux, backend: Backend, exit: Exit): void {
  const was = backend.state;
  mux.routes++;
  const replayed = was === "replaying" ? [...backend.docs.keys()].at(-1) : undefined;
  const suspects = replayed === undefined ? [...backend.suspects] : [replayed];
  const legs = [...backend.working];
  backend.working.clear();
  backend.reset();
  mux.progress.ended(backend);
  mux.watching.ended(backend);
  if (was === "stopping" || was === "stopped" || backend.clients.size === 0) return end(mux, backend, legs);

  const why = exit.error ?? describe(exit);
  backend.trouble ??= why;
  mux.ports.log("error", backend.name, `process ${backend.generation} ended: ${why}`);
  const now = mux.ports.now();
  // What it survived for so long was not its death; a file that is edited all day would be blamed for every crash.
  if (now - (backend.starts.at(-1) ?? now) > STARTS_WINDOW_MS) backend.deaths.clear();
  if (was === "running" || was === "replaying") for (const key of suspects) blame(mux, backend, key);
  clearOf(mux, backend);

  const [client] = backend.clients;
  const limit = mux.limitsOf(client).starts;
  backend.starts = backend.starts.filter((at) => now - at < STARTS_WINDOW_MS);
  if (exit.error !== undefined || backend.starts.length >= limit) {
    backend.state = "stopped";
    const text =
      exit.error === undefined
        ? errors.backendGaveUp(backend.name, backend.starts.length, STARTS_WINDOW_MS).message
        : errors.backendNotStarted(backend.name, exit.error).message;
    for (const each of backend.clients) {
      mux.say(each, "error", text, "once");
      relay(mux, each);
      for (const view of each.views.values()) if (serves(mux, backend, view)) holdAnew(mux, view);
    }
  } else {
    backend.state = "waiting";
    const { generation } = backend;
    mux.ports.after(backOff[Math.min(backend.starts.length, backOff.length - 1)] ?? 0, () => {
      if (backend.state === "waiting" && backend.generation === generation) start(mux, backend);
    });
  }
  for (const leg of legs) lost(mux, leg, errors.backendCrashed(backend.name, exit));
  pump(mux, backend);
}

/** A leg whose peer is gone. */
export function lost(mux: Mux, leg: Leg, why: ResponseError): void {
  mux.calls.forget(leg);
  fail(mux, leg, why);
}

function blame(mux: Mux, backend: Backend, key: string): void {
  const deaths = (backend.deaths.get(key) ?? 0) + 1;
  backend.deaths.set(key, deaths);
  if (deaths < 2) return;
  backend.quarantine.add(key);
  for (const client of backend.clients) {
    const view = mux.documents.viewByKey(client, key);
    if (view !== undefined) mux.say(client, "warning", errors.quarantined(backend.name, view.uri).message, "once");
  }
}

function describe(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
}

/** Out of the pool, its questions answered. */
export function end(mux: Mux, backend: Backend, legs: readonly Leg[]): void {
  backend.state = "stopped";
  clearOf(mux, backend);
  for (const leg of legs) lost(mux, leg, errors.backendStopped(backend.name, backend.trouble));
  mux.pool.remove(backend);
  mux.ended(backend);
}
