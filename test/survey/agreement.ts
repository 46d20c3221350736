/**
 * How well the names that the index finds (`server/syntax/lexis.ts`) agree with the identifiers of a real parse, in (file,
 * name) pairs, over the survey's repositories: `npm run survey:names`, or `... LANGUAGE FOLDER` for other code. Missing: the
 * parse has the name, the index does not. Surplus: the reverse, keywords set aside. Files with errors of the parser are
 * counted apart.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Language, Parser, type TreeCursor } from "web-tree-sitter";
import { languageOf } from "../../server/languages.ts";
import { grammarFile } from "../../server/syntax/grammars.ts";
import { lexisOf } from "../../server/syntax/lexis/table.ts";
import { Lexer, type Sink } from "../../server/syntax/lexis.ts";
import { grammarNames } from "../../server/syntax/served.ts";
import { repositories, workspaceOf } from "./repositories.ts";

const SKIPPED = new Set([".git", "node_modules", "target", "vendor"]);
const MAX_FILES = 500;
const MAX_BYTES = 200_000;
const SHOWN = 12;

/** Leaves that are text of a comment, a string or a number. */
const TEXT =
  /comment|string|char|number|integer|int_lit|float|rune|regex|escape|jsx_text|heredoc|^text|shebang|hash_bang|decimal|hex_|format_specifier|type_conversion|preproc_(?:directive|message|region|endregion|pragma|nullable|endif)|php_tag|_directive|real_lit|raw_text|line_str|multi_line|imaginary|rational|system_lib/;
/** Leaves that look like the above and are names. */
const NAMES = /identifier|name|symbol/;
/** Leaves whose text is not parsed: Rust's `#![allow(x)]` in the first line passes for a script's. */
const OPAQUE = /preproc_arg|shebang/;

interface Tally {
  files: number;
  pairs: number;
  readonly missing: string[];
  readonly surplus: string[];
}

await Parser.init();
const [language, folder] = process.argv.slice(2);
const places =
  language !== undefined && folder !== undefined
    ? [{ language, folder }]
    : repositories.flatMap((repository) =>
        repository.second ? [] : [{ language: repository.language, folder: workspaceOf(repository) }],
      );

/** Where `$` is a part of names. */
const dollars = new Set(["typescript", "javascript", "java", "scala", "c", "cpp", "objective-c", "dart", "solidity"]);
const parsers = new Map<string, Parser>();
const tallies = new Map<string, Tally>();
for (const place of places) {
  for (const path of filesBelow(place.folder, place.language).slice(0, MAX_FILES)) await compare(path, place.language);
}
for (const [name, { files, pairs, missing, surplus }] of tallies) {
  const agreement = ((1 - (missing.length + surplus.length) / pairs) * 100).toFixed(3);
  console.log(
    `${name}: ${agreement} % of ${pairs} pairs in ${files} files; ` +
      `missing ${missing.length}, surplus ${surplus.length}`,
  );
  for (const some of [missing.slice(0, SHOWN), surplus.slice(0, SHOWN)])
    for (const one of some) console.log(`  ${one}`);
}

function tallyOf(name: string): Tally {
  const tally = tallies.get(name) ?? { files: 0, pairs: 0, missing: [], surplus: [] };
  tallies.set(name, tally);
  return tally;
}

async function compare(path: string, id: string): Promise<void> {
  const text = readFileSync(path, "utf8");
  if (text.length > MAX_BYTES) return;
  const parser = await parserOf(id, path);
  const tree = parser.parse(text);
  if (tree === null) return;
  try {
    const tally = tallyOf(tree.rootNode.hasError ? `${id}, with errors of the parser` : id);
    const parsed = { names: new Set<string>(), others: new Set<string>() };
    leaves(tree.walk(), id, parsed);
    const found = namesIn(languageOf(path, id, () => text) ?? id, text);
    tally.files++;
    tally.pairs += new Set([...parsed.names, ...[...found].filter((name) => !parsed.others.has(name))]).size;
    for (const name of parsed.names) if (!found.has(name)) tally.missing.push(`missing ${name} in ${path}`);
    for (const name of found)
      if (!parsed.names.has(name) && !parsed.others.has(name)) tally.surplus.push(`surplus ${name} in ${path}`);
  } finally {
    tree.delete();
  }
}

async function parserOf(id: string, path: string): Promise<Parser> {
  const own = path.endsWith(".tsx") ? "tsx" : (grammarNames.get(id) ?? id);
  const known = parsers.get(own);
  if (known !== undefined) return known;
  const grammar = await Language.load(grammarFile(own));
  const parser = new Parser();
  parser.setLanguage(grammar);
  parsers.set(own, parser);
  return parser;
}

function leaves(cursor: TreeCursor, id: string, to: { names: Set<string>; others: Set<string> }): void {
  for (;;) {
    const type = cursor.nodeType;
    const isText = cursor.nodeIsNamed && TEXT.test(type) && !NAMES.test(type);
    const isComment = /comment/.test(type);
    if (!isComment && cursor.gotoFirstChild()) continue;
    const set = cursor.nodeIsNamed && !OPAQUE.test(type) ? to.names : to.others;
    if (!isText || OPAQUE.test(type)) for (const name of words(cursor.nodeText, id)) set.add(name);
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return;
  }
}

/** Of a leaf such as `@name`, `$name`, `name?`: as the language's names are, in its normal form. */
function words(text: string, id: string): readonly string[] {
  const name = dollars.has(id) ? /[\p{ID_Start}_$][\p{ID_Continue}$]*/gu : /[\p{ID_Start}_]\p{ID_Continue}*/gu;
  const normal = lexisOf(id)?.normal ?? null;
  return (text.match(name) ?? []).map((one) => (normal === null ? one : one.normalize(normal)));
}

function namesIn(id: string, text: string): ReadonlySet<string> {
  const lexis = lexisOf(id);
  if (lexis === null) throw new Error(`${id} is not indexed`);
  const found = new Set<string>();
  const sink: Sink = {
    word: (bytes, start, end) => void found.add(Buffer.from(bytes.subarray(start, end)).toString()),
  };
  const bytes = Buffer.from(text);
  new Lexer(lexis).scan(bytes, bytes.length, sink);
  return found;
}

function filesBelow(folder: string, id: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, id);
    const own = entry.isFile() ? languageOf(path, undefined, () => "") : undefined;
    return own === id || (id === "typescript" && own === "typescriptreact") ? [path] : [];
  });
}
