/** The address grammar, what servers call things, and the comparison of the two: tables, and properties over any text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Address, parseAddress } from "../../server/symbols/address.ts";
import { matches, narrow, normalise, parametersOf, sameParameters, spellingOf } from "../../server/symbols/names.ts";

type Extra = Partial<Omit<Address, "segments">>;

/** Text, its segments joined by a space dot space, what else it says. */
const good: readonly (readonly [text: string, segments: string, extra?: Extra])[] = [
  // separators
  ["foo", "foo"],
  ["Box.Set", "Box . Set"],
  ["Box::Set", "Box . Set"],
  ["Box#Set", "Box . Set"],
  ["Box/Set", "Box . Set"],
  ["App\\Http\\Ctl::act", "App . Http . Ctl . act"],
  ["\\App\\Ctl", "App . Ctl", { absolute: true }],
  ["kv.Box.Set", "kv . Box . Set"],
  ["a::b.c#d/e", "a . b . c . d . e"],
  ["  Box . Set ", "Box . Set"],
  ["Box ::\tSet", "Box . Set"],
  ["a / b", "a . b"],
  ["example.com/fx/signal.Metrics", "example . com . fx . signal . Metrics"],
  ["größe.naïve", "größe . naïve"],
  ["名前.値", "名前 . 値"],
  ["foo bar", "foo bar"],
  ["initWith:and:", "initWith:and:"],
  // leading separators
  ["::geo::Shape", "geo . Shape", { absolute: true }],
  [".pkg.Engine", "pkg . Engine", { absolute: true }],
  [":: main", "main", { absolute: true }],
  ["##x", "#x", { absolute: true }],
  // special names
  ["#x", "#x"],
  ["  #x", "#x"],
  ["Counter.#x", "Counter . #x"],
  ["Counter##x", "Counter . #x"],
  ["Counter::#_y", "Counter . #_y"],
  ["~Foo", "~Foo"],
  ["ns::Foo::~Foo", "ns . Foo . ~Foo"],
  ["Foo<T>::~Foo", "Foo . ~Foo"],
  ["Account#name=", "Account . name="],
  ["empty?", "empty?"],
  ["r#match", "match"],
  ["kw::r#type", "kw . type"],
  ["a::r#fn::b", "a . fn . b"],
  ["area(void)", "area", { overload: [] }],
  ["area( void )", "area", { overload: [] }],
  ["area(void*)", "area", { overload: ["void*"] }],
  ["User.save!", "User . save!"],
  ["$el", "$el"],
  ["Scope.$watch", "Scope . $watch"],
  ["@total", "@total"],
  ["Cart.@total", "Cart . @total"],
  ["Cart.@@all", "Cart . @@all"],
  // operators
  ["operator==", "operator=="],
  ["Vec::operator==", "Vec . operator=="],
  ["operator ==", "operator=="],
  ["operator()", "operator()"],
  ["Fn::operator()(int)", "Fn . operator()", { overload: ["int"] }],
  ["operator()()", "operator()", { overload: [] }],
  ["operator[]", "operator[]"],
  ["operator[](size_t)", "operator[]", { overload: ["size_t"] }],
  ["operator<", "operator<"],
  ["operator<<", "operator<<"],
  ["operator<=>", "operator<=>"],
  ["operator<<int>", "operator<"],
  ["operator<<<int>", "operator<<"],
  ["operator<(const P&, const P&)", "operator<", { overload: ["const P&", "const P&"] }],
  ["Ptr::operator->", "Ptr . operator->"],
  ["Ptr::operator->*", "Ptr . operator->*"],
  ["Ptr::operator->()", "Ptr . operator->", { overload: [] }],
  ["operator>>=", "operator>>="],
  ["operator/", "operator/"],
  ["operator/=", "operator/="],
  ["operator,", "operator,"],
  ["operator!", "operator!"],
  ["operator new", "operator new"],
  ["operator new[]", "operator new[]"],
  ["operator delete []", "operator delete[]"],
  ["Flag::operator bool", "Flag . operator bool"],
  ["Flag::operator bool()", "Flag . operator bool", { overload: [] }],
  ["S::operator const char *", "S . operator const char*"],
  ["S::operator std::vector<a::b>()", "S . operator std::vector<a::b>", { overload: [] }],
  ['operator""_km', 'operator""_km'],
  ['operator "" _km', 'operator""_km'],
  ["operator.add", "operator . add"],
  ["operators", "operators"],
  ["operator", "operator"],
  ["operator/x", "operator . x"],
  ["operator==::x", "operator== . x"],
  // overloads, arity, index
  ["area()", "area", { overload: [] }],
  ["area( )", "area", { overload: [] }],
  ["area(int)", "area", { overload: ["int"] }],
  ["area (int)", "area", { overload: ["int"] }],
  ["area(int, string)", "area", { overload: ["int", "string"] }],
  ["put(Map<String, Integer>, int[])", "put", { overload: ["Map<String, Integer>", "int[]"] }],
  ["on(cb: (a, b) => void, n)", "on", { overload: ["cb: (a, b) => void", "n"] }],
  ["area(int) const", "area", { overload: ["int"] }],
  ["area(int) const &", "area", { overload: ["int"] }],
  ["area(int) noexcept(true)", "area", { overload: ["int"] }],
  ["read(path: string): Promise<a.b>", "read", { overload: ["path: string"] }],
  ["read(path) -> Result<T>", "read", { overload: ["path"] }],
  ["geo::Shape::area(int)", "geo . Shape . area", { overload: ["int"] }],
  ["useX(int).b", "useX . b"],
  ["useX().b", "useX . b"],
  ["useX.b", "useX . b"],
  ["name[1]", "name", { index: 1 }],
  ["a.name[ 0 ]", "a . name", { index: 0 }],
  ["name(int)[2]", "name", { overload: ["int"], index: 2 }],
  ["name[1](int)", "name", { overload: ["int"] }],
  ["name[1].x", "name . x"],
  ["handle/2", "handle", { arity: 2 }],
  ["Mod.handle/0", "Mod . handle", { arity: 0 }],
  ["handle/2[1]", "handle", { arity: 2, index: 1 }],
  ["a/b/3", "a . b", { arity: 3 }],
  ["a/v2/b", "a . v2 . b"],
  // type arguments
  ["Store[K, V].Get", "Store . Get"],
  ["Store[K, V]", "Store"],
  ["Store[K].Get[int]", "Store . Get"],
  ["Get[int](x)", "Get", { overload: ["x"] }],
  ["Foo<Bar::Baz>::qux", "Foo . qux"],
  ["Foo<Bar<Baz>>::qux", "Foo . qux"],
  ["Foo<int -> int>.qux", "Foo . qux"],
  ["Fn<(a: X) => Y>.call", "Fn . call"],
  ["Vec::<T>::new", "Vec . new"],
  ["parse::<i32>", "parse"],
  ["Foo <T> :: x", "Foo . x"],
  ["<Bar as Trait>::run", "Bar . run"],
  ["crate::m::<Bar as Trait>::run", "crate . m . Bar . run"],
  // decoration
  ["(*Box).Set", "Box . Set"],
  ["(Box).Get", "Box . Get"],
  ["(*Store[K, V]).Get", "Store . Get"],
  ["(*kv.Box).Set", "kv . Box . Set"],
  ["( * Box ).Set", "Box . Set"],
  ["((Box)).Set", "Box . Set"],
  ["(get) size", "size"],
  ["Bag.(get) size", "Bag . size"],
  ["(set) size(v)", "size", { overload: ["v"] }],
  ["(anonymous namespace)::tucked", "(anonymous namespace) . tucked"],
  ["ns::(anonymous namespace)::tucked", "ns . (anonymous namespace) . tucked"],
  // quotes
  ["`a.b`.c", "a.b . c"],
  ["`my test name`", "my test name"],
  ["`operator`", "operator"],
  ["`(x)`", "(x)"],
  ["Foo#`<=>`", "Foo . <=>"],
  ["pre`.`post", "pre.post"],
  ["` `", " "],
  ["`f`(int)", "f", { overload: ["int"] }],
];

