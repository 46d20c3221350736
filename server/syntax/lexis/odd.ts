/**
 * Literals that one language, or a few, have and no table can say: heredocs, regular expressions, JSX, the quotes that Ruby,
 * Perl and Elixir let one choose, preprocessor lines.
 */
import type { Lexer } from "../lexis.ts";
import { latin } from "../lexis.ts";
import type { Hole, Odd } from "./rules.ts";
import { holesBetween } from "./strings.ts";

const LINE_FEED = 10;

// ---- Heredocs -------------------------------------------------------------------------------------------------------

export interface HeredocForm {
  readonly open: string;
  /** In a text that is not quoted. */
  readonly holes: readonly Hole[];
  /** Behind the opener: ends the same line early (`<<-`, `<<~`). */
  readonly dashes?: string;
  /** The text begins behind the line (all but PHP: on the next line too, and its end may be indented). */
  readonly indented?: true;
}

/** `<<-"EOF"`: its text begins on the next line, behind that of the one before. */
export function heredoc({ open, holes, dashes = "", indented }: HeredocForm): readonly Odd[] {
  const run = (lexer: Lexer, at: number): number => {
    const { bytes } = lexer;
    let i = at + open.length;
    let isIndented = indented === true;
    if (dashes.includes(String.fromCharCode(bytes[i] || 1))) {
      i++;
      isIndented = true;
    }
    const isSpaced = bytes[i] === 32;
    while (bytes[i] === 32) i++;
    const quote = bytes[i] === 34 || bytes[i] === 39 || bytes[i] === 96 ? bytes[i] : undefined;
    if (bytes[i] === 92 || quote !== undefined) i++;
    const tagEnd = lexer.nameEnd(i);
    const first = bytes[i] ?? 0;
    // `x << y` and `1 <<2` are none; where it may be either, tags are in capitals.
    if (tagEnd === i || (first >= 48 && first <= 57)) return -1;
    if (isSpaced && quote === undefined && !(first >= 65 && first <= 90)) return -1;
    if (quote !== undefined && bytes[tagEnd] !== quote) return -1;
    const tag = bytes.slice(i, tagEnd);
    const isRaw = quote === 39 || bytes[i - 1] === 92;
    lexer.pending.push((from) => body(lexer, from, tag, isIndented, isRaw ? [] : holes));
    return quote === undefined ? tagEnd : tagEnd + 1;
  };
  return [{ open, run }, lineFeed];
}

/** Bodies begin behind the line on which they were opened. */
const lineFeed: Odd = {
  open: "\n",
  run(lexer, at) {
    let from = at + 1;
    const waiting = lexer.pending;
    if (waiting.length > 0) {
      lexer.pending = [];
      for (const read of waiting) from = read(from);
    }
    return from;
  },
};

/** @returns the place behind the tag that ends it; where none does it is read as code */
function body(lexer: Lexer, from: number, tag: Uint8Array, isIndented: boolean, holes: readonly Hole[]): number {
  for (let line = from; line < lexer.end; line = lexer.lineEnd(line) + 1) {
    let at = line;
    while (isIndented && (lexer.bytes[at] === 32 || lexer.bytes[at] === 9)) at++;
    if (!lexer.stands(tag, at) || lexer.nameEnd(at) !== at + tag.length) continue;
    if (holes.length > 0) holesBetween(lexer, from, line, holes);
    return at + tag.length;
  }
  lexer.runaway();
  return from;
}

// ---- Regular expressions --------------------------------------------------------------------------------------------

/** `/x[/]y/g`, where an expression can begin. */
export function regularExpression(options: { lines?: true; holes?: readonly Hole[]; spaced?: true } = {}): Odd {
  const { lines, holes, spaced } = options;
  const run = (lexer: Lexer, at: number): number => {
    const { bytes } = lexer;
    if (!lexer.beginsExpression(at) && !(spaced && isArgument(lexer, at))) return -1;
    let inClass = false;
    for (let i = at + 1; i < lexer.end; i++) {
      const byte = bytes[i];
      if (byte === 92) i++;
      else if (byte === LINE_FEED && !lines) return -1;
      else if (byte === 91) inClass = true;
      else if (byte === 93) inClass = false;
      else if (byte === 47 && !inClass) {
        if (holes !== undefined) holesBetween(lexer, at + 1, i, holes);
        return lexer.nameEnd(i + 1);
      }
    }
    return lines ? lexer.runaway() : -1;
  };
  return { open: "/", run };
}

