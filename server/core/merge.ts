/**
 * The answers of several backends made into one, by the rule that the row names (design: no generic deep merge).
 * Pure: the legs that count and their rank order are the caller's business, positions are the client's already.
 */
import type { MergeRule, Row } from "../protocol/methods.ts";
import { isObject } from "./settings.ts";

export interface Answer<B = unknown> {
  readonly backend: B;
  /** Parsed result; null where the backend had none. */
  readonly result: unknown;
}

/** What the order of workspace symbols depends on. */
export interface Search {
  readonly query: string;
  /** Whether a place lies in one of the asker's folders. */
  readonly inside: (uri: string) => boolean;
}

/**
 * One result from answers in rank order. `row.empty` where no answer has anything in it.
 * @param search for rows of the rule "symbols"; without it they keep the order in which they came
 */
export function merge(row: Row, answers: readonly Answer[], search?: Search): unknown {
  return rules[row.merge](row, answers, search);
}

/** Whether a result says nothing: null, an empty list, or an object whose list or text is empty. */
export function isEmpty(result: unknown): boolean {
  if (result === null || result === undefined) return true;
  if (typeof result === "string" || Array.isArray(result)) return result.length === 0;
  if (!isObject(result)) return false;
  const present = contentKeys.filter((key) => Object.hasOwn(result, key));
  return present.length > 0 && present.every((key) => isBlank(result[key]));
}

type Rule = (row: Row, answers: readonly Answer[], search: Search | undefined) => unknown;

/** The first answer with something in it, in rank order; else the first that is at least no null. */
const first: Rule = (row, answers) => {
  const results = answers.map(({ result }) => result);
  return results.find((result) => !isEmpty(result)) ?? results.find(isPresent) ?? row.empty;
};

/** The first answer, whatever it is: a null means that there is nothing to do. */
const firstCapable: Rule = (row, answers) => answers[0]?.result ?? row.empty;

/** Lists one after the other, without the second of two that are equal in uri and range. */
const append: Rule = (row, answers) => {
  const full = answers.filter(({ result }) => !isEmpty(result));
  // One list is left as it is, down to the form of it: what a server repeats is its own business.
  if (full.length === 1) return full[0]?.result;
  const seen = new Set<string>();
  const items = full.flatMap(({ result }) => {
    const list: readonly unknown[] = Array.isArray(result) ? result : [result];
    return list.filter((item) => {
      const place = placeOf(row, item);
      if (place === null) return true;
      const isNew = !seen.has(place);
      seen.add(place);
      return isNew;
    });
  });
  return items.length > 0 ? items : first(row, answers, undefined);
};

/** An empty query asks for a project's main symbols: types first, this many at most (contract, top). */
const MOST_OF_ALL = 200;

/** LSP's class, enum, interface and struct. */
const types: ReadonlySet<unknown> = new Set([5, 10, 11, 23]);

/** All symbols, an array always: the folders before anything outside, in each exact before prefix before the rest. */
const symbols: Rule = (_row, answers, search) => {
  const items = united(answers);
  if (!search) return items;
  const ranks = new Map(items.map((item) => [item, rankOf(item, search)]));
  const ranked = items.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  if (search.query !== "") return ranked;
  const own = ranked.filter((item) => (ranks.get(item) ?? 0) < OUTSIDE);
  return (own.length > 0 ? own : ranked).slice(0, MOST_OF_ALL);
};

/** Each symbol once: of one list by all that it shows; between lists by place and bare name, as servers differ in the rest. */
function united(answers: readonly Answer[]): readonly unknown[] {
  const before = new Set<string>();
  return answers.flatMap(({ result }) => {
    const own = new Set<string>();
    const added: string[] = [];
    const list: readonly unknown[] = Array.isArray(result) ? result : [];
    const items = list.filter((item) => {
      const symbol = symbolIn(item);
      if (symbol === null) return true;
      const exact = JSON.stringify([symbol.place, symbol.name, symbol.kind, symbol.container]);
      const loose = JSON.stringify([symbol.place, leafOf(symbol.name)]);
      if (before.has(loose) || own.has(exact)) return false;
      own.add(exact);
      added.push(loose);
      return true;
    });
    for (const one of added) before.add(one);
    return items;
  });
}

