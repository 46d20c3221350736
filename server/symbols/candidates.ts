/**
 * From what servers list to what stands in the text: a server's list (`workspace/symbol`) says in which files a name may be
 * declared, the outline of the file says where, and the text itself has the last word. Pure.
 */
import {
  type Encoding,
  isBefore,
  isRange,
  lineEnd,
  offsetAt,
  type Position,
  positionAt,
  type Range,
  type TextLike,
} from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { cFamily } from "../languages.ts";
import { closing } from "./address.ts";
import { normalise, parametersOf, type SymbolName } from "./names.ts";
import type { Declared } from "./outline.ts";

/** One item of a server's list. */
export interface Hit {
  readonly name: SymbolName;
  /** LSP's number. */
  readonly kind: number;
  readonly uri: string;
  /** Null where the server leaves it to be resolved. */
  readonly range: Range | null;
  /** As it was listed. */
  readonly item: { readonly [key: string]: unknown };
}

/** A declaration that stands in the text as it is now. */
export interface Confirmed {
  readonly name: SymbolName;
  readonly kind: number;
  readonly detail: string | null;
  /** A variable of a function; only known where an outline lists it. */
  readonly local?: boolean;
  readonly range: Range;
  /** Its name. */
  readonly selectionRange: Range;
}

/** SymbolInformation and WorkspaceSymbol alike; what is malformed is left out. */
export function hitsOf(result: unknown): readonly Hit[] {
  if (!Array.isArray(result)) return [];
  return result.flatMap((item) => {
    if (!isObject(item) || !isObject(item.location)) return [];
    const { name, kind, containerName, location } = item;
    const { uri, range } = location;
    if (typeof name !== "string" || typeof kind !== "number" || typeof uri !== "string") return [];
    const container = typeof containerName === "string" ? containerName : "";
    return [{ name: normalise(name, container), kind, uri, range: isRange(range) ? range : null, item }];
  });
}

/**
 * The hits of one file that the text bears out. Each takes the outline's entry at its place; one whose place is of an older
 * text takes the nearest entry that could be meant; one that the outline lacks stands where the text says its name, or where
 * a macro makes it.
 * @param hits of the name that is looked for
 * @param outline of the file, null where there is none
 * @param isMade whether a place is the use of a macro
 */
export function confirm(
  hits: readonly Hit[],
  outline: readonly Declared[] | null,
  text: TextLike,
  encoding: Encoding,
  isMade: (range: Range) => boolean = () => false,
): readonly Confirmed[] {
  const pairs = paired(hits, outline ?? []);
  return hits.flatMap((hit) => {
    const entry = pairs.get(hit);
    if (entry !== undefined) return [declared(entry, mergedName(hit.name, entry.name), text, encoding)];
    if (hit.range === null) return [];
    const named = nameAt(text, hit.range.start, hit.name.leaf, encoding) ?? (isMade(hit.range) ? hit.range : null);
    if (named === null) return [];
    const name = { ...hit.name, containers: around(hit.name, hit.range, outline ?? []) };
    return [{ name, kind: hit.kind, detail: null, range: widened(hit.range, named), selectionRange: named }];
  });
}

/** What is around a listed symbol that the outline lacks: where the list tells the nearest only, the outline has the rest. */
function around({ containers }: SymbolName, { start }: Range, outline: readonly Declared[]): readonly string[] {
  const enclosing = outline.filter(({ range, selectionRange }) => isIn(start, range) && !isIn(start, selectionRange));
  const inner = enclosing.toSorted((a, b) => a.depth - b.depth).at(-1)?.name;
  if (inner === undefined) return containers;
  const path = [...inner.containers, inner.leaf];
  if (isTail(path, containers)) return containers;
  // Of `a::b::Vec` in `namespace a::b` both have what they share.
  const shared = path.findIndex((_, i) => isTail(path.slice(i), containers.slice(0, path.length - i)));
  return isTail(containers, path) ? path : [...path.slice(0, shared < 0 ? path.length : shared), ...containers];
}

function isIn(position: Position, { start, end }: Range): boolean {
  return !isBefore(position, start) && isBefore(position, end);
}

