/**
 * One request's whole way there and back. Read downward: a packet comes in (`receive`), its row tells the route, legs are
 * opened and queued (`queue.ts` sends them when their backend is ready for them), answers settle their leg, and the call is
 * answered exactly once. Synchronous and without I/O: everything outside is behind `Ports`.
 *
 * Left to others: the life of clients and backends (`session.ts`, `lifecycle.ts`), what a backend asks (`callbacks.ts`),
 * texts (`documents.ts`), the form of questions and answers (`asking.ts`, `answering.ts`). Longer than its neighbours, so
 * that the way can be read in one place.
 */
import type { Limits } from "../config/config.ts";
import type { BackendSpec } from "../config/resolve.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import { type Row, rowOf } from "../protocol/methods.ts";
import { error, result } from "../wire/compose.ts";
import type { Flow } from "../wire/framing.ts";
import type { Malformed, Packet } from "../wire/packet.ts";
import type { Start } from "../wire/start.ts";
import { fromBackendNotification, fromBackendRequest } from "./backends/callbacks.ts";
import { stopAll } from "./backends/leaving.ts";
import { exited } from "./backends/lifecycle.ts";
import { Backend } from "./backends.ts";
import { type AskOptions, ask, askClient } from "./calls/asks.ts";
import { watchDeadlines } from "./calls/deadlines.ts";
import { Drops } from "./calls/drops.ts";
import { faultOf } from "./calls/faults.ts";
import { passOn } from "./calls/passing.ts";
import { answer, settled } from "./calls/settling.ts";
import { unlisted } from "./calls/unlisted.ts";
import { type Call, Calls, type Leg, type Reply } from "./calls.ts";
import { say } from "./clients/messages.ts";
import { goodbye, hasBegun, own, refuses } from "./clients/session.ts";
import { Client, type Origin, type Setup } from "./clients.ts";
import { Slots } from "./diagnostics.ts";
import { languageFor } from "./documents/languages.ts";
import { openOn } from "./documents/opening.ts";
import { Documents, type View, type Wanted } from "./documents.ts";
import { askedUri, noticeFor } from "./forms/asking.ts";
import { tellOfFiles } from "./merge/file-operations.ts";
import { Pool } from "./pool.ts";
import type { BackendId, ClientId, Exit, Peer, Ports } from "./ports.ts";
import { Progress } from "./progress.ts";
import { type Plan, plan } from "./route/plan.ts";
import { enqueue, pump, wish } from "./route/queue.ts";
import { documentAsked } from "./route/serving.ts";
import { Watching } from "./watching.ts";

/** A request of our own (`extensions.ts`): answers the call through `Mux.answer`, now or later. */
export type Extension = (mux: Mux, call: Call, params: unknown) => void;

export interface MuxOptions {
  readonly ports: Ports;
  readonly version: string;
  /** For clients of which nothing else is said. */
  readonly setup: Origin["setup"];
  /**
   * Our own requests by method, and those of LSP that take more than merging to answer; their twins by command id without
   * a prefix.
   */
  readonly extensions: ReadonlyMap<string, Extension>;
  readonly workingFolder?: string;
  /** Several clients may come: backends are told of the richest abilities, not of those of the first (`richest.ts`). */
  readonly shared?: boolean;
  /** Told what a server of the user's own turned out to be able of. */
  readonly remember?: (spec: BackendSpec, capabilities: unknown) => void;
  readonly twins: ReadonlyMap<string, Extension>;
  /** For `capabilities.experimental`: what is built. */
  readonly experimental: Readonly<Record<string, unknown>>;
}

export class Mux {
  readonly ports: Ports;
  readonly options: MuxOptions;
  readonly calls = new Calls();
  readonly documents: Documents;
  readonly pool: Pool;
  readonly slots = new Slots();
  readonly progress: Progress;
  readonly watching: Watching;
  readonly drops = new Drops();
  readonly clients = new Map<ClientId, Client>();
  readonly startedAt: number;
  readonly #defaults: Setup;
  /** Counts whatever may change who serves what: a backend's life, its registrations, folders. */
  routes = 0;
  /** Deadlines are being watched (`deadlines.ts`). */
  sweeping = false;
  #lastTask = 0;
  #onIdle: (() => void) | null = null;

  constructor(options: MuxOptions) {
    this.options = options;
    this.#defaults = options.setup([], null);
    this.ports = options.ports;
    this.documents = new Documents((path) => this.ports.real(path));
    this.pool = new Pool(this.ports);
    this.progress = new Progress(this);
    this.watching = new Watching(this);
    this.startedAt = this.ports.now();
  }

  // ---- Events -------------------------------------------------------------------------------------------------------

