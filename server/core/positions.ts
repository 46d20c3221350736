/**
 * Places in a text: lines, the three position encodings, edits, and where a place of one text lies in another text of
 * the same document. Pure functions over strings. Who holds which text is for `documents.ts`; finding the positions
 * inside a message is for `convert.ts`.
 *
 * Rules (LSP 3.18, "Text Documents", "Position"): a line ends at \r\n, \n or \r; a character past the end of its line
 * means the end of the line, before its terminator; a line past the last one means the end of the text. Offsets are
 * 0-based UTF-16 code units of a JavaScript string. A lone surrogate counts as the U+FFFD that it becomes on the way:
 * one unit in UTF-16 and UTF-32, three in UTF-8.
 */
import { advance, commonPrefix, commonSuffix, measure, splits, terminator } from "./documents/units.ts";

/** LSP's PositionEncodingKind: what `character` counts. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** LSP's TextDocumentContentChangeEvent: without a range, `text` is the whole document. `rangeLength` is not read. */
export interface Change {
  readonly range?: Range;
  readonly text: string;
}

/** The changes of one didChange. */
export interface Step {
  readonly changes: readonly Change[];
  readonly encoding: Encoding;
}

/** Offset of the first character of every line; the first is 0, so that there is always one. */
export type Lines = readonly number[];

/** A text with the index of its lines. */
export interface TextLike {
  readonly string: string;
  readonly lines: Lines;
}

/** `text` in place of [start, end), offsets of the text before. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Which end of a range a position is. It matters only where text was inserted just there: the start of a range goes
 * behind the insertion and its end stays before it, so that the range keeps holding what it held.
 */
export type Side = "start" | "end";

export type Mapper = (position: Position, side?: Side) => Position;

/** The index of a text's lines. O(n); two native searches, the one for \r only once where the text has none. */
export function linesOf(text: string): Lines {
  const starts = [0];
  let lf = text.indexOf("\n");
  let cr = text.indexOf("\r");
  while (lf !== -1 || cr !== -1) {
    const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
    const next = end === cr && lf === cr + 1 ? lf + 1 : end + 1;
    starts.push(next);
    if (lf !== -1 && lf < next) lf = text.indexOf("\n", next);
    if (cr !== -1 && cr < next) cr = text.indexOf("\r", next);
  }
  return starts;
}

/** The offset of a position, clamped to its line and the text. Inside a character of UTF-8: the character's start. */
export function offsetAt(text: string, lines: Lines, position: Position, encoding: Encoding): number {
  if (position.line >= lines.length) return text.length;
  if (position.line < 0) return 0;
  const start = lines[position.line] ?? 0;
  return advance(text, start, lineEnd(text, lines, position.line), position.character, encoding);
}

/** The position of an offset, clamped to the text; between \r and \n it is the end of the line. */
export function positionAt(text: string, lines: Lines, offset: number, encoding: Encoding): Position {
  const line = lineOf(lines, Math.min(Math.max(offset, 0), text.length));
  const start = lines[line] ?? 0;
  const end = Math.min(Math.max(offset, start), lineEnd(text, lines, line));
  return { line, character: measure(text, start, end, encoding) };
}

/**
 * The text after some didChanges: their changes one after the other, each counted in the text that the one before left.
 * Works on a list of lines, so that a change costs little in a long text.
 */
export function applySteps(text: string, steps: readonly Step[]): string {
  const changes = steps.flatMap(({ changes, encoding }) => changes.map((change) => ({ change, encoding })));
  const whole = changes.findLastIndex(({ change }) => change.range === undefined);
  let list = splitLines(changes[whole]?.change.text ?? text);
  for (const { change, encoding } of changes.slice(whole + 1)) {
    if (change.range !== undefined) list = replaced(list, change.range, change.text, encoding);
  }
  return list.join("");
}

/**
 * The one edit that turns `from` into `to`: what is left between the common prefix and the common suffix, widened so
 * that neither end, in either text, splits a \r\n or a surrogate pair. Null when the texts are equal.
 */
export function smallestEdit(from: string, to: string): Edit | null {
  if (from === to) return null;
  let start = commonPrefix(from, to);
  const rest = commonSuffix(from, to, Math.min(from.length, to.length) - start);
  let end = from.length - rest;
  let toEnd = to.length - rest;
  if (splits(from, end) || splits(to, toEnd)) {
    end++;
    toEnd++;
  }
  if (splits(from, start) || splits(to, start)) start--;
  return { start, end, text: to.slice(start, toEnd) };
}

/** An edit of `from` as the ranged change of a didChange, for a server that counts in `encoding`. */
export function changeEvent(
  from: string,
  lines: Lines,
  edit: Edit,
  encoding: Encoding,
): { range: Range; text: string } {
  const start = positionAt(from, lines, edit.start, encoding);
  return { range: { start, end: positionAt(from, lines, edit.end, encoding) }, text: edit.text };
}

/**
 * Maps positions of one text to the same places of another text of the same document, each counted in its encoding:
 * what lies before the difference stays, what lies after it moves along, what lies inside is clamped into what stands
 * there now. The texts are compared once, on the first use.
 */
export function mapper(from: TextLike, fromEncoding: Encoding, to: TextLike, toEncoding: Encoding): Mapper {
  if (from === to && fromEncoding === toEncoding) return (position) => position;
  let edit: Edit | null | undefined;
  return (position, side = "start") => {
    if (edit === undefined) edit = from === to ? null : smallestEdit(from.string, to.string);
    if (edit === null && fromEncoding === toEncoding) return position;
    const offset = offsetAt(from.string, from.lines, position, fromEncoding);
    const there = edit === null ? offset : shifted(offset, edit, side, to.string);
    return positionAt(to.string, to.lines, there, toEncoding);
  };
}