/** The entry of an outline that each hit means, at its place, else the nearest that could be meant; each for one hit. */
export function paired(hits: readonly Hit[], outline: readonly Declared[]): ReadonlyMap<Hit, Declared> {
  const leaves = new Set(hits.map((hit) => hit.name.leaf));
  const left = new Set(outline.filter((entry) => leaves.has(entry.name.leaf)));
  const pairs = new Map<Hit, Declared>();
  const passes: readonly ((hit: Hit) => Declared | undefined)[] = [
    (hit) => [...left].find((entry) => isAt(hit, entry) && mayBe(hit.name, entry.name)),
    (hit) =>
      nearest(
        hit,
        [...left].filter((entry) => mayBe(hit.name, entry.name)),
      ),
    // Of two that disagree about what is around, the text has the say.
    (hit) => [...left].find((entry) => isAt(hit, entry)),
  ];
  for (const pass of passes)
    for (const hit of hits) {
      const entry = pairs.has(hit) ? undefined : pass(hit);
      if (entry === undefined) continue;
      left.delete(entry);
      pairs.set(hit, entry);
    }
  return pairs;
}

/** An outline's entry by itself. Its place is the server's word where the name is not written: at a macro's use. */
export function declared(entry: Declared, name: SymbolName, text: TextLike, encoding: Encoding): Confirmed {
  const { kind, detail, range, selectionRange } = entry;
  const named =
    nameAt(text, selectionRange.start, name.leaf, encoding) ??
    nameIn(text, range, name.leaf, encoding) ??
    nameBefore(text, range, name.leaf, encoding) ??
    selectionRange;
  const told = name.parameters ?? (detail === null ? undefined : parametersOf(detail));
  const shown = told ?? (functions.has(kind) ? writtenParameters(text, named, encoding) : undefined);
  return {
    name: shown === undefined ? name : { ...name, parameters: shown },
    kind,
    detail,
    local: entry.local,
    range: widened(range, named),
    selectionRange: named,
  };
}

