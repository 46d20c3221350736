// One conversation of the measuring client with one subject: spawn, initialize, ask, shutdown, exit.
// The subject's stdin and stdout are FIFOs, so that this side may block on them: a read that waits in the kernel costs
// no turn of an event loop. A subject that hangs is ended from outside, by `run.ts`.

import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FrameReader, frame, writeAll } from "./frames.ts";

/** What a driver process is told to run; plain JSON. */
export interface Target {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Processes that belong to the subject besides the one spawned, for the resident memory. */
  readonly pids: readonly number[];
}

/** A request that is sent many times: only its id changes, in place. */
export interface Question {
  readonly bytes: Buffer;
  readonly idAt: number;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly error?: unknown;
  readonly params?: { readonly items?: readonly unknown[] };
}

/** Ids have seven digits, always: a question's length never changes. */
const FIRST_ID = 1_000_000;
const ANSWER = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":');
const SMALL = 4096;

export class Session {
  readonly root: string;
  readonly #child: ChildProcess;
  readonly #pids: readonly number[];
  readonly #exited: Promise<void>;
  readonly #write: number;
  readonly #reader: FrameReader;
  readonly #spawnedAt: number;
  #lastId = FIRST_ID;
  #answer = { start: 0, end: 0 };
  /** Spawn to initialize answered, ms. */
  startMs = 0;

