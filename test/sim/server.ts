/**
 * One process of a fake language server, in this process. It keeps a text per document by applying what it is sent as a
 * correct server would, answers as its script says, and notes every breach of the protocol as a strict server would, with
 * what was wrong: a test asks that there are none.
 */
import { type Change, changed, type Encoding } from "./text.ts";

export type Id = number | string;

export interface Message {
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a script does with a request: an answer, nothing for now (`FakeServer.answer` later), or the end of the process. */
export type Reaction =
  | { readonly result: unknown }
  | { readonly error: { code: number; message: string } }
  | "hold"
  | "die";

export type Handler = (asked: Question, server: FakeServer) => Reaction;

export interface ServerScript {
  /** TextDocumentSyncKind; default 2, incremental. */
  readonly sync?: 0 | 1 | 2;
  /** In which it counts; default utf-16. */
  readonly encoding?: Encoding;
  /** Further capabilities. */
  readonly capabilities?: object;
  /** As it says in `serverInfo`; default: it does not. */
  readonly version?: string;
  /** By method of a request. */
  readonly on?: { readonly [method: string]: Handler };
  /** For all other requests but initialize. Default: the answer null. */
  readonly otherwise?: Handler;
  /** Ends the process on a message, before it is looked at. */
  readonly dies?: (message: Message, server: FakeServer) => boolean;
}

export interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  /** The text of the document asked about as it was then; undefined where none is open. */
  readonly text: string | undefined;
}

interface Document {
  text: string;
  version: number;
}

export class FakeServer {
  readonly name: string;
  /** 1 for the first process of this server, counting on over restarts. */
  readonly generation: number;
  readonly script: ServerScript;
  readonly documents = new Map<string, Document>();
  /** Versions of documents closed meanwhile count as well: they must rise for as long as the process lives. */
  readonly #versions = new Map<string, number>();
  readonly questions: Question[] = [];
  readonly notifications: { method: string; params: unknown }[] = [];
  readonly cancelled: Id[] = [];
  readonly answers = new Map<Id, Message>();
  readonly breaches: string[] = [];
  /** Requests that it has not answered. */
  readonly open = new Map<number, Question>();
  #life: "new" | "initializing" | "initialized" | "shutdown" = "new";
  readonly #asked = new Set<Id>();
  readonly #seen = new Set<number>();
  readonly #send: (message: object | Buffer) => void;
  readonly #exit: (code: number) => void;

  constructor(
    name: string,
    generation: number,
    script: ServerScript,
    send: (message: object | Buffer) => void,
    exit: (code: number) => void,
  ) {
    this.name = name;
    this.generation = generation;
    this.script = script;
    this.#send = send;
    this.#exit = exit;
  }

  get encoding(): Encoding {
    return this.script.encoding ?? "utf-16";
  }

  text(uri: string): string | undefined {
    return this.documents.get(uri)?.text;
  }

  /** Takes one message and does what the script says. */
  receive(message: Message): void {
    if (this.script.dies?.(message, this) === true) return this.exit(1);
    const question = this.observe(message);
    if (question !== null) this.#react(question);
    else if (message.method === "exit") this.exit(0);
  }

  /** Takes a message in without answering: keeps texts and notes breaches. A request is returned. */
  observe(message: Message): Question | null {
    const { id, method, params } = message;
    if (method === undefined) return this.#answered(message);
    this.#lived(method, id !== undefined);
    if (id === undefined || id === null) {
      this.#notified(method, params);
      return null;
    }
    if (typeof id !== "number" || !Number.isInteger(id) || id <= 0)
      this.#breach(`id ${JSON.stringify(id)} of ${method}`);
    if (this.#seen.has(Number(id))) this.#breach(`id ${id} used twice (${method})`);
    this.#seen.add(Number(id));
    const uri = at(params, "textDocument", "uri");
    const question = { id: Number(id), method, params, text: typeof uri === "string" ? this.text(uri) : undefined };
    this.questions.push(question);
    this.open.set(question.id, question);
    return question;
  }

  /** Answers a request that the script held back. */
  answer(question: Question, reaction: Exclude<Reaction, "hold" | "die">): void {
    if (!this.open.delete(question.id)) throw new Error(`${this.name} answered ${question.method} twice`);
    this.#send({ id: question.id, ...reaction });
  }

  /** Sends bytes as they are, for tests that are about bytes. */
  write(bytes: Buffer): void {
    const { id, method } = JSON.parse(bytes.toString("utf8")) as Message;
    if (id !== undefined && id !== null)
      if (method !== undefined) this.#asked.add(id);
      else this.open.delete(Number(id));
    this.#send(bytes);
  }

  /** Asks the client; the answer will be in `answers`. */
  ask(id: Id, method: string, params?: unknown): void {
    this.#asked.add(id);
    this.#send(params === undefined ? { id, method } : { id, method, params });
  }

  tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  exit(code = 1): void {
    this.open.clear();
    this.#exit(code);
  }

  capabilities(): object {
    const { sync = 2, capabilities } = this.script;
    return {
      positionEncoding: this.encoding,
      textDocumentSync: { openClose: true, change: sync },
      hoverProvider: true,
      completionProvider: {},
      definitionProvider: true,
      referencesProvider: true,
      renameProvider: true,
      documentSymbolProvider: true,
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      ...capabilities,
    };
  }

  #react(question: Question): void {
    const { method } = question;
    const { on, otherwise } = this.script;
    const handler = on?.[method] ?? (method === "initialize" || method === "shutdown" ? undefined : otherwise);
    const reaction = handler?.(question, this);
    if (reaction === "hold") return;
    if (reaction === "die") return this.exit(1);
    if (reaction !== undefined) return this.answer(question, reaction);
    const { version } = this.script;
    const serverInfo = version === undefined ? {} : { serverInfo: { name: this.name, version } };
    if (method === "initialize")
      this.answer(question, { result: { capabilities: this.capabilities(), ...serverInfo } });
    else this.answer(question, { result: null });
  }

