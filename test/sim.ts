/**
 * The core under a fake clock: its `Ports` without a machine. Time passes only when a test says so; each direction of each
 * connection is a lane of frames in order, and a test (or a seed) decides which lane moves next. So every race can be
 * played, and played again. Fake peers are in `sim/`.
 */

import type { Site } from "../adapters/adapter.ts";
import type { Limits } from "../server/config/config.ts";
import type { Setup } from "../server/core/clients.ts";
import { Mux } from "../server/core/mux.ts";
import type {
  BackendId,
  ClientId,
  DiskText,
  Env,
  FileEvent,
  Launch,
  Peer,
  Ports,
  Timer,
  Watch,
  WatchHandlers,
  WatchTrouble,
} from "../server/core/ports.ts";
import type { OpenFrame } from "../server/wire/ends.ts";
import type { Flow } from "../server/wire/framing.ts";
import { isMalformed, readPacket } from "../server/wire/packet.ts";
import { readStart } from "../server/wire/start.ts";
import { FakeClient } from "./sim/client.ts";
import { FakeServer, type Message } from "./sim/server.ts";
import { type Backend, setupOf } from "./sim/setup.ts";

export interface SimOptions {
  /** Servers by name, the first asked first. */
  readonly backends: Readonly<Record<string, Backend>>;
  readonly limits?: Partial<Limits>;
  /** What the user lets a backend be asked; default: all. */
  readonly allows?: Setup["allows"];
  /** Files on disk, by URI. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folder that counts as the one of a client that names none. */
  readonly workingFolder?: string;
  /** Sees every process that is started. */
  readonly spawned?: (server: FakeServer) => void;
  /** Folders that are links: path to real path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Answers of backends, and what clients open, come in two pieces, and may be passed on from the first. */
  readonly inPieces?: boolean;
  /** Sees every frame as it is handed over: `<` to a peer, `>` from it. */
  readonly tap?: (lane: string, direction: "<" | ">", body: Buffer) => void;
}

export const folder = "file:///w";

/** One direction of one connection: what waits in it, in order. */
interface Lane {
  readonly name: string;
  readonly waiting: (() => void)[];
}

interface FakeWatch extends Watch {
  begun: boolean;
  readonly tell: (events: readonly FileEvent[]) => void;
  readonly trouble: (what: WatchTrouble) => void;
}

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly f: () => void;
}

export class Sim implements Ports {
  readonly pid = 4711;
  readonly env = {};
  readonly mux: Mux;
  /** What stands on disk under the name of a command, where that matters. */
  readonly programs = new Map<string, string>();
  /** Processes that clients named as our parent and that are watched; to be called when one ends. */
  readonly parents = new Map<number, () => void>();
  readonly clients: FakeClient[] = [];
  /** All processes there ever were, by name of their server. */
  readonly servers = new Map<string, FakeServer[]>();
  readonly files: Map<string, string>;
  /** When files were written; those not named were there before. */
  readonly writes = new Map<string, number>();
  readonly logged: string[] = [];
  /** Programs that were run for their version. */
  readonly versionsAsked: string[] = [];
  /** Frames to a process that does not run, or to a connection that has ended. */
  readonly lost: string[] = [];
  /** Messages that were passed on before they had come whole. */
  passed = 0;
  readonly #options: SimOptions;
  /** Processes whose end was not reported. */
  readonly #running = new Map<BackendId, FakeServer>();
  readonly #ended = new Set<FakeServer>();
  readonly #connected = new Map<ClientId, FakeClient>();
  readonly #lanes = new Map<string, Lane>();
  /** By receiver: frames that wait for the end of one that is open. */
  readonly #behind = new Map<Peer, Buffer[]>();
  readonly #watches = new Map<string, Set<FakeWatch>>();
  #alarms: Alarm[] = [];
  #now = 0;
  #order = 0;

  constructor(options: SimOptions) {
    this.#options = options;
    this.files = new Map(Object.entries(options.files ?? {}));
    const setup = setupOf(options.backends, options.limits, options.allows);
    const { workingFolder } = options;
    this.mux = new Mux({
      ports: this,
      version: "0",
      setup,
      extensions: new Map(),
      twins: new Map(),
      experimental: {},
      ...(workingFolder !== undefined && { workingFolder }),
    });
  }

