/** Lua. `M.f` and `M:f` are in M. */
import type { Outlining } from "../outlining.ts";

export const lua: Outlining = {
  query: `
(local_function_definition_statement name: (identifier) @name parameters: (_) @params) @function
(function_definition_statement name: (identifier) @name parameters: (_)? @params) @function
(function_definition_statement name: (variable name: (identifier) @name) parameters: (_)? @params) @function
(function_definition_statement name: (variable table: (_) @in field: (identifier) @name) parameters: (_)? @params) @function
(function_definition_statement name: (variable table: (_) @in method: (identifier) @name) parameters: (_)? @params) @method
(local_variable_declaration (variable_list (variable name: (identifier) @name) @variable))
(variable_assignment (variable_list (variable name: (identifier) @name) @variable))
(field key: (identifier) @name value: (function_definition)) @method
(function_definition) @callback
`,
  rebinds: true,
};
