/**
 * Keeps the indexes of folders: made or taken from the disk at the start, kept fresh by a watch and by a look at each file
 * that answers, and written back. Does its work in slices, so that who shares its thread is never kept waiting for long.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { LogLevel } from "../core/ports.ts";
import { pathOf } from "../core/uris.ts";
import { isBelow, MAX_ENTRIES } from "../host/listing.ts";
import { FolderWatch } from "../host/watch.ts";
import type { CrawlRules } from "./crawl.ts";
import { type Candidate, type Coverage, FolderIndex } from "./folder-index.ts";
import type { Match } from "./spelled.ts";
import { load, save, type Writer } from "./store.ts";

export interface KeeperOptions {
  readonly folders: readonly FolderToKeep[];
  readonly rules: CrawlRules;
  /** Nothing is kept on disk without one. */
  readonly cacheFolder: string | null;
  log(level: LogLevel, text: string): void;
  /** After something has changed, at most once in a turn of the event loop. */
  onChange?(): void;
  /** For tests. */
  readonly writer?: Writer;
  readonly home?: string;
  readonly maxEntries?: number;
}

export interface FolderToKeep {
  readonly path: string;
  /** It is somebody's project: indexed however large it is. */
  readonly marked: boolean;
}

export interface CandidateQuery {
  readonly match?: Match;
  /** LSP ids; all without them. */
  readonly languages?: Iterable<string>;
}

export interface Candidates {
  readonly files: readonly Candidate[];
  /** Whether these are all files of the folders, less what `coverage` counts; false where a folder has no index, or the name is none. */
  readonly whole: boolean;
}

/** "none": it is no project, or far too large for one that nobody has marked. */
export type KeeperState = "indexing" | "ready" | "none";

/** Others get their turn after so many ms. */
const SLICE_MS = 10;
/** What has changed is written so long after the last change, ms. */
const SAVE_MS = 30_000;

