/**
 * Symbols by pattern out of what files declare: filtered, scored, sorted, and one page of them (contract section 2). Pure.
 */

import { pathOf, uriOfPath } from "../core/documents/uris.ts";
import { NOTHING_COVERED } from "../core/ports.ts";
import { separatorOf } from "../languages.ts";
import { kindNumber } from "../protocol/extensions.ts";
import { keyOf } from "../symbols/key.ts";
import { filterOf, isHinted, isTest, isVendored, whereIn } from "../symbols/paths.ts";
import { foldersOf, type Place } from "./files.ts";
import type { Catalogue, Listed, SearchFile } from "./index/catalogue.ts";
import { Indexes, type Keeper } from "./index/keeper.ts";
import type { Entry } from "./jobs.ts";
import { literal } from "./lexis/characters.ts";
import type { FileAsked, FoundSymbol, SearchAnswer, SearchQuestion } from "./questions.ts";
import { grammarNames } from "./served.ts";

/** A declaration that fits. */
interface Hit {
  readonly file: SearchFile;
  readonly entry: Entry;
  readonly container: string;
  readonly qualifiedName: string;
  readonly score: number;
}

/** All that fit, in order. */
export function found(question: SearchQuestion, listed: readonly Listed[]): readonly Hit[] {
  const pattern = patternOf(question.query);
  const kinds = question.kinds === null ? null : new Set(question.kinds);
  const namespace = question.namespace === "" ? [] : segmentsOf(question.namespace);
  const hits: Hit[] = [];
  for (const { file, entries, generated } of listed) {
    if (generated && question.sourceOnly) continue;
    const separator = separatorOf(file.language);
    for (const entry of entries) {
      if (entry.test && question.sourceOnly) continue;
      if (question.access !== null && entry.access !== question.access) continue;
      if (kinds !== null && !kinds.has(kindNumber(entry.kind) ?? 0)) continue;
      if (!namespace.every((segment, i) => entry.containers[i] === segment)) continue;
      const score = pattern(entry);
      if (score === null) continue;
      const container = entry.containers.join(separator);
      const qualifiedName = container === "" ? entry.name : container + separator + entry.name;
      hits.push({ file, entry, container, qualifiedName, score: score + (file.hinted ? HINTED : 0) });
    }
  }
  const compare = orders[question.sortBy];
  const sign = question.descending ? -1 : 1;
  return hits.sort((a, b) => sign * compare(a, b) || byPlace(a, b));
}

/** As by name: contract section 1, "Match and score". */
const scores = { exact: 100, ignoreCase: 80, prefix: 60, inside: 40 } as const;
const HINTED = 30;

/** Tells how well a declaration fits; null: not at all. */
export function patternOf(query: string): (entry: Pick<Entry, "name" | "containers">) => number | null {
  if (query === "") return () => scores.inside;
  const { text, wild, qualified } = readPattern(query);
  const small = text.toLowerCase();
  const subject = ({ name, containers }: Pick<Entry, "name" | "containers">): string =>
    qualified ? [...containers, name].join(".") : name;
  return (entry) => {
    const name = subject(entry);
    if (wild !== null) return wild.test(name) ? scores.inside : null;
    if (name === text) return scores.exact;
    const folded = name.toLowerCase();
    if (folded === small) return scores.ignoreCase;
    if (folded.startsWith(small)) return scores.prefix;
    return folded.includes(small) ? scores.inside : null;
  };
}

/** `wild` is anchored, null without a wildcard; `text` is the query without escapes, its separators all ".". */
function readPattern(query: string): { text: string; wild: RegExp | null; qualified: boolean } {
  let [text, source] = ["", ""];
  let [isWild, qualified] = [false, false];
  for (const [token] of query.matchAll(/\\.|::|./gsu)) {
    if (token === "*" || token === "?") {
      isWild = true;
      source += token === "*" ? ".*" : ".";
      text += token;
      continue;
    }
    const isSeparator = token === "::" || token === "." || token === "#";
    qualified ||= isSeparator;
    const plain = isSeparator ? "." : token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
    text += plain;
    source += literal(plain);
  }
  return { text, wild: isWild ? new RegExp(`^${source}$`, "isu") : null, qualified };
}

