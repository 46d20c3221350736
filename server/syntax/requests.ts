/**
 * What the syntax backend answers, by name alone: declarations of a name, its mentions, outlines of many files at once.
 * Which files can hold a name is asked of `Files`; nothing here knows LSP's connection.
 */
import { holds, isSamePosition, linesOf, offsetAt, type Position, positionAt, type Range } from "../core/positions.ts";
import { coveredBy, languages, separatorOf } from "../languages.ts";
import { kindNumber } from "../protocol/extensions.ts";
import { formed, spellingOf } from "../symbols/names.ts";
import { type Declared, flat } from "./declared.ts";
import { Failure } from "./jobs.ts";
import type { DeclarationsAnswer, Failing, FileAsked } from "./questions.ts";
import type { Match } from "./spelled.ts";
import type { Texts } from "./texts.ts";

/** Where names can be, best first. */
export interface Files {
  /** Files of some languages in which a name is written; `loose`: in which a name with this text in it is, in any case. */
  holding(
    name: string,
    which: { readonly loose: boolean; readonly languages: Iterable<string> },
  ): Promise<readonly string[]>;
}

/** A place that was found by its name, and says so. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
  readonly basis: "name";
}

/** So many files are looked into for one question. */
const MAX_FILES = 256;
const MAX_PLACES = 2000;

/** The identifier at a place, null where there is none. */
export function nameAt(text: string, position: Position): { readonly name: string; readonly range: Range } | null {
  const lines = linesOf(text);
  const offset = offsetAt(text, lines, position, "utf-16");
  const before = /[\p{L}\p{N}\p{M}_$]*$/u.exec(text.slice(Math.max(0, offset - 200), offset))?.[0] ?? "";
  const after = /^[\p{L}\p{N}\p{M}_$]*/u.exec(text.slice(offset, offset + 200))?.[0] ?? "";
  const name = before + after;
  if (name === "" || /^\p{N}/u.test(name)) return null;
  const [start, end] = [offset - before.length, offset + after.length];
  return {
    name,
    range: { start: positionAt(text, lines, start, "utf-16"), end: positionAt(text, lines, end, "utf-16") },
  };
}

/** Where a name is declared, as seen from a place: locals of its own functions first, then its file, then the others. */
export async function declarationsOf(texts: Texts, files: Files, uri: string, position: Position): Promise<Place[]> {
  const at = nameAt(await texts.text(uri), position);
  if (at === null) return [];
  const own = flat(await texts.outline(uri, true)).filter(({ name }) => isNamed(name, at.name));
  const near = own.filter(({ local, range }) => !local || holds(range, position));
  const locals = near.filter(({ local }) => local);
  const inFile = locals.length > 0 ? locals : own.filter(({ local }) => !local || near.length === 0);
  if (locals.length > 0) return inFile.slice(-1).map((one) => place(uri, one.selectionRange));
  const others = await declaredElsewhere(texts, files, uri, at.name);
  return [...inFile.map((one) => place(uri, one.selectionRange)), ...others];
}

async function declaredElsewhere(texts: Texts, files: Files, uri: string, name: string): Promise<Place[]> {
  const places: Place[] = [];
  for (const other of await candidates(texts, files, uri, name)) {
    if (other === uri) continue;
    const outline = await texts.outline(other, true).catch(() => null);
    if (outline === null) continue;
    for (const one of flat(outline))
      if (!one.local && isNamed(one.name, name)) places.push(place(other, one.selectionRange));
  }
  return places.slice(0, MAX_PLACES);
}

/** Every place where the name at a place stands as an identifier, in files of the same languages. */
export async function mentionsOf(
  texts: Texts,
  files: Files,
  uri: string,
  position: Position,
  declarations: boolean,
): Promise<Place[]> {
  const at = nameAt(await texts.text(uri), position);
  if (at === null) return [];
  const places: Place[] = [];
  const all = new Set([uri, ...(await candidates(texts, files, uri, at.name))]);
  for (const other of all) {
    const ranges = await texts.ask(other, { what: "mentions", name: at.name }, true).catch(() => []);
    if (ranges.length === 0) continue;
    const outline = declarations ? null : await texts.outline(other, true).catch(() => null);
    const declared = outline === null ? [] : flat(outline).map((one) => one.selectionRange.start);
    for (const range of ranges)
      if (!declared.some((start) => isSamePosition(start, range.start))) places.push(place(other, range));
    if (places.length >= MAX_PLACES) break;
  }
  return places.slice(0, MAX_PLACES);
}

