/** Go. A method is in its receiver's type, and everything in the package that the file names. */
import { into, type Outlining } from "../outlining.ts";

export const go: Outlining = {
  query: `
(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name parameters: (_) @params result: (_)? @returns) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @in))
  name: (field_identifier) @name parameters: (_) @params result: (_)? @returns) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @class
(type_alias name: (type_identifier) @name) @class
(method_spec name: (field_identifier) @name parameters: (_) @params result: (_)? @returns) @method
(field_declaration (field_identifier) @name) @field
(field_declaration !name type: [
  (type_identifier) @name (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (qualified_type name: (type_identifier) @name))]) @field
(const_spec (identifier) @name) @constant
(var_spec (identifier) @name) @variable
(short_var_declaration left: (expression_list (identifier) @name @variable))
(range_clause left: (expression_list (identifier) @name @variable))
(func_literal) @callback
`,
  rebinds: true,
  grows: into([], ["type_declaration", "const_declaration", "var_declaration"]),
  refine: (draft) => (draft.name === "_" ? null : draft),
  access: ({ name }) => (/^\p{Lu}/u.test(name) ? "public" : "internal"),
};
