/**
 * A fake client, in this process: sends what a test says, keeps its own texts, and counts the answers to each request, so
 * that none is answered twice and, in the end, none is left.
 */

import { at, type Id, type Message } from "./server.ts";
import { type Change, changed, type Encoding } from "./text.ts";

export interface Asked {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  readonly answers: Message[];
  /** Texts that its document had from the question on, the first when it was asked. */
  readonly texts: (string | undefined)[];
}

/** How it answers requests; "silent" never does, "unknown" says -32601 to all. */
export type Manner = ((method: string, params: unknown) => unknown) | "silent" | "unknown";

export class FakeClient {
  readonly name: string;
  readonly texts = new Map<string, { text: string; version: number }>();
  readonly asked: Asked[] = [];
  readonly notifications: { method: string; params: unknown }[] = [];
  readonly requests: { id: Id; method: string; params: unknown }[] = [];
  readonly breaches: string[] = [];
  manner: Manner = () => null;
  encoding: Encoding = "utf-16";
  gone = false;
  /** It had no folder at some time, or a document open outside of all. */
  strayed = false;
  readonly #waiting: Asked[] = [];
  readonly #send: (message: object | Buffer) => void;
  #lastId = 0;

  constructor(name: string, send: (message: object | Buffer) => void) {
    this.name = name;
    this.#send = send;
  }

  /** The handshake; `folders` are URIs. */
  initialize(capabilities: object, folders: readonly string[], more: object = {}): Asked {
    const workspaceFolders = folders.map((uri) => ({ uri, name: uri }));
    const asked = this.ask("initialize", { processId: null, rootUri: null, capabilities, workspaceFolders, ...more });
    this.tell("initialized", {});
    return asked;
  }

  ask(method: string, params: unknown, id: Id = ++this.#lastId): Asked {
    const uri = at(params, "textDocument", "uri");
    const text = typeof uri === "string" ? this.texts.get(uri)?.text : undefined;
    const asked: Asked = { id, method, params, answers: [], texts: [text] };
    this.asked.push(asked);
    this.#waiting.push(asked);
    this.#send({ id, method, params });
    return asked;
  }

  tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** Sends bytes as they are, for tests that are about bytes. */
  write(bytes: Buffer): Asked {
    const { id, method, params } = JSON.parse(bytes.toString("utf8")) as Message;
    const asked: Asked = { id: id ?? 0, method: method ?? "", params, answers: [], texts: [] };
    if (id !== undefined && id !== null && method !== undefined) this.#waiting.push(asked);
    this.#send(bytes);
    return asked;
  }

  cancel(asked: Asked): void {
    this.tell("$/cancelRequest", { id: asked.id });
  }

  open(uri: string, text: string, version = 1, languageId = "x"): void {
    this.texts.set(uri, { text, version });
    this.#moved(uri, text);
    this.tell("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
  }

  change(uri: string, changes: readonly Change[], version = (this.texts.get(uri)?.version ?? 0) + 1): void {
    const text = changed(this.texts.get(uri)?.text ?? "", changes, this.encoding);
    this.texts.set(uri, { text, version });
    this.#moved(uri, text);
    this.tell("textDocument/didChange", { textDocument: { uri, version }, contentChanges: changes });
  }

  close(uri: string): void {
    this.texts.delete(uri);
    this.#moved(uri, undefined);
    this.tell("textDocument/didClose", { textDocument: { uri } });
  }

  text(uri: string): string | undefined {
    return this.texts.get(uri)?.text;
  }

  receive(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) return this.#answered(message);
    if (id === undefined || id === null) return void this.notifications.push({ method, params });
    if (typeof id !== "number" || !Number.isInteger(id) || id <= 0 || id > 0x7fffffff)
      this.breaches.push(`${this.name}: id ${JSON.stringify(id)} of ${method}`);
    this.requests.push({ id, method, params });
    if (this.manner === "silent") return;
    if (this.manner === "unknown") this.#send({ id, error: { code: -32601, message: method } });
    else this.#send({ id, result: this.manner(method, params) ?? null });
  }

  /** Requests without an answer. */
  get waiting(): readonly Asked[] {
    return this.#waiting;
  }

  shown(method: string): readonly unknown[] {
    return this.notifications.flatMap((told) => (told.method === method ? [told.params] : []));
  }

  #answered(message: Message): void {
    const { id } = message;
    // Of two with one id the later is the one refused.
    const again = message.error?.code === -32600;
    const i = again
      ? this.#waiting.findLastIndex((asked) => asked.id === id)
      : this.#waiting.findIndex((asked) => asked.id === id);
    const [asked] = i < 0 ? [] : this.#waiting.splice(i, 1);
    asked?.answers.push(message);
    if (asked === undefined)
      this.breaches.push(`${this.name}: answer to ${JSON.stringify(id)}, which was not asked or is answered already`);
  }

  #moved(uri: string, text: string | undefined): void {
    for (const asked of this.#waiting) if (at(asked.params, "textDocument", "uri") === uri) asked.texts.push(text);
  }
}
