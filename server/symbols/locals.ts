/**
 * Locals that no list and no outline shows, addressed through their function (`use.b`): the function is in the outline, the
 * name is written in it, and the server itself says that its definition is right there.
 */
import {
  type Encoding,
  holds,
  isSamePosition,
  offsetAt,
  type Position,
  positionAt,
  type Range,
} from "../core/positions.ts";
import { M } from "../protocol/methods.ts";
import { holdsWord, nameAt } from "./candidates.ts";
import { locationOf } from "./extras.ts";
import { ask, type Inquiry, outlineOf, type Seen, serverOf } from "./inquiry.ts";
import { inPackage, type Known, knownOf } from "./lists.ts";
import { matches } from "./names.ts";
import type { Declared } from "./outline.ts";

/** So many files and places in a function are tried. */
const MAX_FILES = 16;
const MAX_PLACES = 16;
/** LSP's method, constructor, function; a local is a variable. */
const functions: ReadonlySet<number> = new Set([6, 9, 12]);
const VARIABLE = 13;
/** LSP's property, field, variable, constant. */
const variables: ReadonlySet<number> = new Set([7, 8, VARIABLE, 14]);

/** Empty for an address that names nothing around, and where nothing of the sort is found. */
export async function localsOf(inquiry: Inquiry, files: readonly Seen[]): Promise<readonly Known[]> {
  const { address, match } = inquiry.question;
  const segments = address.segments.slice(0, -1);
  if (segments.length === 0 || match !== "exact" || inquiry.question.key !== null) return [];
  const around = { segments, absolute: address.absolute };
  const found: Known[] = [];
  for (const text of files.slice(0, MAX_FILES)) {
    if (segments.some((segment) => !holdsWord(text.text.string, segment, false))) continue;
    const outline = await outlineOf(inquiry, text.uri, inquiry.until);
    for (const entry of outline ?? []) {
      const name = inPackage(inquiry, text, entry.name);
      if (
        !isFunction(entry, text, inquiry.client.encoding) ||
        matches(around, [...name.containers, name.leaf]) === null
      )
        continue;
      const local = await localIn(inquiry, text, { ...entry, name }, outline);
      if (local !== null) found.push(local);
    }
  }
  return found;
}

async function localIn(
  inquiry: Inquiry,
  text: Seen,
  entry: Declared,
  outline: readonly Declared[] | null,
): Promise<Known | null> {
  const backend = serverOf(inquiry, text.uri, text.key);
  if (backend === undefined) return null;
  const { leaf } = inquiry.question;
  const { encoding } = inquiry.client;
  for (const position of placesIn(inquiry, text, entry.range)) {
    const asked = { textDocument: { uri: text.uri }, position };
    const reply = await ask(inquiry, backend, M.definition, asked);
    const range = "error" in reply ? null : targetIn(inquiry, reply.result, text, entry.range);
    const named = range === null ? null : nameAt(text.text, range.start, leaf, encoding);
    const isInner = (other: Declared): boolean =>
      named !== null && isBetween(other, entry, named.start) && isFunction(other, text, encoding);
    if (named === null || outline?.some(isInner)) continue;
    const { front, containers } = entry.name;
    const name = { leaf, containers: [...containers, entry.name.leaf], front };
    const one = { name, kind: VARIABLE, detail: null, local: true, range: named, selectionRange: named };
    return knownOf(inquiry, backend, text, one, outline);
  }
  return null;
}

/** A variable with a function for its value is one. */
const valued =
  /^\s*(?::[^=;{]*)?=\s*(?:async\s+)?(?:function\b|(?:<[^()]*>)?\((?:[^()]|\([^()]*\))*\)\s*(?::[^=;{]*)?=>|[\w$]+\s*=>)/;
/** So much is looked at behind its name, in UTF-16 units. */
const MAX_HEAD = 500;

function isFunction({ kind, selectionRange }: Declared, { text }: Seen, encoding: Encoding): boolean {
  if (functions.has(kind)) return true;
  const at = offsetAt(text.string, text.lines, selectionRange.end, encoding);
  return variables.has(kind) && valued.test(text.string.slice(at, at + MAX_HEAD));
}

/** Whether a place is in another function within one: a local is addressed through the innermost. */
function isBetween(other: Declared, { depth, range }: Declared, place: Position): boolean {
  if (other.depth <= depth || !holds(range, other.range.start) || !holds(other.range, place)) return false;
  return !isSamePosition(other.selectionRange.start, place);
}

/** Where a name is written in a range, the first places. */
function placesIn({ question, client }: Inquiry, { text }: Seen, range: Range): readonly Position[] {
  const { string, lines } = text;
  const end = offsetAt(string, lines, range.end, client.encoding);
  const places: Position[] = [];
  let at = string.indexOf(question.leaf, offsetAt(string, lines, range.start, client.encoding));
  for (; at >= 0 && at < end && places.length < MAX_PLACES; at = string.indexOf(question.leaf, at + 1)) {
    const position = positionAt(string, lines, at, client.encoding);
    if (nameAt(text, position, question.leaf, client.encoding) !== null) places.push(position);
  }
  return places;
}

/** The target of a definition that lies in a range of the same file; Location and LocationLink alike. */
function targetIn({ mux }: Inquiry, result: unknown, { key }: Seen, inside: Range): Range | null {
  const items: readonly unknown[] = Array.isArray(result) ? result : [result];
  for (const item of items) {
    const target = locationOf(item);
    if (target === null || mux.documents.keyOf(target.uri) !== key) continue;
    const { line } = target.range.start;
    if (line >= inside.start.line && line <= inside.end.line) return target.range;
  }
  return null;
}
