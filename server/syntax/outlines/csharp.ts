/** C#. */
import { byWord, nestedName, type Outlining } from "../outlining.ts";

export const csharp: Outlining = {
  query: `
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name @rest) @namespace
(class_declaration name: (identifier) @name) @class
(record_declaration "struct" name: (identifier) @name) @struct
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name parameters: (_) @params) @class
(enum_member_declaration name: (identifier) @name) @enumMember
(method_declaration returns: (_) @returns name: (identifier) @name parameters: (_) @params) @method
(constructor_declaration name: (identifier) @name parameters: (_) @params) @constructor
(destructor_declaration name: (identifier) @name) @method
(operator_declaration type: (_) @returns "operator" @name parameters: (_) @params) @operator
(conversion_operator_declaration "operator" @name type: (_) parameters: (_) @params) @operator
(indexer_declaration type: (_) @returns "this" @name parameters: (_) @params) @property
(property_declaration type: (_) @returns name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @event
(event_field_declaration (variable_declaration (variable_declarator . (identifier) @name))) @event
(field_declaration (variable_declaration (variable_declarator . (identifier) @name))) @field
(record_declaration (parameter_list (parameter name: (identifier) @name) @property))
(local_function_statement name: (identifier) @name parameters: (_) @params) @function
(local_declaration_statement (variable_declaration (variable_declarator . (identifier) @name))) @variable
(foreach_statement left: (identifier) @name @variable)
[(lambda_expression) (anonymous_method_expression)] @callback
`,
  escaped: /^@(.+)$/,
  refine: (draft, node, top) => {
    if (top.type === "destructor_declaration")
      return { ...draft, name: `~${draft.name}`, nameStart: draft.nameStart - 1 };
    if (draft.kind !== "operator") return draft.kind === "namespace" ? nestedName(draft, ".") : draft;
    const what = node.nextSibling;
    if (what === null) return null;
    // `operator +`, or the type that it converts to.
    const name = what.isNamed ? `operator ${what.text}` : `operator${what.text}`;
    return { ...draft, name, nameEnd: what.endIndex };
  },
  access: (standing) => {
    const { inside, kind } = standing;
    if (kind === "namespace" || inside === "interface" || inside === "enum") return "public";
    return inside === null || inside === "namespace" ? topLevel(standing) : member(standing);
  },
};

const words = { public: "public", protected: "protected", internal: "internal", private: "private" } as const;
const topLevel = byWord(words, "internal");
const member = byWord(words, "private");
