/**
 * The languages that a grammar reads, by their LSP ids. Facts only, for both sides: the adapter announces them, the worker
 * loads the grammar.
 */

const byGrammar = {
  typescript: ["typescript"],
  tsx: ["typescriptreact"],
  bash: ["shellscript"],
  c: ["c"],
  c_sharp: ["csharp"],
  cpp: ["cpp", "cuda-cpp"],
  dart: ["dart"],
  elixir: ["elixir"],
  go: ["go"],
  java: ["java"],
  javascript: ["javascript", "javascriptreact"],
  kotlin: ["kotlin"],
  lua: ["lua"],
  objc: ["objective-c", "objective-cpp"],
  ocaml: ["ocaml"],
  php: ["php"],
  python: ["python"],
  ruby: ["ruby"],
  rust: ["rust"],
  scala: ["scala"],
  solidity: ["solidity"],
  swift: ["swift"],
  zig: ["zig"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** File `tree-sitter-<name>.wasm` of the package of grammars. */
export type GrammarName = keyof typeof byGrammar;

/** The grammar of a language id. */
export const grammarNames: ReadonlyMap<string, GrammarName> = new Map(
  Object.entries(byGrammar).flatMap(([name, ids]) => (isGrammar(name) ? ids.map((id) => [id, name] as const) : [])),
);

function isGrammar(name: string): name is GrammarName {
  return name in byGrammar;
}
