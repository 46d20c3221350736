/** Which names the lexis of each language finds: what is in comments and strings does not count, what is in holes does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { languages } from "../../server/languages.ts";
import { isIndexed, lexisOf } from "../../server/syntax/lexis/table.ts";
import { Lexer } from "../../server/syntax/lexis.ts";

/** In the order of the text, each time. */
function namesIn(language: string, text: string | Buffer): string {
  const lexis = lexisOf(language);
  assert.ok(lexis, language);
  const found: string[] = [];
  const bytes = Buffer.from(text);
  new Lexer(lexis).scan(bytes, bytes.length, {
    word: (some, start, end) => void found.push(Buffer.from(some.subarray(start, end)).toString()),
  });
  return found.join(" ");
}

type Case = readonly [language: string, text: string, names: string];

/** "§" stands for the dollar sign before a brace. */
const written: readonly Case[] = [
  // Comments.
  ["go", "a // b\nc /* d\n e */ f", "a c f"],
  ["c", "a /* b /* c */ d", "a d"],
  ["rust", "a /* b /* c */ d */ e", "a e"],
  ["swift", "a /* b /* c */ d */ e", "a e"],
  ["haskell", "a {- b {- c -} d -} e -- f\ng --> h |-- i", "a e g h i"],
  ["python", "a # b\nc", "a c"],
  ["shellscript", "a#b $# §{#c} # d\ne", "a b c e"],
  ["sql", "a -- b\nc /* d */ e", "a c e"],
  ["erlang", "a % b\nc", "a c"],
  ["clojure", "a ; b\nc", "a c"],
  ["lua", "a --[[ b\n]] c --[==[ d ]] e ]==] f -- g\nh", "a c f h"],
  ["nim", "a #[ b #[ c ]# d ]# e # f", "a e"],
  ["ruby", "a\n=begin\nb\n=end\nc # d\n__END__\ne", "a c"],
  ["perl", "a\n=pod\nb\n=cut\nc\n__END__\nd", "a c"],
  ["html", "<a><!-- b --> c", "a c"],
  ["php", "a <?php b # c\n#[D]\ne // f\n?> g <?= h", "b D e h"],
  ["python", "#!/usr/bin/env a\nb", "b"],
  ["rust", "#![a]\nb", "a b"],
  ["julia", "a #= b #= c =# d =# e", "a e"],
  // Comments without an end hide nothing.
  ["go", "a /* b\nc", "a b c"],
  // Strings.
  ["go", 'a "b \\" c" d `e \\` f \'g\' h', "a d f h"],
  ["python", "a 'b' \"c\\\"d\" '''e\n'f''' rb\"g\" R'h' x\"i\" j", "a x j"],
  ["python", "a f\"b {c} {{d}} {e!r} {f:>{g}.2f} {h['i']:%Y}\" j", "a c e f g h j"],
  ["python", "f'{a if b else \"c\"}' d", "a if b else d"],
  // What names a member is a name, whatever else strings hold.
  ["typescript", "x = { 'a-b': 1, \"c\" : 'd', 'e f'() {} }", "x a b c e f"],
  ["typescript", "class X { ['a b']() {} static 'c' = 1; 'd'?: e; 'f'!: g; }", "class X a b static c d e f g"],
  ["javascript", "x['a'](1); y['b'] = ['c', 'd']; z = x ? 'e' : 'f'", "x a y b z x"],
  ["javascript", "switch (x) { case 'a': f('b'); y = 'c' == z }", "switch x case f y z"],
  ["typescript", "declare module 'a' { } import b from 'c'", "declare module a import b from"],
  ["typescript", "a `b §{c + `d §{e}` + {f: 1}.f} g` h", "a c e f f h"],
  ["kotlin", 'a "b $c §{d.e("f")} \\$g" """h\n$i"""" j', "a c d e i j"],
  ["swift", 'a "b \\(c("d")) e" #"f \\(g) \\#(h)"# """\n i \\(j)\n""" k', "a c h j k"],
  ["ruby", "a \"b #{c} d\" 'e #{f}' g", "a c g"],
  ["csharp", 'a "b" @"c""d\\" $"e {f:N2} {{g}}" $@"h {i}" """j "k" """ $$"""l {m} {{n}}""" o', "a f i n o"],
  ["dart", 'a \'b $c §{d}\' r\'e $f\' """g\n$h""" i', "a c d h i"],
  ["php", "<?php a \"b $c {$d->e} §{f} $g->h\" 'i $j' k", "a c d e f g h k"],
  ["shellscript", "a \"b $c §{d} $(e 'f' \"g\")\" 'h $i' j", "a c d e j"],
  ["scala", 'a "b $c" s"d $e §{f}" sql"g $h" i', "a e f s h sql i"],
  ["rust", 'a "b\nc" r"d\\" r#"e "f""# br##"g"#h"## b"i" r#type j', "a type j"],
  ["cpp", 'a "b" R"x(c)" d)x" u8"e" L\'f\' LR"(g)" h', "a h"],
  ["java", 'a "b" """\nc "d" \\""" e""" f', "a f"],
  ["sql", "a 'b''c' d \"e\" f", "a d e f"],
  ["vb", 'a "b""c" d \' e', "a d"],
  ["elixir", 'a ~s(b #{c}) ~S(d #{e}) ~w(f g)a ~r/h/u """\ni #{j}\n""" k', "a c f g j k"],
  ["ocaml", "a \"b\" {|c|} 'd' 'e f' (* g (* h *) *) i", "a e f' i"],
  ["powershell", 'a "b `" $c $(d)" \'e\' <# f #> g', "a c d g"],
  ["nix", "a \"b §{c}\" ''d §{e} ''§{f}'' g-h", "a c e f g-h"],
  // Without an end: the quote means nothing.
  ["go", "a \"b\nc ' d `e", "a b c d e"],
  ["typescript", "don't `a §{b", "don t b a $ b"],
  // Names in strings, where symbols live there.
  ["json", '{"a-b": "c\\nd", "e": 1}', "a b c d e"],
  ["yaml", "a: \"b\" # c\nd: 'e'\nf#g: don't", "a b d e f g don t"],
  ["toml", '[a.b]\nc = "d" # e', "a b c d"],
  ["css", '.a-b { c: d("e") } /* f */ --g: h', "a-b c d g h"],
  // Characters, lifetimes, parted digits.
  ["rust", "a<'b> 'c' '\\n' b'd' 'é' &'static e", "a b static e"],
  ["cpp", "a 1'000'000 b 0x1'FFul 'c' d 1e-5f e 1.5e+3 f", "a b d e f"],
  ["verilog", "a 8'hFF b", "a b"],
  ["go", "a 0x1F 1_000 1e9 0b11 x1 y.0 1.5", "a x1 y"],
  ["rust", "1.max(2) 1..n t.0.name", "max n t name"],
  ["ruby", "a ?b c ? d : e", "a c d e"],
  ["erlang", "a $b 'c' \"d\"", "a c"],
  ["haskell", "a' 'b' c''", "a' c''"],
  ["scheme", 'a-b #\\c #| d |# "e" f?', "a-b f?"],
  // Regular expressions.
  ["javascript", "a / b / c; return /d[/]e'/g.test(f)", "a b c return test f"],
  ["javascript", "x = /`/; a; (b) / c / d; [/e/, // f\n/g/]", "x a b c d"],
  ["typescript", "if (a) {}\n/b/.test(c)", "if a test c"],
  ["ruby", "a =~ /b #{c}/i; d / e / f; puts /g/", "a c d e f puts"],
  ["perl", "$a =~ s{b}{$c}g; q(d) qw(e f) $s{g}; m/h/; y/i/j/", "a c e f s g"],
  // Heredocs.
  ["shellscript", "a <<EOF b\nc $d\nEOF\ne <<-'X'\n$f\n\tX\ng <<< h", "a b d e g h"],
  ["ruby", "a(<<~ONE, <<-'TWO')\n  b #{c}\n  ONE\nd #{e}\n  TWO\nf << g", "a c f g"],
  ["php", "<?php a <<<'X'\nb $c\nX; d(<<<Y\ne $f\n  Y, g);", "a d f g"],
  ["perl", 'a <<"X";\nb $c\nX\nd', "a c d"],
  // JSX.
  ["javascript", "a = <b c='d' e={f(`§{g}`)} h-i>don't {j} <k.l/> </b>; m < n", "a b c e f g h i j k l b m n"],
  ["typescriptreact", "const a = <T,>(b: T) => <></>; <C<D> e/>", "const a T b T C D e"],
  ["typescript", "<a>b; c<d>(e)", "a b c d e"],
  // Others.
  ["c", "#include <a/b.h>\n# define c d\n#error don't\n e", "c d e"],
  ["csharp", "#region don't\na\n#if b\n#endif", "a b"],
  ["go", "$a", "a"],
  ["javascript", "$a _b #c", "$a _b c"],
  ["ruby", "@a @@b $c d? e! :f", "a b c d e f"],
  ["ruby", "%w[a b] %i[c d] %(e #{f}) g % h", "c d f g h"],
  ["python", "naïve переменная ﬁn a² 🙂", "naïve переменная fin a 🙂"],
  ["go", "\ufeffa 变量x", "a 变量x"],
];

