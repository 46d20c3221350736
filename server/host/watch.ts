/**
 * Watches a folder tree with @parcel/watcher (loaded at the first need) and sees to it that no change is lost. What
 * happened since the watch was asked for is found by comparing two looks at the tree (`listing.ts`); so is what the watcher
 * lost, and everything where it cannot watch at all: limits of the system, network file systems.
 *
 * On Linux the watcher passes over an overflow of the kernel's queue in silence, and does not look into a folder that is new
 * (its `InotifyBackend.cc`), so a burst of events is followed by a look, and a new folder is entered.
 */
import { promises } from "node:fs";
import { join } from "node:path";
import { uriOfPath } from "../core/documents/uris.ts";
import type { FileEvent, LogLevel, Watch, WatchHandlers } from "../core/ports.ts";
import { differences, IGNORED, type Listing, list, MAX_ENTRIES } from "./listing.ts";

/** Where nothing can be watched, the folder is looked through so often, and at most a twentieth of the time, ms. */
const POLL_MS = 5_000;
const POLL_SHARE = 20;
/** Looks while the watch stands take at most a tenth of the time. */
const LOOK_SHARE = 10;
/** The kernel's queue holds 16,384 events by default: it did not overflow within a batch of fewer than these. */
const BURST = 1_000;
/** The watcher tells of an event so much later at most, ms. */
const LATE_MS = 5_000;
/** A watch that fails so often in a row is given up, ms from one failure to the next. */
const FAILURES = 3;
const FAILURES_MS = 10_000;

/** An event of the watcher's, as @parcel/watcher has it. */
export interface Seen {
  readonly path: string;
  readonly type: "create" | "update" | "delete";
}

export interface Subscription {
  unsubscribe(): Promise<void>;
}

export interface WatchOptions extends WatchHandlers {
  readonly log: (level: LogLevel, text: string) => void;
  /** It is somebody's project: watched however large it is. */
  readonly marked: boolean;
  /** For tests. */
  readonly subscribe?: typeof subscribe;
  readonly pollMs?: number;
  readonly maxEntries?: number;
}

type Told = { readonly type: FileEvent["type"]; readonly at: number; readonly by: "watch" | "look" };

