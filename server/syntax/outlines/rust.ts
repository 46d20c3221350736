/** Rust. What an `impl` block holds is in the type that the block is for, or in its trait where that type has no name. */
import { byWord, type Outlining, wordsOf } from "../outlining.ts";

const byModifier = byWord({ pub: "public" }, "private");

export const rust: Outlining = {
  query: `
((attribute_item) @_when . (attribute_item)* . (_) @test (#match? @_when "^#\\\\[cfg\\\\((all\\\\()?\\\\s*test\\\\b"))
(mod_item name: (identifier) @name) @module
(function_item name: (identifier) @name parameters: (_) @params return_type: (_)? @returns) @function
(function_signature_item name: (identifier) @name parameters: (_) @params return_type: (_)? @returns) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @enumMember
(field_declaration name: (field_identifier) @name) @field
(trait_item name: (type_identifier) @name) @interface
(associated_type name: (type_identifier) @name) @class
(type_item name: (type_identifier) @name) @class
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name) @function
(impl_item trait: (_) @in type: [(unit_type) (tuple_type)]) @block
(impl_item type: (_) @in) @block
(let_declaration pattern: (identifier) @name) @variable
(let_declaration pattern: (mut_pattern (identifier) @name)) @variable
(let_declaration pattern: (tuple_pattern (identifier) @name @variable))
(closure_expression) @callback
`,
  members: true,
  escaped: /^r#(.+)$/,
  // The trait's block is in its place.
  refine: (draft, name) => (/^(?:unit|tuple)_type$/.test(name.type) ? null : draft),
  // `&'a mut [u8]` -> u8
  scopeOf: (text) => wordsOf(text.replace(/^(?:[\s&*[]|'\w+\s|(?:mut|dyn|const)\s)*/, "")).slice(-1),
  access: (standing) => {
    const { inside, kind } = standing;
    if (inside === "interface" || inside === "enum" || kind === "enumMember") return "public";
    return /\bpub\s*\(/.test(standing.head) ? "internal" : byModifier(standing);
  },
};
