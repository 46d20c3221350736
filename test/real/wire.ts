/**
 * A client that is not one of the good ones: it writes whatever bytes it is told to, and answers what it is asked as badly
 * as it is told to. For what `client.ts` would never do.
 */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { backendPath } from "../backends/paths.ts";
import { isolated } from "../planted.ts";
import { program } from "../program.ts";

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What it says to a request of the server: nothing, or the rest of a response. */
export type Reply = (request: Message) => { readonly result: unknown } | { readonly error: object } | null;

export class Wire {
  readonly process: ChildProcessWithoutNullStreams;
  /** All that came, in order. */
  readonly seen: Message[] = [];
  readonly #reply: Reply;
  readonly #waiting = new Set<() => void>();
  #input = Buffer.alloc(0);

  /** @param own a folder for what our program keeps */
  constructor(cwd: string, own: string, reply: Reply) {
    this.#reply = reply;
    const env = { ...process.env, ...isolated(own), PATH: backendPath() };
    this.process = spawn(process.execPath, [program, "--stdio"], { cwd, env });
    this.process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.process.on("close", () => this.#wake());
  }

  /** Sends a message with an ordinary header. */
  send(message: object): void {
    this.write(frame(message));
  }

  write(bytes: Buffer): void {
    this.process.stdin.write(bytes);
  }

  /** The answer to a request. */
  async answer(id: number | string, patience = 60_000): Promise<Message> {
    const find = (): Message | undefined => this.seen.find((m) => m.method === undefined && m.id === id);
    await this.#until(find, `the answer to ${id}`, patience);
    return find() ?? {};
  }

  /** shutdown, exit, and the exit code. */
  async end(): Promise<number | null> {
    this.send({ id: "bye", method: "shutdown" });
    await this.answer("bye");
    this.send({ method: "exit" });
    if (this.process.exitCode === null) await new Promise((resolve) => this.process.once("close", resolve));
    return this.process.exitCode;
  }

  async #until(is: () => unknown, what: string, patience: number): Promise<void> {
    const deadline = setTimeout(() => this.#wake(), patience);
    const end = Date.now() + patience;
    while (is() === undefined) {
      assert.ok(
        Date.now() < end && this.process.exitCode === null,
        `${what} did not come: ${JSON.stringify(this.seen)}`,
      );
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    clearTimeout(deadline);
  }

  #receive(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk]);
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#input.toString("latin1", 0, 64));
      if (header === null) break;
      const end = header[0].length + Number(header[1]);
      if (this.#input.length < end) break;
      const message = JSON.parse(this.#input.toString("utf8", header[0].length, end)) as Message;
      this.#input = this.#input.subarray(end);
      const reply = message.method !== undefined && message.id !== undefined ? this.#reply(message) : null;
      if (reply !== null) this.send({ id: message.id, ...reply });
      this.seen.push(message);
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** A message behind a header; `header` gets its length in bytes. */
export function frame(message: object, header = (length: number) => `Content-Length: ${length}`): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`${header(body.length)}\r\n\r\n`), body]);
}