export class FolderWatch implements Watch {
  readonly #root: string;
  readonly #options: WatchOptions;
  readonly #remote: Promise<string | null>;
  #state: "asked for" | "watched" | "polled" | "ended" = "asked for";
  /** The last look, of which all later changes are counted. */
  #seen: Promise<Listing>;
  /** What was reported since that look began, and a while before. Times are wall clock, ms, as those of files. */
  readonly #told = new Map<string, Told>();
  #looks: Promise<void> = Promise.resolve();
  #lookPlanned = false;
  #subscription: Subscription | null = null;
  #subscribing: Promise<void> = Promise.resolve();
  #subscribePlanned = false;
  #failures: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(root: string, options: WatchOptions) {
    this.#root = root;
    this.#options = options;
    this.#remote = remoteSystem(root);
    this.#seen = this.#list(root, Date.now());
  }

  /** Resolves when what was there in the beginning is known. */
  get looked(): Promise<unknown> {
    return this.#seen;
  }

  begin(): void {
    if (this.#state !== "asked for") return;
    this.#state = "watched";
    void this.#stand();
  }

  cancel(): void {
    this.#state = "ended";
    clearTimeout(this.#timer);
    void this.#leave();
  }

  async #stand(): Promise<void> {
    const { whole } = await this.#seen;
    const { marked, log, trouble } = this.#options;
    if (!whole && !marked) {
      log("warn", `${this.#root} is nobody's project and holds more than ${MAX_ENTRIES} files: it is not watched`);
      return trouble("unwatched");
    }
    const remote = await this.#remote;
    if (remote !== null) return this.#poll(`it is on ${remote}, where changes from elsewhere are not told`);
    await this.#subscribe();
    if (this.#state === "watched") log("debug", `${this.#root} is being watched`);
  }

  /** Anew where there is a subscription. Asked for while it is being made: once more, for what it is to see has changed. */
  #subscribe(): Promise<void> {
    if (!this.#subscribePlanned) {
      this.#subscribePlanned = true;
      this.#subscribing = this.#subscribing.then(() => this.#subscribeNow());
    }
    return this.#subscribing;
  }

  async #subscribeNow(): Promise<void> {
    this.#subscribePlanned = false;
    try {
      await this.#leave();
      this.#subscription = await (this.#options.subscribe ?? subscribe)(this.#root, (...batch) =>
        this.#batch(...batch),
      );
      // What happened before it stood.
      if (this.#state === "watched") await this.#look();
      else await this.#leave();
    } catch (fault) {
      if (this.#state === "watched") this.#poll(fault instanceof Error ? fault.message : String(fault));
    }
  }

  async #leave(): Promise<void> {
    const left = this.#subscription;
    this.#subscription = null;
    // It fails where the folder is gone; then there is nothing to leave.
    await left?.unsubscribe().catch(() => {});
  }

  #batch(fault: Error | null, events: readonly Seen[]): void {
    if (this.#state !== "watched") return;
    if (fault !== null) return this.#failed(fault);
    const at = Date.now();
    this.#report(events.map(({ path, type }) => ({ path, type: types[type], at, by: "watch" as const })));
    if (events.length >= BURST) {
      this.#lost(`${events.length} changes at once`);
      this.#lookSoon();
    }
    for (const { path, type } of events) if (type === "create") void this.#enter(path, at);
  }

  /** The watcher has given the folder up. */
  #failed({ message }: Error): void {
    const now = Date.now();
    this.#failures = [...this.#failures.filter((at) => now - at < FAILURES_MS), now];
    this.#subscription = null;
    if (this.#failures.length >= FAILURES) return this.#poll(message);
    this.#lost(message);
    void this.#subscribe();
  }

  #lost(why: string): void {
    this.#options.log("info", `${this.#root}: ${why}; it is looked through for what may have been lost`);
    this.#options.trouble("rescanned");
  }

  /**
   * Files that were in a new folder before it was watched are new as well; folders in it are watched by nobody.
   * @param since when its making was told: what was told before that of files in it was of an earlier folder
   */
  async #enter(path: string, since: number): Promise<void> {
    const isFolder = await promises.lstat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder || this.#state !== "watched") return;
    const { folders } = await this.#list(path);
    const at = Date.now();
    const files = [...folders].flatMap(([folder, names]) => [...names.keys()].map((name) => join(folder, name)));
    const isTold = (file: string): boolean => {
      const last = this.#told.get(file);
      return last !== undefined && last.type !== 3 && last.at >= since;
    };
    this.#report(files.filter((file) => !isTold(file)).map((file) => ({ path: file, type: 1, at, by: "look" })));
    if ([...folders.keys()].some((folder) => folder !== path && this.#told.get(folder)?.by !== "watch"))
      void this.#subscribe();
  }

  async #list(path: string, asked?: number): Promise<Listing> {
    const slow = (await this.#remote) !== null;
    const maxEntries = this.#options.maxEntries ?? MAX_ENTRIES;
    return list(path, { slow, maxEntries, ...(asked !== undefined && { asked }) });
  }

  // ---- Looks --------------------------------------------------------------------------------------------------------

  /** One after the other, each from where the last one ended. */
  #look(): Promise<void> {
    this.#looks = this.#looks.then(async () => {
      const before = await this.#seen;
      const start = Date.now();
      const after = await this.#list(this.#root);
      if (this.#state === "ended") return;
      this.#seen = Promise.resolve(after);
      const at = Date.now();
      const news = differences(before, after).filter(({ path, type, at: changed }) => {
        const last = this.#told.get(path);
        // Who was told after the change has read, or will read, what came of it. What changed during a look has no time.
        return last === undefined || (type === 3 ? last.type !== 3 : last.type === 3 || !(changed <= last.at));
      });
      this.#report(news.map(({ path, type }) => ({ path, type, at, by: "look" })));
      for (const [path, { at: then }] of this.#told) if (then < start - LATE_MS) this.#told.delete(path);
    });
    return this.#looks;
  }

  #lookSoon(): void {
    if (this.#lookPlanned) return;
    this.#lookPlanned = true;
    void this.#seen.then(({ cost }) => {
      if (this.#state !== "watched") return;
      this.#timer = setTimeout(() => {
        this.#lookPlanned = false;
        void this.#look();
      }, cost * LOOK_SHARE);
    });
  }

  #poll(why: string): void {
    this.#state = "polled";
    void this.#leave();
    this.#options.trouble("polled");
    let said = 0;
    const next = async (): Promise<void> => {
      await this.#look();
      if (this.#state !== "polled") return;
      const { cost, whole } = await this.#seen;
      const ms = Math.max(this.#options.pollMs ?? POLL_MS, cost * POLL_SHARE);
      if (ms > said * 2) {
        const part = whole ? "" : `, of which only the first ${MAX_ENTRIES} entries are seen`;
        const pace = `every ${Math.ceil(ms / 1000)} s (a look takes ${Math.ceil(cost)} ms)`;
        this.#options.log("warn", `${this.#root} cannot be watched: ${why}; it is looked through ${pace}${part}`);
        said = ms;
      }
      this.#timer = setTimeout(() => void next(), ms);
    };
    void next();
  }

  /** A file that a look has found before the watch tells of it counts once. */
  #report(changes: readonly (Told & { readonly path: string })[]): void {
    const news = changes.filter(({ path, type, by }) => {
      const last = this.#told.get(path);
      return !(by === "watch" && last?.by === "look" && last.type === 1 && type === 1);
    });
    // Beyond that a change may be told twice.
    if (this.#told.size > MAX_ENTRIES) this.#told.clear();
    for (const { path, ...told } of news) this.#told.set(path, told);
    if (news.length > 0) this.#options.on(news.map(({ path, type }) => ({ uri: uriOfPath(path), type })));
  }
}

const types = { create: 1, update: 2, delete: 3 } as const;

/** Resolves once the watch stands; `on` gets a fault when it stands no longer. */
async function subscribe(
  root: string,
  on: (fault: Error | null, events: readonly Seen[]) => void,
): Promise<Subscription> {
  const { default: watcher } = await import("@parcel/watcher");
  return watcher.subscribe(root, on, { ignore: [...IGNORED].map((name) => `**/${name}/**`) });
}

/** What a network file system is called that a path lies on; null for a local one. Linux, statfs(2) and linux/magic.h. */
async function remoteSystem(path: string): Promise<string | null> {
  if (process.platform !== "linux") return null;
  try {
    return REMOTE.get((await promises.statfs(path)).type) ?? null;
  } catch {
    return null;
  }
}

const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x65735546, "FUSE"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x786f4256, "a shared folder of VirtualBox"],
]);
