/** What a syntax tree tells beside declarations: regions to fold, the nodes around a place, and where a name stands. */
import type { Node, Tree } from "web-tree-sitter";
import { type Lines, lineOf, linesOf, offsetAt, type Position, positionAt, type Range } from "../core/positions.ts";
import type { Fold } from "./jobs.ts";

const comment = /comment/;
const block = /block|body|comment|heredoc|string|list|object|array|arguments|parameters|suite|clause/;

/** Brackets and blocks of more than one line, one for each line that they begin on; comments in a row are one. */
export function folds(tree: Tree, text: string): readonly Fold[] {
  const lines = linesOf(text);
  const found = new Map<number, Fold>();
  const visit = (node: Node, before: Node | null): void => {
    const [start, end] = [lineOf(lines, node.startIndex), lineOf(lines, node.endIndex)];
    if (start === end) return;
    if (node.parent !== null && block.test(node.type)) {
      // A block by indentation begins on the line of what it belongs to; a closing bracket stays in sight.
      const first = before === null ? start : Math.min(start, lineOf(lines, before.endIndex));
      const last = /[)\]}]/.test(text[node.endIndex - 1] ?? "") ? end - 1 : lastLine(text, lines, node);
      if (last > first) found.set(first, { startLine: first, endLine: last, comment: comment.test(node.type) });
    }
    let previous: Node | null = null;
    for (const child of node.children) {
      if (child === null) continue;
      visit(child, previous);
      previous = child;
    }
  };
  visit(tree.rootNode, null);
  for (const fold of lineComments(tree, lines)) if (!found.has(fold.startLine)) found.set(fold.startLine, fold);
  return [...found.values()].sort((a, b) => a.startLine - b.startLine);
}

/** A block by indentation may end behind blank lines. */
function lastLine(text: string, lines: Lines, node: Node): number {
  let end = node.endIndex;
  while (end > node.startIndex && /\s/.test(text[end - 1] ?? "")) end--;
  return lineOf(lines, end);
}

function* lineComments(tree: Tree, lines: Lines): Iterable<Fold> {
  let [first, last] = [-2, -2];
  for (const node of tree.rootNode.descendantsOfType(commentTypes(tree))) {
    if (node === null) continue;
    const line = lineOf(lines, node.startIndex);
    if (line !== last + 1) {
      if (last > first) yield { startLine: first, endLine: last, comment: true };
      first = line;
    }
    last = lineOf(lines, Math.max(node.startIndex, node.endIndex - 1));
  }
  if (last > first && first >= 0) yield { startLine: first, endLine: last, comment: true };
}

function commentTypes(tree: Tree): string[] {
  return [...new Set(tree.language.types.filter((type) => comment.test(type)))];
}

/** The ranges of the nodes around each place, each once, from the smallest. */
export function around(tree: Tree, text: string, positions: readonly Position[]): readonly (readonly Range[])[] {
  const lines = linesOf(text);
  return positions.map((position) => {
    const offset = offsetAt(text, lines, position, "utf-16");
    const ranges: Range[] = [];
    let [start, end] = [-1, -1];
    for (let node = tree.rootNode.descendantForIndex(offset); node !== null; node = node.parent) {
      if (node.startIndex === start && node.endIndex === end) continue;
      [start, end] = [node.startIndex, node.endIndex];
      ranges.push(rangeOf(text, lines, start, end));
    }
    return ranges;
  });
}

const noName = /comment|string|char|text|content|fragment|regex|heredoc/;

/** In the order of the text. */
export function mentions(tree: Tree, text: string, name: string): readonly Range[] {
  const lines = linesOf(text);
  const ranges: Range[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const node = tree.rootNode.descendantForIndex(at, at + name.length - 1);
    if (node === null || node.childCount > 0 || noName.test(node.type)) continue;
    // `@x`, `r#type`: a sign before the name may be a part of the node.
    if (node.endIndex === at + name.length && at - node.startIndex <= 2)
      ranges.push(rangeOf(text, lines, at, at + name.length));
  }
  return ranges;
}

function rangeOf(text: string, lines: Lines, start: number, end: number): Range {
  return { start: positionAt(text, lines, start, "utf-16"), end: positionAt(text, lines, end, "utf-16") };
}
