/**
 * What comments, strings and names look like in each language, as data: the profiles of `lexis/rules.ts` by LSP id. A language
 * without a row is not indexed: it has no symbols (prose).
 */

import { languages } from "../../languages.ts";
import { ANY_NAME, type Lexis } from "../lexis.ts";
import {
  backParen,
  basicDouble,
  braces,
  c,
  cComments,
  character,
  css,
  dashes,
  data,
  dollarBrace,
  dollarName,
  dollarParen,
  dollars,
  double,
  doubleLines,
  hash,
  hashBehindBlank,
  hashBrace,
  hdl,
  java,
  javascript,
  json,
  jsWords,
  lisp,
  markup,
  nestedComments,
  parenStars,
  percents,
  perl,
  php,
  pythonFormat,
  pythonPlain,
  quotes,
  rawName,
  rawTicks,
  ruby,
  rustRaw,
  scss,
  semicolons,
  shell,
  single,
  singleLines,
  slashes,
  sqlSingle,
  stars,
  triple,
  tripleSingle,
  typescript,
} from "./families.ts";
import { characterBehind, directives, nothing, regularExpression, sigil, stretch } from "./odd.ts";
import { compile, type Odd, type Profile, type StringForm } from "./rules.ts";

/** The lexis of a language (an LSP id); null where it has no names to look for. */
export function lexisOf(language: string): Lexis | null {
  const profile = profiles[language];
  if (profile === undefined) return null;
  const known = compiled.get(profile) ?? compile(profile);
  compiled.set(profile, known);
  return known;
}

/** The Unicode form in which a language compares names; null where names are compared as they are written. */
export function normalForm(language: string): Profile["normal"] | null {
  return profiles[language]?.normal ?? null;
}

const compiled = new Map<Profile, Lexis>();