function segmentsOf(namespace: string): readonly string[] {
  return namespace.split(/::|[.#]/).filter((segment) => segment !== "");
}

type Compare = (a: Hit, b: Hit) => number;

const orders: Readonly<Record<SearchQuestion["sortBy"], Compare>> = {
  score: (a, b) => a.score - b.score,
  name: (a, b) => compareTexts(a.entry.name, b.entry.name),
  kind: (a, b) => (kindNumber(a.entry.kind) ?? 0) - (kindNumber(b.entry.kind) ?? 0),
  path: (a, b) => compareTexts(a.file.path, b.file.path),
  container: (a, b) => compareTexts(a.container, b.container),
};

/** The same every time, to the last. */
function byPlace(a: Hit, b: Hit): number {
  return (
    compareTexts(a.file.path, b.file.path) ||
    compareTexts(a.file.uri, b.file.uri) ||
    a.entry.line - b.entry.line ||
    a.entry.column - b.entry.column ||
    compareTexts(symbolKeyOf(a), symbolKeyOf(b))
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function symbolKeyOf({ file, entry }: Hit): string {
  return keyOf({ path: file.path, segments: [...entry.containers, entry.name], nth: entry.nth });
}

/** A page's bytes as JSON. */
const MAX_BYTES = 256 << 10;

/** One page, cut by its size; the first symbol is told whatever its size. */
export function page(
  hits: readonly Hit[],
  skip: number,
  take: number,
): { readonly matches: readonly FoundSymbol[]; readonly truncatedForSize: boolean } {
  const matches: FoundSymbol[] = [];
  let bytes = 0;
  for (const hit of hits.slice(skip, skip + take)) {
    const { file, entry, container, qualifiedName } = hit;
    const { name, kind, line, column, access } = entry;
    const symbolKey = symbolKeyOf(hit);
    const { language } = file;
    const one = { language, name, qualifiedName, kind, container, uri: file.uri, line, column, symbolKey, access };
    // Path and folder are no longer than the URI together, in each style but one.
    bytes += Buffer.byteLength(JSON.stringify(one)) + Buffer.byteLength(file.uri) + FIELDS;
    if (bytes > MAX_BYTES && matches.length > 0) return { matches, truncatedForSize: true };
    matches.push(one);
  }
  return { matches, truncatedForSize: false };
}

/** Of the names of fields that the core adds, bytes. */
const FIELDS = 120;

/** The answer to a question, from files as they are now. */
export async function searched(catalogue: Catalogue, keeper: Keeper, question: SearchQuestion): Promise<SearchAnswer> {
  const until = performance.now() + question.timeoutMs;
  const folders = foldersOf(question.folders);
  const indexes = question.byIndex ? keeper.of(folders.map(({ path }) => path)) : new Indexes([]);
  await indexes.ready(question.timeoutMs);
  const open = new Set(question.files.map(({ uri }) => uri));
  // All files, so that the catalogue knows which are gone.
  const { files, whole } = indexes.files(grammarNames.keys());
  const indexed = files.map(({ path, language }): FileAsked => ({ uri: uriOfPath(path), language }));
  const all = [...question.files, ...indexed.filter(({ uri }) => !open.has(uri))];
  const { listed, left, generation } = await catalogue.look(all.map(fileFor(question, folders)), until);
  const hits = found(question, listed);
  return {
    ...page(hits, question.skip, question.take),
    ...{ state: indexes.state, total: hits.length, generation, left, whole },
    failed: listed.filter((one) => one.failed).length,
    covered: question.byIndex ? indexes.coverage(question.languages ?? grammarNames.keys()) : NOTHING_COVERED,
  };
}

function fileFor(
  { languages, in: patterns, path: hint, sourceOnly }: SearchQuestion,
  folders: readonly Place[],
): (file: FileAsked) => SearchFile {
  const filter = filterOf(patterns);
  const wanted = languages === null ? null : new Set(languages);
  return (file) => {
    const where = whereIn(folders, pathOf(file.uri) ?? file.uri);
    const path = where.path ?? where.absolute;
    const isSource = !sourceOnly || !(isTest(path) || isVendored(path));
    const isAsked = wanted === null || wanted.has(file.language);
    return {
      ...file,
      path,
      wanted: isSource && isAsked && ("wrong" in filter || filter.lets(where)),
      hinted: hint !== null && isHinted(hint, where),
    };
  };
}
