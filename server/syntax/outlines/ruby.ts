/** Ruby. What is defined in a block is defined where the block stands; accessors are declared by calls. */
import type { Node } from "web-tree-sitter";
import { type Access, type Draft, nestedName, type Outlining } from "../outlining.ts";

export const ruby: Outlining = {
  query: `
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name parameters: (_)? @params) @method
(singleton_method object: (constant) @in name: (_) @name parameters: (_)? @params) @method
(singleton_method name: (_) @name parameters: (_)? @params) @method
((assignment left: (constant) @name right: (call receiver: (constant) @_type method: (identifier) @_new)) @class
  (#match? @_type "^(Struct|Class|Module|Data)$") (#match? @_new "^(new|define)$"))
(assignment left: (constant) @name) @constant
(assignment left: [(instance_variable) (class_variable)] @name) @field
(assignment left: [(identifier) (global_variable)] @name) @variable
(assignment left: (left_assignment_list (identifier) @name @variable))
((call method: (identifier) @_attr arguments: (argument_list [(simple_symbol) (string)] @name @property))
  (#match? @_attr "^[cm]?attr(_accessor|_reader|_writer)?$"))
((call method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name)) @method
  (#match? @_define "^(alias_method|define_method)$"))
(alias name: (_) @name) @method
((body_statement (identifier) @section) (#match? @section "^(private|protected|public)$"))
`,
  rebinds: true,
  refine: (draft, node) => {
    if (node.type === "scope_resolution") return nestedName(draft, "::");
    if (node.type === "simple_symbol" || node.type === "string") return unquoted(draft);
    if (draft.kind === "field") return { ...draft, lift: methodsAround(node) };
    return draft.name === "initialize" ? { ...draft, kind: "constructor" } : draft;
  },
  access: ({ kind, section }) => (kind === "method" ? (sections.get(section) ?? "public") : "public"),
};

const sections: ReadonlyMap<string, Access> = new Map([
  ["private", "private"],
  ["protected", "protected"],
]);

/** `:name`, `"name"` */
function unquoted(draft: Draft): Draft {
  const name = draft.name.replace(/^:?["']?|["']$/g, "");
  const nameStart = draft.nameStart + draft.name.indexOf(name);
  return { ...draft, name, nameStart, nameEnd: nameStart + name.length };
}

/** A variable of an object is the class's, not that of the method which first sets it. */
function methodsAround(node: Node): number {
  let methods = 0;
  for (let at = node.parent; at !== null && at.type !== "class" && at.type !== "module"; at = at.parent)
    if (at.type === "method" || at.type === "singleton_method") methods++;
  return methods;
}
