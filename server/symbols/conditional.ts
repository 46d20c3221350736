/**
 * Code that a server may leave out because of how it builds the file: C's macros, and what stands under `#if`. Servers read
 * such a file without a word about it, so syntax is asked as well. Pure.
 */
import type { TextLike } from "../core/positions.ts";
import { cFamily } from "../languages.ts";
import { lineText } from "./candidates.ts";

/** Whether a file can hold declarations that its server does not tell. */
export function isPreprocessed(language: string | undefined, { string }: TextLike): boolean {
  return cFamily.has(language ?? "") && /^[ \t]*#[ \t]*(?:if|define)/m.test(string);
}

/** Whether what is named on a line is a macro: it is of no namespace, and defined there. */
export function isMacro(language: string, text: TextLike, line: number): boolean {
  return cFamily.has(language) && definition.test(lineText(text, line) ?? "");
}

const definition = /^\s*#\s*define\b/;

/** Whether a line defines a macro or stands under a condition; the guard of a header is none. */
export function isConditional(text: TextLike, line: number): boolean {
  if (definition.test(lineText(text, line) ?? "")) return true;
  let depth = 0;
  for (let at = 0; at < line; at++) {
    const written = lineText(text, at) ?? "";
    if (/^\s*#\s*if/.test(written) && !isGuard(written, lineText(text, at + 1) ?? "")) depth++;
    else if (/^\s*#\s*endif\b/.test(written) && depth > 0) depth--;
  }
  return depth > 0;
}

/** `#ifndef NAME`, `#define NAME`: in force once whatever is built. */
function isGuard(line: string, next: string): boolean {
  const name = /^\s*#\s*ifndef\s+(\w+)/.exec(line)?.[1];
  return name !== undefined && name === /^\s*#\s*define\s+(\w+)\s*$/.exec(next)?.[1];
}
