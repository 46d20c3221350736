/**
 * Which grammar reads a language, and how its files are outlined; both are loaded when a file of it is first met. Runs in
 * the worker (`worker.ts`). Languages without a table get an outline by the look of their node types.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Language, Parser, Query } from "web-tree-sitter";
import { genericQuery } from "./generic.ts";
import { bash } from "./outlines/bash.ts";
import { c, cpp } from "./outlines/c.ts";
import { csharp } from "./outlines/csharp.ts";
import { elixir } from "./outlines/elixir.ts";
import { go } from "./outlines/go.ts";
import { java } from "./outlines/java.ts";
import { kotlin } from "./outlines/kotlin.ts";
import { lua } from "./outlines/lua.ts";
import { objectiveC } from "./outlines/objective-c.ts";
import { ocaml } from "./outlines/ocaml.ts";
import { php } from "./outlines/php.ts";
import { python } from "./outlines/python.ts";
import { ruby } from "./outlines/ruby.ts";
import { rust } from "./outlines/rust.ts";
import { scala } from "./outlines/scala.ts";
import { swift } from "./outlines/swift.ts";
import { javascript, typescript } from "./outlines/typescript.ts";
import type { Outlining } from "./outlining.ts";
import { type GrammarName, grammarNames } from "./served.ts";

const outlinings: Partial<Readonly<Record<GrammarName, Outlining>>> = {
  bash,
  c,
  c_sharp: csharp,
  cpp,
  elixir,
  go,
  java,
  javascript,
  kotlin,
  lua,
  objc: objectiveC,
  ocaml,
  php,
  python,
  ruby,
  rust,
  scala,
  swift,
  tsx: typescript,
  typescript,
};

export interface Grammar {
  readonly language: Language;
  readonly query: Query;
  readonly outlining: Outlining;
  readonly generic: boolean;
}

const packages = createRequire(import.meta.url);
const loaded = new Map<GrammarName, Promise<Grammar>>();

/** @returns null where no grammar reads the language (an LSP id) */
export function grammarOf(language: string): Promise<Grammar> | null {
  const name = grammarNames.get(language);
  if (name === undefined) return null;
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  return known;
}

/** Node has it; its types do not say so. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Of all grammars and trees of this thread; it grows and never shrinks. Pages of 64 KiB. */
const memory = new WebAssembly.Memory({ initial: 512, maximum: 32_768 });
let runtime: Promise<void> | null = null;

/** What the parsers hold, bytes. */
export function heapBytes(): number {
  return memory.buffer.byteLength;
}

/**
 * Grammars that are taken from the package with the newer ones: they read more of real code. The shell's in the broad one
 * needs a function of C that no runtime offers it.
 */
const newer: ReadonlySet<string> = new Set([
  "bash",
  "c_sharp",
  "cpp",
  "javascript",
  "php",
  "rust",
  "tsx",
  "typescript",
]);

/** @param name as in `tree-sitter-<name>.wasm` of the broad package */
export function grammarFile(name: string): string {
  return packages.resolve(
    newer.has(name)
      ? `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name.replace("_", "-")}.wasm`
      : `tree-sitter-wasms/out/tree-sitter-${name}.wasm`,
  );
}

async function load(name: GrammarName): Promise<Grammar> {
  runtime ??= Parser.init({ wasmMemory: memory });
  await runtime;
  const language = await Language.load(await readFile(grammarFile(name)));
  const outlining = outlinings[name];
  if (outlining !== undefined)
    return { language, outlining, query: new Query(language, outlining.query), generic: false };
  const query = genericQuery(language);
  return { language, outlining: { query, members: true }, query: new Query(language, query), generic: true };
}