  /** @param origin where it comes from, if not from where we do ourselves */
  attached(id: ClientId, origin: Origin = { ...this.options, env: this.ports.env }): Client {
    const client = new Client(id, this.#defaults, origin);
    this.clients.set(id, client);
    return client;
  }

  /** A connection ended. Of a backend only its exit counts, which follows. */
  closed(peer: Peer): void {
    const client = "client" in peer ? this.clients.get(peer.client) : undefined;
    if (client !== undefined) goodbye(this, client);
  }

  exited(id: BackendId, exit: Exit): void {
    const backend = this.pool.get(id);
    if (backend !== undefined) exited(this, backend, exit);
  }

  receive(peer: Peer, packet: Packet): void {
    if ("client" in peer) {
      const client = this.clients.get(peer.client);
      if (client !== undefined) this.#fromClient(client, packet);
      else this.drops.count("from a client that is gone");
    } else if ("backend" in peer) {
      const backend = this.pool.get(peer.backend);
      if (backend !== undefined) this.#fromBackend(backend, packet);
      else this.drops.count("from a backend that is gone");
    }
  }

  /**
   * A long body is coming in, of which this is the beginning and `length` the whole. Who takes it gets its bytes as they
   * come; null: `receive` is to be called when it is there.
   */
  arriving(peer: Peer, start: Start, length: number): Flow | null {
    const client = "client" in peer ? this.clients.get(peer.client) : undefined;
    if (client !== undefined) return openOn(this, client, start, length);
    const backend = "backend" in peer ? this.pool.get(peer.backend) : undefined;
    return backend === undefined ? null : passOn(this, backend, start, length);
  }

  /** A frame that is no packet. A client is told, where the frame could be told apart; a backend's goes to the log. */
  malformed(peer: Peer, what: Malformed): void {
    this.drops.count("malformed frame");
    const client = "client" in peer ? this.clients.get(peer.client) : undefined;
    if (client !== undefined) this.send(client, [error(what.id, { code: what.code, message: what.problem })]);
    else if ("backend" in peer)
      this.ports.log(
        "warn",
        this.pool.get(peer.backend)?.name ?? "backend",
        `sent a frame that is no message: ${what.problem}`,
      );
  }

  /** A peer whose transport was full takes frames again. Queueing is the transport's; nothing waits here. */
  drained(_peer: Peer): void {}

  /** Ends everything; `done` is called once no backend runs. */
  stop(done: () => void): void {
    stopAll(this, done);
  }

  /** Calls back when no backend is left. */
  whenIdle(done: () => void): void {
    if ([...this.pool.all].length === 0) return done();
    this.#onIdle = done;
  }

  /** A backend is out of the pool. */
  ended(_backend: Backend): void {
    if (this.#onIdle === null || [...this.pool.all].length > 0) return;
    const done = this.#onIdle;
    this.#onIdle = null;
    done();
  }

  // ---- From a client ------------------------------------------------------------------------------------------------

  #fromClient(client: Client, packet: Packet): void {
    if (packet.kind === "response") return this.#fromPeer(client, packet);
    const method = packet.method ?? "";
    const row = rowOf(method);
    const refusal = refuses(client, row, packet);
    if (refusal === "drop") return this.drops.count("outside a client's life");
    if (refusal !== null && packet.kind === "request") return this.reject(client, packet, refusal);
    if (refusal !== null) return this.drops.count("outside a client's life");
    if (!client.initialized) hasBegun(this, client, row);
    try {
      if (row === undefined || row.direction === "toClient" || row.kind !== packet.kind)
        return unlisted(this, client, packet);
      if (row.route === "mux" || this.options.extensions.has(method)) return this.#own(client, packet, row);
      if (packet.kind === "notification") return this.#tell(client, packet, row);
      this.#request(client, packet, row);
    } catch (fault) {
      const why = faultOf(this, `client ${client.id}`, method, fault);
      const call = packet.id == null ? undefined : this.calls.find(client, packet.id);
      if (call?.packet === packet) this.answer(call, { error: why });
      else this.reject(client, packet, why);
    }
  }

  #own(client: Client, packet: Packet, row: Row): void {
    const f = own[row.own ?? "extension"];
    if (f !== undefined) f(this, client, packet, row);
    else unlisted(this, client, packet);
  }

  /** Answers a request that never came into the ledger. */
  respond(client: Client, packet: Packet, value: unknown): void {
    if (packet.id !== undefined && packet.id !== null) this.send(client, [result(packet.id, value)]);
  }

  /** Answers a request that is not taken up. */
  reject(client: Client, packet: Packet, why: ResponseError): void {
    if (packet.id !== undefined && packet.id !== null) this.send(client, [error(packet.id, why)]);
  }

