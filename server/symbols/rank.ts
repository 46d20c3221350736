/**
 * Which of the confirmed symbols an address means, in what order, and what to say when it means several. Pure: the score
 * and the order are contract section 1's.
 */

import type { Range } from "../core/positions.ts";
import type { Candidate, SymbolKindName } from "../protocol/extensions.ts";
import { type Address, parseAddress } from "./address.ts";
import { type KeyParts, keyOf } from "./key.ts";
import { type Match, matches, narrow, spellingOf } from "./names.ts";
import { isHinted, type Where } from "./paths.ts";
import type { Question } from "./question.ts";

/** A confirmed symbol with what ranking needs. */
export interface Placed {
  /** The name; not the path before it. */
  readonly leaf: string;
  readonly containers: readonly string[];
  /** Accepted before the containers. */
  readonly front: readonly string[];
  /** Other modules that hand it on, each accepted before the containers as well. */
  readonly aliases?: readonly (readonly string[])[];
  readonly parameters: readonly string[] | undefined;
  readonly arity: number | undefined;
  /** Between segments in its language. */
  readonly separator: string;
  readonly kind: number;
  readonly kindName: SymbolKindName;
  readonly role: "definition" | "declaration";
  readonly language: string;
  readonly where: Where;
  /** A variable of a function or a callback. */
  readonly local: boolean;
  /** Code of tests, by its path or by what is written around it. */
  readonly test: boolean;
  readonly location: Candidate["location"];
}

export interface Ranked<S extends Placed = Placed> {
  readonly symbol: S;
  readonly score: number;
  readonly symbolKey: string;
}

/** Contract section 1, "Match and score", beside what the name gives. */
const scores = { path: 30, definition: 10, noTest: 5, external: -40 } as const;

/** Those that the question means, best first. */
export function rank<S extends Placed>(question: Question, symbols: readonly S[]): readonly Ranked<S>[] {
  const { address, key } = question;
  const keys = keysOf(symbols);
  const meant = symbols.filter((symbol) => {
    if (question.kinds !== null && !question.kinds.has(symbol.kind)) return false;
    if (question.languages !== null && !question.languages.includes(symbol.language)) return false;
    if (!question.inside.lets(symbol.where)) return false;
    if (key !== null) return keys.get(symbol) === keyOf(key);
    return matchOf(address, symbol, question) !== null;
  });
  const overloads = narrow(address, ofClasses(meant), (symbol) => symbol.parameters);
  const numbered =
    address.index === undefined ? overloads : overloads.toSorted(byPlace).slice(address.index).slice(0, 1);
  return numbered
    .map((symbol) => ({ symbol, score: scoreOf(question, symbol), symbolKey: keys.get(symbol) ?? "" }))
    .toSorted((a, b) => b.score - a.score || byPlace(a.symbol, b.symbol));
}

/** `Box.size` is the class's, not a variable of its constructor, whose own address is `Box.Box.size`. */
function ofClasses<S extends Placed>(meant: readonly S[]): readonly S[] {
  const others = meant.filter(({ local, containers }) => !local || containers.at(-1) !== containers.at(-2));
  return others.length > 0 ? others : meant;
}

function matchOf(address: Address, symbol: Placed, question: Pick<Question, "match">): Match | null {
  const arity = symbol.arity ?? symbol.parameters?.length;
  const spelling = spellingOf(symbol.language);
  const options = { match: question.match, spelling, ...(arity !== undefined && { arity }) };
  for (const front of [symbol.front, ...(symbol.aliases ?? [])]) {
    const found = matches(address, pathOf(symbol), { ...options, front });
    if (found !== null) return found;
  }
  return null;
}

function scoreOf(question: Question, symbol: Placed): number {
  const { where } = symbol;
  let score = matchOf(question.address, symbol, question)?.score ?? 0;
  if (question.path !== null && isHinted(question.path, where)) score += scores.path;
  if (symbol.role === "definition") score += scores.definition;
  if (!symbol.test) score += scores.noTest;
  if (where.path === null) score += scores.external;
  return score;
}

