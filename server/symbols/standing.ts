/**
 * Where listed symbols stand now. A server's list (`workspace/symbol`) may hold places of an older text, and places in the
 * body of a macro instead of at its uses. What an adapter says of its server (`NameRules.stale`, `.macros`), what is open and
 * what was written since the process started tell which places to doubt; the outline of the present text corrects them.
 */
import type { Backend } from "../core/backends.ts";
import { filesOfSpec } from "../core/languages.ts";
import type { FileQuery } from "../core/ports.ts";
import { isSamePosition, type Range, type TextLike } from "../core/positions.ts";
import { pathOf } from "../core/uris.ts";
import { type Hit, lineText, mayBe, nameAt, nameIn, paired } from "./candidates.ts";
import { findFiles, outlineOf, type Reading, type Seen, seen, whereIs, writtenAt } from "./inquiry.ts";
import type { Declared } from "./outline.ts";

/** The hits with their places as they are now; those that are declared nowhere any more are left out and counted. */
export async function standing(reading: Reading, backend: Backend, hits: readonly Hit[]): Promise<readonly Hit[]> {
  const placed = await atUses(reading, backend, hits);
  const files = new Map<string, Hit[]>();
  for (const hit of placed) {
    const key = reading.mux.documents.keyOf(hit.uri);
    const group = files.get(key);
    if (group === undefined) files.set(key, [hit]);
    else group.push(hit);
  }
  const moved = new Map<Hit, Hit | null>();
  await Promise.all(
    [...files].map(async ([key, group]) => {
      for (const [hit, now] of await inFile(reading, backend, key, group)) moved.set(hit, now);
    }),
  );
  return placed.flatMap((hit) => {
    const now = moved.get(hit);
    if (now === null) reading.mux.drops.count("listed symbol that its file no longer declares");
    return now === undefined ? [hit] : now === null ? [] : [now];
  });
}

/** Hits of one file that stand elsewhere than listed, or nowhere (null). */
async function inFile(
  reading: Reading,
  backend: Backend,
  key: string,
  hits: readonly Hit[],
): Promise<ReadonlyMap<Hit, Hit | null>> {
  const moved = new Map<Hit, Hit | null>();
  const [first] = hits;
  if (first === undefined || whereIs(reading, first.uri).path === null) return moved;
  const doubt = await doubtOf(reading, backend, key);
  const text = doubt === "none" ? null : await seen(reading, first.uri);
  if (text === null) {
    if (doubt !== "none" && isGone(reading, key)) for (const hit of hits) moved.set(hit, null);
    return moved;
  }
  const { encoding } = reading.client;
  const isThere = (hit: Hit): boolean => hit.range === null || standsIn(text.text, hit.range, hit.name.leaf, encoding);
  if (doubt === "text" && hits.every(isThere)) return moved;
  const outline = await outlineOf(reading, first.uri, reading.until);
  if (outline === null) return moved;
  const pairs = paired(hits, outline);
  for (const hit of hits) {
    const entry = pairs.get(hit);
    if (entry !== undefined) {
      const range = rangeNow(hit, entry);
      if (!isSame(range, hit.range)) moved.set(hit, { ...hit, range });
    } else if (!isThere(hit)) moved.set(hit, null);
  }
  return moved;
}

function isGone({ mux }: Reading, key: string): boolean {
  const path = pathOf(key);
  return path !== null && !mux.ports.exists(path);
}

/** How far the places of a file are believed: at once, if the name is written there, or only if its outline says so. */
type Doubt = "none" | "text" | "outline";

async function doubtOf({ mux, client, ...rest }: Reading, backend: Backend, key: string): Promise<Doubt> {
  const isStale = backend.spec.adapter.symbol?.stale === true;
  const isOpen = mux.documents.viewByKey(client, key) !== undefined;
  if (isStale && (isOpen || backend.versions.knows(key))) return "outline";
  if (isOpen) return "text";
  const at = await writtenAt({ mux, client, ...rest }, key);
  const started = backend.starts.at(-1) ?? Number.NEGATIVE_INFINITY;
  // A process that starts with the index of an earlier one may believe that index: its first texts are older still.
  if (at !== null && at < started) return isStale ? "text" : "none";
  return isStale ? "outline" : "text";
}

function standsIn(text: TextLike, range: Range, leaf: string, encoding: Reading["client"]["encoding"]): boolean {
  return nameAt(text, range.start, leaf, encoding) !== null || nameIn(text, range, leaf, encoding) !== null;
}