  /** Starts the subject in `root`, an existing folder of this session alone, and initializes it. */
  constructor(target: Target, root: string) {
    this.root = root;
    const [command, ...args] = target.command;
    if (command === undefined) throw new Error("no command");
    const toSubject = fifo(join(root, ".in"));
    const fromSubject = fifo(join(root, ".out"));
    this.#spawnedAt = performance.now();
    this.#child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...target.env },
      stdio: [toSubject.read, fromSubject.write, "inherit"],
    });
    this.#exited = new Promise((resolve, reject) => {
      this.#child.once("exit", () => resolve());
      this.#child.once("error", reject);
    });
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`cannot start ${command}`);
    closeSync(toSubject.read);
    closeSync(fromSubject.write);
    this.#write = toSubject.write;
    this.#reader = new FrameReader(fromSubject.read, 16 << 20);
    this.#pids = [pid, ...target.pids];
    this.ask(question("initialize", initializeParams(root)), 100);
    this.startMs = this.sinceSpawn();
    this.notify("initialized", {});
  }

  /** ms since the subject was spawned. */
  sinceSpawn(): number {
    return performance.now() - this.#spawnedAt;
  }

  uri(name: string): string {
    return pathToFileURL(join(this.root, name)).href;
  }

  /** Opens a document that is also on disk, empty or with this text. */
  open(name: string, languageId: string, text: string): void {
    writeFileSync(join(this.root, name), text);
    this.notify("textDocument/didOpen", { textDocument: { uri: this.uri(name), languageId, version: 1, text } });
  }

  notify(method: string, params: object): void {
    this.send(frame(JSON.stringify({ jsonrpc: "2.0", method, params })));
  }

  send(bytes: Buffer): void {
    writeAll(this.#write, bytes);
  }

  /** Sends the question under a new id, which is returned. */
  post(what: Question): number {
    const id = ++this.#lastId;
    let rest = id;
    for (let at = what.idAt + 6; at >= what.idAt; at--) {
      what.bytes[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    writeAll(this.#write, what.bytes);
    return id;
  }

  /** Sends and waits for the answer, which must have `atLeast` bytes. */
  ask(what: Question, atLeast: number): void {
    const id = this.post(what);
    for (;;) {
      if (this.next(atLeast) === id) return;
    }
  }

  /** Waits for an answer, whichever comes next, and gives its id. Throws when it is an error or too short. */
  next(atLeast: number): number {
    for (;;) {
      const slice = this.#reader.next();
      if (slice === null) throw new Error("the subject closed its output");
      const id = this.#idOf(slice.start, slice.end);
      if (id === null) continue;
      if (slice.end - slice.start < atLeast) {
        throw new Error(
          `answer too short: ${this.#reader.bytes.toString("utf8", slice.start, slice.end).slice(0, 300)}`,
        );
      }
      this.#answer = slice;
      return id;
    }
  }

  /** The latest answer's result, parsed; not for what is measured. */
  result(): unknown {
    const text = this.#reader.bytes.toString("utf8", this.#answer.start, this.#answer.end);
    return (JSON.parse(text) as { result: unknown }).result;
  }

  /** Resident memory of the subject's own processes (not of its backends), MB; null where it cannot be told. */
  residentMb(field: "VmRSS" | "VmHWM" = "VmRSS"): number | null {
    let kb = 0;
    for (const pid of this.#pids) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "latin1");
        kb += Number(new RegExp(`${field}:\\s*(\\d+)`).exec(status)?.[1]);
      } catch {
        if (field === "VmHWM") return null;
        kb += Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "latin1" }));
      }
    }
    return Number.isFinite(kb) && kb > 0 ? kb / 1024 : null;
  }

  /** Shuts the subject down; gives the ms from `shutdown` to the end of its process. */
  async close(): Promise<number> {
    const since = performance.now();
    this.ask(question("shutdown"), 10);
    this.send(frame('{"jsonrpc":"2.0","method":"exit"}'));
    closeSync(this.#write);
    await this.#exited;
    return performance.now() - since;
  }

  /** Id of an answer; null for what the server asks (which is answered here) or tells. */
  #idOf(start: number, end: number): number | null {
    const bytes = this.#reader.bytes;
    const idEnd = start + ANSWER.length + 7;
    const canonical = idEnd + RESULT.length < end;
    if (canonical && bytes.compare(ANSWER, 0, ANSWER.length, start, start + ANSWER.length) === 0) {
      if (bytes.compare(RESULT, 0, RESULT.length, idEnd, idEnd + RESULT.length) === 0) {
        let id = 0;
        for (let at = idEnd - 7; at < idEnd; at++) id = id * 10 + (bytes[at] ?? 0) - 48;
        return id;
      }
    }
    if (end - start > SMALL) {
      const id =
        /,\s*"id":\s*(\d+)\s*}$/.exec(bytes.toString("latin1", end - 64, end)) ??
        /^[^[]*?"id":\s*(\d+)/.exec(bytes.toString("latin1", start, start + 128));
      return id === null ? null : Number(id[1]);
    }
    const message = JSON.parse(bytes.toString("utf8", start, end)) as Message;
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#reply(message.id, message.params?.items?.map(() => null) ?? null);
      return null;
    }
    if (message.error !== undefined) throw new Error(`error answer: ${JSON.stringify(message)}`);
    return Number(message.id);
  }

  #reply(id: number | string, result: null | readonly null[]): void {
    this.send(frame(JSON.stringify({ jsonrpc: "2.0", id, result })));
  }
}

/** A request frame that can be posted again and again. */
export function question(method: string, params?: object): Question {
  const bytes = frame(JSON.stringify({ jsonrpc: "2.0", id: FIRST_ID, method, params }));
  return { bytes, idAt: bytes.indexOf(String(FIRST_ID)) };
}

function initializeParams(root: string): object {
  const rootUri = pathToFileURL(root).href;
  return {
    processId: process.pid,
    rootUri,
    rootPath: root,
    workspaceFolders: [{ uri: rootUri, name: "bench" }],
    capabilities: {
      workspace: { configuration: true },
      textDocument: {
        completion: { completionItem: { snippetSupport: true } },
        hover: { contentFormat: ["markdown"] },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      },
    },
  };
}

/** Both ends of a new FIFO, blocking. The third descriptor lets each open at once, without waiting for the other. */
function fifo(path: string): { read: number; write: number } {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  const both = openSync(path, constants.O_RDWR);
  const read = openSync(path, constants.O_RDONLY);
  const write = openSync(path, constants.O_WRONLY);
  closeSync(both);
  rmSync(path);
  return { read, write };
}
