/** VS Code's JSON server, from vscode-langservers-extracted. Measured on 4.10.0, which names no serverInfo. */
import { defineAdapter } from "./adapter.ts";

export const json = defineAdapter({
  name: "json",
  languages: ["json", "jsonc"],
  roots: [[".git"]],
  multiRoot: true,
  command: ["vscode-json-language-server", "--stdio"],
  install: "npm install --global vscode-langservers-extracted",
  // Else it announces no formatting. It fetches only schemas that a file or the settings name.
  initializationOptions: { provideFormatter: true },
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "general",
  quirks: [],
});
