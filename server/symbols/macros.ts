/**
 * What the body of a C macro declares. Servers that an adapter marks so (`NameRules.macros`) list it where the macro is
 * defined, and not at all once they were shown the file with the definition; it stands where the macro is used, as the
 * outlines of those files say.
 */
import type { Backend } from "../core/backends.ts";
import { filesOfSpec } from "../core/documents/languages.ts";
import type { FileQuery } from "../core/ports.ts";
import { isSamePosition, type TextLike } from "../core/positions.ts";
import { type Hit, lineText, mayBe } from "./candidates.ts";
import { findFiles, outlineOf, type Reading, type Seen, seen, whereIs } from "./inquiry.ts";
import type { Declared } from "./outline.ts";

/** So many files that use a macro are looked at. */
const MAX_USES = 32;

/** So many files that a server was shown are looked through for macros. */
const MAX_SHOWN = 64;

/** So many macros that may make a name are followed to their uses. */
const MAX_MACROS = 8;
/** A word before a name makes a declaration of it, unless it is one of these. */
const others = "return|else|new|delete|throw|case|goto|co_return|co_await|co_yield|and|or|not";
const type = String.raw`(?<![\p{L}\p{N}_])(?!(?:${others})\b)[\p{L}_][\p{L}\p{N}_]*(?:\s*<[^<>;]*>)?[\s*&]+`;
const anyName = String.raw`[\p{L}\p{N}_]*`;
const ends = String.raw`\s*[({;=\[,:]`;

/** What a list is asked for. */
export interface Meant {
  /** A word that the bodies in question hold. */
  readonly word: string;
  readonly fits: (leaf: string, uri: string) => boolean;
}

/** What is listed in the body of a macro's definition, or for that reason not at all, at the uses of the macro. */
export async function atUses(
  reading: Reading,
  backend: Backend,
  hits: readonly Hit[],
  meant: Meant,
): Promise<readonly Hit[]> {
  if (backend.spec.adapter.symbol?.macros !== true) return hits;
  const placed = await moved(reading, backend, hits);
  const hidden = meant.word === "" ? [] : await hiddenBy(reading, backend, meant);
  return [...placed, ...hidden.filter((one) => !placed.some((other) => isSamePlace(reading, one, other)))];
}

async function moved(reading: Reading, backend: Backend, hits: readonly Hit[]): Promise<readonly Hit[]> {
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

/** What macros of files that the server was shown make under the name. */
async function hiddenBy(reading: Reading, backend: Backend, { word, fits }: Meant): Promise<readonly Hit[]> {
  const shown = [...backend.versions.shown].slice(0, MAX_SHOWN);
  const texts = await Promise.all(shown.map((key) => seen(reading, backend.knownSpelling(key) ?? key)));
  const macros = new Set(texts.flatMap((text) => (text === null ? [] : macrosDeclaring(text.text, word))));
  const uses = await Promise.all([...macros].slice(0, MAX_MACROS).map((macro) => usesOf(reading, backend, macro)));
  const places = new Map<string, Hit>();
  for (const { uri, entry } of uses.flat()) {
    const { name, kind, selectionRange: range } = entry;
    if (!fits(name.leaf, uri)) continue;
    const containerName = name.containers.join(backend.spec.adapter.symbol?.separator ?? "::");
    const item = { name: name.leaf, kind, containerName, location: { uri, range } };
    places.set(JSON.stringify([uri, range.start, name.leaf]), { name, kind, uri, range, item });
  }
  return [...places.values()];
}

/** Macros whose bodies, on however many lines, look as if they declared a name with that word in it. Pure. */
export function macrosDeclaring({ string }: TextLike, word: string): readonly string[] {
  if (!string.includes(word)) return [];
  const declares = new RegExp(
    `${type}${anyName}${word.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&")}${anyName}${ends}`,
    "u",
  );
  const definitions = string.matchAll(/^[ \t]*#[ \t]*define[ \t]+([\p{L}_][\p{L}\p{N}_]*)((?:\\\r?\n|[^\n])*)/gmu);
  return [...definitions].flatMap(([, name = "", body = ""]) =>
    body.includes(word) && declares.test(body.replace(/\\\r?\n/g, " ")) ? [name] : [],
  );
}

function isSamePlace({ mux }: Reading, one: Hit, other: Hit): boolean {
  if (one.range === null || other.range === null || one.name.leaf !== other.name.leaf) return false;
  return (
    isSamePosition(one.range.start, other.range.start) &&
    mux.documents.keyOf(one.uri) === mux.documents.keyOf(other.uri)
  );
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