/** The parameter list that is written behind a name. */
export function writtenParameters(text: TextLike, name: Range, encoding: Encoding): readonly string[] | undefined {
  const { string, lines } = text;
  let at = offsetAt(string, lines, name.end, encoding);
  for (const open of ["<", "["]) {
    const end = string[at] === open ? closing(string.slice(0, at + MAX_PARAMETERS), at) : at;
    if (typeof end === "number") at = end;
  }
  const list = string.slice(at, at + MAX_PARAMETERS);
  return /^\s*\(/.test(list) ? parametersOf(list) : undefined;
}

/** So long a parameter list may be, in UTF-16 units. */
const MAX_PARAMETERS = 2_000;

function isAt({ name, range }: Hit, entry: Declared): boolean {
  if (range === null || entry.name.leaf !== name.leaf) return false;
  const at = entry.selectionRange.start;
  return !isBefore(at, range.start) && !isBefore(range.end, at);
}

function nearest(hit: Hit, entries: readonly Declared[]): Declared | undefined {
  const line = hit.range?.start.line ?? 0;
  const distance = (entry: Declared): number => Math.abs(entry.selectionRange.start.line - line);
  return entries.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Whether two names can be of one symbol: one's containers are the end of the other's. */
export function mayBe(a: SymbolName, b: SymbolName): boolean {
  return a.leaf === b.leaf && (isTail(a.containers, b.containers) || isTail(b.containers, a.containers));
}

function isTail(tail: readonly string[], path: readonly string[]): boolean {
  return tail.length <= path.length && tail.every((segment, i) => segment === path[path.length - tail.length + i]);
}

/** Of two names of one symbol the fuller: lists know packages, outlines all that encloses. */
function mergedName(listed: SymbolName, outlined: SymbolName): SymbolName {
  const isFuller =
    listed.containers.length > outlined.containers.length && isTail(outlined.containers, listed.containers);
  const fuller = isFuller ? listed : outlined;
  const parameters = outlined.parameters ?? listed.parameters;
  return {
    ...fuller,
    front: fuller.front.length > 0 ? fuller.front : listed.front,
    ...(parameters !== undefined && { parameters }),
  };
}

/** The identifier that a name is written with: of `~Widget`, `size=`, `operator==` the word. */
export function wordOf(leaf: string): string | null {
  return /[\p{L}\p{N}\p{M}_$]+/u.exec(leaf)?.[0] ?? null;
}

/** The range of the name if it stands at the place; null when something else does. */
export function nameAt(text: TextLike, at: Position, leaf: string, encoding: Encoding): Range | null {
  const { string, lines } = text;
  const offset = offsetAt(string, lines, at, encoding);
  const standsAt = (from: number, word: string): boolean =>
    string.startsWith(word, from) && isWhole(string, from, word);
  // `r#type`, backticks.
  const quote = /^(?:r#|[`@#])/.exec(string.slice(offset, offset + 2))?.[0].length ?? 0;
  for (const from of [offset, offset + quote])
    if (standsAt(from, leaf)) return rangeOf(text, from, leaf.length, encoding);
  // `operator ==` with a space, `~Widget` from behind the tilde.
  const word = wordOf(leaf);
  if (word === null || word === leaf) return null;
  for (const from of [offset, offset + 1]) if (standsAt(from, word)) return rangeOf(text, from, word.length, encoding);
  return null;
}

/** The first place in a range where the name stands. */
export function nameIn(text: TextLike, range: Range, leaf: string, encoding: Encoding): Range | null {
  const { string, lines } = text;
  const end = offsetAt(string, lines, range.end, encoding);
  let from = offsetAt(string, lines, range.start, encoding);
  for (from = string.indexOf(leaf, from); from >= 0 && from + leaf.length <= end; from = string.indexOf(leaf, from + 1))
    if (isWhole(string, from, leaf)) return rangeOf(text, from, leaf.length, encoding);
  return null;
}

/** Where the name stands before a range that is the value alone: `export default () => 3`, `exports.made = () => 2`. */
function nameBefore(text: TextLike, { start }: Range, leaf: string, encoding: Encoding): Range | null {
  const { string, lines } = text;
  const before = string.slice(0, offsetAt(string, lines, start, encoding)).replace(/[\s=:]+$/, "");
  const at = before.length - leaf.length;
  return before.endsWith(leaf) && isWhole(string, at, leaf) ? rangeOf(text, at, leaf.length, encoding) : null;
}

/** Whether a text holds the name as a word of its own; `prefix`: as the beginning of one. */
export function holdsWord(string: string, word: string, prefix: boolean): boolean {
  for (let at = string.indexOf(word); at >= 0; at = string.indexOf(word, at + 1))
    if (prefix ? !endsInWord(string, at) : isWhole(string, at, word)) return true;
  return false;
}

function isWhole(string: string, offset: number, word: string): boolean {
  const end = offset + word.length;
  const startsInside = endsInWord(string, offset) && isWordCharacter(word[0]);
  return !startsInside && !(isWordCharacter(string[end]) && isWordCharacter(word.at(-1)));
}

function endsInWord(string: string, offset: number): boolean {
  return offset > 0 && isWordCharacter(string[offset - 1]);
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}\p{M}\p{Cs}_$]/u.test(character);
}

function rangeOf({ string, lines }: TextLike, offset: number, length: number, encoding: Encoding): Range {
  return {
    start: positionAt(string, lines, offset, encoding),
    end: positionAt(string, lines, offset + length, encoding),
  };
}

function widened(range: Range, inner: Range): Range {
  const start = isBefore(inner.start, range.start) ? inner.start : range.start;
  return { start, end: isBefore(range.end, inner.end) ? inner.end : range.end };
}

/** A line without its end. */
export function lineText({ string, lines }: TextLike, line: number): string | undefined {
  const start = lines[line];
  return start === undefined ? undefined : string.slice(start, lineEnd(string, lines, line));
}

/** LSP's method, constructor, function, operator. */
const functions: ReadonlySet<number> = new Set([6, 9, 12, 25]);
/** LSP's class, enum, interface, struct. */
const types: ReadonlySet<number> = new Set([5, 10, 11, 23]);

/** LSP's property and field, and variable: what before one that is given no value makes a mere declaration of it. */
const declaring: Readonly<Record<number, RegExp>> = {
  7: /^(?!.*\b(?:inline|constexpr)\b).*\bstatic\b/,
  8: /^(?!.*\b(?:inline|constexpr)\b).*\bstatic\b/,
  13: /^extern\b/,
};

/** A class that is named before it is defined. */
const forward = /^\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum)\b[^{=]*$/;

/** Where `{ run }` is a property by the name of what it holds: that is defined elsewhere. */
const scripts: ReadonlySet<string> = new Set(["javascript", "javascriptreact", "typescript", "typescriptreact"]);
const PROPERTY = 7;

/**
 * Whether it only declares: a function or a class without a body, a static member or an `extern` variable without a value, a
 * property that is no more than its name.
 */
export function roleOf(language: string, kind: number, text: string): "definition" | "declaration" {
  if (scripts.has(language) && kind === PROPERTY && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text))
    return "declaration";
  if (!cFamily.has(language)) return "definition";
  if (types.has(kind) && forward.test(text)) return "declaration";
  if (declaring[kind]?.test(text)) return /[={]/.test(text) ? "definition" : "declaration";
  if (!functions.has(kind) || !text.includes("(")) return "definition";
  return /\}\s*$|=\s*(?:default|delete)\s*$/.test(text) ? "definition" : "declaration";
}
