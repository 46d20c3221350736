/** VS Code's CSS server, from vscode-langservers-extracted. Measured on 4.10.0, which names no serverInfo. */
import { defineAdapter } from "./adapter.ts";

export const css = defineAdapter({
  name: "css",
  languages: ["css", "scss", "less"],
  roots: [[".git"]],
  multiRoot: true,
  command: ["vscode-css-language-server", "--stdio"],
  install: "npm install --global vscode-langservers-extracted",
  // Else it announces no formatting.
  initializationOptions: { provideFormatter: true, dataPaths: [] },
  // Where a section is null it reports nothing.
  settings: { css: { validate: true }, scss: { validate: true }, less: { validate: true } },
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "general",
  quirks: [],
});
