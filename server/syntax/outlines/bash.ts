/** Shell scripts. A variable that no `local` or `declare` binds to its function is the script's. */
import type { Draft, Outlining } from "../outlining.ts";

export const bash: Outlining = {
  query: `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable
(declaration_command (variable_name) @name @variable)
(for_statement variable: (variable_name) @name @variable)
`,
  rebinds: true,
  refine: (draft, node) => {
    if (draft.kind === "function") return draft;
    const isAssigned = node.parent?.type === "variable_assignment";
    const holder = isAssigned ? node.parent.parent : node.parent;
    const words = holder?.type === "declaration_command" ? holder.text.split(/\s+/, 2) : [];
    // `LANG=C sort` is for that command alone; `export PATH` is about a variable that there is.
    const isNone = holder?.type === "command" || (!isAssigned && /^(?:export|readonly)$/.test(words[0] ?? ""));
    return isNone ? null : bound(draft, words);
  },
};

/** @param words the first two of the command that declares it; none for a plain assignment */
function bound(draft: Draft, [word = "", option = ""]: readonly string[]): Draft {
  const kind = word === "readonly" || /^-\w*r/.test(option) ? "constant" : "variable";
  const isLocal = word === "local" || (/^(?:declare|typeset)$/.test(word) && !/^-\w*g/.test(option));
  return isLocal ? { ...draft, kind } : { ...draft, kind, lift: Number.POSITIVE_INFINITY };
}
