/**
 * What a language's tag query finds in a tree: declarations and the regions that matter to them, outer before inner, with
 * what the parser lost put back.
 */
import type { Node, Query, QueryMatch, Tree } from "web-tree-sitter";
import { kindNumber, type SymbolKindName } from "../protocol/extensions.ts";
import type { Braced, Defined } from "./braces.ts";
import { type Draft, type Outlining, wordsOf } from "./outlining.ts";

/** Outer before inner, each name once. */
export function regionsIn(
  tree: Tree,
  { text, plain }: { readonly text: string; readonly plain: string },
  query: Query,
  outlining: Outlining,
): readonly Region[] {
  const matched = query.matches(tree.rootNode).flatMap((match) => regionOf(match, text, outlining) ?? []);
  const { recover, macros } = outlining;
  const isLost = tree.rootNode.hasError;
  const mended = recover !== undefined && isLost ? recovered(matched, recover(plain)) : matched;
  const defined = macros !== undefined && isLost ? macros(text).map(macroOf) : [];
  return sorted(stretched([...mended, ...defined], text.length));
}

export interface Found {
  readonly start: number;
  readonly end: number;
  /** Earlier patterns come first where two name the same place. */
  readonly pattern: number;
}
export interface Declaration extends Found {
  readonly is: "declaration";
  readonly draft: Draft;
  readonly block: boolean;
  /** It is around all that follows, up to the next one of its sort. */
  readonly rest: boolean;
  readonly detail: string;
  readonly parameters: readonly string[] | null;
}
export interface Mark extends Found {
  readonly is: "callback" | "anonymous" | "test" | "section" | "package";
  readonly word: string;
}
export type Region = Declaration | Mark;

const marks: ReadonlySet<string> = new Set(["callback", "anonymous", "test", "section", "package"]);

function isMark(name: string): name is Mark["is"] {
  return marks.has(name);
}

function isKind(name: string): name is SymbolKindName {
  return kindNumber(name) !== undefined;
}

function regionOf({ captures, patternIndex: pattern }: QueryMatch, text: string, outlining: Outlining): Region | null {
  const nodes = new Map(captures.map(({ name, node }) => [name, node]));
  for (const [name, node] of nodes) {
    if (isMark(name)) {
      const { startIndex: start, endIndex: end } = node;
      return { is: name, start, end, pattern, word: text.slice(start, end) };
    }
    if (name === "block" || isKind(name)) return declarationOf(name, node, nodes, pattern, text, outlining);
  }
  return null;
}

function declarationOf(
  captured: SymbolKindName | "block",
  node: Node,
  nodes: ReadonlyMap<string, Node>,
  pattern: number,
  text: string,
  outlining: Outlining,
): Declaration | null {
  const name = nodes.get("name") ?? nodes.get("in");
  if (name === undefined) return null;
  const top = grown(node, outlining);
  const around = nodes.get("in");
  const written = {
    kind: captured === "block" ? "object" : captured,
    name: text.slice(name.startIndex, name.endIndex),
    nameStart: name.startIndex,
    nameEnd: name.endIndex,
    scope: around === undefined ? [] : (outlining.scopeOf ?? wordsOf)(text.slice(around.startIndex, around.endIndex)),
    lift: 0,
  } as const;
  const bare = unescaped(written, outlining);
  const draft = outlining.refine === undefined ? bare : outlining.refine(bare, name, top);
  if (draft === null || draft.name === "") return null;
  const params = nodes.get("params");
  return {
    is: "declaration",
    start: Math.min(top.startIndex, draft.nameStart),
    end: Math.max(top.endIndex, draft.nameEnd),
    pattern,
    draft,
    rest: nodes.has("rest"),
    block: captured === "block",
    detail: detailOf(params, nodes.get("returns"), text),
    parameters: params === undefined ? null : parametersOf(params, text),
  };
}

/** The name alone, at its place. */
function unescaped(draft: Draft, { escaped }: Outlining): Draft {
  const [whole = "", name = ""] = escaped?.exec(draft.name) ?? [];
  if (name === "") return draft;
  const nameStart = draft.nameStart + whole.indexOf(name);
  return { ...draft, name, nameStart, nameEnd: nameStart + name.length };
}

function grown(node: Node, { grows }: Outlining): Node {
  let top = node;
  if (grows === undefined) return top;
  for (let outer = top.parent; outer !== null && grows(outer, top); outer = outer.parent) top = outer;
  return top;
}

/** More of a signature than this nobody reads, in UTF-16 units. */
const MAX_DETAIL = 300;

