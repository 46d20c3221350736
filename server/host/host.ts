/**
 * The core's `Ports` on a real machine: the clock, files, processes and connections. It decides nothing: what comes in is
 * handed to the Mux as packets and events, what the Mux asks is done.
 */
import { existsSync, readFile, realpathSync, stat } from "node:fs";
import { homedir } from "node:os";
import type { Site } from "../../adapters/adapter.ts";
import type { Origin } from "../core/clients.ts";
import { textOf } from "../core/documents/text.ts";
import { pathOf, uriOfPath } from "../core/documents/uris.ts";
import type { Mux } from "../core/mux.ts";
import {
  type BackendId,
  type ClientId,
  type Env,
  type Launch,
  type LogLevel,
  NOTHING_COVERED,
  type Peer,
  type Ports,
  type Survey,
  type Timer,
  type Watch,
  type WatchHandlers,
} from "../core/ports.ts";
import { Code, errors } from "../protocol/errors.ts";
import type { Flow } from "../wire/framing.ts";
import { type Body, depthOver, isMalformed, type Malformed, type Packet, readPacket } from "../wire/packet.ts";
import { readStart } from "../wire/start.ts";
import type { TranscriptWriter } from "../wire/transcript.ts";
import {
  type End,
  type EndHandlers,
  type EndLimits,
  type OpenFrame,
  type ProcessEnd,
  spawnBackend,
} from "../wire/transport.ts";
import { identityOf } from "./command-cache.ts";
import { find, survey } from "./files.ts";
import { isBelow } from "./listing.ts";
import { memoryOf, watchParent } from "./processes.ts";
import { head, type Stay, siteFor } from "./site.ts";
import { versionOf } from "./version.ts";
import { FolderWatch } from "./watch.ts";

/** How long what was seen of a folder counts, ms. */
const SURVEY_MS = 30_000;
/** How long a real path counts, ms: links are rarely moved, and each look costs a system call. */
const REAL_MS = 5_000;
/** So much of a file tells its language where its name does not, bytes. */
const HEAD_BYTES = 256;

export interface HostOptions {
  readonly log: (level: LogLevel, source: string, text: string) => void;
  readonly limits: EndLimits & { readonly maxDepth: number };
  /** Called when the core ends a client's connection. */
  readonly onClose: (client: ClientId, code: number) => void;
  readonly transcript?: TranscriptWriter;
}

/** One connection of a client. */
interface Connection {
  readonly end: End;
  /** The process at its other end; ours, where a client speaks to us directly. */
  readonly pid: number;
  /** Whether that is told the exit code, as a byte behind all frames. */
  readonly tellsCode: boolean;
}

export class Host implements Ports {
  readonly pid = process.pid;
  readonly env = process.env;
  readonly #options: HostOptions;
  readonly #clients = new Map<ClientId, Connection>();
  readonly #backends = new Map<BackendId, ProcessEnd>();
  readonly #stays = new Map<BackendId, Stay>();
  readonly #surveys = new Map<string, { at: number; result: Promise<Survey> }>();
  readonly #real = new Map<string, { at: number; path: string }>();
  /** Connections that are being ended, and who waits for them. */
  readonly #closing = new Set<End>();
  readonly #whenWritten: (() => void)[] = [];
  #mux: Mux | null = null;
  #lastClient = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** The core that events go to; once, before anything else. */
  serve(mux: Mux): void {
    this.#mux = mux;
  }

  /**
   * Makes a client of a connection. `connect` opens it with the handlers given.
   * @param through of a client that reaches us through another process: that process, and where it comes from
   */
  attach(
    connect: (handlers: EndHandlers, limits: EndLimits) => End,
    through?: { readonly pid: number; readonly origin: Origin },
  ): ClientId {
    this.#lastClient++;
    const id = this.#lastClient as ClientId;
    const peer: Peer = { client: id };
    this.#mux?.attached(id, through?.origin);
    const handlers: EndHandlers = {
      onBody: (body) => this.#guarded(() => this.#receive(peer, body)),
      onLong: (start, length) => this.#arriving(peer, start, length),
      onProblem: (problem) => this.#mux?.malformed(peer, { problem: problem.text, code: -32700, id: null }),
      onDrained: () => this.#mux?.drained(peer),
      onClosed: (reason) => {
        this.log("info", `client ${id}`, `connection ended: ${reason}`);
        this.#guarded(() => this.#mux?.closed(peer));
      },
    };
    const end = connect(handlers, this.#options.limits);
    this.#clients.set(id, { end, pid: through?.pid ?? process.pid, tellsCode: through !== undefined });
    return id;
  }

  /** A fault of ours while an event is handled costs that event, never the process: everybody else is served on. */
  #guarded(f: () => void): void {
    try {
      f();
    } catch (fault) {
      this.log("error", "switchboard", `a fault of ours: ${fault instanceof Error ? fault.stack : fault}`);
    }
  }