/** Servers list either the name's range or the whole declaration's; the corrected one is of the same sort. */
function rangeNow({ range }: Hit, { range: whole, selectionRange }: Declared): Range {
  if (isSame(range, selectionRange) || isSame(range, whole)) return range ?? whole;
  return range !== null && range.start.line === range.end.line ? selectionRange : whole;
}

function isSame(a: Range | null, b: Range | null): boolean {
  if (a === null || b === null) return a === b;
  return isSamePosition(a.start, b.start) && isSamePosition(a.end, b.end);
}

// ---- Macros -----------------------------------------------------------------------------------------------------------

/** So many files that use a macro are looked at. */
const MAX_USES = 32;

/** What is listed in the body of a macro's definition, at the uses of the macro. */
export async function atUses(reading: Reading, backend: Backend, hits: readonly Hit[]): Promise<readonly Hit[]> {
  if (backend.spec.adapter.symbol?.macros !== true) return hits;
  const macros = new Map<Hit, string>();
  await Promise.all(
    hits.map(async (hit) => {
      const name = await macroAt(reading, hit);
      if (name !== null) macros.set(hit, name);
    }),
  );
  if (macros.size === 0) return hits;
  const uses = new Map<string, readonly Use[]>();
  for (const name of new Set(macros.values())) uses.set(name, await usesOf(reading, backend, name));
  const taken = new Set<Declared>();
  return hits.flatMap((hit) => {
    const name = macros.get(hit);
    if (name === undefined) return [hit];
    const found = (uses.get(name) ?? []).filter(({ entry }) => !taken.has(entry) && mayBe(hit.name, entry.name));
    for (const { entry } of found) taken.add(entry);
    if (found.length === 0) reading.mux.drops.count("symbol of a macro's body without a use");
    // What the body declares and then defines stands at one place.
    const places = new Map(found.map((use) => [JSON.stringify([use.uri, use.entry.selectionRange.start]), use]));
    return [...places.values()].map(({ uri, entry }) => ({
      ...hit,
      uri,
      range: entry.selectionRange,
      name: entry.name,
    }));
  });
}

/** A declaration in a file that uses a macro. */
interface Use {
  readonly uri: string;
  readonly entry: Declared;
}

/** The macro in whose body a hit is listed; null where it is listed elsewhere, or is the macro itself. */
async function macroAt(reading: Reading, { uri, range, name }: Hit): Promise<string | null> {
  if (range === null || whereIs(reading, uri).path === null) return null;
  const text = await seen(reading, uri);
  if (text === null) return null;
  let { line } = range.start;
  while (line > 0 && /\\\s*$/.test(lineText(text.text, line - 1) ?? "")) line--;
  const macro = /^\s*#\s*define\s+([\p{L}_][\p{L}\p{N}_]*)/u.exec(lineText(text.text, line) ?? "")?.[1];
  return macro === undefined || macro === name.leaf ? null : macro;
}

async function usesOf(reading: Reading, backend: Backend, macro: string): Promise<readonly Use[]> {
  const query: FileQuery = { ...filesOfSpec(backend.spec), holds: macro, limit: MAX_USES };
  const found = await Promise.all(reading.folders.map((folder) => findFiles(reading, folder, query)));
  const uris = new Map<string, string>();
  const open = [...reading.client.views.values()].filter(({ text }) => text.string.includes(macro));
  for (const uri of [...found.flatMap((one) => one.uris), ...open.map((view) => view.uri)])
    uris.set(reading.mux.documents.keyOf(uri), uri);
  const uses = await Promise.all([...uris.values()].map((uri) => usesIn(reading, uri, macro)));
  return uses.flat();
}

/** Declarations that begin on a line with the macro's name: what its body declares has no place of its own in the text. */
async function usesIn(reading: Reading, uri: string, macro: string): Promise<readonly Use[]> {
  const [text, outline] = await Promise.all([seen(reading, uri), outlineOf(reading, uri, reading.until)]);
  if (text === null || outline === null) return [];
  return outline.flatMap((entry) => (isBornIn(text, entry, macro) ? [{ uri: text.uri, entry }] : []));
}

function isBornIn({ text }: Seen, { selectionRange }: Declared, macro: string): boolean {
  const line = lineText(text, selectionRange.start.line) ?? "";
  return line.includes(macro) && !/^\s*#\s*define\b/.test(line);
}