async function candidates(texts: Texts, files: Files, uri: string, name: string): Promise<readonly string[]> {
  const own = family(texts.languageOf(uri));
  const uris = await files.holding(name, { loose: false, languages: own });
  const open = [...texts.documents].filter(({ text }) => text.includes(name)).map((document) => document.uri);
  return [...new Set([...open, ...uris])].filter((other) => own.has(texts.languageOf(other))).slice(0, MAX_FILES);
}

/** Languages that use each other's names. */
function family(language: string): ReadonlySet<string> {
  const heads = [...languages.keys()].filter((head) => coveredBy(head).includes(language));
  return new Set(heads.flatMap((head) => [...coveredBy(head)]));
}

// ---- Lists -----------------------------------------------------------------------------------------------------------

export interface Found extends Declared {
  readonly uri: string;
  readonly language: string;
}

/**
 * The declarations of many files, in the order of the files.
 * @param fits whether a name is wanted that is declared in a file of the language
 * @param until on the clock of `performance.now()`
 * @param isSilent whether a file is known to declare nothing that fits
 */
export async function declaredIn(
  texts: Texts,
  files: readonly FileAsked[],
  fits: (name: string, language: string) => boolean,
  until: number,
  isSilent: (file: FileAsked) => boolean = () => false,
): Promise<DeclarationsAnswer> {
  const failed: Record<Failing, string[]> = { noGrammar: [], unreadable: [], tooLarge: [], unparsed: [] };
  const found: Found[] = [];
  let read = 0;
  for (const file of files) {
    if (performance.now() >= until) break;
    read++;
    if (isSilent(file)) continue;
    const { uri, language } = file;
    try {
      for (const one of await texts.declaredOf(file, (name) => fits(name, language)))
        found.push({ ...one, uri, language });
    } catch (fault) {
      if (!(fault instanceof Failure)) throw fault;
      failed[fault.code].push(uri);
    }
  }
  return { found, failed, left: files.length - read };
}

/** LSP's SymbolInformation, exact before prefix before the rest, types first for the empty query. */
export async function symbolsFor(
  texts: Texts,
  files: Files,
  query: string,
  serves: ReadonlySet<string>,
  until: number,
): Promise<object[]> {
  const small = query.toLowerCase();
  const uris = await files.holding(query, { loose: true, languages: serves });
  const open = [...texts.documents].map(({ uri }) => uri);
  const own = [...new Set([...open, ...uris])].filter((uri) => serves.has(texts.languageOf(uri)));
  const { found } = await declaredIn(
    texts,
    own.slice(0, MAX_FILES).map((uri) => texts.asked(uri)),
    (name) => name.toLowerCase().includes(small),
    until,
  );
  const rank = ({ name, kind }: Found): number => {
    if (query === "") return types.has(kind) ? 0 : 1;
    if (name === query) return 0;
    if (name.startsWith(query)) return 1;
    return name.toLowerCase().startsWith(small) ? 2 : 3;
  };
  return found
    .filter(({ local }) => !local)
    .map((one) => ({ one, rank: rank(one) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, query === "" ? MAX_LISTED : MAX_PLACES)
    .map(({ one: { name, kind, containers, language, uri, selectionRange } }) => ({
      name,
      kind: kindNumber(kind) ?? 13,
      ...(containers.length > 0 && { containerName: containers.join(separatorOf(language)) }),
      location: { uri, range: selectionRange },
    }));
}

/** Of an empty query. */
const MAX_LISTED = 200;
const types: ReadonlySet<string> = new Set(["class", "interface", "struct", "enum"]);

/** Whether a declaration's name fits a query, as far as its language's way to compare names lets it. */
export function fitter(name: string, fit: Match): (declared: string, language: string) => boolean {
  return (declared, id) => {
    const spelling = spellingOf(id);
    const { caseless, mark = "" } = spelling;
    const folded = (text: string): string =>
      caseless || fit === "ignoreCase" ? formed(text, spelling).toLowerCase() : formed(text, spelling);
    const [own, wanted] = [folded(declared), folded(name)];
    if (fit === "prefix") return own.startsWith(wanted);
    if (fit === "ignoreCase") return own === wanted;
    return isNamed(own, wanted) || (mark !== "" && wanted === mark + own);
  };
}

/** `~Widget`, `operator bool`, `#p` are also found by their word. */
function isNamed(declared: string, name: string): boolean {
  return declared === name || (declared.endsWith(name) && /^[^\p{L}\p{N}_$]+$/u.test(declared.slice(0, -name.length)));
}

function place(uri: string, range: Range): Place {
  return { uri, range, basis: "name" };
}