const bad: readonly (readonly [text: string, at: number, reason: RegExp])[] = [
  ["", 0, /empty/],
  ["   ", 0, /empty/],
  ["::", 2, /segment is empty/],
  [".", 1, /segment is empty/],
  ["#", 1, /segment is empty/],
  [" :: ", 4, /segment is empty/],
  ["..x", 1, /segment is empty/],
  ["a..b", 2, /segment is empty/],
  ["a::::b", 3, /segment is empty/],
  ["a.", 2, /segment is empty/],
  ["a/", 2, /segment is empty/],
  ["a//b", 2, /segment is empty/],
  ["a./b", 2, /segment is empty/],
  ["``", 0, /segment is empty/],
  ["a.``", 2, /segment is empty/],
  ["[x]", 0, /segment is empty/],
  ["a.<T>", 2, /segment is empty/],
  ["()", 1, /empty/],
  ["/a", 0, /begins with/],
  ["  /a", 2, /begins with/],
  ["foo(", 3, /not closed/],
  ["foo(int", 3, /not closed/],
  ["foo)", 3, /closes nothing/],
  ["Foo<Bar::qux", 3, /not closed/],
  ["Foo<a(>", 6, /closes nothing/],
  ["a->b", 2, /closes nothing/],
  ["Store[K, V.Get", 5, /not closed/],
  ["foo]", 3, /closes nothing/],
  ["foo{x", 3, /not closed/],
  ["(*Box.Set", 0, /not closed/],
  ["(a..b).c", 3, /segment is empty/],
  ["`foo", 0, /backtick/],
  ["a.b`", 3, /backtick/],
  ["foo(`)", 4, /backtick/],
  ["Foo<T>bar", 6, /separator is missing/],
  ["map() callback", 6, /separator is missing/],
  ["((((((((((x))))))))))", 9, /too deep/],
];

