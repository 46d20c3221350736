/**
 * From a syntax tree to the declarations of its file: nests what the query found (`regions.ts`) by range, and says of each
 * what contains it, whether it is local, and who may use it. Which nodes are declarations stands in `outlines/`.
 */
import type { Query, Tree } from "web-tree-sitter";
import { linesOf, positionAt, type Range } from "../core/positions.ts";
import type { SymbolKindName } from "../protocol/extensions.ts";
import { type Access, type Draft, type Outlining, wordsOf } from "./outlining.ts";
import { type Found, type Region, regionsIn } from "./regions.ts";

/** A declaration; plain data, for it crosses threads. */
export interface Outlined {
  readonly name: string;
  readonly kind: SymbolKindName;
  /** Only around its children: a Rust `impl`, a Swift `extension`. `scope` is what its children are in. */
  readonly block: boolean;
  /** Containers written in the declaration itself, below those around it. */
  readonly scope: readonly string[];
  /** 0-based, in UTF-16 units. */
  readonly range: Range;
  /** Its name. */
  readonly selectionRange: Range;
  /** Parameters and type, in one line; "" where there is nothing to say. */
  readonly detail: string;
  readonly parameters: readonly string[] | null;
  readonly access: Access;
  /** Declared in a function. */
  readonly local: boolean;
  /** In code that is compiled for tests only. */
  readonly test: boolean;
  readonly children: readonly Outlined[];
}

export interface FileOutline {
  /** What the file says it is a part of, outermost first: a Go or Java package. */
  readonly package: readonly string[];
  readonly symbols: readonly Outlined[];
  /** Found by the look of node types, for a language that we have no table of. */
  readonly generic: boolean;
  /** The file says of itself that a program has made it. */
  readonly generated: boolean;
}

/** Kinds of declarations that make what is in them local, and those that have members. */
const functions: ReadonlySet<string> = new Set(["function", "method", "constructor"]);
const variables: ReadonlySet<string> = new Set(["variable", "constant", "field", "property"]);
const types: ReadonlySet<string> = new Set(["class", "struct", "interface", "enum", "enumMember", "object"]);

/**
 * @param plain the text as it was parsed: with blanks for what the grammar cannot read
 * @param query `outlining.query`, made for the tree's language
 */
export function outlineOf(
  tree: Tree,
  { text, plain }: { readonly text: string; readonly plain: string },
  query: Query,
  outlining: Outlining,
  generic: boolean,
): FileOutline {
  const found = regionsIn(tree, { text, plain }, query, outlining);
  const lines = linesOf(text);
  const range = (start: number, end: number): Range => ({
    start: positionAt(text, lines, start, "utf-16"),
    end: positionAt(text, lines, end, "utf-16"),
  });
  const root = scopeFor(null, 0, Number.POSITIVE_INFINITY);
  const stack: Scope[] = [root];
  for (const region of found) {
    while (stack.length > 1 && !holds(stack.at(-1), region)) stack.pop();
    const around = stack.at(-1) ?? root;
    if (region.is === "section") around.owner.section = region.word;
    if (region.is !== "declaration") {
      if (region.is !== "section") stack.push(scopeWithin(around, region));
      continue;
    }
    const { draft } = region;
    const owner = lifted(around.owner, draft.lift);
    const local = draft.lift > 0 ? owner.local : around.local;
    const kind = local && draft.kind === "property" ? "variable" : kindIn(draft, owner, outlining);
    if (outlining.rebinds && variables.has(kind) && kind !== "property" && owner.names.has(draft.name)) continue;
    owner.names.add(draft.name);
    const children: Outlined[] = [];
    owner.list.push({
      name: draft.name,
      kind,
      block: region.block,
      scope: draft.scope,
      range: range(region.start, region.end),
      selectionRange: range(draft.nameStart, draft.nameEnd),
      detail: region.detail,
      parameters: region.parameters,
      access:
        outlining.access?.({
          name: draft.name,
          kind,
          head: text.slice(region.start, draft.nameStart),
          inside: owner.inside,
          section: owner.section,
        }) ?? "public",
      local,
      test: around.test,
      children,
    });
    stack.push(scopeWithin(around, region, children, kind));
  }
  const [name] = found.flatMap((region) => (region.is === "package" ? [region.word] : []));
  const around = name === undefined ? [] : wordsOf(name);
  return { package: around, symbols: root.owner.list, generic, generated: isGenerated(text) };
}

/** Contract section 1: what says so in its first lines. */
function isGenerated(text: string): boolean {
  return /Code generated .* DO NOT EDIT|@generated/.test(text.split("\n", GENERATED_LINES).join("\n"));
}

const GENERATED_LINES = 20;

// ---- What is around what ---------------------------------------------------------------------------------------------

/** A declaration, or the file, as a container of others. */
interface Owner {
  readonly list: Outlined[];
  readonly names: Set<string>;
  readonly name: string;
  readonly inside: SymbolKindName | "block" | null;
  readonly local: boolean;
  readonly outer: Owner | null;
  section: string;
}

interface Scope {
  readonly owner: Owner;
  readonly start: number;
  readonly end: number;
  readonly local: boolean;
  readonly test: boolean;
  /** A declaration's region holds only what is smaller: two names of one declaration stand side by side. */
  readonly strict: boolean;
}

function scopeFor(outer: Owner | null, start: number, end: number): Scope {
  const owner: Owner = { list: [], names: new Set(), name: "", inside: null, local: false, outer, section: "" };
  return { owner, start, end, local: false, test: false, strict: false };
}

function scopeWithin(around: Scope, region: Region, list?: Outlined[], kind?: SymbolKindName): Scope {
  const { start, end } = region;
  if (region.is !== "declaration" || list === undefined || kind === undefined) {
    const isCallback = region.is === "callback";
    const local = isCallback || (around.local && region.is !== "anonymous");
    // What is in a callback is in the function around it, not in the variable that gets what the callback is passed to.
    const owner = isCallback ? withoutVariables(around.owner) : around.owner;
    return { ...around, owner, start, end, local, test: around.test || region.is === "test", strict: false };
  }
  const local = functions.has(kind) || (around.local && !types.has(kind));
  const inside = region.block ? "block" : kind;
  const { name } = region.draft;
  const owner: Owner = { list, names: new Set(), name, inside, local: around.local, outer: around.owner, section: "" };
  return { owner, start, end, local, test: around.test, strict: true };
}

function holds(scope: Scope | undefined, { start, end }: Found): boolean {
  if (scope === undefined || start < scope.start || end > scope.end) return false;
  return !scope.strict || start > scope.start || end < scope.end;
}

function withoutVariables(owner: Owner): Owner {
  let found = owner;
  while (found.outer !== null && found.inside !== null && variables.has(found.inside)) found = found.outer;
  return found;
}

function lifted(owner: Owner, steps: number): Owner {
  let found = owner;
  for (let left = steps; left > 0 && found.outer !== null; left--) found = found.outer;
  return found;
}

function kindIn({ kind, name, scope }: Draft, { inside, name: around }: Owner, outlining: Outlining): SymbolKindName {
  const isMember = inside !== null && (inside === "block" || types.has(inside));
  const own = !outlining.members || !isMember ? kind : (memberKinds.get(kind) ?? kind);
  return outlining.namesakes && own === "method" && name === (scope.at(-1) ?? around) ? "constructor" : own;
}

const memberKinds: ReadonlyMap<SymbolKindName, SymbolKindName> = new Map([
  ["function", "method"],
  ["variable", "field"],
]);
