/** ty, a type checker for Python by Ruff's makers. Measured on 0.0.108, a preview. */
import { defineAdapter } from "./adapter.ts";

export const ty = defineAdapter({
  name: "ty",
  languages: ["python"],
  roots: [["ty.toml"], ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"], [".git"]],
  multiRoot: true,
  command: ["ty", "server"],
  install: "pip install ty",
  version: ["--version"],
  // Whole with nothing open at the first question, 15 ms after it was asked.
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  symbol: { separator: ".", container: "none" },
  role: "general",
  quirks: [],
});
