/**
 * Keeps the index of one folder: made or taken from the disk at the start, kept fresh by what is told and by a look at each
 * file that answers, and written back. Works in slices, so that who shares its thread is never kept waiting for long.
 */
import type { IndexConfig } from "../../config/config.ts";
import { pathOf } from "../../core/documents/uris.ts";
import type { LogLevel } from "../../core/ports.ts";
import { isBelow, MAX_ENTRIES } from "../../host/listing.ts";
import { FolderWatch } from "../../host/watch.ts";
import { FolderIndex } from "./folder-index.ts";
import { load, save, type Writer } from "./store.ts";

export interface KeepingOptions {
  readonly rules: IndexConfig;
  /** Nothing is kept on disk without one. */
  readonly cacheFolder: string | null;
  /** Whether somebody else watches a folder (its real path), and tells (`touch`). */
  isTold?(folder: string): boolean;
  log(level: LogLevel, text: string): void;
  /** When a folder has been looked through, and after something has changed, at most once in a turn of the event loop. */
  onChange?(index: FolderIndex): void;
  /** For tests. */
  readonly writer?: Writer;
  readonly maxEntries?: number;
  readonly smallEntries?: number;
}

/** "none": it is no project, or far too large for one that nobody has marked. */
export type KeeperState = "indexing" | "ready" | "none";

/** Others get their turn after so many ms. */
const SLICE_MS = 10;
/** What has changed is written so long after it, ms: soon after the folder was walked through, then together. */
const FIRST_SAVE_MS = 500;
const SAVE_MS = 30_000;

export class FolderKeeper {
  readonly index: FolderIndex;
  /** Resolves when the folder has been looked through; never rejects. */
  readonly ready: Promise<void>;
  readonly #options: KeepingOptions;
  readonly #marked: boolean;
  readonly #dirty = new Set<string>();
  #state: KeeperState = "indexing";
  #watch: FolderWatch | null = null;
  #again: Promise<void> | null = null;
  /** The generation that is on disk. */
  #saved: number;
  /** The generation that was told of. */
  #known = 0;
  #saving: NodeJS.Timeout | undefined;
  #telling = false;
  #closed = false;

  /**
   * @param root its real path
   * @param what "marked": it is somebody's project, indexed however large it is; "home": the home folder or around it, never
   */
  constructor(root: string, what: "marked" | "unmarked" | "home", options: KeepingOptions) {
    this.#options = options;
    this.#marked = what === "marked";
    const stored = what === "home" || options.cacheFolder === null ? null : load(options.cacheFolder, root);
    this.#saved = stored === null ? -1 : 0;
    this.index = new FolderIndex(root, options.rules, stored, options.smallEntries);
    if (what === "home") {
      this.#state = "none";
      options.log("warn", `${root} is no project: it is not indexed`);
    }
    this.ready = this.#begin();
  }

  get state(): KeeperState {
    return this.#again === null ? this.#state : "indexing";
  }

  /** A file or folder below this one that something says has changed. */
  touch(path: string): void {
    this.#dirty.add(path);
    this.#changed();
  }

  /** Looks at what may have changed. */
  flush(): void {
    const paths = [...this.#dirty];
    this.#dirty.clear();
    for (const path of paths) if (this.#state !== "none" && this.index.touch(path)) this.#walkAgain();
  }

  /** It was asked, and may have met files that have changed. */
  asked(): void {
    if (this.index.generation !== this.#known) this.#changed();
  }

  /** Writes what is to be written, and ends the watch. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#saving);
    this.flush();
    this.#watch?.cancel();
    this.#save();
  }

  async #begin(): Promise<void> {
    // Who has asked gets on with what else it has to do.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#state === "none" || this.#closed) return;
    const { root } = this.index;
    const start = performance.now();
    // From now on: what changes during the walk is told.
    if (this.#options.isTold?.(root) !== true) this.#watch = this.#watchFolder();
    this.#watch?.begin();
    if (!(await this.#walk())) return;
    this.#state = "ready";
    const { names, reads } = this.index;
    const ms = Math.round(performance.now() - start);
    this.#options.log(
      "info",
      `${root}: ${names.stats.names} names in ${names.stats.files} files, ${reads} read, ${ms} ms`,
    );
    this.#sayPassedOver();
    this.flush();
    this.#options.onChange?.(this.index);
    this.#saveIn(FIRST_SAVE_MS);
  }

  /** @returns whether it came to its end */
  async #walk(): Promise<boolean> {
    const { maxEntries = MAX_ENTRIES, log } = this.#options;
    for (let isThrough = false; !isThrough && !this.#closed; ) {
      isThrough = this.index.step(SLICE_MS);
      if (!this.#marked && this.index.entries > maxEntries) {
        log(
          "warn",
          `${this.index.root} is nobody's project and holds more than ${maxEntries} files: it is not indexed`,
        );
        this.#state = "none";
        this.#watch?.cancel();
        return false;
      }
      if (!isThrough) await new Promise((resolve) => setImmediate(resolve));
    }
    return !this.#closed;
  }

  #sayPassedOver(): void {
    const { root } = this.index;
    const { files: _, ...others } = this.index.coverage(null);
    const counts = Object.entries(others).filter(([, count]) => count > 0);
    if (counts.length > 0)
      this.#options.log(
        "info",
        `${root}: not indexed as text: ${counts.map(([why, count]) => `${count} ${why}`).join(", ")}`,
      );
  }

  #watchFolder(): FolderWatch {
    return new FolderWatch(this.index.root, {
      on: (events) => {
        for (const { uri } of events) {
          const path = pathOf(uri);
          if (path !== null && isBelow(path, this.index.root)) this.#dirty.add(path);
        }
        this.#changed();
      },
      trouble: () => {},
      log: (level, text) => this.#options.log(level, text),
      marked: this.#marked,
    });
  }

  #changed(): void {
    if (this.#telling || this.#closed) return;
    this.#telling = true;
    setImmediate(() => {
      this.#telling = false;
      if (this.#closed) return;
      this.flush();
      this.#known = this.index.generation;
      this.#options.onChange?.(this.index);
      this.#saveIn(SAVE_MS);
    });
  }

  /** What is left out has changed. */
  #walkAgain(): void {
    this.index.again();
    if (this.#state !== "ready") return;
    const before = this.#again ?? Promise.resolve();
    const walk = before
      .then(() => this.#walk())
      .then(() => {
        if (this.#again === walk) this.#again = null;
        this.#changed();
      });
    this.#again = walk;
  }

  #saveIn(ms: number): void {
    if (this.#closed) return;
    this.#saving ??= setTimeout(() => {
      this.#saving = undefined;
      this.#save();
    }, ms).unref();
  }

  #save(): void {
    const { cacheFolder, writer, log } = this.#options;
    const { root, generation } = this.index;
    if (cacheFolder === null || this.#state !== "ready" || this.#saved === generation) return;
    this.#saved = generation;
    try {
      save(cacheFolder, root, this.index.snapshot(), writer);
    } catch (fault) {
      log("warn", `the index of ${root} is not kept: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
  }
}
