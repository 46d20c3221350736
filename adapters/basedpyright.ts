/** basedpyright, a fork of pyright that checks more. Measured on 1.40.2: roots, loading and names are pyright's. */
import { defineAdapter } from "./adapter.ts";
import { pyright } from "./pyright.ts";
import { pythonEnvironment, pythonHeeds } from "./python.ts";

export const basedpyright = defineAdapter({
  ...pyright,
  name: "basedpyright",
  command: ["basedpyright-langserver", "--stdio"],
  install: "pip install basedpyright",
  // It runs the interpreter of a `.venv` by itself, unless it is told where environments lie (that alone then does nothing)
  // or of an interpreter by its path; it does not take a bare `python3` for one.
  heeds: pythonHeeds,
  environment: pythonEnvironment({
    run: ({ interpreter }) => ({ settings: { python: { pythonPath: interpreter } } }),
    read: ({ packages }) => ({ settings: { basedpyright: { analysis: { extraPaths: packages } } } }),
    untrusted: ({ root }) => ({ settings: { python: { venvPath: root } } }),
  }),
});
