/**
 * What a folder's own configuration may do before the user has trusted it, and the store of what was trusted. A folder
 * can come from anywhere, and a setting can run a command; so until its bytes are pinned it only chooses among what the
 * user has, looks after its index, and asks for less.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Config, LanguageConfig, Layer, Limits } from "./config.ts";
import { type Machine, thisMachine, trustFile } from "./places.ts";

/** A part of a folder's file that is not used: its dotted key and what stands there. */
export interface Held {
  readonly key: string;
  readonly value: unknown;
}

/**
 * Parts an untrusted folder's layer into what is used and what is held back.
 * @param config what holds without it, for limits may only become lower
 * @param defined names of backends that we or the user have defined
 */
export function withoutTrust(
  layer: Layer,
  config: Config,
  defined: ReadonlySet<string>,
): { readonly layer: Layer; readonly held: readonly Held[] } {
  const held: Held[] = [];
  const kept: { -readonly [K in keyof Layer]: Layer[K] } = {};
  for (const [key, value] of Object.entries(layer)) {
    if (key === "index" && layer.index !== undefined) kept.index = layer.index;
    else if (key === "limits") kept.limits = lowered(layer.limits ?? {}, config.limits, held);
    else if (key === "languages") kept.languages = chosen(layer.languages ?? {}, defined, held);
    else if (key === "backends") kept.backends = disabled(layer.backends ?? {}, config, defined, held);
    else held.push({ key, value });
  }
  return { layer: kept, held };
}

/** Whether the user has trusted exactly these bytes in this folder; null: the folder has no file. */
export function isTrusted(folder: string, bytes: Uint8Array | null, machine: Machine = thisMachine()): boolean {
  const pinned = readStore(trustFile(machine)).get(real(folder));
  return pinned !== undefined && pinned === digest(bytes);
}

/** Pins a folder with the bytes of its file, or as one without a file. Throws where the store cannot be written. */
export function trust(folder: string, bytes: Uint8Array | null, machine: Machine = thisMachine()): void {
  const store = readStore(trustFile(machine));
  store.set(real(folder), digest(bytes));
  writeStore(trustFile(machine), store);
}

/** Takes trust back; false when there was none. */
export function distrust(folder: string, machine: Machine = thisMachine()): boolean {
  const store = readStore(trustFile(machine));
  const had = store.delete(real(folder));
  if (had) writeStore(trustFile(machine), store);
  return had;
}

function lowered(wanted: Partial<Limits>, now: Limits, held: Held[]): Partial<Limits> {
  const current = new Map<string, number>(Object.entries(now));
  const kept = Object.entries(wanted).filter(([key, value]) => {
    if (value <= (current.get(key) ?? 0)) return true;
    held.push({ key: `limits.${key}`, value });
    return false;
  });
  return Object.fromEntries(kept);
}

function chosen(
  languages: NonNullable<Layer["languages"]>,
  defined: ReadonlySet<string>,
  held: Held[],
): Record<string, LanguageConfig> {
  const kept: Record<string, LanguageConfig> = {};
  for (const [id, { backends, ...rest }] of Object.entries(languages)) {
    const known = backends?.every((name) => defined.has(name)) ?? true;
    if (!known) held.push({ key: `languages.${id}.backends`, value: backends });
    kept[id] = backends !== undefined && known ? { ...rest, backends } : rest;
  }
  return kept;
}

/** Only `enabled` of defined backends; `true` would undo what the user has disabled. */
function disabled(
  backends: NonNullable<Layer["backends"]>,
  config: Config,
  defined: ReadonlySet<string>,
  held: Held[],
): Record<string, { enabled: boolean }> {
  const kept: Record<string, { enabled: boolean }> = {};
  for (const [name, backend] of Object.entries(backends)) {
    for (const [key, value] of Object.entries(backend)) {
      const asked = key === "enabled" && defined.has(name) ? backend.enabled : undefined;
      if (asked === false || (asked === true && config.backends[name]?.enabled !== false))
        kept[name] = { enabled: asked };
      else held.push({ key: `backends.${name}.${key}`, value });
    }
  }
  return kept;
}

function digest(bytes: Uint8Array | null): string {
  if (bytes === null) return "none";
  // Not imported: that costs each start some 5 ms, and most have nothing to hash.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Folder to digest. A store that cannot be read or understood trusts nothing. */
function readStore(file: string): Map<string, string> {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof stored !== "object" || stored === null || !("folders" in stored)) return new Map();
    const { folders } = stored;
    if (typeof folders !== "object" || folders === null) return new Map();
    return new Map(Object.entries(folders).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}

/** Written beside and renamed, so that a reader sees the old store or the new one. */
function writeStore(file: string, store: ReadonlyMap<string, string>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ folders: Object.fromEntries(store) }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