test("addresses and their segments", () => {
  for (const [text, segments, extra] of good) {
    assert.deepEqual(
      parseAddress(text),
      { ok: true, address: { segments: segments.split(" . "), absolute: false, ...extra } },
      text,
    );
  }
});

test("what is no address, and where", () => {
  for (const [text, at, reason] of bad) {
    const parsed = parseAddress(text);
    assert.ok(!parsed.ok, text);
    assert.equal(parsed.at, at, `${text}: ${parsed.reason}`);
    assert.match(parsed.reason, reason, text);
  }
});

/** Name and container of a server; leaf, declared containers, and what else there is. */
const printed: readonly (readonly [
  name: string,
  container: string | readonly string[],
  leaf: string,
  containers: readonly string[],
  extra?: { front?: readonly string[]; parameters?: readonly string[]; arity?: number },
])[] = [
  ["record", "Metrics", "record", ["Metrics"]],
  ["record()", "Metrics", "record", ["Metrics"]],
  ["record(String, int)", "fx.Metrics", "record", ["fx", "Metrics"], { parameters: ["String", "int"] }],
  ["(get) size", "Bag", "size", ["Bag"]],
  ["area(int) const", "geo::Shape", "area", ["geo", "Shape"], { parameters: ["int"] }],
  ["Shape::area", "geo", "area", ["geo", "Shape"]],
  ["paint", "ui::Widget", "paint", ["ui", "Widget"]],
  ["paint", ["ui", "Widget"], "paint", ["ui", "Widget"]],
  ["push", "std::vector<a::b>", "push", ["std", "vector"]],
  ["(*Box).Set", "", "Set", ["Box"]],
  ["(*Store[K, V]).Get", "", "Get", ["Store"]],
  ["Metrics.Record", "example.com/fx/signal", "Record", ["signal", "Metrics"], { front: ["example", "com", "fx"] }],
  ["signal.Shared", "example.com/fx/signal", "Shared", ["signal"], { front: ["example", "com", "fx"] }],
  ["Get", "example.com/kv/v2", "Get", ["kv"], { front: ["example", "com"] }],
  ["Node", "gopkg.in/yaml.v3", "Node", ["yaml"], { front: ["gopkg", "in"] }],
  ["run", "impl Foo for Bar", "run", ["Bar"]],
  ["run", "impl<T: Ord> Foo<T> for Vec<T> where T: Copy", "run", ["Vec"]],
  ["new", "impl Metrics", "new", ["Metrics"]],
  ["new", ["inner", "impl Metrics"], "new", ["inner", "Metrics"]],
  ["fmt", "impl<'a> fmt::Display for &'a mut io::Bar<'a>", "fmt", ["Bar"]],
  ["impl Foo for Bar", "", "impl Foo for Bar", []],
  ["x", "crate::signal", "x", ["signal"], { front: ["crate"] }],
  ["tucked", "(anonymous namespace)", "tucked", ["(anonymous namespace)"]],
  ["handle_call/3", "", "handle_call", [], { arity: 3 }],
  ["map() callback", "", "map() callback", []],
  ["<function>", "", "<function>", []],
  ["", "", "", []],
  ["`weird name`", "Test", "weird name", ["Test"]],
];

