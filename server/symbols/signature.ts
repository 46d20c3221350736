/** A symbol's signature out of what servers show of it. Pure; asking is `extras.ts`'s. */
import { isObject } from "../core/settings.ts";

/**
 * The code in a hover that declares the name, without comments before it: servers show a module's path in a block of its own,
 * and clangd the class in a comment.
 * @param contents of LSP's Hover, any form
 * @returns null where no code holds the name
 */
export function signatureIn(contents: unknown, name: string): string | null {
  const parts: readonly unknown[] = Array.isArray(contents) ? contents : [contents];
  const blocks = parts.flatMap(codeIn).map(bare);
  const meant = blocks.filter((block) => block !== "" && holds(block, name));
  // Of a function the block with its parameters; plain text may begin with a heading.
  return meant.find((block) => block[block.lastIndexOf(name) + name.length] === "(") ?? meant[0] ?? null;
}

/** The beginning of a declaration up to its body. */
export function headOf(declaration: string): string {
  let depth = 0;
  for (let at = 0; at < declaration.length; at++) {
    const char = declaration[at] ?? "";
    if ("([<".includes(char)) depth++;
    else if (")]>".includes(char)) depth--;
    else if (depth <= 0 && (char === "{" || char === ";")) return declaration.slice(0, at).trim();
    else if (depth <= 0 && char === "\n") return declaration.slice(0, at).replace(/:\s*$/, "").trim();
  }
  return declaration.trim();
}

function codeIn(part: unknown): readonly string[] {
  if (isObject(part) && typeof part.value === "string") {
    if (part.kind === "markdown") return fenced(part.value);
    // Plain text has its code first, or alone in a paragraph.
    return typeof part.language === "string" ? [part.value] : part.value.split(/\n\s*\n|^-{3,}$/m);
  }
  return typeof part === "string" ? fenced(part) : [];
}

function fenced(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1/gms)].map(([, , code = ""]) => code);
}

function bare(code: string): string {
  return code
    .split(/\r?\n/)
    .filter((line) => !/^\s*(?:\/\/|#(?!\s*define\b))/.test(line))
    .join("\n")
    .trim();
}

function holds(code: string, name: string): boolean {
  const at = code.indexOf(name);
  return at >= 0 && (!/[\p{L}\p{N}_$]/u.test(code[at + name.length] ?? "") || holds(code.slice(at + 1), name));
}