/** The containers and the name. */
export function pathOf(symbol: Placed): readonly string[] {
  return [...symbol.containers, symbol.leaf];
}

/** The containers and the name as the language writes them. */
export function qualifiedName(symbol: Placed): string {
  return pathOf(symbol).join(symbol.separator);
}

function byPlace(a: Placed, b: Placed): number {
  return comparePaths(a.where, b.where) || compareRanges(a.location.selectionRange, b.location.selectionRange);
}

function comparePaths(a: Where, b: Where): number {
  const [left, right] = [a.path ?? a.absolute, b.path ?? b.absolute];
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareRanges(a: Range, b: Range): number {
  return a.start.line - b.start.line || a.start.character - b.start.character;
}

function keysOf<S extends Placed>(symbols: readonly S[]): ReadonlyMap<S, string> {
  const counts = new Map<string, number>();
  const keys = new Map<S, string>();
  for (const symbol of symbols.toSorted(byPlace)) {
    const parts: KeyParts = { path: symbol.where.path ?? symbol.location.uri, segments: pathOf(symbol), nth: 0 };
    const first = keyOf(parts);
    const nth = counts.get(first) ?? 0;
    counts.set(first, nth + 1);
    keys.set(symbol, nth === 0 ? first : keyOf({ ...parts, nth }));
  }
  return keys;
}

/**
 * The one that `unique` means, or the several that share the highest score. Declarations of a listed definition are set
 * aside, and variables of callbacks where anything else is meant.
 */
export function best<S extends Placed>(ranked: readonly Ranked<S>[]): readonly Ranked<S>[] {
  const top = ranked.filter(({ score }) => score === ranked[0]?.score);
  const defined = new Set(
    ranked.flatMap(({ symbol }) => (symbol.role === "definition" ? [qualifiedName(symbol)] : [])),
  );
  const rest = top.filter(({ symbol }) => symbol.role === "definition" || !defined.has(qualifiedName(symbol)));
  const outer = rest.filter(({ symbol }) => !symbol.local);
  return [outer, rest, top].find((some) => some.length > 0) ?? [];
}

/** Those that share the highest score, each with the shortest address that means it alone. */
export function candidatesOf(top: readonly Ranked[], question: Question): Candidate[] {
  const symbols = top.map(({ symbol }) => symbol);
  return top.map(({ symbol, symbolKey }) => ({
    qualifiedName: qualifiedName(symbol),
    kindName: symbol.kindName,
    location: symbol.location,
    hint: addressesOf(symbol, symbols).find((text) => meansAlone(text, symbol, symbols, question)) ?? symbolKey,
  }));
}

/** Addresses of a symbol, from the shortest on. */
function addressesOf(symbol: Placed, among: readonly Placed[]): readonly string[] {
  const path = pathOf(symbol);
  const joined = (segments: readonly string[]): string => segments.map(quoted).join(symbol.separator);
  const tails = path.map((_, i) => joined(path.slice(path.length - 1 - i)));
  const fronts = symbol.front.map((_, i) => joined([...symbol.front.slice(symbol.front.length - 1 - i), ...path]));
  const whole = joined(path);
  const typed = symbol.parameters === undefined ? [] : [`${whole}(${symbol.parameters.join(", ")})`];
  const same = among.filter((other) => qualifiedName(other) === qualifiedName(symbol)).toSorted(byPlace);
  return [...tails, ...fronts, ...typed, `${whole}[${same.indexOf(symbol)}]`];
}

/** A segment that is no plain name goes between backticks. */
function quoted(segment: string): string {
  const parsed = parseAddress(segment);
  const isPlain = parsed.ok && parsed.address.segments.length === 1 && parsed.address.segments[0] === segment;
  return isPlain ? segment : `\`${segment}\``;
}

function meansAlone(text: string, symbol: Placed, among: readonly Placed[], question: Question): boolean {
  const parsed = parseAddress(text);
  if (!parsed.ok) return false;
  const [first, second] = rank({ ...question, address: parsed.address, key: null }, among);
  return first?.symbol === symbol && first.score !== second?.score;
}