test("names as servers print them", () => {
  for (const [name, container, leaf, containers, extra] of printed) {
    assert.deepEqual(normalise(name, container), { leaf, containers, front: [], ...extra }, `${name} in ${container}`);
  }
});

/** Address, candidate's path, options; the score or null. */
const compared: readonly (readonly [string, readonly string[], number | null, Parameters<typeof matches>[2]?])[] = [
  ["Set", ["kv", "Box", "Set"], 100],
  ["Box.Set", ["kv", "Box", "Set"], 130],
  ["Box::Set", ["kv", "Box", "Set"], 130],
  ["(*Box).Set", ["kv", "Box", "Set"], 130],
  ["kv.Box.Set", ["kv", "Box", "Set"], 150],
  [".kv.Box.Set", ["kv", "Box", "Set"], 150],
  [".Box.Set", ["kv", "Box", "Set"], null],
  [".Set", ["kv", "Box", "Set"], null],
  [".Set", ["Set"], 150],
  ["Set", ["Set"], 100],
  ["ox.Set", ["kv", "Box", "Set"], null],
  ["kv.Set", ["kv", "Box", "Set"], null],
  ["x.kv.Box.Set", ["kv", "Box", "Set"], null],
  ["set", ["Set"], null],
  ["set", ["Set"], 80, { match: "ignoreCase" }],
  ["Set", ["Set"], 100, { match: "ignoreCase" }],
  ["Se", ["Box", "Set"], 60, { match: "prefix" }],
  ["Box.Se", ["Box", "Set"], 110, { match: "prefix" }],
  ["Set", ["Set"], 100, { match: "prefix" }],
  ["box.Set", ["Box", "Set"], null, { match: "ignoreCase" }],
  ["Engine", ["Engine"], 100, { front: ["pkg", "core"] }],
  ["core.Engine", ["Engine"], 150, { front: ["pkg", "core"] }],
  ["pkg.core.Engine", ["Engine"], 150, { front: ["pkg", "core"] }],
  [".pkg.core.Engine", ["Engine"], 150, { front: ["pkg", "core"] }],
  [".core.Engine", ["Engine"], null, { front: ["pkg", "core"] }],
  ["pkg.Engine", ["Engine"], null, { front: ["pkg", "core"] }],
  ["core.Engine.start", ["Engine", "start"], 150, { front: ["pkg", "core"] }],
  ["tucked", ["(anonymous namespace)", "tucked"], 100],
  ["ns::tucked", ["ns", "(anonymous namespace)", "tucked"], 150],
  ["::tucked", ["(anonymous namespace)", "tucked"], 150],
  ["(anonymous namespace)::tucked", ["(anonymous namespace)", "tucked"], 150],
  ["(anonymous namespace)::tucked", ["tucked"], null],
  ["handle/2", ["handle"], 100, { arity: 2 }],
  ["handle/2", ["handle"], null, { arity: 3 }],
  ["handle/2", ["handle"], 100],
  ["x", [], null],
];

test("match and score", () => {
  for (const [text, path, score, options] of compared) {
    const parsed = parseAddress(text);
    assert.ok(parsed.ok, text);
    const match = matches(parsed.address, path, options);
    assert.equal(match === null ? null : match.score, score, `${text} in ${path.join(".")}`);
  }
});

test("parameters in the ways of several languages", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["int", "int", true],
    ["int", "int x", true],
    ["int", "x: int", true],
    ["int", "x int", true],
    ["int", "const int &", true],
    ["int", "int x = 3", true],
    ["int", "long", false],
    ["int", "int *", false],
    ["char*", "const char *s", true],
    ["unsigned int", "unsigned int", true],
    ["unsigned int", "unsigned long", false],
    ["string", "const std::string &name", true],
    ["String", "java.lang.String", true],
    ["ring", "String", false],
    ["vector", "std::vector<int>", true],
    ["vector<int>", "vector<string>", false],
    ["Map<String,Integer>", "final Map<String, Integer> m", true],
    ["number", "x?: number", true],
    ["&str", "name: &'a str", true],
    ["K", "k K", true],
    ["", "int", false],
  ];
  for (const [a, b, same] of rows) {
    assert.equal(sameParameters([a], [b]), same, `${a} | ${b}`);
    assert.equal(sameParameters([b], [a]), same, `${b} | ${a}`);
  }
  assert.ok(sameParameters([], []));
  assert.ok(!sameParameters([], ["int"]));
  assert.deepEqual(parametersOf("int (int) const"), ["int"]);
  assert.deepEqual(parametersOf("void ()"), []);
  assert.deepEqual(parametersOf("int (void)"), []);
  assert.deepEqual(parametersOf("func(k K, f func(int) int) V"), ["k K", "f func(int) int"]);
  assert.deepEqual(parametersOf("fn(&self, x: u8) -> T"), ["x: u8"]);
  assert.equal(parametersOf("int"), undefined);
  assert.equal(parametersOf("f(x"), undefined);
});

