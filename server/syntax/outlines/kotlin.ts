/** Kotlin. An extension is in the type that it extends; what a companion without a name holds is in its class. */
import { blanks, byWord, inBackticks, type Outlining } from "../outlining.ts";

export const kotlin: Outlining = {
  query: `
(package_header (identifier) @package)
(class_declaration "interface" (type_identifier) @name) @interface
(class_declaration "enum" (type_identifier) @name) @enum
(class_declaration (type_identifier) @name) @class
(object_declaration (type_identifier) @name) @class
(companion_object (type_identifier) @name) @class
(type_alias . (type_identifier) @name) @class
(enum_entry (simple_identifier) @name) @enumMember
(function_declaration (user_type) @in . (simple_identifier) @name (function_value_parameters) @params) @function
(function_declaration (simple_identifier) @name (function_value_parameters) @params) @function
(secondary_constructor "constructor" @name (function_value_parameters) @params) @constructor
(property_declaration (user_type) @in . (variable_declaration . (simple_identifier) @name)) @property
(property_declaration (variable_declaration . (simple_identifier) @name)) @property
(property_declaration (multi_variable_declaration (variable_declaration . (simple_identifier) @name @property)))
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @property
[(lambda_literal) (anonymous_function) (anonymous_initializer)] @callback
(object_literal) @anonymous
`,
  members: true,
  escaped: inBackticks,
  access: byWord({ public: "public", protected: "protected", internal: "internal", private: "private" }, "public"),
  // An interface of one function is read as one of several.
  plain: blanks(/\bfun(?=[ \t]+interface\b)/g),
};
