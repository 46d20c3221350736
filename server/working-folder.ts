/** The folder of a client that names none. */
import { isAbsolute, relative } from "node:path";
import { uriOfPath } from "./core/documents/uris.ts";

/**
 * Where an agent starts us is the project that it means. The user's home and what lies above it are no project: there an
 * editor was started from a desktop.
 */
export function workingFolderOf(cwd: string, home: string): { readonly workingFolder?: string } {
  const down = relative(cwd, home);
  const isAround = !down.startsWith("..") && !isAbsolute(down);
  return isAround ? {} : { workingFolder: uriOfPath(cwd) };
}
