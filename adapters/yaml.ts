/** yaml-language-server. Measured on 1.25.0. */
import { defineAdapter } from "./adapter.ts";

export const yaml = defineAdapter({
  name: "yaml",
  languages: ["yaml"],
  roots: [[".git"]],
  multiRoot: true,
  command: ["yaml-language-server", "--stdio"],
  install: "npm install --global yaml-language-server",
  version: ["--version"],
  // Left to itself it fetches a catalogue of schemas from the network at its start. An editor that wants this says so in its
  // settings (VS Code's does), or a user does.
  settings: { yaml: { schemaStore: { enable: false }, format: { enable: true } } },
  // Registered later instead of announced, formatting would be missing from what is known of it before it runs.
  capabilities: { textDocument: { formatting: { dynamicRegistration: false } } },
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  role: "general",
  quirks: [],
});