  #receive(peer: Peer, body: Body): void {
    this.#options.transcript?.frame(laneOf(peer), ">", Buffer.isBuffer(body) ? [body] : body);
    const packet = readPacket(body);
    if (isMalformed(packet)) this.#mux?.malformed(peer, packet);
    else if ("client" in peer && packet.kind === "request" && this.#isTooDeep(packet.bytes))
      this.#mux?.malformed(peer, this.#tooDeep(packet));
    else this.#mux?.receive(peer, packet);
  }

  /** A recorded conversation holds whole frames only: then all are received so. */
  #arriving(peer: Peer, bytes: Buffer, length: number): Flow | null {
    const start = this.#options.transcript === undefined ? readStart(bytes, length) : null;
    let flow: Flow | null = null;
    if (start !== null)
      this.#guarded(() => {
        flow = this.#mux?.arriving(peer, start, length) ?? null;
      });
    return flow;
  }

  /** Requests of clients only: documents and backends' lists are long and passed on unread, and counting costs 5 ms a MB. */
  #isTooDeep(body: Buffer): boolean {
    const { maxDepth } = this.#options.limits;
    return body.length > maxDepth && depthOver(body, maxDepth);
  }

  #tooDeep({ id = null }: Packet): Malformed {
    const { message } = errors.tooDeep(this.#options.limits.maxDepth);
    return { problem: message, code: Code.invalidRequest, id };
  }

  // ---- Ports --------------------------------------------------------------------------------------------------------

  now(): number {
    // As even as performance.now(), which takes 3 ms to load.
    return process.uptime() * 1000;
  }

  after(ms: number, f: () => void): Timer {
    const timer = setTimeout(() => this.#guarded(f), ms);
    return { cancel: () => clearTimeout(timer) };
  }

  send(to: Peer, body: readonly Buffer[]): "ok" | "full" {
    const end = this.#endOf(to);
    if (end === undefined) return "ok";
    this.#options.transcript?.frame(laneOf(to), "<", body);
    return end.send(body);
  }

  open(to: Peer, length: number): OpenFrame | null {
    return this.#endOf(to)?.open?.(length) ?? null;
  }

  #endOf(to: Peer): End | undefined {
    if ("client" in to) return this.#clients.get(to.client)?.end;
    return "backend" in to ? this.#backends.get(to.backend) : undefined;
  }

  spawn(id: BackendId, launch: Launch): void {
    const peer: Peer = { backend: id };
    this.log("info", launch.name, `starting ${launch.command.join(" ")} in ${launch.cwd}`);
    const process = spawnBackend(
      launch,
      {
        onBody: (body) => this.#guarded(() => this.#receive(peer, body)),
        onLong: (start, length) => this.#arriving(peer, start, length),
        onProblem: (problem) => this.log("warn", launch.name, problem.text),
        onDrained: () => this.#mux?.drained(peer),
        onLog: (line) => this.log("info", launch.name, line),
        onExit: (exit) => {
          if (this.#backends.get(id) === process) this.#forget(id);
          this.#guarded(() => this.#mux?.exited(id, exit));
        },
      },
      this.#options.limits,
    );
    this.#backends.set(id, process);
  }

  #forget(id: BackendId): void {
    this.#backends.delete(id);
    this.#stays.get(id)?.leave();
    this.#stays.delete(id);
  }

  kill(id: BackendId, how: "ask" | "force"): void {
    this.#backends.get(id)?.kill(how);
  }

  versionOf(command: readonly string[], done: (said: string | null) => void): void {
    versionOf(command, (said) => this.#guarded(() => done(said)));
  }

  identityOf(command: readonly string[]): string {
    return identityOf(command);
  }

  pidOf(id: BackendId): number | null {
    return this.#backends.get(id)?.pid ?? null;
  }

  memoryOf(id: BackendId): number | null {
    const pid = this.pidOf(id);
    return pid === null ? null : memoryOf(pid);
  }

  close(client: ClientId, code: number): void {
    const connection = this.#clients.get(client);
    this.#clients.delete(client);
    if (connection === undefined) return;
    const { end, tellsCode } = connection;
    this.#closing.add(end);
    end.close(
      () => {
        this.#closing.delete(end);
        if (this.#closing.size === 0) for (const done of this.#whenWritten.splice(0)) done();
      },
      tellsCode ? Buffer.of(code) : undefined,
    );
    this.#options.onClose(client, code);
  }

  /** Ends the connections of all clients. */
  leave(): void {
    for (const client of [...this.#clients.keys()]) this.#guarded(() => this.#mux?.closed({ client }));
  }

  /** Calls back once all that was sent to clients whose connection was ended is written, after `ms` at the latest. */
  whenWritten(ms: number, done: () => void): void {
    if (this.#closing.size === 0) return done();
    const timer = setTimeout(done, ms);
    this.#whenWritten.push(() => {
      clearTimeout(timer);
      done();
    });
  }

  written(uri: string, done: (at: number | null) => void): void {
    const path = pathOf(uri);
    if (path === null) return void queueMicrotask(() => done(null));
    stat(path, (fault, stats) =>
      this.#guarded(() => done(fault === null ? this.now() - (Date.now() - stats.mtimeMs) : null)),
    );
  }

  read(uri: string, done: (r: { ok: true; text: string } | { ok: false; reason: string }) => void): void {
    const path = pathOf(uri);
    if (path === null) return void queueMicrotask(() => done({ ok: false, reason: "it is no file" }));
    readFile(path, (fault, bytes) =>
      this.#guarded(() =>
        fault === null ? done({ ok: true, text: textOf(bytes) }) : done({ ok: false, reason: fault.message }),
      ),
    );
  }

  find(rootUri: string, query: Parameters<Ports["find"]>[1], done: Parameters<Ports["find"]>[2]): void {
    const root = pathOf(rootUri);
    if (root === null) return void queueMicrotask(() => done({ uris: [], whole: false, covered: NOTHING_COVERED }));
    void find(root, query).then(({ paths, ...rest }) =>
      this.#guarded(() => done({ uris: paths.map(uriOfPath), ...rest })),
    );
  }

  survey(rootUri: string, done: (r: Survey) => void): void {
    const root = pathOf(rootUri);
    const known = this.#surveys.get(rootUri);
    const now = this.now();
    if (root === null) return void queueMicrotask(() => done({ extensions: new Set(), fileNames: new Set() }));
    const fresh = known !== undefined && now - known.at < SURVEY_MS ? known : { at: now, result: survey(root) };
    this.#surveys.set(rootUri, fresh);
    void fresh.result.then((found) => this.#guarded(() => done(found)));
  }

  watch(rootUri: string, marked: boolean, { on, trouble }: WatchHandlers): Watch {
    const path = pathOf(rootUri);
    if (path === null) return { begin: () => {}, cancel: () => {} };
    // A link itself cannot be watched.
    const root = this.real(path);
    const log = (level: LogLevel, text: string): void => this.log(level, "watch", text);
    if (isBelow(this.real(homedir()), root)) {
      log("warn", `${root} is no project: it is not watched, and changes of files that are not asked about go unseen`);
      return { begin: () => this.#guarded(() => trouble("unwatched")), cancel: () => {} };
    }
    return new FolderWatch(root, {
      on: (events) => {
        // Which kinds of files there are may be otherwise now.
        if (events.some(({ type }) => type !== 2)) this.#surveys.clear();
        this.#guarded(() => on(events));
      },
      trouble: (what) => this.#guarded(() => trouble(what)),
      log,
      marked,
    });
  }

  real(path: string): string {
    const now = this.now();
    const known = this.#real.get(path);
    if (known !== undefined && now - known.at < REAL_MS) return known.path;
    if (this.#real.size > 10_000) this.#real.clear();
    const found = realPath(path);
    this.#real.set(path, { at: now, path: found });
    return found;
  }

  exists(path: string): boolean {
    return existsSync(path);
  }

  watchParent(client: ClientId, pid: number, gone: () => void): Timer | null {
    return watchParent(pid, () => this.#guarded(gone), this.#clients.get(client)?.pid);
  }

  site(id: BackendId, env: Env): Site {
    const stay = siteFor(String(id), undefined, env);
    this.#stays.set(id, stay);
    return stay;
  }

  head(path: string): string {
    return head(path, HEAD_BYTES, "latin1");
  }

  log(level: LogLevel, source: string, text: string): void {
    this.#options.log(level, source, text);
  }
}

/** The real path; of a path that does not exist, that of its nearest folder that does. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
    if (slash <= 0) return path;
    return realPath(path.slice(0, slash)) + path.slice(slash);
  }
}

function laneOf(peer: Peer): string {
  if ("client" in peer) return `client ${peer.client}`;
  return "backend" in peer ? `backend ${peer.backend}` : `self ${peer.self}`;
}