const profiles: Readonly<Record<string, Profile>> = {
  ada: { comments: [dashes], strings: [basicDouble, character], normal: "NFC" },
  awk: { comments: [hash], strings: [double], odd: [regularExpression()] },
  bat: { comments: [{ open: "::", where: "line" }, { open: "@REM " }] },
  c,
  clojure: { ...lisp, comments: [semicolons], odd: [characterBehind("\\")] },
  cmake: { comments: [hash, { open: "#[[", close: "]]" }] },
  coffeescript: {
    begins: "$",
    comments: [{ open: "###", close: "###" }, hash],
    strings: [{ ...triple, holes: [hashBrace] }, tripleSingle, { ...doubleLines, holes: [hashBrace] }, singleLines],
    odd: [regularExpression()],
    operators: [...jsWords, "then", "if", "unless", "when", "and", "or", "not", "is", "isnt"],
  },
  cpp: c,
  crystal: ruby,
  csharp: {
    comments: cComments,
    strings: [
      { open: '$$"""', close: '"""', fence: "quotes", lines: true, escape: "", holes: [{ open: "{{", holds: "code" }] },
      { open: '$"""', close: '"""', fence: "quotes", lines: true, escape: "", holes: braces },
      { open: '"""', fence: "quotes", lines: true, escape: "" },
      ...['$@"', '@$"'].map(
        (open): StringForm => ({ open, close: '"', lines: true, escape: "", doubled: true, holes: braces }),
      ),
      { open: '@"', close: '"', lines: true, escape: "", doubled: true },
      { open: '$"', close: '"', holes: braces },
      ...quotes,
    ],
    odd: [directives(new Set(["region", "endregion", "error", "warning", "line", "nullable"]))],
    normal: "NFC",
  },
  css,
  "cuda-cpp": c,
  d: {
    comments: [...cComments, { open: "/+", close: "+/", nested: true }],
    strings: [doubleLines, single, rawTicks, { open: '"', prefixes: ["r"], escape: "", lines: true }],
  },
  dart: {
    begins: "$",
    comments: nestedComments,
    strings: [
      { ...triple, holes: dollars },
      { ...tripleSingle, holes: dollars },
      ...quotes.map((form) => ({ ...form, holes: dollars })),
      ...[triple, tripleSingle, ...quotes].map((form) => ({ ...form, escape: "", prefixes: ["r"] })),
    ],
  },
  dockerfile: { comments: [hashBehindBlank] },
  elixir: {
    comments: [hash],
    strings: [
      { ...triple, holes: [hashBrace] },
      { ...tripleSingle, holes: [hashBrace] },
      { ...doubleLines, holes: [hashBrace] },
      { ...singleLines, holes: [hashBrace] },
    ],
    odd: [sigil([hashBrace]), characterBehind("?")],
    normal: "NFC",
  },
  elm: { comments: [dashes, { open: "{-", close: "-}", nested: true }], strings: [triple, double, character] },
  erb: markup,
  erlang: {
    holds: "@",
    comments: [percents],
    strings: [doubleLines, { ...single, names: true }],
    odd: [characterBehind("$")],
  },
  fish: { comments: [hashBehindBlank], strings: [{ ...doubleLines, holes: [dollarParen, dollarName] }, singleLines] },
  fortran: { comments: [{ open: "!" }], strings: quotes.map((form) => ({ ...form, escape: "", doubled: true })) },
  fsharp: {
    holds: "'",
    comments: [slashes, parenStars],
    strings: [
      { open: '$"""', close: '"""', lines: true, escape: "", holes: braces },
      { ...triple, escape: "" },
      { open: '@"', close: '"', lines: true, escape: "", doubled: true },
      { open: '$"', close: '"', lines: true, holes: braces },
      doubleLines,
      character,
    ],
    odd: [nothing("(*)")],
  },
  go: { comments: cComments, strings: [...quotes, rawTicks] },
  "go.mod": { holds: "-", comments: [slashes] },
  "go.work": { holds: "-", comments: [slashes] },
  graphql: { comments: [hash], strings: [triple, double] },
  groovy: {
    begins: "$",
    comments: cComments,
    strings: [{ ...triple, holes: dollars }, tripleSingle, { ...double, holes: dollars }, single],
  },
  handlebars: markup,
  haskell: {
    holds: "'",
    comments: [
      { open: "--", where: "operator" },
      { open: "{-", close: "-}", nested: true },
    ],
    strings: [doubleLines, character],
  },
  html: markup,
  ini: {
    comments: [
      { open: ";", where: "line" },
      { open: "#", where: "line" },
    ],
  },
  java,
  javascript,
  javascriptreact: javascript,
  json,
  jsonc: json,
  julia: {
    holds: "!",
    comments: [{ open: "#=", close: "=#", nested: true }, hash],
    strings: [
      { ...triple, holes: [dollarParen, dollarName] },
      { ...doubleLines, holes: [dollarParen, dollarName] },
      character,
    ],
    normal: "NFC",
  },
  kotlin: {
    comments: nestedComments,
    strings: [{ ...triple, escape: "", run: true, holes: dollars }, { ...double, holes: dollars }, single],
  },
  latex: { begins: "@", comments: [percents], odd: [nothing("\\%"), nothing("\\\\")] },
  less: { ...css, comments: cComments },
  lua: {
    comments: [dashes],
    strings: [
      { open: "--[", close: "]", fence: "equals", escape: "", lines: true },
      { open: "[", close: "]", fence: "equals", escape: "", lines: true },
      ...quotes,
    ],
  },
  makefile: { comments: [hashBehindBlank] },
  markdown: markup,
  matlab: {
    comments: [percents, { open: "%{", close: "%}", where: "line" }],
    strings: [{ ...single, escape: "", doubled: true, where: "expression" }, basicDouble],
  },
  nim: {
    comments: [{ open: "#[", close: "]#", nested: true }, { open: "##[", close: "]##", nested: true }, hash],
    strings: [
      { ...triple, escape: "", run: true, prefixes: ["", "r", "R"] },
      { ...double, escape: "", prefixes: ["r", "R"] },
      double,
      character,
    ],
  },
  nix: {
    holds: "-'",
    comments: [hash, stars],
    strings: [
      { ...doubleLines, holes: [dollarBrace] },
      { open: "''", escape: "", lines: true, holes: [{ open: "''${", holds: "name" }, dollarBrace] },
    ],
  },
  "objective-c": c,
  "objective-cpp": c,
  ocaml: {
    holds: "'",
    comments: [parenStars],
    strings: [doubleLines, { open: "{|", close: "|}", lines: true, escape: "" }, character],
  },
  pascal: {
    comments: [slashes, { open: "{", close: "}" }, { open: "(*", close: "*)" }],
    strings: [{ ...single, escape: "", doubled: true }],
  },
  perl,
  php,
  powershell: {
    comments: [hashBehindBlank, { open: "<#", close: "#>" }],
    strings: [
      { open: '@"', close: '\n"@', lines: true, escape: "`", holes: [dollarParen, dollarBrace, dollarName] },
      { open: "@'", close: "\n'@", lines: true, escape: "" },
      { ...doubleLines, escape: "`", holes: [dollarParen, dollarBrace, dollarName] },
      sqlSingle,
    ],
  },
  prolog: { comments: [percents, stars], strings: [doubleLines, { ...single, names: true }], odd: [nothing("0'")] },
  proto: { comments: cComments, strings: quotes },
  pug: markup,
  python: {
    comments: [hash],
    strings: [triple, tripleSingle, ...quotes].flatMap((form) => [
      { ...form, prefixes: pythonPlain },
      { ...form, prefixes: pythonFormat, holes: braces },
    ]),
    // The conversion of `{value!r}`.
    odd: "rsa"
      .split("")
      .flatMap((letter) => ["}", ":"].map((close): Odd => ({ open: `!${letter}${close}`, run: (_, at) => at + 2 }))),
    normal: "NFKC",
  },
  r: {
    holds: ".",
    comments: [hash],
    strings: [doubleLines, singleLines, { open: '"(', close: ')"', prefixes: ["r", "R"], escape: "", lines: true }],
  },
  raku: { ...perl, holds: "-'", odd: [nothing("<<"), stretch("=begin", "=end")] },
  razor: markup,
  rescript: {
    holds: "'",
    comments: nestedComments,
    strings: [doubleLines, { open: "`", lines: true, holes: [dollarBrace] }, character],
  },
  ruby,
  rust: {
    comments: nestedComments,
    strings: [
      { open: '#"', prefixes: rustRaw, fence: "hashes", escape: "", lines: true },
      { open: '"', prefixes: rustRaw, escape: "", lines: true },
      { ...doubleLines, prefixes: ["", "b", "c"] },
      { ...character, prefixes: ["", "b"] },
    ],
    odd: [rawName],
    normal: "NFC",
  },
  sass: scss,
  scala: {
    begins: "$",
    comments: nestedComments,
    strings: [
      { ...triple, escape: "", run: true, prefixes: [ANY_NAME], holes: dollars },
      { ...double, prefixes: [ANY_NAME], holes: dollars },
      { ...triple, escape: "", run: true },
      double,
      character,
    ],
  },
  scheme: {
    ...lisp,
    comments: [semicolons, { open: "#|", close: "|#", nested: true }],
    odd: [characterBehind("#\\")],
  },
  scss,
  shaderlab: c,
  shellscript: shell,
  solidity: { begins: "$", comments: cComments, strings: quotes },
  sql: { comments: [dashes, stars], strings: [sqlSingle] },
  svelte: markup,
  swift: {
    comments: nestedComments,
    strings: [
      { open: '#"""', fence: "hashes", lines: true, holes: backParen },
      { open: '#"', fence: "hashes", holes: backParen },
      { ...triple, holes: backParen },
      { ...double, holes: backParen },
    ],
    normal: "NFC",
  },
  tcl: { comments: [{ open: "#", where: "line" }] },
  terraform: { holds: "-", comments: [hash, ...cComments], strings: [{ ...doubleLines, holes: [dollarBrace] }] },
  toml: data,
  typescript,
  typescriptreact: javascript,
  vb: { comments: [{ open: "'" }], strings: [basicDouble] },
  verilog: hdl,
  vim: { comments: [{ open: '"', where: "line" }], strings: [double, { ...single, escape: "", doubled: true }] },
  vue: markup,
  xml: { ...markup, holds: "-." },
  xsl: { ...markup, holds: "-." },
  yaml: data,
  zig: { comments: cComments, strings: [double, single, { open: "\\\\", close: "\n", escape: "" }] },
};

/** Languages in whose files nothing is looked up. */
export function isIndexed(language: string): boolean {
  return languages.has(language) && profiles[language] !== undefined;
}
