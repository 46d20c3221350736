/**
 * What the system tells of processes: their memory, and the end of one.
 *
 * The end is that of the process that a client says has started us (LSP 3.18, InitializeParams.processId), for the case
 * that our input stays open beyond it: a process between the two, or a child that inherited the pipe. The end of input says the
 * same sooner.
 *
 * A number that means no process of ours (another container, another machine, a broker's client) must not end us: only an
 * ancestor of ours, or of the process through which a client is connected, counts, or, where the system does not tell (no /proc), a process that is there when the client comes.
 */
import { readFileSync } from "node:fs";
import type { Timer } from "../core/ports.ts";

/** A look takes 20 us, ms. */
const EVERY_MS = 3_000;

/**
 * Calls `gone` once when the process has ended; null where it is none to watch.
 * @param child whose ancestor it is to be: ourselves, or the process that a client has put between
 */
export function watchParent(
  pid: number,
  gone: () => void,
  child: number = process.pid,
  everyMs = EVERY_MS,
): Timer | null {
  const first = identityOf(pid);
  if (first === null || pid === child || !mayBeParent(pid, child)) return null;
  const timer = setInterval(() => {
    // The number may be another process's by now.
    if (identityOf(pid) === first) return;
    clearInterval(timer);
    gone();
  }, everyMs);
  timer.unref();
  return { cancel: () => clearInterval(timer) };
}

function mayBeParent(pid: number, child: number): boolean {
  if (statOf(process.pid) === null) return true;
  for (let at = statOf(child)?.parent ?? 0; at > 0; at = statOf(at)?.parent ?? 0) if (at === pid) return true;
  return false;
}

/** Tells a process from a later one of the same number where the system does; null: there is none. */
function identityOf(pid: number): string | null {
  if (statOf(process.pid) !== null) return statOf(pid)?.start ?? null;
  return lives(pid) ? "" : null;
}

/** Whether there is a process of that number, be it somebody else's. */
export function lives(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "EPERM";
  }
}

/** proc(5), /proc/PID/stat; null where there is none, or only what is left of a process until its parent asks for it. */
function statOf(pid: number): { readonly parent: number; readonly start: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name, in parentheses, may hold anything.
    const [state, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? null : { parent: Number(parent), start: rest[17] ?? "" };
  } catch {
    return null;
  }
}

/** Resident memory of a process in bytes (proc(5), /proc/PID/status); null where the system has no such file. */
export function memoryOf(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
