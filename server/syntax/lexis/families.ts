/**
 * Comments and strings that several languages share, and the profiles of families of languages; `lexis/table.ts` gives them
 * to languages.
 */
import type { Lexer } from "../lexis.ts";
import { jsx } from "./jsx.ts";
import {
  characterBehind,
  directives,
  end,
  heredoc,
  nothing,
  percent,
  perlQuotes,
  regularExpression,
  stretch,
} from "./odd.ts";
import type { CommentForm, Hole, Odd, Profile, StringForm } from "./rules.ts";

// ---- Comments -------------------------------------------------------------------------------------------------------

export const slashes: CommentForm = { open: "//" };
export const stars: CommentForm = { open: "/*", close: "*/" };
const nestedStars: CommentForm = { ...stars, nested: true };
export const hash: CommentForm = { open: "#" };
export const hashBehindBlank: CommentForm = { open: "#", where: "blank" };
export const dashes: CommentForm = { open: "--" };
export const percents: CommentForm = { open: "%" };
export const semicolons: CommentForm = { open: ";" };
export const parenStars: CommentForm = { open: "(*", close: "*)", nested: true };
const tags: CommentForm = { open: "<!--", close: "-->" };
export const cComments = [slashes, stars];
export const nestedComments = [slashes, nestedStars];

// ---- Strings --------------------------------------------------------------------------------------------------------

export const double: StringForm = { open: '"' };
export const single: StringForm = { open: "'" };
export const doubleLines: StringForm = { open: '"', lines: true };
export const singleLines: StringForm = { open: "'", lines: true };
export const triple: StringForm = { open: '"""', lines: true };
export const tripleSingle: StringForm = { open: "'''", lines: true };
export const rawTicks: StringForm = { open: "`", lines: true, escape: "" };
export const character: StringForm = { open: "'", where: "character" };
/** `'it''s'` */
export const sqlSingle: StringForm = { open: "'", lines: true, escape: "", doubled: true };
export const basicDouble: StringForm = { open: '"', escape: "", doubled: true };
const names: StringForm = { open: '"', names: true };
export const quotes = [double, single];

export const dollarBrace: Hole = { open: "${", holds: "code" };
export const dollarParen: Hole = { open: "$(", holds: "code" };
export const dollarName: Hole = { open: "$", holds: "name" };
export const hashBrace: Hole = { open: "#{", holds: "code" };
const atName: Hole = { open: "@", holds: "name" };
export const dollars = [dollarBrace, dollarName];
const shellHoles = [dollarBrace, dollarParen, dollarName];
const phpHoles: readonly Hole[] = [{ open: "{$", holds: "code" }, ...dollars];
const perlHoles = [dollarBrace, dollarName, atName];
const rubyHoles: readonly Hole[] = [hashBrace, { open: "#@", holds: "name" }];
export const braces: readonly Hole[] = [{ open: "{", holds: "format", doubled: true }];
export const backParen: readonly Hole[] = [{ open: "\\(", holds: "code" }];

/** All spellings of prefixes in both cases: "rb" is rb, rB, Rb, RB. */
function anyCase(...words: readonly string[]): readonly string[] {
  return words.flatMap((word) =>
    [...word].reduce<string[]>(
      (all, letter) => all.flatMap((some) => [some + letter, some + letter.toUpperCase()]),
      [""],
    ),
  );
}

export const pythonPlain = ["", ...anyCase("r", "u", "b", "br", "rb")];
export const pythonFormat = anyCase("f", "fr", "rf", "t", "tr", "rt");
const cPrefixes = ["", "L", "u", "U", "u8"];

// ---- Families -------------------------------------------------------------------------------------------------------

export const jsWords =
  "return typeof case in of do else void delete throw new instanceof yield await default extends export import".split(
    " ",
  );

export const typescript: Profile = {
  begins: "$",
  comments: cComments,
  strings: [
    ...quotes.map((form) => ({ ...form, names: "key" as const })),
    { open: "`", lines: true, holes: [dollarBrace] },
  ],
  odd: [regularExpression()],
  operators: jsWords,
};
export const javascript: Profile = { ...typescript, odd: [...(typescript.odd ?? []), jsx] };

