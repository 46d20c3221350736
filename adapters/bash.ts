/** bash-language-server: shell scripts. Measured on 5.8.1, which names no serverInfo. */
import { defineAdapter } from "./adapter.ts";
import { field } from "./params.ts";

export const bash = defineAdapter({
  name: "bash",
  languages: ["shellscript"],
  roots: [[".git"]],
  command: ["bash-language-server", "start"],
  install: "npm install --global bash-language-server (with shellcheck for diagnostics, shfmt for formatting)",
  version: ["--version"],
  // Until it has read the folder's files (by ending; 500 at most) its lists are empty; 0.5 s for two files. It says so in
  // the log, at its default level only.
  ready: {
    on: "notification",
    method: "window/logMessage",
    when: (params) =>
      /BackgroundAnalysis: (?:Completed after|skipping as|failed resolving)/.test(String(field(params, "message"))),
  },
  warmUp: "none",
  publishes: "open",
  // A variable of a function has the function for its container; the ranges are those of whole declarations.
  symbol: { separator: ".", container: "nearest" },
  role: "general",
  quirks: [],
});
