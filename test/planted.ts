/** Files of a test's own making in a temporary folder; and an environment that has nothing of the user's. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Texts by path, relative to the folder and with `/`. */
export type Files = Readonly<Record<string, string>>;

export interface Planted {
  /** Real path of the folder, and its URI (no slash at the end). */
  readonly root: string;
  readonly uri: string;
  pathOf(file: string): string;
  uriOf(file: string): string;
  /** As it is on disk. */
  textOf(file: string): string;
  /** Makes or replaces a file, with the folders around it; its path. */
  write(file: string, text: string): string;
  /** Deletes the folder. */
  remove(): void;
}

/** @param inside a folder within the temporary one, for a path that is odd */
export function planted(files: Files = {}, inside = ""): Planted {
  const outer = realpathSync.native(mkdtempSync(join(tmpdir(), "planted-")));
  const root = join(outer, inside);
  const pathOf = (file: string): string => join(root, file);
  const write = (file: string, text: string): string => {
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), text);
    return pathOf(file);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    root,
    uri: pathToFileURL(root).href,
    pathOf,
    uriOf: (file) => pathToFileURL(pathOf(file)).href,
    textOf: (file) => readFileSync(pathOf(file), "utf8"),
    write,
    // Retried: on Windows a server that has just ended may hold a file for a moment.
    remove: () => rmSync(outer, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** What makes our program find its configuration, trust and cache in a folder of the test's own, and none of the user's. */
export function isolated(folder: string): Readonly<Record<string, string>> {
  return {
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
}
