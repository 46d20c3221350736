/**
 * Who plays in a test on real processes: `Fake`, one life of a backend's process (`../fake.ts` is on the other side of its
 * socket), and `Line`, our own program as nothing but bytes. What came from either is kept, so that a wait is on a fact,
 * past or future, and names what did not come. Who starts and ends them is `stage.ts`.
 */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { Failed } from "../client.ts";
import type { Order, Report } from "../fake.ts";

/** How long a fact may take to come, ms; generous, since nothing but a fault ever waits so long. */
const PATIENCE_MS = 20_000;

/** How a backend behaves; without more it is initialized, answers null, and ends when it is told to. */
export interface Script {
  readonly capabilities?: object;
  readonly role?: "addon";
  /** Started in place of a fake. */
  readonly command?: readonly string[];
  /** Called for each life, before it reads anything. */
  readonly started?: (fake: Fake) => void;
  /** By method: what it answers (a promise: when it is settled), or does on a notification. A throw is an error answer. */
  readonly on?: Readonly<Record<string, (asked: Asked) => unknown>>;
}

export interface Asked {
  readonly fake: Fake;
  readonly params: unknown;
  readonly id: unknown;
}

/** As an answer: none, ever. */
export const silence: Promise<never> = new Promise(() => {});

/** To be thrown by a script. */
export function refusal(code: number, message: string): Failed {
  return new Failed("the fake", { code, message });
}

export interface Frame {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Things that came, in order, and waits for them. */
export class Facts<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<(fact: T) => void>();

  add(fact: T): void {
    this.all.push(fact);
    for (const look of [...this.#waiting]) look(fact);
  }

  /** The first, past or future, for which `what` holds. */
  until(name: string, what: (fact: T) => boolean): Promise<T> {
    const past = this.all.find(what);
    if (past !== undefined) return Promise.resolve(past);
    let look: (fact: T) => void = () => {};
    const found = new Promise<T>((resolve) => {
      look = (fact) => what(fact) && resolve(fact);
    });
    this.#waiting.add(look);
    const last = (): string => JSON.stringify(this.all.slice(-5)).slice(0, 1000);
    return soon(name, found, last).finally(() => this.#waiting.delete(look));
  }
}

/** Fails when a promise is not settled in time. */
export function soon<T>(name: string, promise: Promise<T>, last: () => string = () => "nothing"): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${name} did not come within ${PATIENCE_MS} ms; last: ${last()}`)),
      PATIENCE_MS,
    );
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One life of a backend's process. */
export class Fake {
  readonly name: string;
  readonly pid: number;
  /** 1 for the first process of the name. */
  readonly life: number;
  /** All that it was sent, in order. */
  readonly seen = new Facts<Frame>();
  readonly #reports = new Facts<Report>();
  readonly #socket: Socket;
  readonly #script: Script;
  #lastId = 0;
  #orders = 0;

  constructor(socket: Socket, script: Script, up: { name: string; pid: number }, life: number) {
    this.name = up.name;
    this.pid = up.pid;
    this.life = life;
    this.#socket = socket;
    this.#script = script;
    script.started?.(this);
    this.order({ do: "go" });
  }

  /** Processes that it started. */
  get children(): readonly number[] {
    return this.#reports.all.flatMap((report) => (report.is === "child" ? [report.pid] : []));
  }

  /** Bytes that were no canonical frame. */
  get stray(): readonly string[] {
    return this.#reports.all.flatMap((report) => (report.is === "stray" ? [report.text] : []));
  }

  /** Has the process do something, after all that it was told before; the order's number. */
  order(order: Order): number {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(order)}\n`);
    this.#orders += 1;
    return this.#orders;
  }

  /** Resolves once an order was carried out. */
  async done(nth: number): Promise<void> {
    await this.#reports.until(`order ${nth} of ${this.name}`, (report) => report.is === "done" && report.nth === nth);
  }

  /** Raw text on its stdout; resolves once it was taken. */
  write(text: string, times = 1): Promise<void> {
    return this.done(this.order({ do: "write", text, times }));
  }