/** In the order in which the language writes them: `int (int s)`, `(k K) V`, `(x: number): string`. */
function detailOf(params: Node | undefined, returns: Node | undefined, text: string): string {
  const [a, b] = [params, returns].flatMap((node) => node ?? []).toSorted((x, y) => x.startIndex - y.startIndex);
  if (a === undefined) return "";
  const plain = text.slice(a.startIndex, a.endIndex);
  // Lua's and Ruby's may stand without brackets.
  const first = a === params && !/^\W/.test(plain) ? `(${plain})` : plain;
  const whole =
    b === undefined
      ? first
      : a === params
        ? first + text.slice(a.endIndex, b.endIndex)
        : `${first} ${text.slice(b.startIndex, b.endIndex)}`;
  return whole.replace(/\s+/g, " ").slice(0, MAX_DETAIL);
}

function parametersOf(params: Node, text: string): readonly string[] {
  return params.namedChildren.flatMap((node) =>
    node === null || node.type.includes("comment") ? [] : [text.slice(node.startIndex, node.endIndex)],
  );
}

function stretched(regions: readonly Region[], end: number): readonly Region[] {
  const starts = regions.flatMap((region) => (region.is === "declaration" && region.rest ? [region.start] : []));
  if (starts.length === 0) return regions;
  return regions.map((region) =>
    region.is === "declaration" && region.rest
      ? { ...region, end: Math.min(...starts.filter((start) => start > region.start), end) }
      : region,
  );
}

/** With the containers that a parser lost, and those that it cut short at their whole length. */
function recovered(regions: readonly Region[], containers: readonly Braced[]): readonly Region[] {
  const byName = new Map(containers.map((one) => [one.nameStart + one.name.lastIndexOf(":") + 1, one]));
  const repeats = new Set(containers.flatMap((one) => one.repeats));
  const known = new Set<number>();
  const own = regions.filter((region) => region.is !== "declaration" || !repeats.has(region.draft.nameStart));
  const mended = own.map((region): Region => {
    const whole = region.is === "declaration" ? byName.get(region.draft.nameStart) : undefined;
    if (region.is !== "declaration" || whole === undefined) return clamped(region, containers);
    known.add(region.draft.nameStart);
    return { ...region, draft: { ...region.draft, kind: whole.kind }, end: whole.end };
  });
  const lost = [...byName].flatMap(([nameStart, one]) => (known.has(nameStart) ? [] : [containerOf(one, nameStart)]));
  return [...mended, ...lost];
}

/** Nothing reaches beyond the container that it begins in. */
function clamped(region: Region, containers: readonly Braced[]): Region {
  const around = containers.findLast(({ start, end }) => start < region.start && region.start < end);
  return around === undefined || region.end <= around.end ? region : { ...region, end: around.end };
}

function containerOf({ kind, name, start, end }: Braced, nameStart: number): Declaration {
  const scope = name.split("::");
  const leaf = scope.pop() ?? "";
  const draft: Draft =
    leaf === ""
      ? { kind, name: "(anonymous namespace)", nameStart, nameEnd: nameStart + "namespace".length, scope: [], lift: 0 }
      : { kind, name: leaf, nameStart, nameEnd: nameStart + leaf.length, scope, lift: 0 };
  return { is: "declaration", start, end, pattern: 0, draft, block: false, rest: false, detail: "", parameters: null };
}

/** Of a macro as its line shows it; what the query found of it counts before this. */
function macroOf({ name, nameStart, start, end, parameters }: Defined): Declaration {
  const kind = parameters === null ? "constant" : "function";
  const draft: Draft = {
    kind,
    name,
    nameStart,
    nameEnd: nameStart + name.length,
    scope: [],
    lift: Number.POSITIVE_INFINITY,
  };
  const list = parameters === null ? null : parameters.split(",").flatMap((one) => one.trim() || []);
  const detail = parameters === null ? "" : `(${parameters})`;
  const pattern = Number.POSITIVE_INFINITY;
  return { is: "declaration", start, end, pattern, draft, block: false, rest: false, detail, parameters: list };
}

/** Outer before inner; each name once. */
function sorted(regions: readonly Region[]): readonly Region[] {
  const named = new Map<number, Declaration>();
  for (const region of regions) {
    if (region.is !== "declaration") continue;
    const other = named.get(region.draft.nameStart);
    if (other === undefined || region.pattern < other.pattern) named.set(region.draft.nameStart, region);
  }
  return regions
    .filter((region) => region.is !== "declaration" || named.get(region.draft.nameStart) === region)
    .toSorted((a, b) => a.start - b.start || b.end - a.end || nameOf(a) - nameOf(b));
}

function nameOf(region: Region): number {
  return region.is === "declaration" ? region.draft.nameStart : -1;
}
