/**
 * What a document's text is after a change, written down a second time and as plainly as can be: the measure for the
 * texts that the core makes backends hold. It shares no code with `server/core/positions.ts`, and never is fast.
 */

export type Encoding = "utf-8" | "utf-16" | "utf-32";

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Change {
  readonly range?: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

/** LSP 3.18, TextDocumentContentChangeEvent: the changes one after the other, each in the text that the one before left. */
export function changed(text: string, changes: readonly Change[], encoding: Encoding): string {
  return changes.reduce((now, change) => {
    if (change.range === undefined) return change.text;
    const start = offsetOf(now, change.range.start, encoding);
    const end = offsetOf(now, change.range.end, encoding);
    return now.slice(0, start) + change.text + now.slice(end);
  }, text);
}

/** UTF-16 offset of a position; past the end of a line means its end, past the last line the end of the text. */
export function offsetOf(text: string, { line, character }: Position, encoding: Encoding): number {
  const bounds = linesOf(text)[line];
  if (bounds === undefined) return text.length;
  let offset = bounds.start;
  let left = character;
  for (const symbol of text.slice(bounds.start, bounds.end)) {
    left -= units(symbol, encoding);
    if (left < 0) break;
    offset += symbol.length;
  }
  return offset;
}

/** The position of a UTF-16 offset that splits neither a character nor a line's terminator. */
export function positionOf(text: string, offset: number, encoding: Encoding): Position {
  const lines = linesOf(text);
  const line = lines.findLastIndex(({ start }) => start <= offset);
  let character = 0;
  for (const symbol of text.slice(lines[line]?.start ?? 0, offset)) character += units(symbol, encoding);
  return { line, character };
}

/** Offsets where an edit may begin or end: not within a surrogate pair, not between \r and \n. */
export function edges(text: string): readonly number[] {
  const found: number[] = [0];
  let at = 0;
  for (const symbol of text) {
    at += symbol.length;
    if (symbol !== "\r" || text[at] !== "\n") found.push(at);
  }
  return found;
}

function linesOf(text: string): readonly { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

/** A lone surrogate counts as the U+FFFD that it becomes on the way. */
function units(symbol: string, encoding: Encoding): number {
  if (encoding === "utf-16") return symbol.length;
  if (encoding === "utf-32") return 1;
  return Buffer.byteLength(symbol, "utf8");
}
