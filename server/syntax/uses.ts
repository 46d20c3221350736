/** The lines of a file where a name stands as an identifier, each with the declaration around it. Pure. */
import { holds, isSamePosition, linesOf, type Position } from "../core/positions.ts";
import { separatorOf } from "../languages.ts";
import { type Declared, flat } from "./declared.ts";
import type { FileOutline } from "./outline.ts";
import type { Uses } from "./questions.ts";

/**
 * @param places where the name stands, in the order of the text
 * @param declarations places where the name is declared count as well
 * @param most lines that are told
 */
export function uses(
  places: readonly Position[],
  text: string,
  outline: FileOutline,
  { language, declarations, most }: { language: string; declarations: boolean; most: number },
): Uses {
  const declared = flat(outline);
  const wanted = new Set(places.map(keyOf));
  const declaring = new Set(
    declared.map(({ selectionRange }) => keyOf(selectionRange.start)).filter((key) => wanted.has(key)),
  );
  const found = places
    .map((start) => ({ start, isDeclaration: declaring.has(keyOf(start)) }))
    .filter(({ isDeclaration }) => declarations || !isDeclaration);
  const starts = linesOf(text);
  const byLine = new Map<number, { columns: number[]; isDeclaration: boolean; first: Position }>();
  for (const { start, isDeclaration } of found) {
    const line = byLine.get(start.line) ?? { columns: [], isDeclaration: false, first: start };
    line.columns.push(start.character);
    line.isDeclaration ||= isDeclaration;
    byLine.set(start.line, line);
  }
  const separator = separatorOf(language);
  return {
    hits: found.length,
    lines: [...byLine].slice(0, most).map(([line, { columns, isDeclaration, first }]) => ({
      line,
      columns,
      text: text.slice(starts[line] ?? 0, starts[line + 1] ?? text.length).replace(/[\r\n]+$/, ""),
      owner: ownerOf(declared, first, separator),
      isDeclaration,
    })),
  };
}

/** A number for each place. */
function keyOf({ line, character }: Position): number {
  return line * 2 ** 22 + character;
}

/** The innermost declaration around a place that is no variable of a function, and not what is declared there. */
function ownerOf(declared: readonly Declared[], place: Position, separator: string): string {
  let owner: Declared | null = null;
  for (const one of declared) {
    const { range, selectionRange, local, kind } = one;
    // They stand in the order of the text.
    if (range.start.line > place.line) break;
    if (range.end.line < place.line || (local && kind !== "function")) continue;
    if (!holds(range, place) || isSamePosition(selectionRange.start, place)) continue;
    if (owner === null || isWithin(one, owner)) owner = one;
  }
  return owner === null ? "" : [...owner.containers, owner.name].join(separator);
}

function isWithin({ range }: Declared, outer: Declared): boolean {
  return holds(outer.range, range.start) && holds(outer.range, range.end);
}
