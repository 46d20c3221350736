/** PHP. Variables and properties keep their `$`; a namespace without braces holds what follows it. */
import { byWord, nestedName, type Outlining } from "../outlining.ts";

export const php: Outlining = {
  query: `
(namespace_definition name: (_) @name body: (_)) @namespace
(namespace_definition name: (_) @name @rest !body) @namespace
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @enumMember
(method_declaration name: (name) @name parameters: (_) @params return_type: (_)? @returns) @method
(function_definition name: (name) @name parameters: (_) @params return_type: (_)? @returns) @function
(property_declaration (property_element (variable_name) @name)) @property
(property_promotion_parameter name: (variable_name) @name) @property
(const_declaration (const_element . (name) @name)) @constant
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string) @name))) @constant
  (#eq? @_define "define"))
(assignment_expression left: (variable_name) @name) @variable
(static_variable_declaration name: (variable_name) @name) @variable
[(anonymous_function) (arrow_function)] @callback
(anonymous_class (declaration_list) @anonymous)
`,
  rebinds: true,
  refine: (draft, node, top) => {
    if (draft.kind === "namespace") return nestedName(draft, "\\");
    if (node.type === "string") {
      const name = draft.name.slice(1, -1);
      return { ...draft, name, nameStart: draft.nameStart + 1, nameEnd: draft.nameEnd - 1 };
    }
    if (top.type === "property_promotion_parameter") return { ...draft, lift: 1 };
    return draft.name === "__construct" ? { ...draft, kind: "constructor" } : draft;
  },
  access: byWord({ public: "public", protected: "protected", private: "private" }, "public"),
};