  /** Whether a message may come now (LSP 3.18, "Lifecycle Messages"). */
  #lived(method: string, isRequest: boolean): void {
    const was = this.#life;
    if (method === "initialize") {
      if (was !== "new") this.#breach("initialize came twice");
      this.#life = "initializing";
    } else if (method === "initialized") {
      if (was !== "initializing") this.#breach(`initialized while ${was}`);
      if (this.open.size > 0 && [...this.open.values()].some((q) => q.method === "initialize"))
        this.#breach("initialized before initialize was answered");
      this.#life = "initialized";
    } else if (method === "shutdown") this.#life = "shutdown";
    else if (method === "exit" || method === "$/cancelRequest") return;
    else if (was === "shutdown" && isRequest) this.#breach(`${method} after shutdown`);
    else if (was === "new" || was === "initializing") this.#breach(`${method} before initialized`);
  }

  #answered(message: Message): null {
    const { id } = message;
    if (id === undefined || id === null || !this.#asked.delete(id))
      this.#breach(`answer to ${JSON.stringify(id)}, which was not asked or is answered already`);
    else this.answers.set(id, message);
    return null;
  }

  #notified(method: string, params: unknown): void {
    this.notifications.push({ method, params });
    if (method === "$/cancelRequest") this.#cancel(at(params, "id"));
    else if (method === "textDocument/didOpen") this.#didOpen(params);
    else if (method === "textDocument/didChange") this.#didChange(params);
    else if (method === "textDocument/didClose") this.#didClose(params);
  }

  #cancel(id: unknown): void {
    if (typeof id === "number" && this.#seen.has(id)) this.cancelled.push(id);
    else this.#breach(`cancel of ${JSON.stringify(id)}, which was never asked`);
  }

  #didOpen(params: unknown): void {
    const uri = String(at(params, "textDocument", "uri"));
    const text = at(params, "textDocument", "text");
    const version = at(params, "textDocument", "version");
    if (this.documents.has(uri)) this.#breach(`didOpen of ${uri}, which is open`);
    if (typeof text !== "string" || typeof at(params, "textDocument", "languageId") !== "string")
      this.#breach(`didOpen of ${uri} lacks its text or language`);
    this.documents.set(uri, { text: String(text), version: this.#rising(uri, version) });
  }

  #didChange(params: unknown): void {
    const uri = String(at(params, "textDocument", "uri"));
    const document = this.documents.get(uri);
    const changes = at(params, "contentChanges") as readonly Change[];
    const { sync = 2 } = this.script;
    if (document === undefined) return this.#breach(`didChange of ${uri}, which is not open`);
    if (sync === 0) this.#breach(`didChange of ${uri} to a server that takes none`);
    const whole = changes.some((change) => change.range === undefined);
    if (sync === 1 && changes.some((change) => change.range !== undefined)) this.#breach(`ranged change of ${uri}`);
    if (sync === 2 && whole) this.#breach(`whole text of ${uri} to an incremental server`);
    document.version = this.#rising(uri, at(params, "textDocument", "version"));
    document.text = changed(document.text, changes, this.encoding);
  }

  #didClose(params: unknown): void {
    const uri = String(at(params, "textDocument", "uri"));
    if (!this.documents.delete(uri)) this.#breach(`didClose of ${uri}, which is not open`);
  }

  #rising(uri: string, version: unknown): number {
    const last = this.#versions.get(uri);
    if (typeof version !== "number" || !Number.isInteger(version) || (last !== undefined && version <= last))
      this.#breach(`version ${JSON.stringify(version)} of ${uri} after ${last ?? "none"}`);
    this.#versions.set(uri, Number(version));
    return Number(version);
  }

  #breach(what: string): void {
    this.breaches.push(`${this.name}#${this.generation}: ${what}`);
  }
}

/** The value at a path of keys, undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  return here;
}
