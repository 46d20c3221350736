/** Scala. */
import { byWord, type Outlining } from "../outlining.ts";

export const scala: Outlining = {
  query: `
(package_clause name: (_) @package)
(class_definition name: (identifier) @name) @class
(object_definition name: (identifier) @name) @class
(trait_definition name: (identifier) @name) @interface
(type_definition name: (type_identifier) @name) @class
(function_definition name: (_) @name parameters: (_)? @params) @function
(function_declaration name: (_) @name parameters: (_)? @params) @function
(val_definition pattern: (identifier) @name) @variable
(var_definition pattern: (identifier) @name) @variable
(val_declaration name: (identifier) @name) @variable
(class_parameter name: (identifier) @name) @field
`,
  members: true,
  access: byWord({ private: "private", protected: "protected" }, "public"),
};
