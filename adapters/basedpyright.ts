/** basedpyright, a fork of pyright that checks more. Measured on 1.40.2: roots, loading and names are pyright's. */
import { defineAdapter } from "./adapter.ts";
import { pyright } from "./pyright.ts";
import { pythonEnvironment } from "./python.ts";

export const basedpyright = defineAdapter({
  ...pyright,
  name: "basedpyright",
  command: ["basedpyright-langserver", "--stdio"],
  install: "pip install basedpyright",
  // It looks for environments in the folder by itself and runs the interpreter that it finds, unless it is told of another.
  environment: pythonEnvironment({
    run: ({ interpreter }) => ({ settings: { python: { pythonPath: interpreter } } }),
    read: ({ packages }) => ({ settings: { basedpyright: { analysis: { extraPaths: packages } } } }),
    untrusted: { settings: { python: { pythonPath: "python3" } } },
  }),
});
