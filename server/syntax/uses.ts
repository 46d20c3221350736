/** The lines of a file where a name stands as an identifier, each with the declaration around it. Pure but for the tree. */
import type { Tree } from "web-tree-sitter";
import { holds, isSamePosition, linesOf, type Position } from "../core/positions.ts";
import { languages } from "../languages.ts";
import { type Declared, flat } from "./declared.ts";
import type { FileOutline } from "./outline.ts";
import type { Uses } from "./questions.ts";
import { mentions } from "./shapes.ts";

/**
 * @param declarations places where the name is declared count as well
 * @param most lines that are told
 */
export function uses(
  tree: Tree,
  text: string,
  outline: FileOutline,
  { language, name, declarations, most }: { language: string; name: string; declarations: boolean; most: number },
): Uses {
  const declared = flat(outline);
  const isDeclared = (place: Position): boolean =>
    declared.some(({ selectionRange }) => isSamePosition(selectionRange.start, place));
  const found = mentions(tree, text, name)
    .map(({ start }) => ({ start, isDeclaration: isDeclared(start) }))
    .filter(({ isDeclaration }) => declarations || !isDeclaration);
  const starts = linesOf(text);
  const byLine = new Map<number, { columns: number[]; isDeclaration: boolean; first: Position }>();
  for (const { start, isDeclaration } of found) {
    const line = byLine.get(start.line) ?? { columns: [], isDeclaration: false, first: start };
    line.columns.push(start.character);
    line.isDeclaration ||= isDeclaration;
    byLine.set(start.line, line);
  }
  const separator = languages.get(language)?.separator ?? ".";
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

/** The innermost declaration around a place that is no variable of a function, and not what is declared there. */
function ownerOf(declared: readonly Declared[], place: Position, separator: string): string {
  const around = declared.filter(
    ({ range, selectionRange, local, kind }) =>
      (!local || kind === "function") && holds(range, place) && !isSamePosition(selectionRange.start, place),
  );
  const owner = around.reduce<Declared | null>(
    (inner, one) => (inner === null || isWithin(one, inner) ? one : inner),
    null,
  );
  return owner === null ? "" : [...owner.containers, owner.name].join(separator);
}

function isWithin({ range }: Declared, outer: Declared): boolean {
  return holds(outer.range, range.start) && holds(outer.range, range.end);
}
