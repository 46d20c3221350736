/** Python. What a file imports is no declaration of its own. */
import type { Draft, Outlining } from "../outlining.ts";
import { into } from "../outlining.ts";

export const python: Outlining = {
  query: `
(decorated_definition (decorator) @_how definition:
  (function_definition name: (identifier) @name parameters: (_) @params return_type: (_)? @returns) @property
  (#match? @_how "^@([\\\\w.]*\\\\b(cached_)?property|[\\\\w.]+\\\\.(setter|getter|deleter))$"))
(function_definition name: (identifier) @name parameters: (_) @params return_type: (_)? @returns) @function
(class_definition name: (identifier) @name) @class
(type_alias_statement . (type (identifier) @name)) @class
(assignment left: (identifier) @name) @variable
(assignment left: [
  (pattern_list (identifier) @name @variable)
  (pattern_list (list_splat_pattern (identifier) @name @variable))
  (tuple_pattern (identifier) @name @variable)
  (list_pattern (identifier) @name @variable)])
((assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name) @field)
  (#match? @_self "^(self|cls)$"))
(for_statement left: (identifier) @name @variable)
(for_statement left: [(pattern_list (identifier) @name @variable) (tuple_pattern (identifier) @name @variable)])
(as_pattern_target (identifier) @name @variable)
(named_expression name: (identifier) @name @variable)
(lambda) @callback
`,
  members: true,
  rebinds: true,
  grows: into(["decorated_definition"]),
  refine: (draft, node) => {
    if (draft.kind === "field") return memberOf(draft, node.parent?.parent ?? null);
    if (draft.kind === "variable" && /^[A-Z][A-Z0-9_]*$/.test(draft.name)) return { ...draft, kind: "constant" };
    return draft;
  },
  access: ({ name }) => {
    if (/^__.*__$/.test(name)) return "public";
    return name.startsWith("__") ? "private" : name.startsWith("_") ? "internal" : "public";
  },
};

/** `self.n = 0` declares a field of the class around the functions that it stands in. */
function memberOf(draft: Draft, from: Parameters<NonNullable<Outlining["refine"]>>[1] | null): Draft | null {
  let lift = 0;
  for (let node = from; node !== null; node = node.parent) {
    if (node.type === "class_definition") return lift === 0 ? null : { ...draft, lift };
    if (node.type === "function_definition") lift++;
  }
  return null;
}
