/**
 * Declarations that repeat a name in one scope: a property's getter and setter, overloads, those in other branches of a
 * condition. Outlines of Python tell the last of them alone; the others stand in the text beside it. Pure.
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
 * The others of a declaration's name in the same class, function or file, however they are indented, but for what is in
 * another declaration there.
 * @param named the range of the declaration's name
 */
export function repeated(language: string, text: TextLike, named: Range, encoding: Encoding): readonly Repeated[] {
  const head = heads[language];
  if (head === undefined || !head.test(lineText(text, named.start.line) ?? "")) return [];
  const at = (position: Position): number => offsetAt(text.string, text.lines, position, encoding);
  const place = (offset: number): Position => positionAt(text.string, text.lines, offset, encoding);
  const name = text.string.slice(at(named.start), at(named.end));
  const found: Repeated[] = [];
  for (const line of declaring(text, named.start.line, head)) {
    const written = lineText(text, line) ?? "";
    const [start = "", indent = ""] = head.exec(written) ?? [];
    if (line === named.start.line || nameOf(written.slice(start.length)) !== name) continue;
    const from = (text.lines[line] ?? 0) + start.length;
    found.push({
      range: { start: { line, character: indent.length }, end: place(endOf(text, line, indent)) },
      selectionRange: { start: place(from), end: place(from + name.length) },
    });
  }
  return found;
}

/** The lines that declare something in the scope of one of them. */
function declaring(text: TextLike, own: number, head: RegExp): readonly number[] {
  const around = enclosing(text, own, head);
  const outer = around === null ? -1 : indentOf(lineText(text, around));
  const found: number[] = [];
  let inner = Number.POSITIVE_INFINITY;
  let isText = false;
  for (let line = (around ?? -1) + 1; line < text.lines.length; line++) {
    const written = lineText(text, line) ?? "";
    const wasText = isText;
    if ((written.match(quotes)?.length ?? 0) % 2 === 1) isText = !isText;
    const indent = indentOf(written);
    if (wasText || goesOn.test(written) || indent > inner) continue;
    if (indent <= outer) break;
    const declares = head.test(written);
    inner = declares ? indent : Number.POSITIVE_INFINITY;
    if (declares) found.push(line);
  }
  return found;
}

/** The line that declares what a line is in; null at the top of the file. */
function enclosing(text: TextLike, own: number, head: RegExp): number | null {
  let least = indentOf(lineText(text, own));
  for (let line = own - 1; line >= 0 && least > 0; line--) {
    const written = lineText(text, line) ?? "";
    if (goesOn.test(written) || indentOf(written) >= least) continue;
    if (head.test(written)) return line;
    least = indentOf(written);
  }
  return null;
}

/** Of a text of several lines. */
const quotes = /"""|'''/g;
/** A blank line, or the end of a parameter list, which stands as far out as its beginning. */
const goesOn = /^\s*(?:$|[)\]}])/;

function indentOf(line = ""): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
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
