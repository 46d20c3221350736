/** Which folder a command is about. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { adapters } from "../../adapters/index.ts";

/**
 * The folder named by `--root`; else the nearest one, from the working folder upward, that holds what marks the root of a
 * project for any server we know; else the working folder.
 * @returns null when the folder that was named is none
 */
export function rootOf(named: string | undefined, cwd: string): string | null {
  if (named !== undefined) {
    const path = resolve(cwd, named);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? realpathSync.native(path) : null;
  }
  const markers = new Set(adapters.flatMap((adapter) => adapter.roots.flat()));
  for (let folder = cwd; ; folder = dirname(folder)) {
    if ([...markers].some((marker) => existsSync(join(folder, marker)))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
