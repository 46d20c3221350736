/**
 * The rule "completion": the items of all servers in one list (LSP 3.18, CompletionList). It is incomplete if any is. The
 * defaults of a list hold for its own items only, so they are written into these where there is more than one list. An item
 * that is equal in all to one before it, its `data` included, is left out; others of one label stay, for they differ in what
 * their servers know of them.
 */

import { isObject } from "../settings.ts";
import { wholeOf, withoutEquals } from "./same.ts";

interface Answered {
  readonly result: unknown;
}

/** null where no server has answered with a list. */
export function completion(answers: readonly Answered[]): unknown {
  const lists = answers.map(({ result }) => result).filter(isList);
  const full = lists.filter((list) => itemsIn(list).length > 0);
  const isIncomplete = lists.some(isIncompleteList);
  const [only] = full.length === 0 ? lists : full;
  if (only === undefined) return null;
  if (full.length <= 1) return isIncomplete === isIncompleteList(only) ? only : { ...withItems(only), isIncomplete };
  return { isIncomplete, items: withoutEquals(full.flatMap(expandedItems), wholeOf) };
}

/** Whether a server asks to be asked again when the user goes on typing. */
export function isIncompleteList(result: unknown): boolean {
  return isObject(result) && result.isIncomplete === true;
}

/** The items with the defaults of their list in them. */
export function expandedItems(result: unknown): readonly unknown[] {
  const items = itemsIn(result);
  const defaults = isObject(result) && isObject(result.itemDefaults) ? result.itemDefaults : null;
  if (defaults === null) return items;
  const apply = isObject(result) && isObject(result.applyKind) ? result.applyKind : {};
  return items.map((item) => (isObject(item) ? expanded(item, defaults, apply) : item));
}

type Fields = { readonly [key: string]: unknown };

/** LSP 3.18, CompletionItemDefaults and CompletionItemApplyKinds: 2 merges where 1, the default, replaces. */
function expanded(item: Fields, defaults: Fields, apply: Fields): Fields {
  const { editRange, commitCharacters, data, insertTextFormat, insertTextMode } = defaults;
  const plain = { insertTextFormat, insertTextMode, commitCharacters, data };
  const missing = Object.entries(plain).filter(([key, value]) => value !== undefined && item[key] === undefined);
  const whole: Record<string, unknown> = { ...item, ...Object.fromEntries(missing) };
  if (apply.commitCharacters === MERGE && Array.isArray(commitCharacters) && Array.isArray(item.commitCharacters))
    whole.commitCharacters = [...new Set([...commitCharacters, ...item.commitCharacters])];
  if (editRange === undefined || item.textEdit !== undefined) return whole;
  const { textEditText, ...rest } = whole;
  const newText = textEditText ?? item.insertText ?? item.label;
  const edit = isObject(editRange) && "insert" in editRange ? { ...editRange, newText } : { range: editRange, newText };
  return { ...rest, textEdit: edit };
}

const MERGE = 2;

function isList(result: unknown): boolean {
  return Array.isArray(result) || (isObject(result) && Array.isArray(result.items));
}

function itemsIn(result: unknown): readonly unknown[] {
  const items = isObject(result) ? result.items : result;
  return Array.isArray(items) ? items : [];
}

function withItems(list: unknown): Fields {
  return isObject(list) ? list : { items: list };
}
