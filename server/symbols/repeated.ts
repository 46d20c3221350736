/**
 * Declarations that repeat a name in one scope: a property's getter and setter, overloads. Outlines of Python tell the last of
 * them alone; the others stand in the text beside it. Pure.
 */
import { type Encoding, offsetAt, type Position, positionAt, type Range, type TextLike } from "../core/positions.ts";
import { lineText } from "./candidates.ts";

/** The beginning of a line that declares, up to the name, by language. */
const heads: Readonly<Record<string, RegExp>> = {
  python: /^([ \t]*)(?:async[ \t]+def|def|class)[ \t]+/,
};

export interface Repeated {
  readonly range: Range;
  /** Its name. */
  readonly selectionRange: Range;
}

/**
 * The others of a declaration's name in the same block: lines that declare it with the same indentation, and nothing with
 * less between. A text in between that is indented less ends the search.
 * @param named the range of the declaration's name
 */
export function repeated(language: string, text: TextLike, named: Range, encoding: Encoding): readonly Repeated[] {
  const head = heads[language];
  const own = head?.exec(lineText(text, named.start.line) ?? "");
  if (head === undefined || own === null || own === undefined) return [];
  const at = (position: Position): number => offsetAt(text.string, text.lines, position, encoding);
  const name = text.string.slice(at(named.start), at(named.end));
  const indent = own[1] ?? "";
  const found: Repeated[] = [];
  for (const step of [-1, 1])
    for (let line = named.start.line + step; isInside(lineText(text, line), indent); line += step) {
      const written = lineText(text, line) ?? "";
      const [start = "", around] = head.exec(written) ?? [];
      if (around !== indent || start === "" || nameOf(written.slice(start.length)) !== name) continue;
      const from = (text.lines[line] ?? 0) + start.length;
      const place = (offset: number): Position => positionAt(text.string, text.lines, offset, encoding);
      const selectionRange = { start: place(from), end: place(from + name.length) };
      found.push({
        range: { start: { line, character: indent.length }, end: place(endOf(text, line, indent)) },
        selectionRange,
      });
    }
  return found;
}

/** Whether a line can be of the block with this indentation: blank, or indented as far. */
function isInside(line: string | undefined, indent: string): boolean {
  return line !== undefined && (line.trim() === "" || line.startsWith(indent));
}

function nameOf(text: string): string | undefined {
  return /^[\p{L}\p{N}_]+/u.exec(text)?.[0];
}

/** The offset of the end of the declaration that begins on a line: of the last line that is indented further. */
function endOf(text: TextLike, line: number, indent: string): number {
  let last = line;
  for (let next = line + 1; ; next++) {
    const written = lineText(text, next);
    if (written === undefined) break;
    if (written.trim() === "") continue;
    // The end of a parameter list stands as far out as its beginning.
    const isFurther = written.startsWith(indent) && /^(?:[ \t]|\)|\])/.test(written.slice(indent.length));
    if (!isFurther) break;
    last = next;
  }
  return (text.lines[last] ?? 0) + (lineText(text, last) ?? "").length;
}