  #request(client: Client, packet: Packet, row: Row): void {
    const call = this.open(client, packet, row);
    if (call === null) return;
    plan(this, call, (p) => this.begin(call, p));
  }

  /** Opens a client's request in the ledger; answers it at once and returns null where that cannot be. */
  open(client: Client, packet: Packet, row: Row): Call | null {
    const { id } = packet;
    if (id === undefined || id === null) return null;
    const { maxInFlight } = client.setup.limits;
    if (client.inFlight >= maxInFlight) {
      this.reject(client, packet, errors.tooMany(maxInFlight));
      return null;
    }
    const { hardMs } = client.setup.limits;
    const call = this.calls.open(client, id, {
      method: row.method,
      row,
      packet,
      client,
      ...documentAsked(this, client, askedUri(client, row, packet)),
      hint: null,
      deadline: this.ports.now() + (row.limits.hard > 0 ? Math.min(row.limits.hard, hardMs) : hardMs),
      gateUntil: null,
    });
    if (call === null) {
      this.reject(client, packet, errors.duplicateId(id));
      return null;
    }
    client.inFlight++;
    watchDeadlines(this);
    return call;
  }

  /** A question of our own, against the texts of `client` (or nobody's); see `asks.ts`. */
  ask(client: Client | null, method: string, params: unknown, options: AskOptions, then: (r: Reply) => void): Call {
    return ask(this, client, method, params, options, then);
  }

  /** A request of ours to a client; see `asks.ts`. */
  askClient(client: Client, method: string, params: unknown, deadlineMs: number, then: (r: Reply) => void): Call {
    return askClient(this, client, method, params, deadlineMs, then);
  }

  /** Opens a call's legs as planned. */
  begin(call: Call, p: Plan): void {
    if (call.state !== "open") return;
    if ("error" in p) return this.answer(call, { error: p.error });
    if ("result" in p) return this.answer(call, p);
    const legs = p.backends.map((backend) => ({ backend, leg: this.calls.addLeg(call, backend, p.body ?? null) }));
    for (const { backend, leg } of legs) enqueue(this, leg, backend);
  }

  /** A notification that the core has no part in: to every running backend that it concerns. */
  #tell(client: Client, packet: Packet, row: Row): void {
    for (const backend of client.backends) {
      if (!backend.runs || !backend.abilities.can(row)) continue;
      if (row.asks.includes("uri")) tellOfFiles(this, backend, client, row, packet);
      else this.send(backend, noticeFor(this, backend, client, packet));
    }
  }

  // ---- From a backend -----------------------------------------------------------------------------------------------

  #fromBackend(backend: Backend, packet: Packet): void {
    if (packet.kind === "response") return this.#fromPeer(backend, packet);
    try {
      if (packet.kind === "request") fromBackendRequest(this, backend, packet);
      else fromBackendNotification(this, backend, packet);
    } catch (fault) {
      const why = faultOf(this, backend.name, packet.method ?? "", fault);
      if (packet.kind === "request" && packet.id != null) this.send(backend, [error(packet.id, why)]);
    }
  }

  #fromPeer(peer: Backend | Client, packet: Packet): void {
    const leg = this.calls.settle(peer, packet.id);
    if (leg === null) return this.drops.count("late or unknown answer");
    const backend = peer instanceof Backend ? peer : null;
    try {
      if (backend !== null) this.heard(backend, leg);
      settled(this, leg, backend, packet);
      if (backend !== null) pump(this, backend);
    } catch (fault) {
      const who = backend === null ? "a client" : backend.name;
      this.answer(leg.call, { error: faultOf(this, who, leg.call.method, fault) });
    }
  }

  /** A backend has answered a leg: it lives, and works on that no longer. */
  heard(backend: Backend, leg: Leg): void {
    backend.working.delete(leg);
    if (backend.working.size === 0) backend.owesLeavers = false;
    backend.suspects.clear();
    if (leg.token !== null) this.progress.answered(backend, leg.token);
  }

  /** Answers a call, exactly once. */
  answer(call: Call, reply: Reply): void {
    answer(this, call, reply);
  }

  // ---- Common to all parts ------------------------------------------------------------------------------------------

  /** A new id for a question of our own. */
  nextTask(): number {
    return ++this.#lastTask;
  }

  /** What holds for a client; for nobody, what is built in, the user's and `--config`. */
  limitsOf(client: Client | null | undefined): Limits {
    return (client?.setup ?? this.#defaults).limits;
  }

  send(to: Backend | Client, body: readonly Buffer[]): void {
    if (to instanceof Backend ? !to.hasProcess : to.state === "gone")
      return this.drops.count("frame to one who is gone");
    this.ports.send(to.peer, body);
  }

  /** Makes the backend hold the client's text as soon as nobody's older question reads another one. */
  want(backend: Backend, view: View, raw?: Wanted["raw"]): void {
    wish(this, backend, view, raw);
  }

  languageOf(uri: string, hint: string | undefined, client?: Client, text?: () => string): string | undefined {
    return languageFor(this.ports, client?.setup ?? this.#defaults, uri, hint, text);
  }

  say(
    client: Client,
    type: "error" | "warning" | "info" | "log",
    text: string,
    times: "always" | "once" = "always",
  ): void {
    say(this, client, type, text, times);
  }
}
