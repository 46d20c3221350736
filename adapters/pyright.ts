/** Pyright, the Python type checker; comes with us. Measured on 1.1.414, which names no serverInfo. */
import { defineAdapter } from "./adapter.ts";
import { field, list, once } from "./params.ts";
import { projectMarkers, pythonEnvironment, pythonHeeds } from "./python.ts";

export const pyright = defineAdapter({
  name: "pyright",
  languages: ["python"],
  roots: [["pyrightconfig.json"], projectMarkers, [".git"]],
  multiRoot: true,
  command: { embedded: "pyright", bin: "langserver.index.js", args: ["--stdio"] },
  // It has no progress for loading, and answers workspace/symbol with `[]` until then (0.9 s, 1.7 s on a busy machine),
  // open files or not; definition and references wait by themselves. What ends it is a log line, "Found 4 source files"
  // or "No source files found."; it needs python.analysis.logLevel Information, the default. Whole at once after it.
  ready: {
    on: "notification",
    method: "window/logMessage",
    when: (params) => /^(?:Found \d+|No) source files?\b/.test(String(field(params, "message"))),
  },
  // An answer before that line is empty, not partial; on two cores that others use as well it came after 6 s.
  gates: { symbol: 20_000, rename: 20_000 },
  warmUp: "none",
  publishes: "open",
  symbol: { separator: ".", container: "nearest" },
  role: "general",
  // Left alone it takes the interpreter on PATH, which it runs for its search path, and looks for no environment.
  heeds: pythonHeeds,
  environment: pythonEnvironment({
    run: ({ interpreter }) => ({ settings: { python: { pythonPath: interpreter } } }),
    read: ({ packages }) => ({ settings: { python: { analysis: { extraPaths: packages } } } }),
  }),
  quirks: [
    {
      id: "calls-listed-twice",
      why: "A call of a method stands twice among the ranges of its caller.",
      link: "https://github.com/astral-sh/ruff/pull/25338",
      affects: "*",
      on: "callHierarchy/incomingCalls",
      response: (result, _, __, done) =>
        done(list(result).map((call) => ({ ...Object(call), fromRanges: once(list(field(call, "fromRanges"))) }))),
    },
  ],
});
