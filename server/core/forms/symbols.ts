/**
 * Symbols of a document in LSP's two forms, a tree and a flat list, and each brought into the other (LSP 3.18, DocumentSymbol).
 * Which client takes which is `forms.ts`'s.
 */
import type { DocumentSymbol, Position, Range, SymbolInformation } from "../../protocol/messages.ts";
import { advance, measure } from "../documents/units.ts";
import type { Encoding } from "../positions.ts";
import { isObject } from "../settings.ts";
import { mapped } from "./lists.ts";

/** The document asked about. */
export interface Asked {
  /** As the client spells it. */
  readonly uri: string;
  /** Its lines (0-based) without their ends, where its text is at hand: names are looked for in it. */
  readonly line?: (line: number) => string | undefined;
  /** What columns count; default UTF-16. */
  readonly encoding?: Encoding;
}

/**
 * A tree of symbols as a list, parents first. A range starts at the symbol's name, where a client asks on, and not at its
 * comment; it still ends where the symbol does, so that ranges nest.
 */
export function flat(symbols: readonly DocumentSymbol[], asked: Asked, container?: string): SymbolInformation[] {
  return symbols.flatMap((symbol) => {
    const { name, kind, tags, deprecated, selectionRange, children } = symbol;
    const information: SymbolInformation = {
      name,
      kind,
      ...(tags && { tags }),
      ...(deprecated !== undefined && { deprecated }),
      location: { uri: asked.uri, range: { start: selectionRange.start, end: bounds(symbol).end } },
      ...(container !== undefined && { containerName: container }),
    };
    return [information, ...flat(children ?? [], asked, name)];
  });
}

/** A list of symbols as a tree: a symbol lies in the nearest one whose range holds it, or that it names as its container. */
export function tree(symbols: readonly SymbolInformation[], asked: Asked): DocumentSymbol[] {
  const top: DocumentSymbol[] = [];
  const open: { symbol: DocumentSymbol; children: DocumentSymbol[] }[] = [];
  const ordered = symbols.toSorted(
    ({ location: { range: a } }, { location: { range: b } }) => compare(a.start, b.start) || compare(b.end, a.end),
  );
  for (const { name, kind, tags, deprecated, containerName, location } of ordered) {
    const children: DocumentSymbol[] = [];
    const symbol: DocumentSymbol = {
      name,
      kind,
      ...(tags && { tags }),
      ...(deprecated !== undefined && { deprecated }),
      range: location.range,
      selectionRange: nameRange(name, location.range, asked),
      children,
    };
    let parent = open.at(-1);
    while (parent && parent.symbol.name !== containerName && !holds(parent.symbol.range, location.range)) {
      open.pop();
      parent = open.at(-1);
    }
    (parent?.children ?? top).push(symbol);
    open.push({ symbol, children });
  }
  return top;
}

/** Where the name is written in a symbol's range; its start when the text is not at hand or does not say it. */
function nameRange(name: string, range: Range, { line, encoding = "utf-16" }: Asked): Range {
  const last = Math.min(range.end.line, range.start.line + 100);
  for (let at = range.start.line; line && at <= last; at++) {
    const text = line(at) ?? "";
    const offset = ({ character }: Position): number => advance(text, 0, text.length, character, encoding);
    const place = (to: number): Position => ({ line: at, character: measure(text, 0, to, encoding) });
    const end = at === range.end.line ? offset(range.end) : text.length;
    let from = at === range.start.line ? offset(range.start) : 0;
    for (from = text.indexOf(name, from); from >= 0; from = text.indexOf(name, from + 1)) {
      const to = from + name.length;
      const isWhole = !wordEnd.test(text.slice(0, from)) && !wordStart.test(text.slice(to));
      if (isWhole && to <= end) return { start: place(from), end: place(to) };
    }
  }
  return { start: range.start, end: range.start };
}

/** A name goes on at the end of a text, or at its start. */
export const wordEnd = /[\p{L}\p{N}_$]$/u;
export const wordStart = /^[\p{L}\p{N}_$]/u;

/** The symbol and those in it with ranges that hold their names: clients reject the whole list where one does not. */
export function widened(symbol: DocumentSymbol): DocumentSymbol {
  const range = bounds(symbol);
  const children = symbol.children && mapped(symbol.children, widened);
  if (range === symbol.range && children === symbol.children) return symbol;
  return { ...symbol, range, ...(children && { children }) };
}

/** LSP 3.18, DocumentSymbol: `selectionRange` must lie in `range`. */
function bounds({ range, selectionRange }: DocumentSymbol): Range {
  const start = compare(selectionRange.start, range.start) < 0 ? selectionRange.start : range.start;
  const end = compare(selectionRange.end, range.end) > 0 ? selectionRange.end : range.end;
  return start === range.start && end === range.end ? range : { start, end };
}

function holds(outer: Range, inner: Range): boolean {
  const starts = compare(outer.start, inner.start);
  const ends = compare(outer.end, inner.end);
  return starts <= 0 && ends >= 0 && (starts !== 0 || ends !== 0);
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

export function isDocumentSymbol(value: unknown): value is DocumentSymbol {
  return isObject(value) && isRange(value.range) && isRange(value.selectionRange);
}

export function isSymbolInformation(value: unknown): value is SymbolInformation {
  return isObject(value) && isObject(value.location) && isRange(value.location.range);
}

/** Looser than what a server should send: of what it has sent, nothing more is needed. */
export function isRange(value: unknown): value is Range {
  return isObject(value) && isObject(value.start) && isObject(value.end);
}
