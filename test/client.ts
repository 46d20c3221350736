/**
 * A plain LSP client over a child process, for tests on real servers and on our own program. It reads strictly (only
 * `Content-Length: N\r\n\r\n` is taken for a header) and shares no code with the server side that it tests.
 *
 * Everything the server sends is kept in order of arrival, so a wait is on a fact, past or future, and has a deadline
 * that names what was waited for: nothing here hangs, nothing sleeps.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

/** A notification or request of the server. */
export interface Seen {
  /** Milliseconds since the process was started. */
  readonly at: number;
  readonly method: string;
  readonly params: unknown;
  /** Set on requests. */
  readonly id?: number | string;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long a request or a wait may take, in ms; default 20,000. */
  readonly patience?: number;
}

export interface InitializeOptions {
  readonly capabilities?: object;
  readonly initializationOptions?: unknown;
  /** Sections of workspace/configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further initialize params. */
  readonly more?: object;
}

/** An error answer. */
export class Failed extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.code} ${error.message}`);
    this.code = error.code;
    this.data = error.data;
  }
}

interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

interface Waiter {
  readonly what: (seen: Seen) => boolean;
  readonly found: (seen: Seen) => void;
}

export class Client {
  /** All notifications and requests of the server, in order of arrival. */
  readonly seen: Seen[] = [];
  /** Resolves when the process has ended and its output was read. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly process: ChildProcessWithoutNullStreams;
  /** What it wrote to stderr so far (the last 64 KiB). */
  stderr = "";

  private readonly patience: number;
  private readonly started = performance.now();
  private readonly pending = new Map<number, { method: string; done: (message: Message) => void }>();
  private readonly waiters = new Set<Waiter>();
  private readonly answers = new Map<string, (params: unknown) => unknown>();
  private readonly ends = new Set<(error: Error) => void>();
  private settings: Readonly<Record<string, unknown>> = {};
  private input = Buffer.alloc(0);
  private lastId = 0;
  private ended: Error | null = null;

  constructor(command: readonly [string, ...string[]], options: StartOptions = {}) {
    const [file, ...args] = command;
    this.patience = options.patience ?? 20_000;
    this.process = spawn(file, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
    this.process.stdout.on("data", (chunk: Buffer) => this.receive(chunk));
    this.process.stderr.on("data", (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-65_536);
    });
    this.process.stdin.on("error", () => {}); // EPIPE: its end is told by `exited`
    this.exited = new Promise((resolve) => {
      this.process.on("error", (error) => this.end(error));
      this.process.on("close", (code, signal) => {
        this.end(new Error(`${basename(file)} ended (${signal ?? code}); stderr: ${this.stderr.slice(-1000)}`));
        resolve({ code, signal });
      });
    });
    this.answer("workspace/configuration", (params) =>
      itemsOf(params).map((section) => (section === undefined ? this.settings : at(this.settings, section))),
    );
    this.answer("workspace/workspaceFolders", () => null);
    this.answer("workspace/applyEdit", () => ({ applied: false }));
  }

  /** Milliseconds since the process was started. */
  now(): number {
    return Math.round(performance.now() - this.started);
  }

  /** Sends a request. Rejects with `Failed` on an error answer, and when no answer comes in time. */
  request<T = unknown>(method: string, params?: unknown): Promise<T> {
    return this.ask<T>(method, params).answer;
  }

  /** Like `request`, and gives the id, for `$/cancelRequest`. */
  ask<T = unknown>(method: string, params?: unknown): { id: number; answer: Promise<T> } {
    this.lastId += 1;
    const id = this.lastId;
    const answer = this.within(`the answer to ${method}`, (resolve: (value: T) => void, reject) => {
      this.pending.set(id, {
        method,
        done: (message) => (message.error ? reject(new Failed(method, message.error)) : resolve(message.result as T)),
      });
      this.send({ id, method, params });
    });
    return { id, answer };
  }

  notify(method: string, params?: unknown): void {
    this.send({ method, params });
  }

  /** Says how to answer a server's request from now on; without that it gets null. A throw becomes error -32603. */
  answer(method: string, how: (params: unknown) => unknown): void {
    this.answers.set(method, how);
  }

  /** The first message of the server, past or future, for which `what` holds. `name` is for the message when none comes. */
  until(name: string, what: (seen: Seen) => boolean): Promise<Seen> {
    const past = this.seen.find(what);
    if (past !== undefined) return Promise.resolve(past);
    let waiter: Waiter | undefined;
    const found = this.within(name, (resolve: (seen: Seen) => void) => {
      waiter = { what, found: resolve };
      this.waiters.add(waiter);
    });
    return found.finally(() => waiter && this.waiters.delete(waiter));
  }

  /** initialize and initialized. `roots` are paths; the first is the root. */
  async initialize<T = unknown>(roots: readonly string[], options: InitializeOptions = {}): Promise<T> {
    const workspaceFolders = roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) }));
    this.settings = options.settings ?? {};
    this.answer("workspace/workspaceFolders", () => workspaceFolders);
    const result = await this.request<T>("initialize", {
      processId: process.pid,
      clientInfo: { name: "test" },
      rootUri: workspaceFolders[0]?.uri ?? null,
      rootPath: roots[0] ?? null,
      workspaceFolders,
      capabilities: options.capabilities ?? {},
      ...(options.initializationOptions === undefined ? {} : { initializationOptions: options.initializationOptions }),
      ...options.more,
    });
    this.notify("initialized", {});
    return result;
  }

  /** didOpen with the given text. */
  open(uri: string, languageId: string, text: string, version = 1): void {
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
  }

  /** shutdown, exit, and how the process ended. */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    await this.request("shutdown");
    this.notify("exit");
    return this.within("the end of the process", (resolve) => void this.exited.then(resolve), "stays");
  }

  /** Ends the process by force, whatever state it is in; for clean-up after a test that may have failed. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    if (this.process.pid !== undefined) await this.exited;
  }

  /** Sends one message; also for messages that the other methods would not form. */
  send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  private receive(chunk: Buffer): void {
    this.input = Buffer.concat([this.input, chunk]);
    for (;;) {
      const blank = this.input.indexOf("\r\n\r\n");
      if (blank === -1) return;
      const header = this.input.toString("latin1", 0, blank);
      const length = Number(/^Content-Length: (\d+)(?:\r\nContent-Type: [^\r\n]*)?$/.exec(header)?.[1] ?? Number.NaN);
      if (Number.isNaN(length)) {
        this.end(new Error(`not a header: ${JSON.stringify(header.slice(0, 200))}`));
        return;
      }
      const from = blank + 4;
      if (this.input.length < from + length) return;
      const body = this.input.subarray(from, from + length);
      this.input = this.input.subarray(from + length);
      try {
        this.take(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as Message);
      } catch (error) {
        this.end(new Error(`not a message: ${body.toString("utf8", 0, 200)} (${String(error)})`));
      }
    }
  }

  private take(message: Message): void {
    if (message.method === undefined) {
      const call = this.pending.get(message.id as number);
      this.pending.delete(message.id as number);
      // An answer nobody asked for is a fault of the server: the same id answered twice, or an id of its own making.
      if (call === undefined) this.end(new Error(`answer to unknown id ${JSON.stringify(message.id)}`));
      else call.done(message);
      return;
    }
    const seen: Seen = { at: this.now(), method: message.method, params: message.params };
    const kept = message.id === undefined ? seen : { ...seen, id: message.id };
    if (message.id !== undefined) this.reply(message.id, message.method, message.params);
    this.seen.push(kept);
    for (const waiter of this.waiters) if (waiter.what(kept)) waiter.found(kept);
  }

  private reply(id: number | string, method: string, params: unknown): void {
    try {
      this.send({ id, result: this.answers.get(method)?.(params) ?? null });
    } catch (error) {
      this.send({ id, error: { code: -32603, message: String(error) } });
    }
  }

  /** A promise that fails after the client's patience, and, unless it `stays`, with the end of the process. */
  private within<T>(
    name: string,
    run: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
    stays?: "stays",
  ): Promise<T> {
    let over = () => {};
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${name} did not come within ${this.patience} ms; ${this.tail()}`)),
        this.patience,
      );
      over = () => {
        clearTimeout(timer);
        this.ends.delete(reject);
      };
      if (stays === undefined) {
        if (this.ended !== null) reject(this.ended);
        this.ends.add(reject);
      }
      run(resolve, reject);
    }).finally(() => over());
  }

  private end(error: Error): void {
    this.ended ??= error;
    for (const fail of [...this.ends]) fail(this.ended);
  }

  private tail(): string {
    const last = this.seen.slice(-5).map((seen) => `${seen.at} ${seen.method}`);
    return `last seen: ${last.join(", ") || "nothing"}; stderr: ${this.stderr.slice(-500)}`;
  }
}

function itemsOf(params: unknown): (string | undefined)[] {
  return (params as { items: { section?: string }[] }).items.map((item) => item.section);
}

/** `a.b` in `{ a: { b } }`, or under the key `a.b` itself; all for ""; null when there is none. */
function at(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  if (section === "") return settings;
  if (section in settings) return settings[section];
  let value: unknown = settings;
  for (const key of section.split(".")) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? null;
}