  // ---- For tests ----------------------------------------------------------------------------------------------------

  /** A connected client that has sent nothing yet. */
  connect(name = `client ${this.clients.length + 1}`): FakeClient {
    const id = (this.clients.length + 1) as ClientId;
    const client = new FakeClient(name, (message) => {
      if (client.gone) return;
      const body = Buffer.isBuffer(message) ? message : bodyOf(message);
      this.#lane(`${name} >`).waiting.push(() => this.#hand({ client: id }, name, body));
    });
    this.clients.push(client);
    this.#connected.set(id, client);
    this.mux.attached(id);
    return client;
  }

  /** A message of a client's that comes in: who takes it from its beginning on, of `length` bytes in all. */
  arriving(client: FakeClient, beginning: Buffer, length: number): Flow | null {
    const start = readStart(beginning, length);
    return start === null
      ? null
      : this.mux.arriving({ client: (this.clients.indexOf(client) + 1) as ClientId }, start, length);
  }

  /** A client after the handshake, with one folder. */
  client(name?: string, capabilities: object = {}): FakeClient {
    const client = this.connect(name);
    client.initialize(capabilities, [folder]);
    this.settle();
    return client;
  }

  /** A client's connection breaks; what it sent before still arrives. */
  drop(client: FakeClient): void {
    const id = (this.clients.indexOf(client) + 1) as ClientId;
    client.gone = true;
    this.#lane(`${client.name} >`).waiting.push(() => {
      this.#connected.delete(id);
      this.mux.closed({ client: id });
    });
  }

  /** The process of a server that runs now, or the last one. */
  server(name: string): FakeServer {
    const server = this.servers.get(name)?.at(-1);
    if (server === undefined) throw new Error(`${name} was never started`);
    return server;
  }

  /** The process that a backend has now. */
  processOf(id: BackendId): FakeServer | undefined {
    return this.#running.get(id);
  }

  /** Whether it takes what is sent to it. Between its end and our hearing of it, it does not. */
  runs(server: FakeServer): boolean {
    return !this.#ended.has(server);
  }

  /** Names of the lanes in which a frame waits. */
  ready(): readonly string[] {
    return [...this.#lanes.values()].filter(({ waiting }) => waiting.length > 0).map(({ name }) => name);
  }

  /** Moves one frame of one lane. */
  move(lane: string): void {
    this.#lanes.get(lane)?.waiting.shift()?.();
  }

  /** Moves all frames until none waits; no time passes. */
  settle(): void {
    for (let ready = this.ready(); ready.length > 0; ready = this.ready()) for (const lane of ready) this.move(lane);
  }

  /** Lets time pass. Frames move at once, before and after each timer; with `still` none moves. */
  advance(ms: number, frames: "settle" | "still" = "settle"): void {
    const end = this.#now + ms;
    if (frames === "settle") this.settle();
    for (;;) {
      const next = this.#alarms.reduce<Alarm | null>(
        (first, alarm) => (first === null || before(alarm, first) ? alarm : first),
        null,
      );
      if (next === null || next.at > end) break;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
      this.#now = Math.max(this.#now, next.at);
      next.f();
      if (frames === "settle") this.settle();
    }
    this.#now = end;
  }

  /** Everything that is wrong so far: breaches of the protocol, two answers to one request, frames to nobody. */
  faults(): readonly string[] {
    const servers = [...this.servers.values()].flat();
    return [
      ...servers.flatMap(({ breaches }) => breaches),
      ...this.clients.flatMap(({ breaches }) => breaches),
      ...this.lost,
    ];
  }

  /** Files changed on disk, and whoever watches them hears of it. */
  touch(events: readonly FileEvent[]): void {
    for (const [root, watchers] of this.#watches)
      for (const watch of watchers)
        watch.tell(events.filter(({ uri }) => uri.startsWith(`file://${this.real(root.slice(7))}/`)));
  }

  /** Folders that are watched for somebody who asked for it. */
  get watched(): readonly string[] {
    return [...this.#watches].filter(([, watches]) => [...watches].some(({ begun }) => begun)).map(([root]) => root);
  }

  /** The watch of a folder is in trouble. */
  trouble(root: string, what: WatchTrouble): void {
    for (const watch of this.#watches.get(root) ?? []) watch.trouble(what);
  }

  get timers(): number {
    return this.#alarms.length;
  }

  // ---- Ports --------------------------------------------------------------------------------------------------------

  now(): number {
    return this.#now;
  }

  after(ms: number, f: () => void): Timer {
    this.#order++;
    const alarm: Alarm = { at: this.#now + Math.max(ms, 0), order: this.#order, f };
    this.#alarms.push(alarm);
    return {
      cancel: () => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
      },
    };
  }

  send(to: Peer, pieces: readonly Buffer[]): "ok" | "full" {
    const body = Buffer.concat(pieces);
    const behind = this.#behind.get(to);
    if (behind !== undefined) {
      behind.push(body);
      return "ok";
    }
    const client = "client" in to ? this.#connected.get(to.client) : undefined;
    const server = "backend" in to ? this.#running.get(to.backend) : undefined;
    if (client !== undefined) this.#push(client.name, body, (message) => !client.gone && client.receive(message));
    else if (server !== undefined)
      this.#push(laneOf(server), body, (message) => this.runs(server) && server.receive(message));
    else this.lost.push(`to nobody: ${body.toString("utf8", 0, 200)}`);
    return "ok";
  }

  open(to: Peer, length: number): OpenFrame | null {
    if (this.#behind.has(to)) return null;
    const behind: Buffer[] = [];
    this.#behind.set(to, behind);
    const pieces: Buffer[] = [];
    return {
      write: (bytes) => pieces.push(Buffer.from(bytes)) > 0,
      close: () => {
        const body = Buffer.concat(pieces);
        if (body.length !== length) this.lost.push(`${body.length} bytes of a frame of ${length}`);
        this.#behind.delete(to);
        for (const frame of [body, ...behind]) this.send(to, [frame]);
      },
    };
  }

  spawn(id: BackendId, { name }: Launch): void {
    const script = this.#options.backends[name];
    if (script === undefined) throw new Error(`no server ${name}`);
    const processes = this.servers.get(name) ?? [];
    this.servers.set(name, processes);
    const lane = `${name}#${processes.length + 1}`;
    const server = new FakeServer(
      name,
      processes.length + 1,
      script,
      (message) => {
        const body = Buffer.isBuffer(message) ? message : bodyOf(message);
        this.#lane(`${lane} >`).waiting.push(() => this.#hand({ backend: id }, lane, body));
      },
      (code) => this.#end(id, server, { code, signal: null }),
    );
    processes.push(server);
    this.#running.set(id, server);
    this.#options.spawned?.(server);
  }

  kill(id: BackendId, how: "ask" | "force"): void {
    const server = this.#running.get(id);
    if (server !== undefined) this.#end(id, server, { code: null, signal: how === "ask" ? "SIGTERM" : "SIGKILL" });
  }

  /** A fake program prints the version of its script, however it is asked. */
  versionOf([name = ""]: readonly string[], done: (said: string | null) => void): void {
    this.versionsAsked.push(name);
    this.#lane("versions >").waiting.push(() => done(this.#options.backends[name]?.prints ?? null));
  }

  close(client: ClientId): void {
    this.#connected.delete(client);
  }

  read(uri: string, done: (r: DiskText) => void): void {
    this.#lane("disk >").waiting.push(() => {
      const text = this.files.get(uri);
      done(text === undefined ? { ok: false, reason: "no such file" } : { ok: true, text });
    });
  }

  written(uri: string, done: (at: number | null) => void): void {
    this.#lane("disk >").waiting.push(() => done(this.files.has(uri) ? (this.writes.get(uri) ?? -1) : null));
  }

  find(root: string, query: Parameters<Ports["find"]>[1], done: Parameters<Ports["find"]>[2]): void {
    this.#lane("disk >").waiting.push(() => {
      const shown = (text: string): string => (query.anyCase === true ? text.toLowerCase() : text);
      const { extensions, fileNames } = query;
      const isKind = (uri: string): boolean =>
        extensions.some((ending) => uri.endsWith(ending)) || fileNames.some((name) => uri.endsWith(`/${name}`));
      const uris = [...this.files].filter(
        ([uri, text]) => uri.startsWith(root) && isKind(uri) && shown(text).includes(shown(query.holds ?? "")),
      );
      const covered = { files: this.files.size, ignored: 0, tooLarge: 0, binary: 0, undecodable: 0, unreadable: 0 };
      done({ uris: uris.slice(0, query.limit).map(([uri]) => uri), whole: true, covered });
    });
  }

  survey(root: string, done: Parameters<Ports["survey"]>[1]): void {
    this.#lane("disk >").waiting.push(() => {
      const uris = [...this.files.keys()].filter((uri) => uri.startsWith(root));
      done({ extensions: new Set(uris.map((uri) => uri.slice(uri.lastIndexOf(".")))), fileNames: new Set() });
    });
  }

  watch(root: string, _marked: boolean, { on, trouble }: WatchHandlers): Watch {
    const watches = this.#watches.get(root) ?? new Set();
    let early: readonly FileEvent[] = [];
    const watch: FakeWatch = {
      begun: false,
      tell: (events) => {
        if (watch.begun) on(events);
        else early = [...early, ...events];
      },
      trouble,
      begin: () => {
        if (watch.begun) return;
        watch.begun = true;
        this.#lane("disk >").waiting.push(() => on(early));
      },
      cancel: () => {
        watches.delete(watch);
        if (watches.size === 0) this.#watches.delete(root);
      },
    };
    this.#watches.set(root, watches.add(watch));
    return watch;
  }

  real(path: string): string {
    for (const [link, to] of Object.entries(this.#options.links ?? {}))
      if (path === link || path.startsWith(`${link}/`)) return to + path.slice(link.length);
    return path;
  }

  site(_: BackendId, env: Env): Site {
    return {
      env,
      platform: "linux",
      home: "/home",
      cache: "/cache",
      exists: (path) => this.exists(path),
      real: (path) => this.real(path),
      list: () => [],
      read: () => "",
      folder: (purpose) => `/cache/${purpose}-0`,
    };
  }

  exists(path: string): boolean {
    return this.files.has(`file://${path}`);
  }

  memoryOf(): null {
    return null;
  }

  identityOf([command = ""]: readonly string[]): string {
    return this.programs.get(command) ?? "";
  }

  pidOf(id: BackendId): number | null {
    return this.#running.has(id) ? 1_000 + id : null;
  }

  watchParent(_: ClientId, pid: number, gone: () => void): Timer | null {
    this.parents.set(pid, gone);
    return { cancel: () => this.parents.delete(pid) };
  }

  head(): string {
    return "";
  }

  log(level: string, source: string, text: string): void {
    this.logged.push(`${level} ${source}: ${text}`);
  }

  // ---- Lanes --------------------------------------------------------------------------------------------------------

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { name, waiting: [] };
    this.#lanes.set(name, lane);
    return lane;
  }

  #push(peer: string, body: Buffer, take: (message: Message) => void): void {
    this.#lane(`${peer} <`).waiting.push(() => {
      this.#options.tap?.(peer, "<", body);
      take(JSON.parse(body.toString("utf8")) as Message);
    });
  }

  #hand(from: Peer, name: string, body: Buffer): void {
    this.#options.tap?.(name, ">", body);
    const start = this.#options.inPieces === true ? readStart(body.subarray(0, -1), body.length) : null;
    const flow = start === null ? null : this.mux.arriving(from, start, body.length);
    if (start !== null && flow !== null) {
      this.passed++;
      flow.write(start.bytes);
      flow.write(body.subarray(-1));
      return flow.end(true);
    }
    const packet = readPacket(body);
    if (isMalformed(packet)) this.mux.malformed(from, packet);
    else this.mux.receive(from, packet);
  }

  /** The process is gone at once; we hear of it after what it wrote before. */
  #end(id: BackendId, server: FakeServer, exit: { code: number | null; signal: string | null }): void {
    if (!this.runs(server)) return;
    const lane = laneOf(server);
    this.#lanes.delete(`${lane} <`);
    this.#ended.add(server);
    this.#lane(`${lane} >`).waiting.push(() => {
      this.#running.delete(id);
      this.mux.exited(id, exit);
    });
  }
}

function laneOf(server: FakeServer): string {
  return `${server.name}#${server.generation}`;
}

function before(a: Alarm, b: Alarm): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function bodyOf(message: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
}