/**
 * Where a question's position is after its client's later edits, or "inside" when one of them replaced what it asks
 * about. A position asks about the character that follows it, or about the word that ends there. A change of the whole
 * text counts as its smallest edit.
 */
export function movedThrough(
  position: Position,
  changes: readonly Change[],
  before: TextLike,
  encoding: Encoding,
): Position | "inside" {
  let now = before;
  let offset = offsetAt(now.string, now.lines, position, encoding);
  for (const change of changes) {
    const wide = editOf(now, change, encoding);
    const edit = smallestEdit(now.string.slice(wide.start, wide.end), wide.text);
    if (edit !== null) {
      const endsWord = !isWord(now.string[offset]) && isWord(now.string[offset - 1]);
      const asked = endsWord ? offset - 1 : offset;
      if (asked >= wide.start + edit.end) offset += edit.text.length - (edit.end - edit.start);
      else if (asked >= wide.start + edit.start) return "inside";
    }
    const string = spliced(now.string, wide);
    now = { string, lines: linesOf(string) };
  }
  return positionAt(now.string, now.lines, offset, encoding);
}

/** Whether a parsed value has the fields of LSP's Position. */
export function isPosition(value: unknown): value is Position {
  if (typeof value !== "object" || value === null || !("line" in value) || !("character" in value)) return false;
  return typeof value.line === "number" && typeof value.character === "number";
}

/** Whether a parsed value has the fields of LSP's Range. */
export function isRange(value: unknown): value is Range {
  if (typeof value !== "object" || value === null || !("start" in value) || !("end" in value)) return false;
  return isPosition(value.start) && isPosition(value.end);
}

export function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

export function isSamePosition(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}

/** Whether a place lies in a range; both of its ends do. */
export function holds({ start, end }: Range, place: Position): boolean {
  return !isBefore(place, start) && !isBefore(end, place);
}

/** Text of a range. */
export function textIn({ string, lines }: TextLike, { start, end }: Range, encoding: Encoding): string {
  return string.slice(offsetAt(string, lines, start, encoding), offsetAt(string, lines, end, encoding));
}

/** The offset where a line ends, before its terminator. */
export function lineEnd(text: string, lines: Lines, line: number): number {
  const next = lines[line + 1];
  return next === undefined ? text.length : next - terminator(text, next);
}

/** The last line that starts at or before the offset. */
export function lineOf(lines: Lines, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}\p{M}\p{Cs}_$]/u.test(character);
}

function editOf(text: TextLike, change: Change, encoding: Encoding): Edit {
  if (change.range === undefined) return { start: 0, end: text.string.length, text: change.text };
  const start = offsetAt(text.string, text.lines, change.range.start, encoding);
  const end = offsetAt(text.string, text.lines, change.range.end, encoding);
  return { start: Math.min(start, end), end: Math.max(start, end), text: change.text };
}

function spliced(text: string, edit: Edit): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}

/** A spread of many items overflows the stack. */
const MAX_SPLICED = 1000;

/** The lines of a text, each with its terminator; the last one, which has none, may be empty. */
function splitLines(text: string): string[] {
  const lines = linesOf(text);
  return lines.map((start, i) => text.slice(start, lines[i + 1]));
}

/** The list of lines after a change; written in place where that is cheap. */
function replaced(list: string[], range: Range, text: string, encoding: Encoding): string[] {
  const ends = [placeIn(list, range.start, encoding), placeIn(list, range.end, encoding)] as const;
  const backwards = ends[0].line > ends[1].line || (ends[0].line === ends[1].line && ends[0].offset > ends[1].offset);
  const [start, end] = backwards ? [ends[1], ends[0]] : ends;
  let first = start.line;
  let middle = (list[first] ?? "").slice(0, start.offset) + text + (list[end.line] ?? "").slice(end.offset);
  const before = list[first - 1] ?? "";
  if (before.endsWith("\r") && middle.startsWith("\n")) {
    middle = before + middle;
    first--;
  }
  const lines = splitLines(middle);
  if (end.line < list.length - 1) lines.pop(); // the empty rest behind the terminator of the last line replaced
  if (lines.length > MAX_SPLICED) return list.slice(0, first).concat(lines, list.slice(end.line + 1));
  list.splice(first, end.line + 1 - first, ...lines);
  return list;
}

function placeIn(list: readonly string[], position: Position, encoding: Encoding): { line: number; offset: number } {
  if (position.line < 0) return { line: 0, offset: 0 };
  const line = Math.min(position.line, list.length - 1);
  const text = list[line] ?? "";
  if (line < position.line) return { line, offset: text.length };
  return { line, offset: advance(text, 0, text.length - terminator(text, text.length), position.character, encoding) };
}

function shifted(offset: number, edit: Edit, side: Side, to: string): number {
  const grown = edit.text.length - (edit.end - edit.start);
  if (offset === edit.start && offset === edit.end) return side === "start" ? offset + grown : offset;
  if (offset <= edit.start) return offset;
  if (offset >= edit.end) return offset + grown;
  const clamped = Math.min(offset, edit.start + edit.text.length);
  return splits(to, clamped) ? clamped - 1 : clamped;
}
