/**
 * The answers of several backends made into one, by the rule that the row names (design: no generic deep merge).
 * Pure: the legs that count and their rank order are the caller's business, positions are the client's already. Rules that
 * take more than a few lines have files of their own (`merge-*.ts`); pulled diagnostics, which are kept, are `reports.ts`'s.
 */
import type { MergeRule, Row } from "../protocol/methods.ts";
import { codeActions } from "./merge/actions.ts";
import { completion } from "./merge/completion.ts";
import { textEdits, workspaceEdits } from "./merge/edits.ts";
import { joinHover } from "./merge/hover.ts";
import { shownOf, stable, withoutEquals } from "./merge/same.ts";
import { type Search, symbols } from "./merge/symbols.ts";
import { isObject } from "./settings.ts";

export type { Search };

export interface Answer<B = unknown> {
  readonly backend: B;
  /** Parsed result; null where the backend had none. */
  readonly result: unknown;
}

/** What of the question a rule may depend on. */
export interface About {
  /** Of rows of the rule "symbols"; without it they keep the order in which they came. */
  readonly search?: Search;
  /** The kinds of code action that are wanted; absent: all. */
  readonly only?: readonly string[];
  /** What makes two spellings of a document one. Absent: the spelling. */
  readonly keyOf?: (uri: string) => string;
}

/** One result from answers in rank order. `row.empty` where no answer has anything in it. */
export function merge(row: Row, answers: readonly Answer[], about: About = {}): unknown {
  return rules[row.merge](row, answers, about);
}

/** The first answer with something in it, in rank order; else the first that is at least no null. */
export function firstOf<A extends Answer>(answers: readonly A[]): A | undefined {
  return answers.find(({ result }) => !isEmpty(result)) ?? answers.find(({ result }) => isPresent(result));
}

/** Whether a result says nothing: null, an empty list, or an object whose list or text is empty. */
export function isEmpty(result: unknown): boolean {
  if (result === null || result === undefined) return true;
  if (typeof result === "string" || Array.isArray(result)) return result.length === 0;
  if (!isObject(result)) return false;
  const present = contentKeys.filter((key) => Object.hasOwn(result, key));
  return present.length > 0 && present.every((key) => isBlank(result[key]));
}

type Rule = (row: Row, answers: readonly Answer[], about: About) => unknown;

const first: Rule = (row, answers) => firstOf(answers)?.result ?? row.empty;

/** The first answer, whatever it is: a null means that there is nothing to do. */
const firstCapable: Rule = (row, answers) => answers[0]?.result ?? row.empty;

/** Made of the answers with something in them, as they are where that is only one: what a server repeats is its own business. */
function ofFull(join: (results: readonly unknown[], about: About) => unknown): Rule {
  return (row, answers, about) => {
    const full = answers.map(({ result }) => result).filter((result) => !isEmpty(result));
    if (full.length === 1) return full[0];
    return full.length === 0 ? first(row, answers, about) : join(full, about);
  };
}

/** Lists one after the other, without the second of two items that show the same. */
const append = ofFull((results) => withoutEquals(results.flatMap(itemsOf), shownOf));

/** Likewise of places and of items that name one: a place is the same in whichever form it is told. */
const locations = ofFull((results, { keyOf = (uri) => uri }) => {
  const items = withoutEquals(results.flatMap(itemsOf), (item) => placeOf(item, keyOf));
  // A list is of one kind (LSP 3.18, Definition: `Location[] | LocationLink[]`).
  return items.some(isLink) ? items.map(asLink) : items;
});

const rules: Readonly<Record<MergeRule, Rule>> = {
  none: firstCapable,
  first,
  accepts: first,
  firstCapable,
  append,
  locations,
  symbols: (_row, answers, { search }) => symbols(answers, search),
  completion: (row, answers) => completion(answers) ?? row.empty,
  joinHover: ofFull(joinHover),
  codeActions: (row, answers, about) => codeActions(answers, about.only) ?? first(row, answers, about),
  rename: first,
  edits: ofFull(workspaceEdits),
  textEdits: ofFull(textEdits),
  tokens: first,
  diagnostics: first,
};

/** The items of a list, of an InlineCompletionList, or the one item. */
export function itemsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  if (isObject(result) && Array.isArray(result.items)) return result.items;
  return [result];
}

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

/** Uri and range of the name in any form of a location; the name as well, of hierarchy items. null for anything else. */
function placeOf(item: unknown, keyOf: (uri: string) => string): string | null {
  if (!isObject(item)) return null;
  const uri = item.targetUri ?? item.uri;
  const range = item.targetSelectionRange ?? item.selectionRange ?? item.range;
  if (typeof uri !== "string" || !isObject(range)) return null;
  return stable([keyOf(uri), range.start, range.end, item.name, item.kind]);
}

function isLink(item: unknown): boolean {
  return isObject(item) && "targetUri" in item;
}

function asLink(item: unknown): unknown {
  if (!isObject(item) || isLink(item) || !("uri" in item)) return item;
  return { targetUri: item.uri, targetRange: item.range, targetSelectionRange: item.range };
}
