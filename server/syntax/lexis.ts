/**
 * Finds the names in the bytes of a source text: every identifier that is not in a comment or a string, keywords among
 * them. What comments and strings look like is said by a profile (`lexis/table.ts`, `lexis/rules.ts`); here is the loop over
 * the bytes, which takes about a nanosecond for each. Knows no grammar: what it takes for a string and finds without an end
 * it reads as names instead, since a name too many costs a look at a file, and one too few is a symbol that is not found.
 */
import { isBracket, isDigit, isPart, isStart, NO_BRACKET, OPENING, sizeAt, valueAt } from "./lexis/characters.ts";

/** Takes the names as they come, in UTF-8. The bytes are good until it returns. */
export interface Sink {
  /** @param hash as `hashOf` makes it */
  word(bytes: Uint8Array, start: number, end: number, hash: number): void;
}

/** What begins with some byte and is not a name. */
export interface Rule {
  readonly open: Uint8Array;
  /** @returns the place behind it; -1 where it is something else */
  run(lexer: Lexer, at: number): number;
}

/** A profile as the loop needs it. */
export interface Lexis {
  /** What a byte begins, one of the constants below. */
  readonly classes: Uint8Array;
  /** 1 for an ASCII byte that can be inside a name. */
  readonly parts: Uint8Array;
  /** By first byte, the longest opener first. */
  readonly rules: readonly (readonly Rule[] | undefined)[];
  /** 1 for a byte that, right behind one of `prefixes`, makes that a part of a literal (`r"..."`). */
  readonly marks: Uint8Array;
  readonly prefixes: ReadonlyMap<string, readonly Rule[]>;
  readonly longestPrefix: number;
  /** Digits can be parted by `'`. */
  readonly quotedDigits: boolean;
  readonly normal: "NFC" | "NFKC" | null;
  /** Words behind which an expression begins (`return /x/`). */
  readonly operators: ReadonlySet<string>;
  /** The text is in another language until this opens ours (`<?php`). */
  readonly outside: ((lexer: Lexer, at: number) => number) | null;
}

export const SKIPPED = 0;
export const WORD = 1;
export const DIGIT = 2;
export const OTHER = 3;
export const BEYOND_ASCII = 4;

/** What ends a stretch of code: the end of the text, or the bracket that closes the hole of a string. */
export type Until = "end" | "bracket" | "bracket or format";

const DOT = 46;
const QUOTE = 39;
const COLON = 58;
/** Literals in literals; deeper ones are read as text. */
const MAX_DEPTH = 100;
/** After so many literals without an end the rest of the text is read as names. */
const MAX_RUNAWAYS = 8;
/** Of prefixes: any name, which counts as one (Scala's interpolators). */
export const ANY_NAME = "*";

export class Lexer {
  bytes: Uint8Array = new Uint8Array(0);
  /** Where the text ends. */
  end = 0;
  sink: Sink = { word: () => {} };
  lexis: Lexis;
  /** Heredocs that begin on the next line: each reads its body from there. */
  pending: ((at: number) => number)[] = [];
  /** The comments last seen with nothing between them, for who looks back. */
  #commentFrom = -1;
  #commentTo = -1;
  #depth = 0;
  #runaways = 0;

  constructor(lexis: Lexis) {
    this.lexis = lexis;
  }

  /** All names of a text in UTF-8; `end` bytes of it count. */
  scan(bytes: Uint8Array, end: number, sink: Sink): void {
    this.bytes = bytes;
    this.end = end;
    this.sink = sink;
    this.pending = [];
    this.#commentFrom = this.#commentTo = -1;
    this.#depth = this.#runaways = 0;
    let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    // "#!" of a script; Rust has "#![".
    if (bytes[from] === 35 && bytes[from + 1] === 33 && bytes[from + 2] !== 91) from = this.lineEnd(from);
    if (this.lexis.outside !== null) from = this.lexis.outside(this, from);
    this.code(from, "end");
  }

  /** All names of a text, whatever it is in its language. */
  words(bytes: Uint8Array, end: number, sink: Sink): void {
    this.bytes = bytes;
    this.end = end;
    this.sink = sink;
    this.names(0, end);
  }

