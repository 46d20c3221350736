/**
 * Where listed symbols stand now. A server's list (`workspace/symbol`) may hold places of an older text, and places in the
 * body of a macro instead of at its uses (`macros.ts`). What an adapter says of its server (`NameRules.stale`, `.macros`), what is open and
 * what was written since the process started tell which places to doubt; the outline of the present text corrects them.
 */
import type { Backend } from "../core/backends.ts";
import { pathOf } from "../core/documents/uris.ts";
import { isSamePosition, type Range, type TextLike } from "../core/positions.ts";
import { type Hit, nameAt, nameIn, paired } from "./candidates.ts";
import { outlineOf, type Reading, seen, whereIs, writtenAt } from "./inquiry.ts";
import { atUses, type Meant } from "./macros.ts";
import type { Declared } from "./outline.ts";

/**
 * The hits with their places as they are now; those that are declared nowhere any more are left out and counted.
 * @param meant what the list was asked for
 */
export async function standing(
  reading: Reading,
  backend: Backend,
  hits: readonly Hit[],
  meant: Meant,
): Promise<readonly Hit[]> {
  const placed = await atUses(reading, backend, hits, meant);
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
