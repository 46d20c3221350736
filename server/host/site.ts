/**
 * What adapters may look at before a start, on a real machine; and folders in our cache that one process has for itself.
 * What an adapter makes of it is its own business.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Site } from "../../adapters/adapter.ts";
import { cacheFolder, thisMachine } from "../config/places.ts";
import type { Env } from "../core/ports.ts";
import { hash } from "./command-cache.ts";
import { lives } from "./processes.ts";

const HEAD_BYTES = 16 * 1024;

/** So many processes may have the same folder asked for at once; one more gets a folder of its own that nobody has again. */
const MAX_SLOTS = 32;

/** The folders that a start has for itself. */
export interface Stay extends Site {
  /** Gives them to whoever comes next. What is in them stays. */
  leave(): void;
}

/**
 * @param holder who holds a folder, within our process: the same one gets the same folder again
 * @param cache where folders are made
 * @param env the environment of the start
 */
export function siteFor(holder: string, cache = cacheFolder(thisMachine()), env: Env = process.env): Stay {
  const held = new Set<string>();
  return {
    ...thisMachine(),
    env,
    cache,
    exists: existsSync,
    real: (path) => orElse(path, () => realpathSync.native(path)),
    list: (folder) =>
      orElse([], () =>
        readdirSync(folder, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          isFolder: entry.isDirectory(),
        })),
      ),
    read: (path) => head(path, HEAD_BYTES, "utf8"),
    folder: (purpose, of) => {
      const path = join(cache, purpose, hash(of));
      const folder = free(path, `${process.pid} ${holder}`);
      if (folder === null) return `${path}-${process.pid}-${holder}`;
      held.add(holderOf(folder));
      return folder;
    },
    leave: () => {
      for (const file of held) orElse(undefined, () => rmSync(file, { force: true }));
      held.clear();
    },
  };
}

/** The first of `<path>-0`, `<path>-1`... whose holder is gone, or is the one that asks; null where all are held. */
function free(path: string, holder: string): string | null {
  for (let slot = 0; slot < MAX_SLOTS; slot++) {
    const folder = `${path}-${slot}`;
    if (take(holderOf(folder), holder)) return folder;
  }
  return null;
}

/** The file that names who has a folder. */
function holderOf(folder: string): string {
  return `${folder}.holder`;
}

/** Two that find the same holder gone at once can both take its place; what the folder is for then fails for one, once. */
function take(file: string, holder: string): boolean {
  try {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, holder, { flag: "wx" });
    return true;
  } catch {
    const other = orElse("", () => readFileSync(file, "utf8"));
    if (other !== holder && lives(Number.parseInt(other, 10))) return false;
    return orElse(false, () => {
      writeFileSync(file, holder);
      return true;
    });
  }
}

/** The first bytes of a file as text, at most `length`; "" where it cannot be read. */
export function head(path: string, length: number, encoding: "utf8" | "latin1"): string {
  return orElse("", () => {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(length);
      return bytes.toString(encoding, 0, readSync(file, bytes, 0, length, 0));
    } finally {
      closeSync(file);
    }
  });
}

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