  /** Reads code. @returns the place behind what ends it */
  code(from: number, until: Until): number {
    const { bytes, end, sink } = this;
    const { classes, parts, marks, rules, longestPrefix } = this.lexis;
    const isHole = until !== "end";
    if (isHole && this.#depth >= MAX_DEPTH) return from;
    this.#depth++;
    let depth = 0;
    let at = from;
    while (at < end) {
      let byte = bytes[at] ?? 0;
      const what = classes[byte];
      if (what === SKIPPED) at++;
      else if (what === WORD) {
        const start = at;
        let hash = byte;
        byte = bytes[++at] ?? 0;
        while (parts[byte] === 1 && at < end) {
          hash = (Math.imul(hash, 31) + byte) | 0;
          byte = bytes[++at] ?? 0;
        }
        if (byte >= 0x80 && at < end) at = this.#wideWord(start);
        else if (marks[byte] === 1 && at - start <= longestPrefix && this.#runaways < MAX_RUNAWAYS) {
          const next = this.#prefixed(start, at);
          if (next < 0) sink.word(bytes, start, at, hash);
          else at = next;
        } else sink.word(bytes, start, at, hash);
      } else if (what === DIGIT) at = this.#number(at);
      else if (what === BEYOND_ASCII) {
        const value = valueAt(bytes, at);
        at = isStart(value) ? this.#wideWord(at) : at + sizeAt(bytes, at);
      } else {
        const next = this.#other(rules[byte], at);
        // A bracket that belongs to no literal.
        if (isHole && next === at + 1) {
          const bracket = isBracket(byte);
          if (bracket === OPENING) depth++;
          else if (bracket !== NO_BRACKET && --depth < 0) {
            at = next;
            break;
          } else if (until === "bracket or format" && depth === 0 && byte === COLON) {
            at = this.#format(next);
            break;
          }
        }
        at = next;
      }
    }
    this.#depth--;
    return at;
  }

  #other(rules: readonly Rule[] | undefined, at: number): number {
    if (rules !== undefined && this.#runaways < MAX_RUNAWAYS)
      for (const rule of rules) {
        if (!this.stands(rule.open, at)) continue;
        const next = rule.run(this, at);
        if (next >= 0) return next;
      }
    return at + 1;
  }

  #prefixed(start: number, at: number): number {
    const { prefixes } = this.lexis;
    const own = prefixes.get(latin(this.bytes, start, at));
    for (const rule of own ?? prefixes.get(ANY_NAME) ?? []) {
      if (!this.stands(rule.open, at)) continue;
      const next = rule.run(this, at);
      if (next < 0) continue;
      if (own === undefined) this.emit(start, at);
      return next;
    }
    return -1;
  }

