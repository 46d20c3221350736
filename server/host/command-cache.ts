/**
 * What is learnt of a command is kept from one start to the next (design section 7): what a server of the user's own turned
 * out to be able of (it has no recording, so at its first start everything is announced for it), and the version that a
 * command prints. One file each, by the command's identity and its arguments.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { cacheFolder, thisMachine } from "../config/places.ts";
import type { BackendSpec } from "../config/resolve.ts";
import { parseJson } from "../wire/packet.ts";

/** `{ capabilities }` as remembered; null where nothing is, or the command has changed since. */
export function remembered({ name, launch }: BackendSpec): unknown {
  return kept("abilities", name, launch);
}

export function remember({ name, launch }: BackendSpec, capabilities: unknown): void {
  keep("abilities", name, launch, { capabilities });
}

/** What was kept; null where nothing was, or the command has changed since. */
export function kept(kind: string, name: string, command: readonly string[] | null): unknown {
  const file = fileOf(kind, name, command);
  if (file === null) return null;
  try {
    return parseJson(readFileSync(file));
  } catch {
    return null;
  }
}

/** Failure to write is no fault: then it is learnt again. */
export function keep(kind: string, name: string, command: readonly string[] | null, value: unknown): void {
  const file = fileOf(kind, name, command);
  if (file === null) return;
  try {
    mkdirSync(folder(kind), { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(value));
    renameSync(draft, file);
  } catch {
    // A read-only cache.
  }
}

function folder(kind: string): string {
  return join(cacheFolder(thisMachine()), kind);
}

function fileOf(kind: string, name: string, argv: readonly string[] | null): string | null {
  const [program] = argv ?? [];
  if (argv === null || program === undefined || stamp(program) === null) return null;
  return join(folder(kind), `${encodeURIComponent(name)}-${hash(JSON.stringify([argv, identityOf(argv)]))}.json`);
}

/** The files that a command runs, a program or an interpreter and its script: real path, size and time of change. */
export function identityOf(command: readonly string[]): string {
  const files = command.slice(0, 2).filter((part) => isAbsolute(part));
  return JSON.stringify(files.map(stamp));
}

function stamp(path: string): readonly unknown[] | null {
  try {
    const real = realpathSync.native(path);
    const { size, mtimeMs } = statSync(real);
    return [real, size, mtimeMs];
  } catch {
    return null;
  }
}

/** A short name: FNV-1a over UTF-16 units, twice for 64 bits. No secret is kept by it, and node:crypto takes 10 ms to load. */
export function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9dc5811c;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + i), 0x01000193);
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0");
}
