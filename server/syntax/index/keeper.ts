/**
 * The indexes of all folders that questions are about: each is made when the first question about its folder comes, and is
 * asked as it is by then. How one is made and kept fresh is `folder-keeper.ts`'s.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { added, type Covered, NOTHING_COVERED } from "../../core/ports.ts";
import { isBelow } from "../../host/listing.ts";
import type { Match } from "../spelled.ts";
import type { Told } from "./declares.ts";
import type { Candidate, FolderIndex } from "./folder-index.ts";
import { FolderKeeper, type KeeperState, type KeepingOptions } from "./folder-keeper.ts";
import type { KeptFile } from "./store.ts";

export interface KeeperOptions extends KeepingOptions {
  /** Whether a folder (its real path) is somebody's project. */
  isMarked(folder: string): boolean;
  /** For tests. */
  readonly home?: string;
}

export interface CandidateQuery {
  readonly match?: Match;
  /** LSP ids; all without them. */
  readonly languages?: Iterable<string>;
}

/** What indexes say of some folders. */
export interface Kept {
  readonly files: readonly Candidate[];
  /** Whether these are all files of the folders, less what `coverage` counts; false where a folder has no index, or the name is none. */
  readonly whole: boolean;
}

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #home: string;
  /** By real path. */
  readonly #kept = new Map<string, FolderKeeper>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#home = real(options.home ?? homedir());
  }

  /** The indexes of some folders (paths), made where there are none yet. A folder within another is a part of that. */
  of(folders: readonly string[]): Indexes {
    const roots = [...new Set(folders.map(real))];
    const outer = roots.filter((root) => !roots.some((other) => other !== root && isBelow(root, other)));
    return new Indexes(outer.map((root) => this.#keep(root)));
  }

  /** Those that there are. */
  get all(): Indexes {
    return new Indexes([...this.#kept.values()]);
  }

  /** A file or folder that something says has changed. */
  touch(path: string): void {
    for (const [root, kept] of this.#kept) if (isBelow(path, root)) kept.touch(path);
  }

  /** What a file (its real path) declares as it is now; undefined where nobody has told, null where that cannot be told. */
  told(path: string, language: string): KeptFile["told"] {
    for (const [root, { index }] of this.#kept) if (isBelow(path, root)) return index.told(path, language);
    return undefined;
  }

  /** What a file (its real path) declares that was read just now; its index learns of it where there is one. */
  tell(path: string, told: Told): void {
    for (const [root, { index }] of this.#kept) if (isBelow(path, root)) index.tell(path, told);
  }

  /** A folder that no question will be about any more. */
  leave(folder: string): void {
    const root = real(folder);
    this.#kept.get(root)?.close();
    this.#kept.delete(root);
  }

  close(): void {
    for (const kept of this.#kept.values()) kept.close();
  }

  #keep(root: string): FolderKeeper {
    let kept = this.#kept.get(root);
    if (kept === undefined) {
      const isHome = isBelow(this.#home, root);
      const what = isHome ? "home" : this.#options.isMarked(root) ? "marked" : "unmarked";
      kept = new FolderKeeper(root, what, this.#options);
      this.#kept.set(root, kept);
    }
    return kept;
  }
}

/** Some folders' indexes, asked together. */
export class Indexes {
  readonly #kept: readonly FolderKeeper[];

  constructor(kept: readonly FolderKeeper[]) {
    this.#kept = kept;
  }

  /** Resolves when all folders have been looked through, or after so many ms; never rejects. */
  async ready(ms = Number.POSITIVE_INFINITY): Promise<void> {
    const all = Promise.all(this.#kept.map((kept) => kept.ready));
    if (ms === Number.POSITIVE_INFINITY) return void (await all);
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => {
      timer = setTimeout(resolve, Math.max(0, ms));
    });
    await Promise.race([all, over]);
    clearTimeout(timer);
  }

  /** Files in which a name can be, as they are at this moment. Before `ready`: of what is known so far. */
  candidates(name: string, { match = "exact", languages }: CandidateQuery = {}): Kept {
    const wanted = languages === undefined ? null : new Set(languages);
    return this.#ask((index) => index.candidates(name, match, wanted));
  }

  /** Files in which a name with this text in it is written, in any case. */
  containing(text: string, languages: Iterable<string>): Kept {
    const wanted = new Set(languages);
    return this.#ask((index) => index.containing(text, wanted));
  }

  /** All files in some languages. */
  files(languages: Iterable<string>): Kept {
    const wanted = new Set(languages);
    return this.#ask((index) => index.files(wanted));
  }

  /** Whether a file in some of the languages holds what makes names that are not written (macros). */
  makesNames(languages: Iterable<string>): boolean {
    const wanted = new Set(languages);
    return this.#kept.some(({ index }) => index.makesNames(wanted));
  }

  /** The names most like one, the likeliest first. */
  suggestions(name: string, most: number): readonly string[] {
    return [...new Set(this.#kept.flatMap(({ index }) => index.names.suggestions(name, most)))].slice(0, most);
  }

  /** Of files in some languages; all without them. */
  coverage(languages?: Iterable<string>): Covered {
    const wanted = languages === undefined ? null : new Set(languages);
    return this.#kept.reduce((sum, { index }) => added(sum, index.coverage(wanted)), NOTHING_COVERED);
  }

  /** Files with a grammar of which it is not known yet what they declare. */
  get untold(): number {
    return this.#kept.reduce((sum, { index }) => sum + index.untold.length, 0);
  }

  get state(): KeeperState {
    if (this.#kept.some(({ state }) => state === "indexing")) return "indexing";
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

  #ask(find: (index: FolderIndex) => readonly Candidate[] | null): Kept {
    const found = this.#kept.map((kept) => {
      kept.flush();
      const files = kept.state === "none" ? null : find(kept.index);
      kept.asked();
      return files;
    });
    const isWhole = this.#kept.length > 0 && this.#kept.every(({ state }) => state === "ready");
    return { files: found.flatMap((some) => some ?? []), whole: isWhole && !found.includes(null) };
  }
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
