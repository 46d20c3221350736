/**
 * What servers of the user's own turned out to be able of, kept from one start to the next (design section 7): such a server
 * has no recording, so at its first start everything is announced for it, later what it really has. One file per command,
 * by the command's identity: its path, size and time of change, and its arguments.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, thisMachine } from "../config/places.ts";
import type { BackendSpec } from "../config/resolve.ts";
import { parseJson } from "../wire/packet.ts";

/** `{ capabilities }` as remembered; null where nothing is, or the command has changed since. */
export function remembered(spec: BackendSpec): unknown {
  const file = fileOf(spec);
  if (file === null) return null;
  try {
    return parseJson(readFileSync(file));
  } catch {
    return null;
  }
}

/** Failure to write is no fault: then it is learnt again. */
export function remember(spec: BackendSpec, capabilities: unknown): void {
  const file = fileOf(spec);
  if (file === null) return;
  try {
    mkdirSync(folder(), { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ capabilities }));
    renameSync(draft, file);
  } catch {
    // A read-only cache.
  }
}

function folder(): string {
  return join(cacheFolder(thisMachine()), "abilities");
}

function fileOf({ name, launch }: BackendSpec): string | null {
  const [command] = launch ?? [];
  if (command === undefined) return null;
  try {
    const { size, mtimeMs } = statSync(command);
    const identity = JSON.stringify([launch, size, mtimeMs]);
    return join(folder(), `${encodeURIComponent(name)}-${hash(identity)}.json`);
  } catch {
    return null;
  }
}

/** FNV-1a over UTF-16 units, twice for 64 bits. No secret is kept by it, and node:crypto takes 10 ms to load. */
function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9dc5811c;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + i), 0x01000193);
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0");
}