test("an overload picks what has these types, else what nobody told", () => {
  const pick = (text: string, found: readonly (readonly string[] | undefined)[]) => {
    const parsed = parseAddress(text);
    assert.ok(parsed.ok);
    return narrow(parsed.address, found, (parameters) => parameters);
  };
  assert.deepEqual(pick("f", [["int"], []]), [["int"], []]);
  assert.deepEqual(pick("f(int)", [["int n"], ["string"], undefined]), [["int n"]]);
  assert.deepEqual(pick("f()", [["int"], []]), [[]]);
  assert.deepEqual(pick("f(bool)", [["int"], undefined]), [undefined]);
  assert.deepEqual(pick("f(bool)", [["int"]]), []);
  assert.deepEqual(pick("f()", [["int"]]), [["int"]], "`()` is also how a call is written");
});

test("any text is an address or an error with a place inside it", () => {
  const pieces = fc.constantFrom(
    ..."::|.|#|/|(|)|[|]|<|>|{|}|`|,| |a|B1|~|=|$|@|2|operator|new|*|&|const|as |->|=>|\u{1f600}".split("|"),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (name, container) => {
      const parsed = parseAddress(name);
      if (parsed.ok) {
        assert.ok(parsed.address.segments.length > 0);
        assert.ok(parsed.address.segments.every((segment) => segment !== ""));
      } else assert.ok(parsed.at >= 0 && parsed.at <= name.length && parsed.reason !== "");
      const known = normalise(name, container);
      const path = [...known.containers, known.leaf];
      if (parsed.ok) matches(parsed.address, path, { front: known.front, match: "ignoreCase" });
      sameParameters([name], [container]);
      parametersOf(name);
    }),
    { numRuns: 1200 },
  );
});

test("segments in backticks come back as they are, with any separator", () => {
  const segment = fc.string({ minLength: 1, unit: "binary" }).filter((name) => !name.includes("`"));
  const part = fc.constantFrom("::", ".", "#", " :: ", "/");
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), part, (segments, between) => {
      const parsed = parseAddress(segments.map((name) => `\`${name}\``).join(between));
      assert.ok(parsed.ok);
      assert.deepEqual(parsed.address.segments, segments);
      assert.equal(matches(parsed.address, segments)?.kind, segments.length > 1 ? "whole" : "none given");
    }),
    { numRuns: 500 },
  );
});

// What grows with the square of the length would be at it for hours.
test("a long hostile text is read in time linear in its length", { timeout: 60_000 }, () => {
  for (const part of [
    "(",
    "((x)",
    "`",
    "a ",
    "a<",
    "operator ",
    "operator <",
    "a/1 ",
    "<a as ",
    "a(b) ",
    "::",
    "a::<",
    "[",
    "const ",
  ]) {
    const text = part.repeat(10_000);
    assert.equal(typeof parseAddress(text).ok, "boolean");
    assert.equal(typeof normalise(text, text).leaf, "string");
  }
});

test("names beyond ASCII are compared in the Unicode form of their language, and as written where it has none", () => {
  const meets = (language: string, asked: string, ...path: readonly string[]): string | null => {
    const parsed = parseAddress(asked);
    assert.ok(parsed.ok);
    return matches(parsed.address, path, { spelling: spellingOf(language) })?.name ?? null;
  };
  for (const language of ["python", "rust", "csharp", "swift"]) {
    assert.equal(meets(language, "caf\u00e9", "cafe\u0301"), "exact", language);
    assert.equal(meets(language, "caf\u00e9.x", "cafe\u0301", "x"), "exact", language);
  }
  assert.equal(meets("python", "fine", "\ufb01ne"), "exact");
  assert.equal(meets("rust", "fine", "\ufb01ne"), null);
  assert.equal(meets("java", "caf\u00e9", "cafe\u0301"), null);
});
