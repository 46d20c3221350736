/** typescript-language-server, around TypeScript's own tsserver. Measured on 5.3.0 with TypeScript 6.0.3; names no serverInfo. */
import { defineAdapter } from "./adapter.ts";
import { tsgo } from "./tsgo.ts";

/** A plain location is the whole declaration; only a link tells where the name stands, as a location of other servers does. */
export const linked = {
  definition: { linkSupport: true },
  typeDefinition: { linkSupport: true },
  implementation: { linkSupport: true },
};

export const typescriptLanguageServer = defineAdapter({
  name: "typescript-language-server",
  languages: tsgo.languages,
  roots: tsgo.roots,
  command: ["typescript-language-server", "--stdio"],
  install: "npm install -g typescript-language-server typescript@6",
  // Told of none, it runs what it finds in the workspace (node_modules, Yarn's SDKs).
  project: {
    name: "typescript",
    majors: [4, 5, 6],
    run: (folder) => ({ initializationOptions: { tsserver: { path: `${folder}/lib/tsserver.js` } } }),
    seeks: true,
  },
  version: ["--version"],
  capabilities: { textDocument: linked },
  // By default a second process answers from the open files alone while a project loads (4-6 s for two files), also
  // references and rename: partial, and nothing tells so. Without it each question waits for the project of its file, and
  // there is a process (90 MB) less.
  // Its own watch of the folder tells it of a change at some time; ours, before the next question.
  initializationOptions: { tsserver: { useSyntaxServer: "never", useClientFileWatcher: true } },
  ready: { on: "open" },
  // With nothing open workspace/symbol is the error "No Project", as soon as the last file is closed again.
  warmUp: tsgo.warmUp,
  publishes: "open",
  symbol: { ...tsgo.symbol, separator: ".", container: "none", cap: 256 },
  role: "general",
  quirks: [],
});
