/**
 * What is left out of an index by files that say so: `.gitignore` with git's rules (gitignore(5)), and `.ignore`, which
 * search tools read the same way and which has the last word. Paths are below the folder that such a file stands in.
 */
import { literal } from "../lexis/characters.ts";

/** In this order; what a later one says holds. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".ignore"];

interface Pattern {
  /** Of the name alone, else of the path below the file's folder. */
  readonly ofName: boolean;
  readonly fits: (text: string) => boolean;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** What holds in a folder: its own rules, then those of the folders above it. */
export class Ignores {
  /** Path with a slash behind it. */
  readonly #folder: string;
  readonly #patterns: readonly Pattern[];
  readonly #above: Ignores | null;

  constructor(folder: string, texts: readonly string[], above: Ignores | null) {
    this.#folder = folder.endsWith("/") ? folder : `${folder}/`;
    this.#patterns = texts.flatMap(patternsOf).reverse();
    this.#above = above;
  }

  /** Whether something in this folder, or below it, is left out by a rule; what is in a folder left out is not asked about. */
  leavesOut(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const below = path.slice(this.#folder.length);
    for (const { ofName, fits, negated, foldersOnly } of this.#patterns)
      if ((isFolder || !foldersOnly) && fits(ofName ? name : below)) return !negated;
    return this.#above?.leavesOut(path, isFolder) ?? false;
  }
}

function patternsOf(text: string): readonly Pattern[] {
  return text.split(/\r?\n/).flatMap((line) => {
    // Blanks at the end count only behind a backslash.
    let pattern = line.replace(/(?<!\\)[ \t]+$/, "");
    if (pattern === "" || pattern.startsWith("#")) return [];
    const negated = pattern.startsWith("!");
    if (negated) pattern = pattern.slice(1);
    const foldersOnly = pattern.endsWith("/");
    if (foldersOnly) pattern = pattern.replace(/\/+$/, "");
    const ofName = !pattern.includes("/");
    pattern = pattern.replace(/^\//, "");
    return pattern === "" ? [] : [{ ofName, fits: fitsFor(pattern), negated, foldersOnly }];
  });
}

function fitsFor(pattern: string): (text: string) => boolean {
  if (!/[*?[\]\\]/.test(pattern)) return (text) => text === pattern;
  const ending = /^\*([^*?[\]\\/]+)$/.exec(pattern)?.[1];
  if (ending !== undefined) return (text) => text.endsWith(ending) && !text.includes("/");
  let expression: RegExp;
  try {
    expression = new RegExp(`^${sourceOf(pattern)}$`, "su");
  } catch {
    // Such as "[z-a]": git takes it for a pattern that fits nothing.
    return () => false;
  }
  return (text) => expression.test(text);
}

/** `**` between slashes is any folders, `*` and `?` stop at slashes. */
function sourceOf(pattern: string): string {
  let source = "";
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const token =
      /^(?:\*\*\/(?:\*\*\/)*|\*+|\?|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\\.|.)/su.exec(rest)?.[0] ?? rest;
    const isWhole = at === 0 || pattern[at - 1] === "/";
    if (/^\*\*\//.test(token) && isWhole) source += "(?:.*/)?";
    else if (token === "**" && isWhole && at + 2 === pattern.length) source += ".+";
    else if (token.startsWith("*")) source += token.endsWith("/") ? "[^/]*/" : "[^/]*";
    else if (token === "?") source += "[^/]";
    else if (token.length > 1 && token.startsWith("[")) source += classOf(token);
    else source += literal(token.startsWith("\\") ? token.slice(1) : token);
    at += token.length;
  }
  return source;
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  digit: "0-9",
  lower: "\\p{Ll}",
  upper: "\\p{Lu}",
  space: "\\s",
  xdigit: "0-9A-Fa-f",
  punct: "\\p{P}",
};

/** `[a-z]`, `[!x]`, `[[:alpha:]]`; never a slash. */
function classOf(token: string): string {
  const negated = /^\[[!^]/.test(token);
  const inner = token.slice(negated ? 2 : 1, -1);
  const members = inner.replace(/\[:(\w+):\]|\\(.)|([[\]^&~|{}()/])/gsu, (whole, name, escaped, special) => {
    if (name !== undefined) return POSIX[String(name)] ?? "";
    const one = escaped ?? special;
    if (one === undefined) return whole;
    return one === "-" ? "\\-" : literal(String(one));
  });
  return `(?!/)[${negated ? "^" : ""}${members}]`;
}
