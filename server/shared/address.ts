/**
 * Where the shared server of a user listens: a local socket in a folder that nobody else can enter, with the version in its
 * name, so that versions never meet. On Windows a named pipe, which the system keeps apart itself.
 */
import { lstatSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { type Machine, runtimeFolder } from "../config/places.ts";
import { notPrivate, privateFolder, userId } from "../wire/transport.ts";

/** What fits into a socket's address on every system, bytes. */
const MAX_PATH = 100;

export interface Address {
  readonly path: string;
  /** Where the socket lies as a file; null: it is none. */
  readonly folder: string | null;
}

/** Both sides come to the same one from the same environment. */
export function addressOf(machine: Machine, version: string): Address {
  const name = `switchboard-${version}`;
  if (machine.platform === "win32") return { path: `\\\\.\\pipe\\${userInfo().username}-${name}`, folder: null };
  const own = `switchboard-${userId()}`;
  const folders = [...runtimeFolders(machine), join(tmpdir(), own)];
  const fits = (folder: string): boolean => Buffer.byteLength(join(folder, `${name}.sock`)) <= MAX_PATH;
  // Where that one is too long, the place that every such system has.
  const folder = folders.find(fits) ?? join("/tmp", own);
  return { path: join(folder, `${name}.sock`), folder };
}

/** The XDG base directory specification: it exists and is ours, or does not count. */
function runtimeFolders(machine: Machine): readonly string[] {
  const folder = runtimeFolder(machine);
  if (folder === null) return [];
  const stat = lstatSync(join(folder, ".."), { throwIfNoEntry: false });
  return stat?.isDirectory() && stat.uid === userId() ? [folder] : [];
}

/** Makes the folder where there is none. @returns why the address must not be used, null when it may */
export function prepared({ folder }: Address): string | null {
  return folder === null ? null : privateFolder(folder);
}

/** Why the socket that is there must not be trusted with what we send; null when it may, or there is none. */
export function distrusted({ folder, path }: Address): string | null {
  if (folder === null || lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  return notPrivate(folder) ?? notPrivate(path);
}
