/**
 * A file that one process at a time has: who may start a server, or take the place of one that is gone. It holds the
 * process's number, and counts for nothing once that process has ended.
 */
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { lives } from "../host/processes.ts";

/** What is done under a lock takes less; its holder's number may be another process's by now, ms. */
const STALE_MS = 30_000;

/**
 * Takes a lock where it is free. One that the process which started us holds is ours as well.
 * @returns whether it is ours
 * @throws Error that names it, where there can be none: the folder cannot be written, its file system knows no links
 */
export function takeLock(path: string): boolean {
  for (let look = 0; look < 2; look++) {
    if (create(path)) return true;
    const holder = read(path);
    if (holder === process.pid || holder === process.ppid) return true;
    if (holder !== null && lives(holder) && !isOld(path)) return false;
    if (holder !== null && !remove(path, holder)) return false;
  }
  return false;
}

/** Gives up a lock that we took ourselves. */
export function freeLock(path: string): void {
  try {
    if (read(path) === process.pid) rmSync(path, { force: true });
  } catch {
    // What cannot be read is none of ours.
  }
}

/** With its content at once, which creating and writing is not. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid), { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (fault) {
    if (isCode(fault, "EEXIST")) return false;
    throw new Error(`cannot lock ${path}: ${fault instanceof Error ? fault.message : fault}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Of several that find a holder gone only one can move the file away; whoever has moved another's new one puts it back. */
function remove(path: string, holder: number): boolean {
  const away = `${path}.${process.pid}.old`;
  try {
    renameSync(path, away);
    if (read(away) === holder) return true;
    linkSync(away, path);
    return false;
  } catch {
    return false;
  } finally {
    rmSync(away, { force: true });
  }
}

/** Null: there is none any more. 0: no number stands there, as a machine that went down may leave it. */
function read(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10) || 0;
  } catch (fault) {
    if (isCode(fault, "ENOENT")) return null;
    throw new Error(`cannot read the lock ${path}: ${fault instanceof Error ? fault.message : fault}`);
  }
}

function isCode(fault: unknown, code: string): boolean {
  return fault instanceof Error && "code" in fault && fault.code === code;
}

function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
}
