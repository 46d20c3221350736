/** From a file's text to what syntax tells of it, in this very thread: parse, look, let go of the tree. */
import { Parser, type Tree } from "web-tree-sitter";
import { flat } from "./declared.ts";
import { entriesOf } from "./entries.ts";
import { type Grammar, grammarOf } from "./grammars.ts";
import { toldOf } from "./index/declares.ts";
import { type Answers, Failure, type Task } from "./jobs.ts";
import { type FileOutline, outlineOf } from "./outline.ts";
import { around, folds, mentions } from "./shapes.ts";

/** A parse that takes longer is given up, ms. */
const PARSE_MS = 5000;

/** @throws Failure "noGrammar", "unparsed" */
export async function read<T extends Task>(language: string, text: string, task: T): Promise<Answers[T["what"]]>;
export async function read(language: string, text: string, task: Task): Promise<Answers[keyof Answers]> {
  const grammar = await grammarOf(language);
  if (grammar === null) throw new Failure("noGrammar", `no grammar reads ${language}`);
  const plain = grammar.outlining.plain?.(text) ?? text;
  const tree = parsed(grammar, plain);
  try {
    switch (task.what) {
      case "outline":
        return outlineIn(tree, text, plain, grammar);
      case "entries": {
        const outline = outlineIn(tree, text, plain, grammar);
        return entriesOf(flat(outline), outline.generated);
      }
      case "told":
        return toldOf(outlineIn(tree, text, plain, grammar));
      case "folds":
        return folds(tree, text);
      case "around":
        return around(tree, text, task.positions);
      case "mentions":
        return mentions(tree, text, task.name);
    }
  } finally {
    // Its memory is none of the garbage collector's.
    tree.delete();
  }
}

function outlineIn(tree: Tree, text: string, plain: string, { query, outlining, generic }: Grammar): FileOutline {
  return outlineOf(tree, { text, plain }, query, outlining, generic);
}

/** @returns null where no grammar reads the language */
export async function outlineText(language: string, text: string): Promise<FileOutline | null> {
  return (await grammarOf(language)) === null ? null : read(language, text, { what: "outline" });
}

let parser: Parser | null = null;

/** The caller deletes the tree. */
function parsed({ language }: Grammar, text: string): Tree {
  parser ??= new Parser();
  parser.setLanguage(language);
  const until = performance.now() + PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until });
  if (tree !== null) return tree;
  parser.reset();
  throw new Failure("unparsed", `no parse within ${PARSE_MS} ms`);
}
