/**
 * What stands in a folder tree at a moment, by names and times of change, and what differs between two such moments: for
 * the time before a watch stands, for when one has lost events, and where there can be none. Reads no file.
 */
import { type Dirent, lstatSync, promises, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { FileEvent } from "../core/ports.ts";

/** A walk ends after so many entries. */
export const MAX_ENTRIES = 50_000;

/** Trees that change by the thousand and that no server means when it watches a folder. */
export const IGNORED: ReadonlySet<string> = new Set([".git", "node_modules", "target", ".cache"]);

/** A file's time may be older than its change by a tick of the system's clock, ms. */
export const TICK_MS = 10;

/** On a local disk a synchronous call takes 7 us, an asynchronous one 57 us of our time; others get theirs after so many ms. */
const SLICE_MS = 4;

export interface ListOptions {
  /** The walk ends after so many; default MAX_ENTRIES. */
  readonly maxEntries?: number;
  /** A call may take its time: nothing waits for one. */
  readonly slow?: boolean;
  /** When the walk was asked for, wall clock in ms: files made since are left out, for the next look to report as new. */
  readonly asked?: number;
}

export interface Listing {
  /** Path of a folder to the names of its files (links among them), each with the time of its last change in ms. */
  readonly folders: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Whether the walk saw all: neither its cap nor an unreadable folder was in the way. */
  readonly whole: boolean;
  /** How long it took, ms. */
  readonly cost: number;
}

export interface Difference {
  readonly path: string;
  readonly type: FileEvent["type"];
  /** When a file that is there was changed, ms. */
  readonly at: number;
}

/**
 * Breadth first. A file that changes while the walk goes on gets NaN for its time, which differs from every time: the next
 * look reports it, whichever of its states this one saw.
 */
export async function list(
  root: string,
  { maxEntries = MAX_ENTRIES, slow = false, asked }: ListOptions = {},
): Promise<Listing> {
  const start = performance.now();
  const since = asked ?? Date.now();
  const folders = new Map<string, ReadonlyMap<string, number>>();
  const waiting = [root];
  let entries = 0;
  let whole = true;
  for (const folder of waiting) {
    const found = await entriesOf(folder);
    if (found === null) whole = false;
    else {
      entries += found.length;
      if (entries > maxEntries) return { folders, whole: false, cost: performance.now() - start };
      for (const entry of found)
        if (entry.isDirectory() && !IGNORED.has(entry.name)) waiting.push(join(folder, entry.name));
      const files = found.filter((entry) => !entry.isDirectory());
      const paths = files.map(({ name }) => join(folder, name));
      const stats = slow ? await Promise.all(paths.map(statsOf)) : await inSlices(paths);
      const isNew = (at: number): boolean => at >= since - TICK_MS;
      const times = new Map<string, number>();
      for (const [i, { name }] of files.entries()) {
        const one = stats[i];
        // Gone between the two system calls: not there.
        if (one === undefined || (asked !== undefined && isNew(one.birthtimeMs))) continue;
        // Any change of content, name or attributes moves this time, and no program can set it.
        times.set(name, isNew(one.ctimeMs) ? Number.NaN : one.ctimeMs);
      }
      folders.set(folder, times);
    }
  }
  return { folders, whole, cost: performance.now() - start };
}

/** What happened between two looks; of what either did not see, nothing is said. */
export function differences(before: Listing, after: Listing): readonly Difference[] {
  const found: Difference[] = [];
  for (const [folder, names] of after.folders) {
    const old = before.folders.get(folder);
    if (old === undefined && !before.whole) continue;
    for (const [name, at] of names) {
      const was = old?.get(name);
      if (was !== at) found.push({ path: join(folder, name), type: was === undefined ? 1 : 2, at });
    }
  }
  for (const [folder, names] of before.folders) {
    const now = after.folders.get(folder);
    if (now === undefined && !after.whole) continue;
    for (const name of names.keys()) if (!now?.has(name)) found.push({ path: join(folder, name), type: 3, at: 0 });
  }
  return found;
}

/** In the order of names, so that two walks see the same. Null where the folder is there and cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[] | null> {
  try {
    const entries = await promises.readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? [] : null;
  }
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await promises.lstat(path);
  } catch {
    return undefined;
  }
}

async function inSlices(paths: readonly string[]): Promise<readonly (Stats | undefined)[]> {
  const found: (Stats | undefined)[] = [];
  let start = performance.now();
  for (const path of paths) {
    try {
      found.push(lstatSync(path, { throwIfNoEntry: false }));
    } catch {
      found.push(undefined);
    }
    if (performance.now() - start < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    start = performance.now();
  }
  return found;
}

/** Whether a path is a folder or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a link or odd entry leads to a file or folder: not a broken link, a loop of links, a FIFO or a device. */
export function leadsOn(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() || stats.isDirectory();
  } catch {
    return false;
  }
}
