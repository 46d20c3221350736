/** OCaml. */
import type { Outlining } from "../outlining.ts";

export const ocaml: Outlining = {
  query: `
(module_definition (module_binding name: (_) @name)) @module
(value_definition (let_binding pattern: (value_name) @name (parameter))) @function
(value_definition (let_binding pattern: (value_name) @name)) @variable
(type_definition (type_binding name: (_) @name)) @class
(constructor_declaration (constructor_name) @name) @enumMember
(field_declaration (field_name) @name) @field
(exception_definition (constructor_declaration (constructor_name) @name)) @class
(external (value_name) @name) @function
(fun_expression) @callback
`,
};
