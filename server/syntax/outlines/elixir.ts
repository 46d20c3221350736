/** Elixir. Everything is declared by calls; a module's name is whole in one word. */
import { nestedName, type Outlining } from "../outlining.ts";

export const elixir: Outlining = {
  query: `
((call target: (identifier) @_word (arguments . (alias) @name)) @module
  (#match? @_word "^(defmodule|defprotocol)$"))
((call target: (identifier) @_word (arguments . (alias) @in)) @block (#eq? @_word "defimpl"))
((call target: (identifier) @_word (arguments . [
  (identifier) @name
  (call target: (identifier) @name (arguments) @params)
  (binary_operator left: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name (arguments) @params))])) @function
  (#match? @_word "^def(p|macro|macrop|guard|guardp|delegate)?$"))
(anonymous_function) @callback
`,
  refine: (draft) => (draft.kind === "module" ? nestedName(draft, ".") : draft),
  access: ({ head }) => (/^def\w*p\b/.test(head) ? "private" : "public"),
};
