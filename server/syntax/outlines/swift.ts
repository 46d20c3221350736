/** Swift. What an extension holds is in the type that it extends. */
import { byWord, inBackticks, type Outlining } from "../outlining.ts";

export const swift: Outlining = {
  query: `
(class_declaration "extension" name: (_) @in) @block
(class_declaration "struct" name: (type_identifier) @name) @struct
(class_declaration "enum" name: (type_identifier) @name) @enum
(class_declaration name: (type_identifier) @name) @class
(protocol_declaration name: (type_identifier) @name) @interface
(typealias_declaration name: (type_identifier) @name) @class
(associatedtype_declaration name: (type_identifier) @name) @class
(function_declaration "func" . _ @name) @function
(protocol_function_declaration "func" . _ @name) @method
(init_declaration "init" @name) @constructor
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(property_declaration (pattern bound_identifier: (simple_identifier) @name)) @property
(property_declaration (pattern (pattern (simple_identifier) @name)) @property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(enum_entry (simple_identifier) @name @enumMember)
(lambda_literal) @callback
`,
  members: true,
  escaped: inBackticks,
  // An operator is no named node: what stands right behind the word is the name, whatever it is.
  refine: (draft, node) =>
    /^(?:function|method)$/.test(draft.kind) && draft.name !== "deinit" && draft.name !== "subscript"
      ? node.previousSibling?.type === "func"
        ? draft
        : null
      : draft,
  access: byWord(
    { open: "public", public: "public", internal: "internal", fileprivate: "private", private: "private" },
    "internal",
  ),
};
