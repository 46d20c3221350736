/** Java. */
import { blanks, byWord, type Outlining } from "../outlining.ts";

const byModifier = byWord({ public: "public", protected: "protected", private: "private" }, "internal");

export const java: Outlining = {
  query: `
(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @enum
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_constant name: (identifier) @name) @enumMember
(method_declaration type: (_) @returns name: (identifier) @name parameters: (_) @params) @method
(annotation_type_element_declaration type: (_) @returns name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name parameters: (_) @params) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @variable
(enhanced_for_statement name: (identifier) @name @variable)
(resource name: (identifier) @name) @variable
(object_creation_expression (class_body) @anonymous)
[(lambda_expression) (static_initializer)] @callback
`,
  // The grammar knows no annotation of the dots of a last parameter.
  plain: blanks(/@[\w.]+(?=\s*\.\.\.)/g),
  access: (standing) => {
    if (standing.inside === "interface" || standing.kind === "enumMember") return "public";
    return byModifier({ ...standing, head: standing.head.replace(/@[\w.]+(?:\([^)]*\))?/g, "") });
  },
};