/** `place`: uri and start; without a range the container tells apart what one file holds. */
function symbolIn(
  item: unknown,
): { readonly place: unknown; readonly name: string; readonly kind: unknown; readonly container: unknown } | null {
  if (!isObject(item) || typeof item.name !== "string" || !isObject(item.location)) return null;
  const { uri, range } = item.location;
  if (typeof uri !== "string") return null;
  const { name, kind, containerName: container } = item;
  return { place: [uri, ...(isObject(range) ? startOf(range) : [container])], name, kind, container };
}

/** Servers write the keys of a position in either order. */
function startOf({ start }: { readonly [key: string]: unknown }): readonly unknown[] {
  return isObject(start) ? [start.line, start.character] : [];
}

/** Rules that need several backends on one document to show fall back to the nearest plain one until those are built. */
const rules: Readonly<Record<MergeRule, Rule>> = {
  none: firstCapable,
  first,
  firstCapable,
  append,
  locations: append,
  symbols,
  completion: first,
  joinHover: first,
  codeActions: append,
  rename: first,
  edits: first,
  diagnostics: first,
};

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** The keys that hold what there is in a result: lists, hover, signatures, tokens, an edit in either form, new content. */
const contentKeys = [
  "items",
  "contents",
  "signatures",
  "data",
  "edits",
  "documentChanges",
  "changes",
  "ranges",
  "text",
];

/** Like isEmpty, and for texts of blanks only and for objects without keys. */
function isBlank(content: unknown): boolean {
  if (typeof content === "string") return content.trim() === "";
  if (Array.isArray(content)) return content.every(isBlank);
  if (!isObject(content)) return content === null || content === undefined;
  return "value" in content ? isBlank(content.value) : Object.keys(content).length === 0;
}

/**
 * What makes two items of an answer equal: uri and start of the name in any form of a location; the name as well for symbols.
 * null for rows whose items do not carry both.
 */
function placeOf(row: Row, item: unknown): string | null {
  if (!row.carries.includes("uri") || !row.carries.includes("range") || !isObject(item)) return null;
  const at = isObject(item.location) ? item.location : item;
  const uri = at.targetUri ?? at.uri;
  const range = at.targetSelectionRange ?? at.selectionRange ?? at.range;
  if (typeof uri !== "string" || !isObject(range)) return null;
  return JSON.stringify([uri, range.start, range.end, item.name, item.kind]);
}

const OUTSIDE = 4;

/** Lower first: 0 to 3 inside the folders, 4 to 7 outside. */
function rankOf(item: unknown, { query, inside }: Search): number {
  if (!isObject(item)) return 7;
  const uri = isObject(item.location) ? item.location.uri : undefined;
  const outside = typeof uri === "string" && inside(uri) ? 0 : OUTSIDE;
  if (query === "") return outside + (types.has(item.kind) ? 0 : 1);
  return outside + (typeof item.name === "string" ? nameRank(item.name, query) : 3);
}

/**
 * 0 the name itself, 1 but for its case, 2 a prefix, 3 the rest. Servers decorate names (`record()`, `(get) size`, `Box.Set`)
 * and queries (`sync#`), and a query may name containers: leaves are compared as well.
 */
function nameRank(name: string, query: string): number {
  const wanted = query.replace(/[#*]+$/, "");
  const pairs = [name, leafOf(name)].flatMap((a) => [wanted, leafOf(wanted)].map((b) => [a, b] as const));
  if (pairs.some(([a, b]) => a === b)) return 0;
  const folded = pairs.map(([a, b]) => [a.toLowerCase(), b.toLowerCase()] as const);
  if (folded.some(([a, b]) => a === b)) return 1;
  return folded.some(([a, b]) => a.startsWith(b)) ? 2 : 3;
}

/** The last segment of a name, without a parameter list behind it or an accessor's mark before it. */
function leafOf(name: string): string {
  const bare = name.replace(/\([^()]*\)$/, "").replace(/^\([a-z]+\) /, "");
  return bare.slice(Math.max(bare.lastIndexOf("."), bare.lastIndexOf(":"), bare.lastIndexOf("#")) + 1) || name;
}
