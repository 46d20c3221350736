/**
 * Everything the core asks of the outside world. The core itself is synchronous and does no I/O, so that every race
 * can be replayed under a fake clock; `server/host.ts` implements these for a real machine, `test/sim.ts` for tests.
 */

import type { Site } from "../../adapters/adapter.ts";
import type { OpenFrame } from "../wire/ends.ts";

export type ClientId = number & { readonly __client: true };
export type BackendId = number & { readonly __backend: true };
export type TaskId = number & { readonly __task: true };

/** Who sends or receives a frame. `self` is one of our own questions (by-name, a pull for push, a fence). */
export type Peer = { readonly client: ClientId } | { readonly backend: BackendId } | { readonly self: TaskId };

export interface Timer {
  cancel(): void;
}

/** How to start one backend process. */
export interface Launch {
  /** Name of the adapter, for messages. */
  readonly name: string;
  /** argv; `command[0]` is an absolute path or found on PATH. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The environment variables that it inherits. */
  readonly inherited: Env;
  /** Added to those. */
  readonly env: Readonly<Record<string, string>>;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** The end of a backend process, or the failure to start it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set when the process could not be started at all. */
  readonly error?: string;
}

export type DiskText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** type: 1 created, 2 changed, 3 deleted (LSP FileChangeType). */
export interface FileEvent {
  readonly uri: string;
  readonly type: 1 | 2 | 3;
}

/** polled: looked through again and again instead · rescanned: looked through once, events were lost · unwatched: left alone. */
export type WatchTrouble = "polled" | "rescanned" | "unwatched";

export interface WatchHandlers {
  readonly on: (events: readonly FileEvent[]) => void;
  readonly trouble: (what: WatchTrouble) => void;
}

export interface Watch {
  /** Somebody wants to hear of changes: they are told from now on. */
  begin(): void;
  cancel(): void;
}

/** What a warm-up or a by-name question looks for in a folder. */
export interface FileQuery {
  /** File name endings with the dot (".py"), lower case. */
  readonly extensions: readonly string[];
  /** Whole file names ("Makefile"). */
  readonly fileNames: readonly string[];
  /** When set: only files whose bytes hold this text, else the first files found. */
  readonly holds?: string;
  /** The text may be written in any case; of ASCII letters. */
  readonly anyCase?: boolean;
  /** Path of a file, relative to the folder with `/`, that is looked at before all others, wherever it lies in the folder. */
  readonly first?: string;
  readonly limit: number;
}

/** How a walk fared, in files; a folder, link or odd entry that was passed over counts as one. */
export interface Covered {
  /** Looked at. */
  readonly files: number;
  readonly ignored: number;
  /** Not looked at: longer than is read, no text, or not to be read. */
  readonly tooLarge: number;
  readonly binary: number;
  readonly unreadable: number;
  /** Of the files looked at that hold the text: those that are no UTF-8. */
  readonly undecodable: number;
}

export const NOTHING_COVERED: Covered = {
  files: 0,
  ignored: 0,
  tooLarge: 0,
  binary: 0,
  undecodable: 0,
  unreadable: 0,
};

export function added(a: Covered, b: Covered): Covered {
  return {
    files: a.files + b.files,
    ignored: a.ignored + b.ignored,
    tooLarge: a.tooLarge + b.tooLarge,
    binary: a.binary + b.binary,
    undecodable: a.undecodable + b.undecodable,
    unreadable: a.unreadable + b.unreadable,
  };
}

export interface FileQueryResult {
  readonly uris: readonly string[];
  readonly covered: Covered;
  /** Whether the walk saw every file (false: it stopped at its cap of entries, or was cancelled). */
  readonly whole: boolean;
}

/** Which kinds of files a folder holds, by name alone. */
export interface Survey {
  /** File name endings with the dot, lower case. */
  readonly extensions: ReadonlySet<string>;
  readonly fileNames: ReadonlySet<string>;
}

export type LogLevel = "error" | "warn" | "info" | "debug";

export interface Ports {
  /** Milliseconds from a fixed point; never goes back. */
  now(): number;
  /** Calls `f` once after `ms` milliseconds unless cancelled. */
  after(ms: number, f: () => void): Timer;
  /** Sends one frame's body; the transport writes the header. "full" asks the caller to hold back until `drained`. */
  send(to: Peer, body: readonly Buffer[]): "ok" | "full";
  /** Begins a frame whose bytes are still to come (`OpenFrame`); null where that cannot be now. */
  open(to: Peer, length: number): OpenFrame | null;
  /** Starts a process under the id; failure is reported like an exit. */
  spawn(id: BackendId, launch: Launch): void;
  /** "ask": end its input and SIGTERM; "force": SIGKILL to its whole group. */
  kill(id: BackendId, how: "ask" | "force"): void;
  /** Ends the connection to a client once what was sent has been written; `code` is the exit code it stands for. */
  close(client: ClientId, code: number): void;
  /** Reads a file: URI from disk as text (UTF-8; a BOM is removed). */
  read(uri: string, done: (r: DiskText) => void): void;
  /** When a file was last written, on the clock of `now()`; null where that cannot be told. */
  written(uri: string, done: (at: number | null) => void): void;
  /** Walks a folder, not into ignored folders or symlinks. Answers within seconds; `whole: false` when it was cut. */
  find(rootUri: string, query: FileQuery, done: (r: FileQueryResult) => void): void;
  /** What kinds of files a folder holds; kept for a while. The walk stops at its cap of entries. */
  survey(rootUri: string, done: (r: Survey) => void): void;
  /**
   * Watches a folder tree. From this call on no change is to be lost, but what happens before `Watch.begin` is told after it.
   * A change may be told twice. `marked`: it is somebody's project, however large.
   */
  watch(rootUri: string, marked: boolean, handlers: WatchHandlers): Watch;
  /** The real path of a path, itself when it does not exist. Synchronous and cached. */
  real(path: string): string;
  exists(path: string): boolean;
  /** What an adapter may look at before a start in this environment. */
  site(id: BackendId, env: Env): Site;
  /** What a command prints of its version; null when it fails or takes long. Run once and kept while the command is the same. */
  versionOf(command: readonly string[], done: (said: string | null) => void): void;
  /** Tells the program that a command would start now from the one that it started before it was replaced on disk. */
  identityOf(command: readonly string[]): string;
  /** The process id of a backend, null while it does not run. */
  pidOf(id: BackendId): number | null;
  /** Resident memory of a backend's process in bytes, null where the system does not tell. */
  memoryOf(id: BackendId): number | null;
  /** Our own environment variables. */
  readonly env: Env;
  /** Our own process id, which backends watch. */
  readonly pid: number;
  /** Calls `gone` when a process that a client names as its own has ended; null where it cannot be that. */
  watchParent(client: ClientId, pid: number, gone: () => void): Timer | null;
  /** First bytes of a file as Latin-1 ("" when unreadable), for shebangs. */
  head(path: string): string;
  log(level: LogLevel, source: string, text: string): void;
}
