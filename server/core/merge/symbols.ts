/** The rule "symbols": the lists of `workspace/symbol` as one, each symbol once, ranked (contract, top). Pure. */
import type { Answer } from "../merge.ts";
import { isObject } from "../settings.ts";

/** What the order of workspace symbols depends on. */
export interface Search {
  readonly query: string;
  /** Whether a place lies in one of the asker's folders. */
  readonly inside: (uri: string) => boolean;
}

/** An empty query asks for a project's main symbols: types first, this many at most (contract, top). */
const MOST_OF_ALL = 200;

/** LSP's class, enum, interface and struct. */
const types: ReadonlySet<unknown> = new Set([5, 10, 11, 23]);

/** All symbols, an array always: the folders before anything outside, in each exact before prefix before the rest. */
export function symbols(answers: readonly Answer[], search: Search | undefined): unknown {
  const items = united(answers);
  if (!search) return items;
  const ranks = new Map(items.map((item) => [item, rankOf(item, search)]));
  const ranked = items.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  if (search.query !== "") return ranked;
  const own = ranked.filter((item) => (ranks.get(item) ?? 0) < OUTSIDE);
  return (own.length > 0 ? own : ranked).slice(0, MOST_OF_ALL);
}

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