/** `puts /x/`, where `a / b` divides. */
function isArgument({ bytes }: Lexer, at: number): boolean {
  const before = bytes[at - 1];
  const after = bytes[at + 1];
  return before === 32 && after !== 32 && after !== 61;
}

// ---- Quotes of one's choice -----------------------------------------------------------------------------------------

const CLOSERS: ReadonlyMap<number, number> = new Map([
  [40, 41],
  [91, 93],
  [123, 125],
  [60, 62],
]);

/** The place of the closer of what is opened at a place; -1 where there is none. */
function closerOf(lexer: Lexer, at: number): number {
  const { bytes } = lexer;
  const open = bytes[at] ?? 0;
  const close = CLOSERS.get(open) ?? open;
  let depth = 1;
  for (let i = at + 1; i < lexer.end; i++) {
    const byte = bytes[i];
    if (byte === 92) i++;
    else if (byte === close) {
      if (--depth === 0) return i;
    } else if (byte === open) depth++;
  }
  return lexer.runaway();
}

/** What is read of a quoted text: nothing, its holes, or the names in it. */
function quoted(lexer: Lexer, at: number, what: readonly Hole[] | "names"): number {
  const close = closerOf(lexer, at);
  if (close < 0) return -1;
  if (what === "names") lexer.names(at + 1, close);
  else if (what.length > 0) holesBetween(lexer, at + 1, close, what);
  return close + 1;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte !== undefined && "([{<|!/^~\"'`:@-#".includes(String.fromCharCode(byte));
}

/** Ruby's `%w[a b]`, `%(text #{x})`, `%i[names]`. */
export function percent(holes: readonly Hole[]): Odd {
  return {
    open: "%",
    run(lexer, at) {
      if (!lexer.beginsExpression(at) && !isArgument(lexer, at)) return -1;
      const letter = String.fromCharCode(lexer.bytes[at + 1] ?? 0);
      const isNamed = /[a-zA-Z]/.test(letter);
      if (isNamed && !"qQwWiIrxs".includes(letter)) return -1;
      const from = at + (isNamed ? 2 : 1);
      if (!isDelimiter(lexer.bytes[from]) || lexer.bytes[from] === 58) return -1;
      const end = quoted(lexer, from, "iIs".includes(letter) ? "names" : "qw".includes(letter) ? [] : holes);
      return end > 0 && letter === "r" ? lexer.nameEnd(end) : end;
    },
  };
}

/** Elixir's `~r/x/u`, `~w(a b)a`. */
export function sigil(holes: readonly Hole[]): Odd {
  return {
    open: "~",
    run(lexer, at) {
      const { bytes } = lexer;
      const end = lexer.nameEnd(at + 1);
      if (end === at + 1 || !isDelimiter(bytes[end])) return -1;
      const isTriple = bytes[end] === bytes[end + 1] && bytes[end] === bytes[end + 2] && bytes[end] === 34;
      const letter = latin(bytes, at + 1, at + 2);
      const what = letter === "w" ? "names" : letter === letter.toLowerCase() ? holes : [];
      const behind = quoted(lexer, isTriple ? end + 2 : end, what);
      return behind < 0 ? -1 : lexer.nameEnd(isTriple ? behind + 2 : behind);
    },
  };
}