export const c: Profile = {
  begins: "$",
  comments: cComments,
  strings: [
    { ...double, prefixes: cPrefixes },
    { ...single, prefixes: cPrefixes },
    { ...double, prefixes: ["R", "LR", "uR", "UR", "u8R"], fence: "tag", escape: "", lines: true },
  ],
  odd: [directives(new Set(["error", "warning"]))],
  quotedDigits: true,
  normal: "NFC",
};

export const java: Profile = { begins: "$", comments: cComments, strings: [triple, ...quotes] };
export const shell: Profile = {
  comments: [hashBehindBlank],
  strings: [
    { ...doubleLines, holes: shellHoles },
    { open: "$'", close: "'", lines: true },
    { ...singleLines, escape: "" },
  ],
  odd: [
    nothing("\\'"),
    nothing('\\"'),
    nothing("\\#"),
    nothing("<<<"),
    ...heredoc({ open: "<<", dashes: "-", holes: shellHoles }),
  ],
};
export const markup: Profile = { begins: "$", comments: [tags] };
export const lisp: Profile = { begins: "*+!<>=&%?", holds: "-./:", strings: [doubleLines] };
export const css: Profile = { holds: "-", comments: [stars], strings: quotes };
export const scss: Profile = {
  ...css,
  comments: cComments,
  strings: quotes.map((form) => ({ ...form, holes: [hashBrace] })),
};
export const perl: Profile = {
  comments: [hashBehindBlank],
  strings: [{ ...doubleLines, holes: perlHoles }, singleLines, { open: "`", lines: true, holes: perlHoles }],
  odd: [
    ...['$"', "$'", "$`", "$#", "$/"].map(nothing),
    ...perlQuotes(perlHoles),
    ...heredoc({ open: "<<", dashes: "~", holes: perlHoles }),
    regularExpression({ holes: perlHoles }),
    end("__END__"),
    end("__DATA__"),
    ...["=pod", "=head", "=over", "=item", "=begin", "=for", "=encoding"].map((word) => stretch(word, "=cut")),
  ],
  operators: "and or not if unless while until return split grep map push x lt gt eq ne".split(" "),
};
export const ruby: Profile = {
  comments: [hash],
  strings: [{ ...doubleLines, holes: rubyHoles }, singleLines, { open: "`", lines: true, holes: rubyHoles }],
  odd: [
    ...['$"', "$'", "$`"].map(nothing),
    ...heredoc({ open: "<<", dashes: "-~", holes: rubyHoles }),
    regularExpression({ lines: true, holes: rubyHoles, spaced: true }),
    percent(rubyHoles),
    characterBehind("?"),
    stretch("=begin", "=end"),
    end("__END__"),
  ],
  operators: "if unless while until and or not return when in then do else elsif case yield begin".split(" "),
  normal: "NFC",
};
export const data: Profile = { begins: "$", comments: [hashBehindBlank], strings: [names] };
export const json: Profile = { begins: "$", comments: cComments, strings: [names] };
export const php: Profile = {
  comments: [...cComments, hash],
  strings: [{ ...doubleLines, holes: phpHoles }, singleLines, { open: "`", lines: true, holes: phpHoles }],
  odd: [
    nothing("#["),
    ...heredoc({ open: "<<<", indented: true, holes: phpHoles }),
    { open: "?>", run: (lexer, at) => behindTag(lexer, at + 2) },
  ],
  outside: behindTag,
};

/** The place behind the next `<?php` or `<?=`. */
function behindTag(lexer: Lexer, from: number): number {
  for (let at = from; at < lexer.end; at++)
    if (lexer.bytes[at] === 60 && lexer.bytes[at + 1] === 63)
      return lexer.bytes[at + 2] === 61 ? at + 3 : lexer.nameEnd(at + 2);
  return lexer.end;
}

/** `r#type` is the name `type`. */
export const rawName: Odd = {
  open: "#",
  prefixes: ["r"],
  run: (lexer, at) => (lexer.nameEnd(at + 1) > at + 1 ? at + 1 : -1),
};

export const rustRaw = ["r", "br", "cr"];
export const hdl: Profile = { begins: "$", comments: cComments, strings: [double], quotedDigits: true };
