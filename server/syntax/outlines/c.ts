/** C and C++. A definition outside of its class is in the class that it names; macros are taken at their word. */
import type { Node } from "web-tree-sitter";
import { bracedIn, definedIn } from "../braces.ts";
import { blanks, byWord, type Draft, type Outlining } from "../outlining.ts";

const common = `
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name parameters: (_) @params) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (identifier) @name) @enumMember
(function_declarator declarator: [(identifier) (field_identifier)] @name parameters: (_) @params) @function
(type_definition declarator: [(type_identifier) (primitive_type)] @name @class)
(pointer_declarator declarator: (type_identifier) @name @class)
(function_declarator declarator: (type_identifier) @name @class)
(array_declarator declarator: (type_identifier) @name @class)
(parenthesized_declarator (type_identifier) @name @class)
(field_declaration declarator: (field_identifier) @name @field)
(declaration declarator: (identifier) @name @variable)
(init_declarator declarator: (identifier) @name) @variable
[(pointer_declarator declarator: [(identifier) (field_identifier)] @name)
 (array_declarator declarator: [(identifier) (field_identifier)] @name)
 (attributed_declarator (field_identifier) @name)] @variable
`;

const more = `
(namespace_definition name: (_) @name) @namespace
(namespace_definition !name "namespace" @name) @namespace
(class_specifier name: (_) @name body: (_)) @class
(function_declarator declarator: [(qualified_identifier) (destructor_name) (operator_name) (template_function)] @name
  parameters: (_) @params) @function
(operator_cast) @name @function
(alias_declaration name: (type_identifier) @name) @class
(concept_definition name: (identifier) @name) @interface
(declaration declarator: (qualified_identifier) @name @variable)
(init_declarator declarator: (qualified_identifier) @name) @variable
(reference_declarator [(identifier) (field_identifier)] @name) @variable
(reference_declarator (type_identifier) @name @class)
(array_declarator declarator: (qualified_identifier) @name) @variable
(lambda_expression) @callback
(access_specifier) @section
`;

/** What stands between a name and the declaration that it is the name of. */
const declarators = new Set(
  ["pointer", "reference", "array", "parenthesized", "function", "init", "attributed"]
    .map((sort) => `${sort}_declarator`)
    .concat("qualified_identifier", "operator_cast"),
);
const declarations = new Set(
  "declaration field_declaration function_definition friend_declaration type_definition".split(" "),
);
const sortsByDeclarator = new Set(["function_declarator", ...declarators]);

/** Where a type is declared in front, `struct { int x; } a`, the rest is about what follows alone. */
function grows(outer: Node, inner: Node): boolean {
  if (outer.type === "template_declaration") return true;
  if (declarators.has(outer.type)) return sortsByDeclarator.has(inner.type) || inner.type.endsWith("identifier");
  if (!declarations.has(outer.type) || inner.type.endsWith("_specifier")) return false;
  const isType = outer.childForFieldName("type");
  return isType === null || (isType.id !== inner.id && isType.childForFieldName("body") === null);
}

/** A qualified name: what is before its last `::`, and the rest, with an operator's symbols or words. */
const qualified =
  /((?:[\p{L}_$][\p{L}\p{N}_$]*\s*::\s*)*)(operator\b\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+|[^(]+?)|~?\s*[\p{L}_$][\p{L}\p{N}_$]*)\s*$/u;

function refine(draft: Draft, node: Node, top: Node): Draft | null {
  // A macro is of no namespace, class or function, wherever it stands.
  if (node.parent?.type.startsWith("preproc") === true) return { ...draft, lift: Number.POSITIVE_INFINITY };
  if (declaredByDeclarator(draft, node) && !declaresAt(top)) return null;
  if (node.type === "namespace") return { ...draft, name: "(anonymous namespace)" };
  const conversion = conversionOf(draft, node);
  if (conversion !== null) return conversion;
  const text = draft.name;
  const [whole, around = "", leaf = ""] = qualified.exec(withoutArguments(text)) ?? [];
  if (whole === undefined) return null;
  const scope = scopeIn(around);
  const start = draft.nameStart + text.trimEnd().lastIndexOf(leaf);
  return {
    ...draft,
    name: /^operator\s+\w/.test(leaf) ? spaced(leaf) : leaf.replace(/\s+/g, ""),
    scope,
    kind: draft.kind === "function" && scope.length > 0 ? "method" : draft.kind,
    nameStart: start,
    nameEnd: start + leaf.length,
    // A class's friend is a function beside it.
    lift: isFriend(node, top) ? 1 : 0,
  };
}

/** `operator T`, also outside of its class; one to a plain type the grammar takes there for a function called like the type. */
function conversionOf(draft: Draft, node: Node): Draft | null {
  const before = node.parent?.previousSibling ?? null;
  if (node.type === "identifier" && before !== null && /::\s*operator$/.test(before.text)) {
    const nameStart = before.endIndex - "operator".length;
    return {
      ...draft,
      kind: "method",
      name: `operator ${draft.name}`,
      nameStart,
      scope: scopeIn(before.text.slice(0, -"operator".length)),
    };
  }
  if (node.type !== "operator_cast") return null;
  let whole = node;
  for (let at = node.parent; at?.type === "qualified_identifier"; at = at.parent) whole = at;
  const scope = scopeIn(withoutArguments(whole.text.slice(0, node.startIndex - whole.startIndex)));
  const name = draft.name.split("(")[0]?.trimEnd() ?? "";
  return { ...draft, name: spaced(name), scope, kind: "method", nameEnd: draft.nameStart + name.length };
}

