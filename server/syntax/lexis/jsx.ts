/** JSX in JavaScript and TypeScript: names of elements and attributes count, the text between tags does not. */

import type { Lexer } from "../lexis.ts";
import { latin } from "../lexis.ts";
import { isStart, valueAt } from "./characters.ts";
import type { Odd } from "./rules.ts";

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const BRACE = 123;
/** Elements in elements. */
const MAX_DEPTH = 200;

/** An element where an expression can begin; `<T,>() =>` and `<T extends U>() =>` are functions. */
export const jsx: Odd = {
  open: "<",
  run(lexer, at) {
    if (!beginsTag(lexer, at) || !lexer.beginsExpression(at) || isTypeParameter(lexer, at)) return -1;
    return element(lexer, at, 0);
  },
};

function beginsTag({ bytes }: Lexer, at: number): boolean {
  const next = bytes[at + 1] ?? 0;
  return next === GREATER || next === 95 || next === 36 || isStart(valueAt(bytes, at + 1));
}

function isTypeParameter(lexer: Lexer, at: number): boolean {
  const { bytes } = lexer;
  const next = blanks(lexer, lexer.nameEnd(at + 1));
  return bytes[next] === 44 || bytes[next] === 61 || latin(bytes, next, next + 8) === "extends ";
}

/** @returns the place behind the element; -1 where it is none, or has no end */
function element(lexer: Lexer, at: number, depth: number): number {
  if (depth > MAX_DEPTH) return lexer.runaway();
  const opened = tag(lexer, at + 1);
  if (opened === null) return lexer.runaway();
  return opened.isClosed ? opened.behind : children(lexer, opened.behind, depth);
}

function tag(lexer: Lexer, from: number): { behind: number; isClosed: boolean } | null {
  const { bytes } = lexer;
  for (let at = from; at < lexer.end; ) {
    const byte = bytes[at];
    if (byte === GREATER) return { behind: at + 1, isClosed: false };
    if (byte === SLASH && bytes[at + 1] === GREATER) return { behind: at + 2, isClosed: true };
    if (byte === SLASH && (bytes[at + 1] === SLASH || bytes[at + 1] === 42)) at = comment(lexer, at);
    else if (byte === 34 || byte === 39) {
      const close = bytes.indexOf(byte, at + 1);
      if (close < 0 || close >= lexer.end) return null;
      at = close + 1;
    } else if (byte === BRACE) at = lexer.code(at + 1, "bracket");
    else if (byte === LESS) at = typeArguments(lexer, at);
    else {
      const behind = lexer.name(at);
      // Of names with dots, dashes and colons: what parts them.
      if (behind === at && !((byte ?? 0) <= 32 || byte === 46 || byte === 45 || byte === 58 || byte === 61))
        return null;
      at = behind === at ? at + 1 : lexer.nameEnd(behind);
    }
    if (at < 0) return null;
  }
  return null;
}

function children(lexer: Lexer, from: number, depth: number): number {
  const { bytes } = lexer;
  for (let at = from; at < lexer.end; ) {
    const byte = bytes[at];
    if (byte === BRACE) at = lexer.code(at + 1, "bracket");
    else if (byte !== LESS) at++;
    else if (bytes[at + 1] === SLASH) {
      const closed = tag(lexer, at + 2);
      return closed === null ? lexer.runaway() : closed.behind;
    } else {
      at = element(lexer, at, depth + 1);
      if (at < 0) return -1;
    }
  }
  return lexer.runaway();
}

function comment(lexer: Lexer, at: number): number {
  if (lexer.bytes[at + 1] === SLASH) return lexer.lineEnd(at);
  const close = lexer.bytes.indexOf(SLASH, at + 3);
  return close < 0 ? lexer.end : close + 1;
}

/** `<Table<Row> rows={x}/>` */
function typeArguments(lexer: Lexer, from: number): number {
  let depth = 0;
  for (let at = from; at < lexer.end; at++) {
    const byte = lexer.bytes[at];
    if (byte === LESS) depth++;
    else if (byte === GREATER && --depth === 0) {
      lexer.names(from + 1, at);
      return at + 1;
    }
  }
  return -1;
}

function blanks({ bytes }: Lexer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 99) <= 32) at++;
  return at;
}