  /** `1_000`, `0xFFu`, `1e-9`, `1'000`: letters in a number are no name. */
  #number(from: number): number {
    const { bytes, end } = this;
    let at = from + 1;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (isAlphanumeric(byte)) continue;
      const next = bytes[at + 1] ?? 0;
      if (byte === DOT && isDigit(next)) continue;
      if ((byte === 43 || byte === 45) && isDigit(next) && isExponent(bytes[at - 1] ?? 0)) continue;
      if (byte === QUOTE && this.lexis.quotedDigits && isAlphanumeric(next)) continue;
      break;
    }
    return at;
  }

  /** A name that is not all ASCII, from its start; it is brought into the language's normal form. */
  #wideWord(start: number): number {
    const { bytes, end } = this;
    const { parts, normal } = this.lexis;
    let at = start;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80) {
        if (parts[byte] !== 1) break;
        at++;
      } else if (isPart(valueAt(bytes, at))) at += sizeAt(bytes, at);
      else break;
    }
    // In a text cut in the middle of a character.
    at = Math.min(at, end);
    if (normal === null) this.emit(start, at);
    else {
      const name = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString("utf8");
      const normalised = Buffer.from(name.normalize(normal));
      this.sink.word(normalised, 0, normalised.length, hashOf(normalised, 0, normalised.length));
    }
    return at;
  }

  /** What follows the `:` of `{value:>{width}}`, to the place behind its bracket. */
  #format(from: number): number {
    for (let at = from; at < this.end; at++) {
      const byte = this.bytes[at];
      if (byte === 123) at = this.code(at + 1, "bracket") - 1;
      else if (byte === 125) return at + 1;
    }
    return this.end;
  }

  // ---- For the rules ------------------------------------------------------------------------------------------------

  emit(start: number, end: number): void {
    this.sink.word(this.bytes, start, end, hashOf(this.bytes, start, end));
  }

  /** The name that stands at a place counts, whatever is around it. @returns its end, or `at` where none stands */
  name(at: number): number {
    const byte = this.bytes[at] ?? 0;
    if (at >= this.end) return at;
    if (byte >= 0x80) return isStart(valueAt(this.bytes, at)) ? this.#wideWord(at) : at;
    if (this.lexis.classes[byte] !== WORD) return at;
    const end = this.nameEnd(at);
    if ((this.bytes[end] ?? 0) >= 0x80 && end < this.end) return this.#wideWord(at);
    this.emit(at, end);
    return end;
  }

  /** The names of a stretch of text count. */
  names(from: number, to: number): void {
    for (let at = from; at < to; ) {
      const next = this.name(at);
      if (next > at) at = next;
      else if (isDigit(this.bytes[at] ?? 0)) at = this.#number(at);
      else at += 1;
    }
  }

  /** Behind the ASCII bytes of a name. */
  nameEnd(from: number): number {
    let at = from;
    while (at < this.end && this.lexis.parts[this.bytes[at] ?? 0] === 1) at++;
    return at;
  }

  stands(what: Uint8Array, at: number): boolean {
    if (at + what.length > this.end) return false;
    for (let i = 0; i < what.length; i++) if (this.bytes[at + i] !== what[i]) return false;
    return true;
  }

  /** The place of the line feed, or the end of the text. */
  lineEnd(from: number): number {
    let at = from;
    while (at < this.end && this.bytes[at] !== 10) at++;
    return at;
  }

  /** A literal or comment has no end. @returns -1, for the rules to return */
  runaway(): -1 {
    this.#runaways++;
    return -1;
  }

  /** A comment was passed over. @returns its end */
  comment(from: number, to: number): number {
    if (this.#commentTo < 0 || this.#blankBefore(from) !== this.#commentTo) this.#commentFrom = from;
    this.#commentTo = to;
    return to;
  }

  /** The place behind the last byte before `at` that is neither white space nor in a comment. */
  significantBefore(at: number): number {
    const before = this.#blankBefore(at);
    return before === this.#commentTo && before > 0 ? this.#blankBefore(this.#commentFrom) : before;
  }

  /** Whether an expression can begin at a place, so that `/` there is no division, and `<` no comparison. */
  beginsExpression(at: number): boolean {
    const before = this.significantBefore(at);
    if (before === 0) return true;
    const byte = this.bytes[before - 1] ?? 0;
    if (byte === 41 || byte === 93 || byte === 34 || byte === 39 || byte === 96) return false;
    // Behind a block, on a line of its own.
    if (byte === 125) return this.lineEnd(before) < at;
    if (byte >= 0x80) return false;
    if (this.lexis.parts[byte] !== 1) return true;
    let start = before - 1;
    while (start > 0 && this.lexis.parts[this.bytes[start - 1] ?? 0] === 1) start--;
    if (this.bytes[start - 1] === DOT) return false;
    return before - start < 12 && this.lexis.operators.has(latin(this.bytes, start, before));
  }

  #blankBefore(from: number): number {
    let at = from;
    while (at > 0 && (this.bytes[at - 1] ?? 0) <= 32) at--;
    return at;
  }
}

/** Of the bytes of a name, without its last mixing. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = bytes[start] ?? 0;
  for (let i = start + 1; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] ?? 0)) | 0;
  return hash;
}

/** A short ASCII text. */
export function latin(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] ?? 0);
  return text;
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || byte === 95;
}

/** `e`, `p`, in either case. */
function isExponent(byte: number): boolean {
  return (byte | 32) === 101 || (byte | 32) === 112;
}
