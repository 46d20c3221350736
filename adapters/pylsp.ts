/** python-lsp-server, a shell around jedi and the plugins that lie beside it. Measured on 1.15.0 with jedi 0.20.1, no plugin. */
import { defineAdapter } from "./adapter.ts";

export const pylsp = defineAdapter({
  name: "pylsp",
  languages: ["python"],
  roots: [["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini"], [".git"]],
  command: ["pylsp"],
  install: "pip install 'python-lsp-server[all]'",
  version: ["--version"],
  // Columns are indexes into Python's texts, whatever is negotiated.
  encoding: "utf-32",
  // It loads what a question needs when it comes: 0.9 s for the first definition, 8 ms for the next. Whole at once.
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  // It has no workspace/symbol. documentSymbol is flat, lists a property twice where it has a setter, and what __init__.py
  // imports as a class or function of its own.
  symbol: {
    separator: ".",
    container: "none",
    importBefore: /(?:^|\n)[ \t]*(?:from\b[^\n]*\bimport\b|import\b)[^\n#;]*$/,
  },
  role: "general",
  quirks: [],
});
