/** TypeScript 7's own language server; comes with us, since it compiles us too. Measured on 7.0.2. */
import { defineAdapter } from "./adapter.ts";

export const tsgo = defineAdapter({
  name: "tsgo",
  languages: ["typescript", "typescriptreact", "javascript", "javascriptreact"],
  // One process for a whole monorepo: it finds the tsconfig.json of each opened file itself.
  roots: [
    ["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
    ["tsconfig.json", "jsconfig.json"],
    ["package.json"],
    [".git"],
  ],
  // It knows nothing of workspace folders: it looks for the project of each file that is opened, wherever that lies.
  multiRoot: true,
  // The native binary itself: the package's launcher is a node process more (40 ms), and its child outlives a SIGKILL.
  command: {
    embedded: "@typescript/typescript-{platform}-{arch}",
    through: "typescript",
    bin: "lib/tsc{exe}",
    args: ["--lsp", "--stdio"],
  },
  project: { name: "typescript", majors: [7] },
  version: ["--version"],
  // With nothing open workspace/symbol is `[]` for ever. Behind the first didOpen it, definition and references wait for
  // the project and are whole at once (120-190 ms on two files): the server itself is the gate.
  ready: { on: "open" },
  // Only projects of open files are searched: in a workspace of three packages, references and rename from the first say
  // nothing of the other two, and a project is forgotten when the next file is opened after its last one was closed.
  warmUp: { each: ["tsconfig.json", "jsconfig.json"] },
  publishes: "open",
  symbol: {
    separator: ".",
    container: "nearest",
    cap: 256,
    // documentSymbol lists imported and re-exported names as variables, workspace/symbol only those that get a new name.
    importBefore: /(?:^|[\n;])\s*(?:import\b[^;{}()="']*(?:\{[^{}]*)?|export\s+(?:type\s+)?\{[^{}]*)$/,
  },
  role: "general",
  quirks: [],
});
