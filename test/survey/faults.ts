/**
 * What Universal Ctags gets wrong by kind, so that questions are of right declarations only: each rule looks at the text
 * alone, so that neither the survey's subject nor a server decides what it is asked. What no rule tells stays a miss.
 */
import type { Told } from "./declarations.ts";
import type { Repository } from "./repositories.ts";

/** @returns why a tag is no right question, null where its text bears it out. @param lines of its file */
export function faultOf(told: Told, lines: readonly string[], language: Repository["language"]): string | null {
  const line = lines[told.line - 1] ?? "";
  return faults.find((one) => one.of.includes(language) && one.is(told, line, lines))?.why ?? null;
}

interface Fault {
  readonly why: string;
  readonly of: readonly Repository["language"][];
  readonly is: (told: Told, line: string, lines: readonly string[]) => boolean;
}

const all: Fault["of"] = ["typescript", "python", "go", "rust", "cpp", "java"];

const faults: readonly Fault[] = [
  {
    why: "the name is not on its line",
    of: all,
    is: ({ name }, line) => /^[\x20-\x7e]*$/.test(name) && !line.replace(/\s/g, "").includes(name.replace(/\s/g, "")),
  },
  { why: "a word that is no name", of: ["typescript"], is: isNoName },
  { why: "what is around it is not what is named", of: ["typescript", "rust"], is: isElsewhere },
  { why: "a type parameter for its type", of: ["go"], is: isOfParameter },
  {
    why: "the use of a macro for a function",
    of: ["cpp"],
    is: ({ name, kind }, line) => kind === "function" && /^[A-Z][A-Z0-9_]+$/.test(name) && isAtStart(line, name),
  },
];

function isAtStart(line: string, name: string): boolean {
  return line.trimStart().startsWith(`${name}(`);
}

/** The word that a kind of TypeScript's stands behind. */
const words: Readonly<Record<string, string>> = { constant: "const", alias: "type" };
/** Words before a member's name. */
const modifiers = /^(?:get|set|static|async|readonly|public|protected|private|declare|override|abstract|accessor)$/;

/** A constant's value, a key that is given another name, an accessor's word, ... */
function isNoName({ name, kind }: Told, line: string): boolean {
  const [before = "", after = ""] = line.split(new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`));
  if (kind === "method" && modifiers.test(name)) return /^\s+[\w$[#]/.test(after);
  const word = words[kind];
  if (word === undefined) return false;
  if (!new RegExp(`^(?!\\s*import).*\\b${word}\\b[^=:]*$`).test(before)) return true;
  return /[{,]\s*$/.test(before) && /^\s*:/.test(after);
}

/** A receiver `*Pool[T]` is of Pool. */
function isOfParameter({ containers }: Told, line: string): boolean {
  const [, type] = /^func\s*\([^()]*?\*?\s*([\p{L}_][\p{L}\p{N}_]*)(?:\[[^\]]*\])?\s*\)/u.exec(line) ?? [];
  return type !== undefined && containers.at(-1) !== type;
}

/** Lines that open something with a name. */
const heads =
  /\b(?:fn|mod|trait|union|macro_rules!|function\*?|class|interface|namespace|enum|struct)\s+(?!extends\b|implements\b)[\w$]|\bimpl\b|^\s*[\w$]+\s*:\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)|^\s*(?:export\s+)?(?:const|let|var)\s+[\w$]+[^=]*=\s*(?:async\s*)?(?:function\b|\(|<|[\w$]+\s*=>)|^\s*(?!(?:if|for|while|switch|catch|return|match)\b)(?:(?:public|protected|private|static|async|get|set|override)\s+|\*\s*)*[\w$#]+\s*(?:<[^()]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)[^(){}]*\{\s*$/;

/**
 * By their indentation, which in the repositories of the survey is faithful: each line that opens something around the tag
 * must be of one of its containers, in their order, and each container must have its line.
 */
function isElsewhere({ path, line, containers }: Told, _text: string, lines: readonly string[]): boolean {
  const left = [...containers];
  // An impl that ctags does not name leaves a name alone, which is an address too; what is in a function is none of it.
  if (left.length === 0 && /\.rs$/.test(path))
    return enclosing(lines, line - 1).some((one) => /\bfn\s|macro_rules!/.test(one));
  for (const around of enclosing(lines, line - 1)) {
    const last = left.at(-1);
    if (last !== undefined && new RegExp(`(?<![\\w$])${escaped(last)}(?![\\w$])`).test(around)) left.pop();
    else if (last === undefined || heads.test(around)) return true;
  }
  return left.length > 0;
}

/** Where a head of several lines goes on, or a comment. */
const goesOn = /^\s*(?:[)\]}>]|\{\s*$|where\b|\/\/|\/\*|\*|#)/;

/** The lines of smaller and smaller indentation before one, from the nearest, each with what continues it. */
function enclosing(lines: readonly string[], at: number): readonly string[] {
  const found: string[] = [];
  let indent = indentOf(lines[at] ?? "");
  for (let i = at - 1; i >= 0 && indent > 0; i--) {
    const line = lines[i] ?? "";
    if (line.trim() === "" || goesOn.test(line) || indentOf(line) >= indent) continue;
    found.push(headAt(lines, i, at));
    indent = indentOf(line);
  }
  return found;
}

/** Up to the brace that ends it. */
function headAt(lines: readonly string[], from: number, to: number): string {
  const rest = lines.slice(from, Math.min(to, from + MAX_HEAD));
  const end = rest.findIndex((line) => /[{;]\s*$/.test(line));
  return rest.slice(0, end < 0 ? 1 : end + 1).join("\n");
}

const MAX_HEAD = 8;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function escaped(name: string): string {
  return name.replace(/[$^*+?.()|[\]{}\\/]/g, "\\$&");
}