/** `a::b::` -> a, b. */
function scopeIn(text: string): readonly string[] {
  return text.split("::").flatMap((one) => one.trim() || []);
}

/** As addresses spell a type: no spaces around its signs, one behind a comma. */
function spaced(name: string): string {
  return name
    .replace(/\s+/g, " ")
    .replace(/ ?([*&<>]) ?/g, "$1")
    .replace(/ ?, ?/g, ", ");
}

/** Whether it must stand in a declaration: else it is a parameter, a type's name in a cast, a template's argument. */
function declaredByDeclarator({ kind }: Draft, node: Node): boolean {
  const outer = node.parent?.type ?? "";
  if (outer.endsWith("_specifier") || outer === "alias_declaration") return false;
  return kind === "function" || kind === "variable" || kind === "field" || kind === "class";
}

function isFriend(node: Node, top: Node): boolean {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type === "friend_declaration") return true;
    if (at.id === top.id) return top.parent?.type === "friend_declaration";
  }
  return false;
}

function declaresAt(top: Node): boolean {
  const at = top.type === "template_declaration" ? top : declarations.has(top.type) ? top : top.parent;
  return at !== null && (at.type === "template_declaration" || declarations.has(at.type));
}

/** Type arguments as blanks at the end of each name, so that offsets stay: `Box<T>::get` -> `Box   ::get`. */
function withoutArguments(text: string): string {
  if (!text.includes("<") || /^operator\b/.test(text)) return text;
  const operator = text.search(/\boperator\b/);
  const head = operator < 0 ? text : text.slice(0, operator);
  let depth = 0;
  let bare = "";
  for (const unit of head) {
    if (unit === "<") depth++;
    bare += depth > 0 ? " " : unit;
    if (unit === ">") depth--;
  }
  return operator < 0 ? bare : bare + text.slice(operator);
}

const bySection = byWord({ public: "public", protected: "protected", private: "private" }, "public");
const access: Outlining["access"] = (standing) => {
  if (standing.inside !== "class" && standing.inside !== "struct") return "public";
  if (standing.section === "") return standing.inside === "class" ? "private" : "public";
  return bySection({ ...standing, head: standing.section });
};

/**
 * Macros that the grammar takes for types or names: before a class's name, before a type, behind a function's parameters or
 * a variable, alone on a line, calls of them on lines of their own without a semicolon, and those that are statements of
 * their own outside of functions.
 */
const withoutMacros = blanks(
  new RegExp(
    [
      /(?=[A-Z])(?<=\b(?:class|struct|union)[ \t]+(?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)*)\b[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s+(?!final\b)[A-Za-z_])/,
      /(?=[A-Z])\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?(?=\s+[A-Za-z_][\w:]*(?:<[^;{}()]*>)?[\s*&]+[A-Za-z_~])(?<!#[^\n]*)/,
      /(?=[A-Z])\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=\s+(?:~\w+\s*\(|(?:\w+(?:<[^<>;{}()]*>)?::)*\w+\s*\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*\))*\))*\)\s*(?:noexcept\b(?:\([^()]*\))?\s*|[A-Z][A-Z0-9_]+\s+)?:(?!:)))(?<!#[^\n]*)/,
      /(?=[A-Z])(?<=\)\s*(?:const\s+|override\s+|noexcept\s+)*)(?<!(?:\/\/|^[ \t]*#)[^\n]*\n\s*)\b[A-Z][A-Z0-9_]{3,}(?:\([^()]*\))?(?=\s*[;{])/,
      /(?=[A-Z])(?<=[\w)\]>]\s+)\b[A-Z_]*(?:GUARDED_BY|ACQUIRED_AFTER|ACQUIRED_BEFORE|ATTRIBUTE_[A-Z_]+)(?:\([^()]*\))?(?=\s*[;={])/,
      /^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*$(?!\s*[},=|&+?:)*.-])/,
      /^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*$(?<=[;}][^\n]*\n\s*[^\n]*)/,
      /^[ \t]*[A-Z][A-Z0-9_]{3,}\((?:[^(){}"]|"(?:[^"\\\n]|\\.)*"|\([^(){}]*\))*\)[ \t]*$(?!\s*[^\s\w#}~/[])(?<=(?:[;{}):]|\*\/)[ \t]*(?:\/\/[^\n]*)?(?:\n\s*\/\/[^\n]*)*\n\s*[A-Z][^;{}]*)/,
      /^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]+:[ \t]*$(?<=[;{}]\s*(?:\/\/[^\n]*\s*)*[A-Z0-9_]+:[ \t]*)/,
      /^[A-Z][A-Z0-9]*_[A-Z0-9_]+\((?:[^()"]|"(?:[^"\\\n]|\\.)*"|\((?:[^()"]|"(?:[^"\\\n]|\\.)*"|\([^()]*\))*\))*\);/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "gm",
  ),
);

/** `#if __has_include(<x>)`: no expression that the grammar knows. */
const included = /(?<=\b__has_include(?:_next)?\s*\()[<"][^<>"()\n]*[>"]/g;

/** An argument that is empty: of macros alone. */
const withoutCommas = blanks(/,(?=\s*(?:\/\*[^*]*\*\/\s*)?\))/g);

function plain(text: string): string {
  return withoutCommas(withoutMacros(text)).replace(included, (some) => "0".repeat(some.length));
}

export const c: Outlining = { query: common, grows, refine, plain, macros: definedIn };
export const cpp: Outlining = {
  query: common + more,
  members: true,
  namesakes: true,
  grows,
  refine,
  access,
  plain,
  recover: bracedIn,
  macros: definedIn,
};
