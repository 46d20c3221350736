/**
 * The servers we know, in rank order, what each was recorded to be able of, and where an embedded one lies on disk.
 * What a server is like stands in its own file; who is asked is the core's business.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter, Command } from "./adapter.ts";
import { basedpyright } from "./basedpyright.ts";
import { bash } from "./bash.ts";
import { clangd } from "./clangd.ts";
import { css } from "./css.ts";
import { gopls } from "./gopls.ts";
import { html } from "./html.ts";
import { jdtls } from "./jdtls.ts";
import { jedi } from "./jedi.ts";
import { json } from "./json.ts";
import { field } from "./params.ts";
import { pylsp } from "./pylsp.ts";
import { pyright } from "./pyright.ts";
import { ruff } from "./ruff.ts";
import { rustAnalyzer } from "./rust-analyzer.ts";
import { syntax } from "./syntax.ts";
import { tsgo } from "./tsgo.ts";
import { ty } from "./ty.ts";
import { typescriptLanguageServer } from "./typescript-language-server.ts";
import { vtsls } from "./vtsls.ts";
import { yaml } from "./yaml.ts";

/** Earlier is asked first where two serve one language. */
export const adapters: readonly Adapter[] = [
  tsgo,
  vtsls,
  typescriptLanguageServer,
  pyright,
  basedpyright,
  pylsp,
  jedi,
  ruff,
  ty,
  gopls,
  clangd,
  rustAnalyzer,
  jdtls,
  bash,
  yaml,
  json,
  html,
  css,
  syntax,
];

export function adapterOf(name: string): Adapter | undefined {
  return adapters.find((adapter) => adapter.name === name);
}

/**
 * The version proper in what a server says of itself: `clangd version 22.1.1 linux` -> `22.1.1`; gopls puts its whole
 * build information there, as JSON, where other versions come first.
 */
export function plainVersion(said: string): string {
  const own = /"Main":\{[^}]*"Version":"([^"]*)"/.exec(said)?.[1] ?? said;
  return /\d+(?:\.\d+)+(?:-[\w.]+)?/.exec(own)?.[0] ?? own;
}

/** An `initialize` answer as one version of a server gave it to a rich client. */
export interface Recording {
  readonly serverInfo?: { readonly name: string; readonly version?: string };
  readonly capabilities: { readonly [name: string]: unknown };
}

/** What `adapters/capabilities/<name>.json` holds, null where there is no recording of that server. */
export function recorded(name: string): Recording | null {
  let text: string;
  try {
    text = readFileSync(new URL(`${encodeURIComponent(name)}.json`, recordings), "utf8");
  } catch {
    return null;
  }
  const value: unknown = JSON.parse(text);
  if (!isRecording(value)) throw new Error(`adapters/capabilities/${name}.json is not an initialize answer`);
  return value;
}

/**
 * The argv of an embedded command.
 * @param from the folder whose packages count, ours if none is given
 * @returns null when the package is not installed (a platform that it has no binary for)
 */
export function embeddedArgv(
  command: Exclude<Command, readonly string[]>,
  from = dirname(fileURLToPath(import.meta.url)),
): readonly [string, ...string[]] | null {
  const asker = command.through === undefined ? from : packageFolder(command.through, from);
  const folder = asker === null ? null : packageFolder(forThisMachine(command.embedded), asker);
  if (folder === null) return null;
  const file = join(folder, forThisMachine(command.bin));
  return file.endsWith(".js") ? [process.execPath, file, ...command.args] : [file, ...command.args];
}

/**
 * The real folder of a package as a module in `from` would find it. Node's own look-up comes second, for package managers
 * that have no `node_modules`: made ready for that, it takes longer than all else at a start.
 */
function packageFolder(name: string, from: string): string | null {
  if (name === own.name) return own.folder;
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = join(folder, "node_modules", name, "package.json");
    if (existsSync(manifest)) return dirname(realpathSync(manifest));
    if (folder === dirname(folder)) break;
  }
  try {
    return dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

function forThisMachine(text: string): string {
  return text
    .replace("{platform}", process.platform)
    .replace("{arch}", process.arch)
    .replace("{exe}", process.platform === "win32" ? ".exe" : "");
}

/** Ourselves: a package does not find itself among those that it depends on. */
const own = {
  name: "lsp-switchboard",
  folder: fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../" : "../../", import.meta.url)),
};

/** The recordings are data beside the sources: the compiled file lies one folder deeper, in dist/. */
const recordings = import.meta.url.endsWith(".ts")
  ? new URL("capabilities/", import.meta.url)
  : new URL("../../adapters/capabilities/", import.meta.url);

function isRecording(value: unknown): value is Recording {
  const capabilities = field(value, "capabilities");
  return typeof capabilities === "object" && capabilities !== null;
}
