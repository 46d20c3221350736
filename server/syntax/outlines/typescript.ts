/** TypeScript, with and without JSX, and JavaScript. */
import type { Node } from "web-tree-sitter";
import { blanks, byWord, type Draft, into, nestedName, type Outlining } from "../outlining.ts";

/** Names that are taken out of a value. */
const pattern = `[
  (object_pattern (shorthand_property_identifier_pattern) @name @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @variable))
  (object_pattern (pair_pattern value: (identifier) @name @variable))
  (object_pattern (pair_pattern value: (assignment_pattern left: (identifier) @name @variable)))
  (object_pattern (rest_pattern (identifier) @name @variable))
  (array_pattern (identifier) @name @variable)
  (array_pattern (assignment_pattern left: (identifier) @name @variable))
  (array_pattern (rest_pattern (identifier) @name @variable))]`;

const common = `
(function_declaration name: (identifier) @name parameters: (_) @params) @function
(generator_function_declaration name: (identifier) @name parameters: (_) @params) @function
(export_statement "default" @name value: [(function_expression !name) (arrow_function) (generator_function !name)]) @function
(export_statement "default" @name value: (class !name)) @class
(export_statement "default" @name value: (object)) @variable
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(variable_declarator name: (identifier) @name value: [
  (arrow_function parameters: (_)? @params) (function_expression parameters: (_) @params)
  (generator_function parameters: (_) @params)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: ${pattern})
(for_in_statement kind: _ left: ${pattern})
(for_in_statement kind: _ left: (identifier) @name @variable)
(method_definition name: (_) @name parameters: (_) @params) @method
(pair key: [(property_identifier) (string) (private_property_identifier)] @name value: [
  (arrow_function parameters: (_)? @params) (function_expression parameters: (_) @params)
  (generator_function parameters: (_) @params)]) @method
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name) @property))
(pair value: (object (pair key: [(property_identifier) (string)] @name) @property))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name) @property))
(function_expression name: (identifier) @name parameters: (_) @params) @function
(generator_function name: (identifier) @name parameters: (_) @params) @function
[(arrow_function) (function_expression) (generator_function) (class_static_block)] @callback
(class !name) @anonymous
`;

const scripts = `
(field_definition property: (_) @name) @property
((assignment_expression left: (member_expression object: (_) @in property: (property_identifier) @name) right: [
  (arrow_function parameters: (_)? @params) (function_expression parameters: (_) @params)
  (generator_function parameters: (_) @params)]) @method
  (#match? @in "^(module\\.exports|exports|this)$|\\.prototype$|^[A-Z][A-Za-z0-9_]*$"))
`;

const typed = `
(function_signature name: (identifier) @name parameters: (_) @params return_type: (_)? @returns) @function
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name @enumMember)
(enum_assignment name: (_) @name) @enumMember
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(public_field_definition name: (_) @name) @property
(property_signature name: (_) @name) @property
(method_signature name: (_) @name parameters: (_) @params return_type: (_)? @returns) @method
(construct_signature "new" @name parameters: (_) @params) @constructor
(abstract_method_signature name: (_) @name parameters: (_) @params return_type: (_)? @returns) @method
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @property
(required_parameter "readonly" pattern: (identifier) @name) @property
(variable_declarator value: [(as_expression (object (pair key: [(property_identifier) (string)] @name) @property))
  (satisfies_expression (object (pair key: [(property_identifier) (string)] @name) @property))])
`;

const grows = into(
  ["export_statement", "ambient_declaration"],
  ["lexical_declaration", "variable_declaration", "expression_statement"],
);

/** Names in quotes or brackets, a namespace's dots, and what a word before the name makes of it. */
function refine(draft: Draft, node: Node, top: Node): Draft | null {
  const { name, nameStart } = draft;
  if (node.type === "string" || node.type === "computed_property_name") {
    const [whole, open = "", plain = ""] = /^(\[?["'`])([^"'`\n]*)["'`]\]?$/.exec(name) ?? [];
    if (whole === undefined) return node.type === "string" ? null : draft;
    const start = nameStart + open.length;
    return { ...draft, name: plain, nameStart: start, nameEnd: start + plain.length };
  }
  if (node.type === "nested_identifier") return nestedName(draft, ".");
  if (draft.kind === "property" && top.type === "required_parameter")
    // A constructor's parameter that is a property of its class; of another function's it is no declaration.
    return top.parent?.parent?.childForFieldName("name")?.text === "constructor" ? { ...draft, lift: 1 } : null;
  if (top.type.endsWith("_signature") && isOfParameter(top)) return null;
  if (draft.kind !== "method" || top.type !== "method_definition") return draft;
  if (name === "constructor") return { ...draft, kind: "constructor" };
  return top.children.some((child) => child?.type === "get" || child?.type === "set")
    ? { ...draft, kind: "property" }
    : draft;
}

/** Whether it is a member of a type that is written for a parameter: nobody can name it. */
function isOfParameter(signature: Node): boolean {
  for (let at = signature.parent; at !== null; at = at.parent) {
    if (at.type === "formal_parameters") return true;
    if (/_(?:declaration|block|body)$/.test(at.type)) return false;
  }
  return false;
}

/** `Foo.prototype.bar = function`: of what is before the name only what is declared counts. */
function scopeOf(text: string): readonly string[] {
  const words = text.split(".").filter((word) => !/^(?:module|exports|this|prototype|window|globalThis)$/.test(word));
  return words.every((word) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(word)) ? words : [];
}

/** A call signature with type parameters, on a line of its own. */
const callSignature = /^[ \t]+(?=<(?:[A-Za-z_$]|[ \t]*$))/gm;
/** Of type parameters, which say nothing about declarations. */
const variance =
  /\b(?:in\s+out|in|out)(?=\s+[A-Z]\w*\s*(?:[,>=]|extends\b))(?<=[<,]\s*(?:\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/\s*)?(?:in\s+out|in|out))/g;
const withoutVariance = blanks(variance);
/** Blanks and comments at the end. */
const trivia = /(?:\s|\/\/[^\n]*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/)+$/;
/** The end of a type or a value; an arrow is none. */
const unended = /(?:[\w$\])}"'`]|(?<!=)>)$/;
/** So far is looked back for what is before one, in UTF-16 units. */
const MAX_BACK = 20_000;

/** A backtick that a template holds: the grammar knows it in values, in types it takes it for the end. */
const escapes = /\\[\\`]/g;

function withoutBackticks(text: string): string {
  return text.includes("\\`") ? text.replace(escapes, (some) => (some === "\\`" ? "  " : some)) : text;
}

/** Without a semicolon before it the grammar takes a call signature for arguments of the type before it. */
function plain(text: string): string {
  return withoutVariance(withoutBackticks(text)).replace(callSignature, (indent: string, at: number) =>
    unended.test(text.slice(Math.max(0, at - MAX_BACK), at).replace(trivia, "")) ? `${indent.slice(1)};` : indent,
  );
}

const byModifier = byWord({ public: "public", protected: "protected", private: "private" }, "public");
const access: Outlining["access"] = (standing) => (standing.name.startsWith("#") ? "private" : byModifier(standing));

export const typescript: Outlining = { query: common + typed, grows, refine, scopeOf, access, plain };
export const javascript: Outlining = { query: common + scripts, grows, refine, scopeOf, access };
