/** Our own backend: what syntax alone tells, for every language that a grammar reads. `server/syntax/`. */
import { grammarNames } from "../server/syntax/served.ts";
import { defineAdapter } from "./adapter.ts";

export const syntax = defineAdapter({
  name: "syntax",
  languages: [...grammarNames.keys()],
  roots: [[".git"]],
  multiRoot: true,
  command: { embedded: "lsp-switchboard", bin: "dist/bin/main.js", args: ["syntax", "--stdio"] },
  version: ["--version"],
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "general",
  // By name alone: a server that knows the language is better in all of it.
  lastResort: true,
  quirks: [],
});