const cases = written.map(([language, text, names]): Case => [language, text.replaceAll("§", "$"), names]);

for (const [language, text, names] of cases)
  test(`$\{language}: $\{JSON.stringify(text)}`, () => assert.equal(namesIn(language, text), names));

test("names are brought into the form in which the language compares them", () => {
  assert.equal(namesIn("rust", "e\u0301te"), "éte");
  assert.equal(namesIn("go", "e\u0301te"), "e\u0301te");
  assert.equal(namesIn("python", "ﬁ"), "fi");
});

test("a text may end anywhere, and any bytes may be in it", () => {
  for (const [language, text] of cases) {
    const bytes = Buffer.from(text);
    for (let end = 0; end <= bytes.length; end++) namesIn(language, bytes.subarray(0, end));
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (at * 37) & 0xff;
      namesIn(language, changed);
    }
  }
});

test("what never ends takes no time that never ends", () => {
  for (const text of ["`\u0024{", "<a>", "/*", "f'{", "<<A\n", "%(", '"#{', "'''"].map((some) => some.repeat(2_000)))
    for (const language of ["javascript", "python", "ruby", "shellscript", "rust", "csharp"]) {
      const start = process.cpuUsage().user;
      namesIn(language, text);
      const took = (process.cpuUsage().user - start) / 1000;
      assert.ok(took < 2000, `${language} ${text.slice(0, 8)}: ${took} ms`);
    }
});

test("every language of programs is indexed, prose is not", () => {
  const without = [...languages.keys()].filter((id) => !isIndexed(id));
  assert.deepEqual(without.sort(), ["bibtex", "diff", "git-commit", "git-rebase", "plaintext"]);
});
