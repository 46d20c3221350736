/** From a file's text to its outline, in this very thread: parse, outline, let go of the tree. */
import { Parser, type Tree } from "web-tree-sitter";
import { type Grammar, grammarOf } from "./grammars.ts";
import { type FileOutline, outlineOf } from "./outline.ts";

/** A parse that takes longer is given up, ms. */
const PARSE_MS = 5000;

/** @returns null where no grammar reads the language; throws Unparsed where the parser gave up */
export async function outlineText(language: string, text: string): Promise<FileOutline | null> {
  const grammar = await grammarOf(language);
  if (grammar === null) return null;
  const tree = parsed(grammar, text);
  try {
    return outlineOf(tree, text, grammar.query, grammar.outlining, grammar.generic);
  } finally {
    tree.delete();
  }
}

/** The parser gave up: no outline can be had of this text. */
export class Unparsed extends Error {}

let parser: Parser | null = null;

/** The caller deletes the tree. */
export function parsed({ language, outlining }: Grammar, text: string): Tree {
  parser ??= new Parser();
  parser.setLanguage(language);
  const until = performance.now() + PARSE_MS;
  const blanked =
    outlining.blank === undefined ? text : text.replace(outlining.blank, (some) => some.replace(/[^\n]/g, " "));
  const tree = parser.parse(blanked, null, { progressCallback: () => performance.now() > until });
  if (tree !== null) return tree;
  parser.reset();
  throw new Unparsed(`no parse within ${PARSE_MS} ms`);
}
