/**
 * What comments and strings look like, as a table can say it, and the rules that read them: openers, closers, escapes, the
 * holes of templates; strings are read in `lexis/strings.ts`, literals of one language alone in `lexis/odd.ts`.
 */

import { ANY_NAME, BEYOND_ASCII, DIGIT, type Lexer, type Lexis, OTHER, type Rule, SKIPPED, WORD } from "../lexis.ts";
import { isDigit } from "./characters.ts";
import { string } from "./strings.ts";

/** A literal whose contents are no names, but for its holes. */
export interface StringForm {
  readonly open: string;
  /** The same as `open` unless given. */
  readonly close?: string;
  /** Words right before it that belong to it; "" for none. Default: none. */
  readonly prefixes?: readonly string[];
  /** The byte that takes the meaning of the next one away. Default: a backslash; "" for none. */
  readonly escape?: string;
  /** The closer written twice stands for itself. */
  readonly doubled?: true;
  /** It can go over lines. */
  readonly lines?: true;
  /** More closers than needed belong to it (`""""`). */
  readonly run?: true;
  /** Its opener and closer can be made longer: by `#` outside, by more quotes, by `=` inside (`[==[`), by a tag (`R"x(`). */
  readonly fence?: "hashes" | "quotes" | "equals" | "tag";
  readonly holes?: readonly Hole[];
  /** Symbols live in it; "key": where it is the key of an object or the name of a member. */
  readonly names?: true | "key";
  /** Only where an expression can begin, or only where a character in quotes follows. */
  readonly where?: "expression" | "character";
}

export interface Hole {
  readonly open: string;
  /** Code up to its bracket; code with a format; one name and what is taken from it (`$x->y[z]`). */
  readonly holds: "code" | "format" | "name";
  /** The opener written twice stands for itself. */
  readonly doubled?: true;
}

export interface CommentForm {
  readonly open: string;
  /** Without one it ends with the line. */
  readonly close?: string;
  readonly nested?: true;
  /** Only behind white space or at the start; only first on its line; not within a run of operators (`-->`). */
  readonly where?: "blank" | "line" | "line start" | "operator";
}

/** What is known of a language, in words. */
export interface Profile {
  /** ASCII characters, beside letters and `_`, that a name can begin with; beside those and digits, that can be in one. */
  readonly begins?: string;
  readonly holds?: string;
  readonly comments?: readonly CommentForm[];
  readonly strings?: readonly StringForm[];
  readonly odd?: readonly Odd[];
  readonly quotedDigits?: true;
  readonly normal?: "NFC" | "NFKC";
  readonly operators?: readonly string[];
  readonly outside?: (lexer: Lexer, at: number) => number;
}

/** A rule of one language; `prefixes` as those of strings. */
export interface Odd {
  readonly open: string;
  readonly prefixes?: readonly string[];
  run(lexer: Lexer, at: number): number;
}

export function compile(profile: Profile): Lexis {
  const odd = [...(profile.odd ?? [])];
  const all: Odd[] = [...odd, ...(profile.comments ?? []).map(comment), ...(profile.strings ?? []).map(string)];
  const classes = new Uint8Array(256).fill(BEYOND_ASCII, 128);
  const parts = new Uint8Array(256);
  const marks = new Uint8Array(256);
  for (let byte = 0; byte < 128; byte++) {
    const character = String.fromCharCode(byte);
    const isLetter = /\w/.test(character) && !isDigit(byte);
    if (isDigit(byte)) classes[byte] = DIGIT;
    else if (isLetter || profile.begins?.includes(character)) classes[byte] = WORD;
    if (isLetter || isDigit(byte) || profile.begins?.includes(character) || profile.holds?.includes(character))
      parts[byte] = 1;
  }
  const rules: Rule[][] = [];
  const prefixes = new Map<string, Rule[]>();
  for (const { open, prefixes: words = [""], run } of all.toSorted((a, b) => b.open.length - a.open.length)) {
    const rule: Rule = { open: Buffer.from(open), run };
    const [first = 0] = rule.open;
    for (const word of words)
      if (word !== "") {
        marks[first] = 1;
        prefixes.set(word, [...(prefixes.get(word) ?? []), rule]);
      } else {
        if (classes[first] === WORD) throw new Error(`${open}: what begins as a name needs a prefix`);
        rules[first] = [...(rules[first] ?? []), rule];
        if (classes[first] === SKIPPED) classes[first] = OTHER;
      }
  }
  const holes = (profile.strings ?? []).flatMap((form) => form.holes ?? []);
  if (holes.length > 0 || odd.length > 0)
    for (const byte of Buffer.from(`()[]{}${holes.some(({ holds }) => holds === "format") ? ":" : ""}`))
      if (classes[byte] === SKIPPED) classes[byte] = OTHER;
  return {
    classes,
    parts,
    rules,
    marks,
    prefixes,
    longestPrefix: prefixes.has(ANY_NAME)
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ...[...prefixes.keys()].map(({ length }) => length)),
    quotedDigits: profile.quotedDigits === true,
    normal: profile.normal ?? null,
    operators: new Set(profile.operators),
    outside: profile.outside ?? null,
  };
}

const LINE_FEED = 10;

function comment({ open, close, nested, where }: CommentForm): Odd {
  const opener = Buffer.from(open);
  const closer = close === undefined ? null : Buffer.from(close);
  const run = (lexer: Lexer, at: number): number => {
    if (where !== undefined && !fits(lexer, at, where, opener.length)) return -1;
    if (closer === null) return lexer.comment(at, lexer.lineEnd(at));
    const [first] = closer;
    const [again] = opener;
    let depth = 1;
    for (let i = at + opener.length; i < lexer.end; ) {
      const byte = lexer.bytes[i];
      if (byte === first && lexer.stands(closer, i)) {
        i += closer.length;
        if (--depth === 0) return lexer.comment(at, i);
      } else if (nested === true && byte === again && lexer.stands(opener, i)) {
        i += opener.length;
        depth++;
      } else i++;
    }
    return lexer.runaway();
  };
  return { open, run };
}

function fits(lexer: Lexer, at: number, where: CommentForm["where"], length: number): boolean {
  const { bytes } = lexer;
  if (where === "line start") return at === 0 || bytes[at - 1] === LINE_FEED;
  if (where === "blank") return at === 0 || " \t\r\n;&|()".includes(String.fromCharCode(bytes[at - 1] ?? 0));
  if (where === "operator") {
    const isOperator = (i: number): boolean => "!#$%&*+./<=>?@\\^|~:".includes(String.fromCharCode(bytes[i] ?? 97));
    let after = at + length;
    while (bytes[after] === bytes[at]) after++;
    return (at === 0 || !isOperator(at - 1)) && (after >= lexer.end || !isOperator(after));
  }
  let i = at;
  while (i > 0 && (bytes[i - 1] === 32 || bytes[i - 1] === 9)) i--;
  return i === 0 || bytes[i - 1] === LINE_FEED;
}
