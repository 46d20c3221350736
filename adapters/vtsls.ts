/** vtsls, VS Code's TypeScript support as a language server. Measured on 0.3.0, which brings TypeScript 5.9.3. */
import { defineAdapter } from "./adapter.ts";
import { tsgo } from "./tsgo.ts";
import { linked } from "./typescript-language-server.ts";

export const vtsls = defineAdapter({
  name: "vtsls",
  languages: tsgo.languages,
  // One root a process: which TypeScript it runs is one of its settings, and folders can have different ones.
  roots: tsgo.roots,
  command: ["vtsls", "--stdio"],
  install: "npm install -g @vtsls/language-server",
  // Of itself it runs the TypeScript that it brings, not the workspace's.
  project: {
    name: "typescript",
    majors: [4, 5, 6],
    run: (folder) => ({ settings: { vtsls: { typescript: { globalTsdk: `${folder}/lib` } } } }),
  },
  version: ["--version"],
  capabilities: { textDocument: linked },
  // By default a second process answers from the open files alone while a project loads (3 s for two files), also
  // references and rename: partial, and nothing tells so. Without it each question waits for the project of its file, and
  // there is a process (90 MB) less.
  settings: { typescript: { tsserver: { useSyntaxServer: "never" } } },
  ready: { on: "open" },
  warmUp: tsgo.warmUp,
  publishes: "open",
  // Methods are `record()`, accessors `size` or `(get) size`.
  symbol: { ...tsgo.symbol, separator: ".", container: "nearest", cap: 256 },
  role: "general",
  quirks: [],
});
