/** Markdown as plain text, for clients that show it as it comes. Only what servers write in hovers is known. */
import { isObject } from "../settings.ts";

/** LSP's MarkupContent of kind plaintext from a MarkupContent, a MarkedString or a list of them (LSP 3.18, Hover). */
export function plainText(contents: unknown): { readonly kind: "plaintext"; readonly value: string } {
  const parts: readonly unknown[] = Array.isArray(contents) ? contents : [contents];
  const texts = parts.map(textOf).filter((text) => text !== "");
  return { kind: "plaintext", value: texts.join("\n\n") };
}

function textOf(part: unknown): string {
  if (typeof part === "string") return plain(part);
  if (!isObject(part) || typeof part.value !== "string") return "";
  // A MarkedString with a language is code, not markdown.
  return part.kind === "markdown" ? plain(part.value) : part.value;
}

/** The text without its marks; what stands in fences and backticks stays as it is. */
function plain(markdown: string): string {
  let fence = "";
  const lines = markdown.split(/\r?\n/).flatMap((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && mark !== "") {
      fence = mark;
      return [];
    }
    if (fence !== "" && mark.startsWith(fence)) {
      fence = "";
      return [];
    }
    if (fence !== "") return [line];
    return isRule(line) ? [""] : [unmarked(line)];
  });
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function isRule(line: string): boolean {
  return /^\s*([-*_])(\s*\1){2,}\s*$/.test(line);
}

/** One line of running text. Code spans are taken out first, so that nothing in them is a mark. */
function unmarked(line: string): string {
  const pieces = line.replace(/^\s{0,3}#{1,6}\s+/, "").split(/(`{1,9})(.{1,500}?)\1(?!`)/);
  // Split leaves: text, backticks, code, text, ...
  return pieces
    .map((piece, i) => (i % 3 === 0 ? unstyled(piece) : i % 3 === 1 ? "" : piece))
    .join("")
    .trimEnd();
}

/** Every pattern is bounded: a hover may be one line of a megabyte. */
function unstyled(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/(?<![\\\w])(\*\*|__|\*|_)(?=\S)(.{1,200}?)(?<=[^\s\\])\1(?!\w)/g, "$2")
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