  /** A frame whose body is not JSON, or JSON that JavaScript would write in another way. */
  sendText(body: string): void {
    this.order({ do: "write", text: `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, times: 1 });
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  /** A request of the backend; gives the whole answer. */
  async ask(method: string, params: unknown, id: number | string = `f${++this.#lastId}`): Promise<Frame> {
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.seen.until(`the answer to ${method}`, (frame) => frame.method === undefined && frame.id === id);
  }

  /** The first message of this method that it was sent, or will be. */
  until(method: string, what: (frame: Frame) => boolean = () => true): Promise<Frame> {
    return this.seen.until(`${method} at ${this.name}`, (frame) => frame.method === method && what(frame));
  }

  /** Messages of a method so far. */
  of(method: string): Frame[] {
    return this.seen.all.filter((frame) => frame.method === method);
  }

  /** Ends the process; as an answer: none. */
  die(code: number): Promise<never> {
    this.order({ do: "exit", code });
    return silence;
  }

  /** Starts a process under it; its id. */
  async child(): Promise<number> {
    this.order({ do: "child" });
    const report = await this.#reports.until("the child", ({ is }) => is === "child");
    return report.is === "child" ? report.pid : 0;
  }

  /** Called with each report of the process. */
  take(report: Report): void {
    if (report.is === "frame") {
      const frame = JSON.parse(report.body) as Frame;
      // Answered first: a test that waits for the frame finds the answer under way.
      if (frame.method !== undefined) void this.#react(frame.method, frame);
      this.seen.add(frame);
    }
    this.#reports.add(report);
  }

  async #react(method: string, { id, params }: Frame): Promise<void> {
    const given = this.#script.on?.[method];
    try {
      const result = given === undefined ? this.#usual(method) : await given({ fake: this, params, id });
      if (id !== undefined) this.send({ jsonrpc: "2.0", id, result: result ?? null });
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      this.send({ jsonrpc: "2.0", id, error: { code: error.code, message: error.message, data: error.data } });
    }
  }

  #usual(method: string): unknown {
    if (method === "exit") this.order({ do: "exit", code: 0 });
    return method === "initialize" ? { capabilities: this.#script.capabilities ?? able } : null;
  }
}

const able = {
  textDocumentSync: 2,
  hoverProvider: true,
  referencesProvider: true,
  renameProvider: true,
  definitionProvider: true,
};

/**
 * To be put before a command: it is started by an editor, a shell that tells its id on stderr. Another one is there so that
 * the pipe outlives the editor.
 */
export const throughAnEditor: readonly [string, ...string[]] = [
  "sh",
  "-c",
  `exec 3<&0; sh -c 'echo $$ >&2; "$@" <&3 & wait' sh "$@" & exec sleep 60`,
  "sh",
];

/** A frame as text. */
export function frameOf(message: object): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Our program with hands on its bytes, for messages that no client would form. */
export class Line {
  readonly process: ChildProcessWithoutNullStreams;
  /** All that it sent, in order. */
  readonly seen = new Facts<Frame>();
  readonly exited: Promise<number | null>;
  #input = Buffer.alloc(0);

  constructor(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv) {
    const [file, ...args] = command;
    this.process = spawn(file, args, { env: { ...process.env, ...env } });
    this.process.stdin.on("error", () => {});
    this.process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.exited = once(this.process, "exit").then(([code]) => code);
  }

  write(bytes: string | Buffer): void {
    this.process.stdin.write(bytes);
  }

  send(message: object): void {
    this.write(frameOf({ jsonrpc: "2.0", ...message }));
  }

  answer(id: number | string | null): Promise<Frame> {
    return this.seen.until(`the answer to ${id}`, (frame) => frame.method === undefined && frame.id === id);
  }

  initialize(folder: string, capabilities: object = {}): Promise<Frame> {
    this.send({ id: "init", method: "initialize", params: { processId: null, rootUri: folder, capabilities } });
    this.send({ method: "initialized", params: {} });
    return this.answer("init");
  }

  #receive(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#input.toString("latin1", 0, 60));
      if (head === null) return assert.ok(this.#input.length < 60, `no frame: ${this.#input.subarray(0, 200)}`);
      const from = head[0].length;
      const to = from + Number(head[1]);
      if (this.#input.length < to) return;
      this.seen.add(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(this.#input.subarray(from, to))));
      this.#input = this.#input.subarray(to);
    }
  }
}
