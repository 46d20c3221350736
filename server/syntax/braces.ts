/**
 * Namespaces and classes of C++ by their braces alone, and macros by their lines, for files in which the parser lost its way:
 * macros and conditional code can hide a brace from a grammar, which then ends a namespace too early or takes it for
 * something else, and may read what follows as one long expression. Pure.
 */
import type { SymbolKindName } from "../protocol/extensions.ts";

/** Offsets in UTF-16 units; `start` is that of the word, `end` is behind the closing brace. */
export interface Braced {
  readonly kind: SymbolKindName;
  /** As written: `a::b`; "" for a namespace without a name. */
  readonly name: string;
  readonly nameStart: number;
  readonly start: number;
  readonly end: number;
  /** Where its name stands again, in the head of another branch. */
  readonly repeats: readonly number[];
}

/** Comments, strings, characters, raw strings, and directives with what continues them. */
const noCode =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|\bR"([^()\\\s]*)\([\s\S]*?\)\1"|"(?:[^"\\\n]|\\[\s\S])*"|(?<![\w'])'(?:[^'\\\n]|\\.)+'|^[ \t]*#(?:[^\n\\]|\\[\s\S])*/gm;

const heads = /\b(?:namespace|class|struct|union)\b/g;
const head =
  /^(namespace|class|struct|union)\b(?:\s+(?:\[\[[^\]]*\]\]|alignas\([^)]*\)))*\s*([A-Za-z_]\w*(?:::\w+)*)?\s*(?:<[^;{}]*>)?\s*(?:\bfinal\s*)?(?:(?<!:):(?!:)[^;{}]*)?$/;

/** In the order of their starts. */
export function bracedIn(text: string): readonly Braced[] {
  const directives: { readonly at: number; readonly word: string }[] = [];
  const code = text.replace(noCode, (token: string, _delimiter: string | undefined, at: number) => {
    const [, word] = /^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|elifdef|elifndef|endif)\b/.exec(token) ?? [];
    if (word !== undefined) directives.push({ at, word });
    return token.replace(/[^\n]/g, " ");
  });
  const found: Braced[] = [];
  let open: (Omit<Braced, "end"> | null)[] = [];
  /** What was open at each `#if` that is not ended: its other branches begin with the same. */
  const branches: (typeof open)[] = [];
  let behind = 0;
  let next = 0;
  for (const { index: at, 0: sign } of code.matchAll(/[{};]/g)) {
    for (let one = directives[next]; one !== undefined && one.at < at; one = directives[++next]) {
      if (one.word.startsWith("if")) branches.push([...open]);
      else if (one.word === "endif") branches.pop();
      else open = [...(branches.at(-1) ?? open)];
    }
    if (sign === "{") open.push(opened(code.slice(behind, at), behind));
    if (sign === "}") {
      const closed = open.pop();
      if (closed) found.push({ ...closed, end: at + 1 });
    }
    behind = at + 1;
  }
  for (const left of open) if (left !== null) found.push({ ...left, end: text.length });
  return found.sort((a, b) => a.start - b.start);
}

/** The definition of a macro; offsets in UTF-16 units. */
export interface Defined {
  readonly name: string;
  readonly nameStart: number;
  readonly start: number;
  readonly end: number;
  /** As written between the parentheses; null for a macro without them. */
  readonly parameters: string | null;
}

/** In the order of their starts. */
export function definedIn(text: string): readonly Defined[] {
  return [...text.matchAll(noCode)].flatMap(({ 0: token, index: start }): readonly Defined[] => {
    const [, before = "", name, parameters = null] =
      /^([ \t]*#[ \t]*define[ \t]+)([\p{L}_$][\p{L}\p{N}_$]*)(?:\(([^()]*)\))?/u.exec(token) ?? [];
    if (name === undefined) return [];
    return [{ name, nameStart: start + before.length, start, end: start + token.length, parameters }];
  });
}

/**
 * What a brace opens, by the text before it; null where that is neither a namespace nor a class. Of several heads, one in each
 * branch of a condition, the first one.
 */
function opened(before: string, at: number): Omit<Braced, "end"> | null {
  const found = [...before.matchAll(heads)].flatMap(({ index }) => headAt(before, index, at) ?? []);
  const [first, ...others] = found;
  if (first === undefined) return null;
  return { ...first, repeats: others.flatMap(({ name, nameStart }) => (name === first.name ? nameStart : [])) };
}

function headAt(before: string, index: number, at: number): Omit<Braced, "end" | "repeats"> | null {
  const match = head.exec(before.slice(index));
  if (match === null || /\benum\s+$/.test(before.slice(0, index))) return null;
  const [whole, word = "", name = ""] = match;
  if (name === "" && word !== "namespace") return null;
  const start = at + index;
  const kind = word === "union" ? "struct" : word === "class" || word === "struct" ? word : "namespace";
  return { kind, name, start, nameStart: name === "" ? start : start + whole.indexOf(name, word.length) };
}
