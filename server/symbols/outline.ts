/**
 * The declarations of one file as its server lists them (`textDocument/documentSymbol`, both forms), in one flat list with
 * each one's whole path. Pure.
 */
import {
  type Encoding,
  holds,
  isRange,
  isSamePosition,
  offsetAt,
  type Position,
  type Range,
  type TextLike,
} from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { macroUses } from "../protocol/extensions.ts";
import { normalise, type SymbolName } from "./names.ts";

export interface Declared {
  readonly name: SymbolName;
  /** LSP's number. */
  readonly kind: number;
  readonly detail: string | null;
  /** A variable or parameter of a function: it is addressed through its function. */
  readonly local: boolean;
  /** Of how many other declarations of the file it is a part. */
  readonly depth: number;
  readonly range: Range;
  readonly selectionRange: Range;
}

/** In the order in which they came; what is malformed is left out. */
export function declarations(result: unknown): readonly Declared[] {
  if (!Array.isArray(result)) return [];
  const list: Declared[] = [];
  const enclosing: Enclosing[] = [];
  for (const item of inOrder(result.filter(isObject))) {
    if (isObject(item.location)) flat(item, item.location.range, enclosing, list);
    else nested(item, [], false, list);
  }
  return list;
}

/** What a flat list has comes in any order (pylsp: a class's members before what is in them): the outer before the inner. */
function inOrder(items: readonly Item[]): readonly Item[] {
  const rangeIn = ({ location }: Item): Range | null =>
    isObject(location) && isRange(location.range) ? location.range : null;
  return items.toSorted((one, other) => {
    const [a, b] = [rangeIn(one), rangeIn(other)];
    if (a === null || b === null) return 0;
    return order(a.start, b.start) || order(b.end, a.end);
  });
}

function order(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

type Item = { readonly [key: string]: unknown };

/** LSP's variable and constant. */
const variables: ReadonlySet<number> = new Set([13, 14]);
/** Method, constructor, function; property, field, variable, constant: what has variables in it is a function as well. */
const functions: ReadonlySet<number> = new Set([6, 9, 12, 7, 8, 13, 14]);
/** Property and field: of a class, also where they are first written in one of its methods. */
const members: ReadonlySet<number> = new Set([7, 8]);

/** What servers of TypeScript call a function without a name: `map() callback`, `<function>`. */
export function isPseudonym(name: string): boolean {
  return /\) callback$|^<\w+>$/.test(name);
}

/** Module and namespace. */
const namespaces: ReadonlySet<number> = new Set([2, 3]);

function nested(item: Item, around: readonly string[], inFunction: boolean, list: Declared[]): void {
  const { name, kind, detail, range, selectionRange, children } = item;
  if (typeof name !== "string" || typeof kind !== "number" || !isRange(range) || !isRange(selectionRange)) return;
  const isStandIn = isPseudonym(name) || macroUses.includes(kind);
  if (isStandIn && Array.isArray(children) && children.length > 0) {
    // A callback, or a macro's use with what is born there: no declaration itself, and around nothing.
    const inside = inFunction || functions.has(kind);
    for (const child of children) if (isObject(child)) nested(child, around, inside, list);
    return;
  }
  if (isPseudonym(name)) return;
  const own = normalise(name, around);
  if (namespaces.has(kind)) list.push(...dotted(own, around, { kind, range, selectionRange }));
  list.push({
    name: own,
    kind,
    detail: typeof detail === "string" && detail !== "" ? detail : null,
    local: inFunction && variables.has(kind),
    depth: around.length,
    range,
    selectionRange,
  });
  if (!Array.isArray(children)) return;
  const inside = functions.has(kind);
  for (const child of children) if (isObject(child)) nested(child, [...around, name], inside, list);
}

/** The namespaces around the last one of `namespace Geo.Inner`, which one item stands for. */
function dotted(
  { containers, front }: SymbolName,
  around: readonly string[],
  at: Pick<Declared, "kind" | "range" | "selectionRange">,
): readonly Declared[] {
  const outside = normalise("", around).containers.length;
  return containers.slice(outside).map((leaf, i) => ({
    ...at,
    name: { leaf, containers: containers.slice(0, outside + i), front },
    detail: null,
    local: false,
    depth: around.length,
  }));
}

/** What a flat list has around the item that comes next. */
interface Enclosing {
  readonly name: string;
  readonly kind: number;
  readonly range: Range;
}

/** A SymbolInformation lies in those before it that it names as its container, or whose ranges hold its own and more. */
function flat(item: Item, range: unknown, enclosing: Enclosing[], list: Declared[]): void {
  const { name, kind, containerName } = item;
  if (typeof name !== "string" || typeof kind !== "number" || !isRange(range)) return;
  const isOutside = (one: Enclosing | undefined): boolean =>
    one !== undefined && one.name !== containerName && (isSame(one.range, range) || !encloses(one.range, range));
  while (isOutside(enclosing.at(-1))) enclosing.pop();
  const owner = members.has(kind) ? enclosing.findLastIndex((one) => !functions.has(one.kind)) : -1;
  const around = (owner < 0 ? enclosing : enclosing.slice(0, owner + 1)).map((one) => one.name);
  const selectionRange = { start: range.start, end: range.start };
  list.push({
    name: normalise(name, around),
    kind,
    detail: null,
    local: variables.has(kind) && enclosing.some((one) => functions.has(one.kind)),
    depth: around.length,
    range,
    selectionRange,
  });
  enclosing.push({ name, kind, range });
}

function encloses(outer: Range, inner: Range): boolean {
  return holds(outer, inner.start) && holds(outer, inner.end);
}

function isSame(a: Range, b: Range): boolean {
  return isSamePosition(a.start, b.start) && isSamePosition(a.end, b.end);
}

/** What is written before a declaration that is compiled for tests only, by language. */
const testMarks: Readonly<Record<string, RegExp>> = {
  rust: /#\[\s*cfg\s*\(\s*(?:all\s*\((?:(?!\bnot\b)[^\]])*)?\btest\b/,
};

/** Whether what lies in a range, or something around it, is marked as code for tests (contract section 1, `test`). */
export function isTestCode(
  language: string,
  { string, lines }: TextLike,
  outline: readonly Declared[],
  range: Range,
  encoding: Encoding,
): boolean {
  const mark = testMarks[language];
  if (mark === undefined) return false;
  const at = (position: Position): number => offsetAt(string, lines, position, encoding);
  return outline.some((entry) => {
    const { start } = entry.range;
    return encloses(entry.range, range) && mark.test(string.slice(at(start), at(entry.selectionRange.start)));
  });
}
