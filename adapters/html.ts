/**
 * VS Code's HTML server, from vscode-langservers-extracted: HTML, with the CSS and JavaScript inside it. Measured on 4.10.0,
 * which names no serverInfo.
 */
import { defineAdapter } from "./adapter.ts";

export const html = defineAdapter({
  name: "html",
  languages: ["html"],
  roots: [[".git"]],
  multiRoot: true,
  command: ["vscode-html-language-server", "--stdio"],
  install: "npm install --global vscode-langservers-extracted",
  // Without them there is no formatting, and of what is embedded nothing but the outline.
  initializationOptions: { provideFormatter: true, embeddedLanguages: { css: true, javascript: true }, dataPaths: [] },
  // Where they are null, the CSS inside is not checked.
  settings: {
    html: { validate: { styles: true, scripts: true } },
    css: { validate: true },
    javascript: { validate: { enable: true } },
  },
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "general",
  quirks: [],
});
