/** Ruff, a linter and formatter for Python: it stands beside whoever answers questions. Measured on 0.17.6. */
import { defineAdapter } from "./adapter.ts";

export const ruff = defineAdapter({
  name: "ruff",
  languages: ["python"],
  roots: [["ruff.toml", ".ruff.toml"], ["pyproject.toml", "setup.cfg"], [".git"]],
  multiRoot: true,
  command: ["ruff", "server"],
  install: "pip install ruff",
  version: ["--version"],
  // Offered dynamic registration it announces no formatting in its initialize answer, and so none before it runs.
  capabilities: {
    textDocument: { formatting: { dynamicRegistration: false }, rangeFormatting: { dynamicRegistration: false } },
  },
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "addon",
  quirks: [],
});