/** Perl's `q(x)`, `s{a}{b}e`, `m/x/`, `qw(a b)`. */
export function perlQuotes(holes: readonly Hole[]): readonly Odd[] {
  const read =
    (parts: number, what: readonly Hole[] | "names") =>
    (lexer: Lexer, at: number): number => {
      const { bytes } = lexer;
      let start = at;
      while (lexer.lexis.parts[bytes[start - 1] ?? 0] === 1) start--;
      // `$s{x}` is a hash, `->y(` a call.
      if ("$@%&>".includes(String.fromCharCode(bytes[start - 1] || 1))) return -1;
      let behind = quoted(lexer, at, what);
      if (behind < 0 || parts === 1) return behind < 0 ? -1 : lexer.nameEnd(behind);
      const isBracket = CLOSERS.has(bytes[at] ?? 0);
      while (isBracket && (bytes[behind] ?? 99) <= 32) behind++;
      const second = quoted(lexer, isBracket ? behind : behind - 1, what);
      return second < 0 ? -1 : lexer.nameEnd(second);
    };
  const forms: readonly (readonly [string[], (lexer: Lexer, at: number) => number])[] = [
    [["q"], read(1, [])],
    [["qw"], read(1, "names")],
    [["qq", "qx", "qr", "m"], read(1, holes)],
    [["s"], read(2, holes)],
    [["tr", "y"], read(2, [])],
  ];
  return forms.flatMap(([prefixes, run]) => [..."([{</|!~^"].map((open) => ({ open, prefixes, run })));
}

// ---- Others ---------------------------------------------------------------------------------------------------------

/** `#include <a/b.h>`, `#error don't`: the word of the directive is no name, the text of some is none either. */
export function directives(texts: ReadonlySet<string>): Odd {
  return {
    open: "#",
    run(lexer, at) {
      const { bytes } = lexer;
      const isBlank = (i: number): boolean => bytes[i] === 32 || bytes[i] === 9;
      let before = at;
      while (before > 0 && isBlank(before - 1)) before--;
      if (before > 0 && bytes[before - 1] !== LINE_FEED) return -1;
      let start = at + 1;
      while (isBlank(start)) start++;
      let end = lexer.nameEnd(start);
      const word = latin(bytes, start, end);
      if (texts.has(word)) return lexer.lineEnd(end);
      if (!word.startsWith("in") && word !== "import") return end;
      while (isBlank(end)) end++;
      if (bytes[end] !== 60) return end;
      const line = lexer.lineEnd(end);
      const close = bytes.indexOf(62, end);
      return close < 0 || close > line ? end : close + 1;
    },
  };
}

/** A stretch between lines that begin with these words: `=begin`, `=cut`; to the end where there is no second. */
export function stretch(open: string, close: string): Odd {
  const closer = Buffer.from(close);
  return {
    open,
    run(lexer, at) {
      if (at > 0 && lexer.bytes[at - 1] !== LINE_FEED) return -1;
      for (let line = lexer.lineEnd(at) + 1; line < lexer.end; line = lexer.lineEnd(line) + 1)
        if (lexer.stands(closer, line)) return lexer.comment(at, lexer.lineEnd(line));
      return lexer.comment(at, lexer.end);
    },
  };
}

/** A word on a line of its own behind which there is no code (`__END__`). */
export function end(word: string): Odd {
  return {
    open: "\n",
    prefixes: [word],
    run: (lexer, at) => (at === word.length || lexer.bytes[at - word.length - 1] === LINE_FEED ? lexer.end : -1),
  };
}

/** One character behind an opener: `?a` (Ruby, Elixir), `$a` (Erlang), `#\a` (Scheme); not before more of a name. */
export function characterBehind(open: string): Odd {
  return {
    open,
    run(lexer, at) {
      const { bytes } = lexer;
      const before = bytes[at - 1] ?? 32;
      if (lexer.lexis.parts[before] === 1 || before === 41 || before === 93) return -1;
      let i = at + open.length;
      if (bytes[i] === 92) i++;
      const byte = bytes[i] ?? 32;
      if (byte <= 32 || byte >= 0x80) return -1;
      return lexer.lexis.parts[bytes[i + 1] ?? 32] === 1 ? -1 : i + 1;
    },
  };
}

/** Bytes that mean nothing here, and would elsewhere: `#[` of PHP is no comment, `\%` of TeX neither. */
export function nothing(open: string): Odd {
  return { open, run: (_, at) => at + open.length };
}
