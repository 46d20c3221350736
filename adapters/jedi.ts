/** jedi-language-server. Measured on 0.47.0 with jedi 0.20.1, which is the version that it tells. */
import { defineAdapter } from "./adapter.ts";
import { jediNames, projectMarkers, pythonEnvironment, pythonHeeds, pythonLineEnds } from "./python.ts";

export const jedi = defineAdapter({
  name: "jedi",
  languages: ["python"],
  roots: [projectMarkers, [".git"]],
  command: ["jedi-language-server"],
  install: "pip install jedi-language-server",
  version: ["--version"],
  // It announces utf-16 when that is all it is offered, and counts code points all the same.
  encoding: "utf-32",
  linesEndAt: pythonLineEnds,
  ready: { on: "initialized" },
  // Its search knows the top level of modules only (`null` for a method), stops at 20, and an empty query reads every
  // module on the interpreter's path, for longer than anybody waits, while nothing else is answered.
  withholds: ["workspaceSymbolProvider"],
  warmUp: "none",
  publishes: "open",
  symbol: jediNames,
  role: "general",
  heeds: pythonHeeds,
  environment: pythonEnvironment({
    run: ({ interpreter }) => ({ initializationOptions: { workspace: { environmentPath: interpreter } } }),
    read: ({ packages }) => ({ initializationOptions: { workspace: { extraPaths: packages } } }),
  }),
  quirks: [],
});