interface Kept {
  readonly index: FolderIndex;
  readonly marked: boolean;
  state: KeeperState;
  watch: FolderWatch | null;
  /** The generation that is on disk. */
  saved: number;
}

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #kept: readonly Kept[];
  readonly #dirty = new Set<string>();
  #closed = false;
  #again: Promise<void> | null = null;
  #saving: NodeJS.Timeout | undefined;
  #telling = false;
  /** Resolves when all folders have been looked through; never rejects. */
  readonly ready: Promise<void>;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const home = real(options.home ?? homedir());
    this.#kept = distinct(options.folders).map(({ path, marked }) => {
      const isNobodys = isBelow(home, path);
      if (isNobodys) options.log("warn", `${path} is no project: it is not indexed`);
      const stored = isNobodys || options.cacheFolder === null ? null : load(options.cacheFolder, path);
      const index = new FolderIndex(path, options.rules, stored);
      return { index, marked, state: isNobodys ? "none" : "indexing", watch: null, saved: stored === null ? -1 : 0 };
    });
    this.ready = this.#begin();
  }

  /** Files in which a name can be, as they are at this moment. Before `ready`: of what is known so far. */
  candidates(name: string, { match = "exact", languages }: CandidateQuery = {}): Candidates {
    this.#flush();
    const wanted = languages === undefined ? null : new Set(languages);
    const found = this.#kept.map(({ index, state }) =>
      state === "none" ? null : index.candidates(name, match, wanted),
    );
    return {
      files: found.flatMap((some) => some ?? []),
      whole: !found.includes(null) && this.#kept.every(({ state }) => state === "ready") && this.#again === null,
    };
  }

  /** Names of all folders, each once, by one of the ways of `NameIndex`. */
  names(find: (index: FolderIndex["names"]) => readonly string[]): readonly string[] {
    this.#flush();
    return [...new Set(this.#kept.flatMap(({ index }) => find(index.names)))];
  }

  /** The names most like one, the likeliest first. */
  suggestions(name: string, most: number): readonly string[] {
    return this.names((index) => index.suggestions(name, most)).slice(0, most);
  }

  get coverage(): Coverage {
    const sum = { files: 0, ignored: 0, tooLarge: 0, binary: 0, undecodable: 0, unreadable: 0 };
    for (const { index } of this.#kept)
      for (const [key, count] of Object.entries(index.coverage)) if (isKey(sum, key)) sum[key] += count;
    return sum;
  }

  /** Grows with every change of what is indexed. */
  get generation(): number {
    return this.#kept.reduce((all, { index }) => all + index.generation, 0);
  }

  get state(): KeeperState {
    if (this.#kept.some(({ state }) => state === "indexing") || this.#again !== null) return "indexing";
    return this.#kept.some(({ state }) => state === "ready") ? "ready" : "none";
  }

  get stats(): { readonly files: number; readonly names: number; readonly bytes: number; readonly reads: number } {
    return this.#kept.reduce(
      (sum, { index }) => {
        const { files, names, bytes } = index.names.stats;
        return {
          files: sum.files + files,
          names: sum.names + names,
          bytes: sum.bytes + bytes,
          reads: sum.reads + index.reads,
        };
      },
      { files: 0, names: 0, bytes: 0, reads: 0 },
    );
  }

  /** What the client has open counts instead of the file; null: it has it open no more. */
  setBuffer(path: string, text: string | null, languageId?: string): void {
    const own = real(path);
    const kept = this.#kept.find(({ index }) => isBelow(own, index.root));
    if (kept === undefined) return;
    kept.index.setBuffer(own, text, languageId);
    this.#changed();
  }

  /** A file that something else says has changed. */
  touch(path: string): void {
    this.#dirty.add(path);
    this.#changed();
  }

  /** Writes what is to be written, and ends the watch. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#saving);
    this.#flush();
    for (const kept of this.#kept) kept.watch?.cancel();
    this.#save();
  }

  async #begin(): Promise<void> {
    for (const kept of this.#kept) {
      if (kept.state === "none") continue;
      const start = performance.now();
      // From now on: what changes during the walk is told.
      kept.watch = this.#watch(kept);
      kept.watch.begin();
      if (!(await this.#walk(kept))) continue;
      kept.state = "ready";
      const { files, names } = kept.index.names.stats;
      const ms = Math.round(performance.now() - start);
      this.#options.log(
        "info",
        `${kept.index.root}: ${names} names in ${files} files, ${kept.index.reads} read, ${ms} ms`,
      );
      this.#sayPassedOver(kept.index);
    }
    this.#flush();
    if (!this.#closed) this.#save();
  }

  /** @returns whether it came to its end */
  async #walk(kept: Kept): Promise<boolean> {
    const most = this.#options.maxEntries ?? MAX_ENTRIES;
    for (let isThrough = false; !isThrough && !this.#closed; ) {
      isThrough = kept.index.step(SLICE_MS);
      if (!kept.marked && kept.index.entries > most) {
        const { root } = kept.index;
        this.#options.log("warn", `${root} is nobody's project and holds more than ${most} files: it is not indexed`);
        kept.state = "none";
        kept.watch?.cancel();
        return false;
      }
      if (!isThrough) await new Promise((resolve) => setImmediate(resolve));
    }
    return !this.#closed;
  }

  #sayPassedOver({ root, coverage }: FolderIndex): void {
    const { files: _, ...others } = coverage;
    const counts = Object.entries(others).filter(([, count]) => count > 0);
    if (counts.length > 0)
      this.#options.log(
        "info",
        `${root}: not indexed as text: ${counts.map(([why, count]) => `${count} ${why}`).join(", ")}`,
      );
  }

  #watch(kept: Kept): FolderWatch {
    return new FolderWatch(kept.index.root, {
      on: (events) => {
        for (const { uri } of events) {
          const path = pathOf(uri);
          if (path !== null) this.#dirty.add(path);
        }
        this.#changed();
      },
      trouble: () => {},
      log: (level, text) => this.#options.log(level, text),
      marked: kept.marked,
    });
  }

  #changed(): void {
    if (this.#telling || this.#closed) return;
    this.#telling = true;
    setImmediate(() => {
      this.#telling = false;
      if (this.#closed) return;
      this.#flush();
      this.#options.onChange?.();
      this.#saving ??= setTimeout(() => {
        this.#saving = undefined;
        this.#save();
      }, SAVE_MS).unref();
    });
  }

  /** Looks at what may have changed. */
  #flush(): void {
    const paths = [...this.#dirty];
    this.#dirty.clear();
    for (const path of paths)
      for (const kept of this.#kept)
        if (kept.state !== "none" && isBelow(path, kept.index.root) && kept.index.touch(path)) this.#walkAgain(kept);
  }

  /** What is left out has changed. */
  #walkAgain(kept: Kept): void {
    if (kept.state !== "ready") return void kept.index.again();
    kept.index.again();
    const before = this.#again ?? Promise.resolve();
    const walk = before
      .then(() => this.#walk(kept))
      .then(() => {
        if (this.#again === walk) this.#again = null;
        this.#changed();
      });
    this.#again = walk;
  }

  #save(): void {
    const { cacheFolder, writer, log } = this.#options;
    if (cacheFolder === null) return;
    for (const kept of this.#kept) {
      const { index } = kept;
      if (kept.state !== "ready" || kept.saved === index.generation) continue;
      kept.saved = index.generation;
      try {
        save(cacheFolder, index.root, index.snapshot(), writer);
      } catch (fault) {
        log(
          "warn",
          `the index of ${index.root} is not kept: ${fault instanceof Error ? fault.message : String(fault)}`,
        );
      }
    }
  }
}

/** By real path; a folder within another is a part of that. */
function distinct(folders: readonly FolderToKeep[]): readonly FolderToKeep[] {
  const reals = folders.map(({ path, marked }) => ({ path: real(path), marked }));
  return reals.filter(
    ({ path }, i) => !reals.some((other, k) => k !== i && isBelow(path, other.path) && (path !== other.path || k < i)),
  );
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isKey<T extends object>(of: T, key: string): key is Extract<keyof T, string> {
  return key in of;
}
