/** Outlines from syntax alone, with the real grammars: each line is kind, path and place (1-based) of a declaration. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outlined } from "../../server/syntax/outline.ts";
import { outlineText } from "../../server/syntax/read.ts";
import { grammarNames } from "../../server/syntax/served.ts";

/** Blocks are in brackets; `~` marks what is local, `?` what is compiled for tests only. */
async function outline(language: string, text: string): Promise<readonly string[]> {
  const found = await outlineText(language, text);
  assert.ok(found, language);
  const lines: string[] = [];
  const visit = (symbols: readonly Outlined[], around: readonly string[]): void => {
    for (const { name, kind, scope, block, selectionRange, local, test: inTest, children } of symbols) {
      const { line, character } = selectionRange.start;
      const inside = [...around, ...scope];
      const path = [...inside, name].join(".");
      if (!block) lines.push(`${kind} ${local ? "~" : ""}${inTest ? "?" : ""}${path} ${line + 1}:${character + 1}`);
      visit(children, block ? inside : [...inside, name]);
    }
  };
  visit(found.symbols, found.package);
  return lines;
}

/** Every grammar that is served loads, and its query fits it. */
test("each language that is served has a grammar that loads", async () => {
  for (const language of grammarNames.keys()) assert.ok(await outlineText(language, "\n"), language);
});

const cases: Readonly<Record<string, readonly [language: string, text: string, expected: readonly string[]]>> = {
  "default exports, and callbacks that have no name": [
    "typescript",
    `export default function () { return 1; }
export function groupBy() {
  return operate((source) => {
    const notify = () => {};
    const subscriber = create(() => { const group = 1; });
  });
}
`,
    [
      "function default 1:8",
      "function groupBy 2:17",
      "function ~groupBy.notify 4:11",
      "constant ~groupBy.subscriber 5:11",
      "constant ~groupBy.group 5:45",
    ],
  ],
  "members, overloads, namespaces, object literals": [
    "typescript",
    `namespace A.B { export function f(): void; export function f(a?: number) { } }
export abstract class K { static s = 1; private m?(): void; get g() { return 1 } set g(v) {} constructor(private q: number) {} #p = () => {}; }
enum E { P, Q = 2 }
interface I { m(): void; readonly p: string }
type T = { a: number };
export const obj = { m() {}, arrow: () => 1, deep: { inner: 2 } }, { a, b: c } = obj;
import { not } from "x";
export { not as neither };
`,
    [
      "namespace A.B 1:13",
      "function A.B.f 1:33",
      "function A.B.f 1:60",
      "class K 2:23",
      "property K.s 2:34",
      "method K.m 2:49",
      "property K.g 2:65",
      "property K.g 2:86",
      "constructor K.constructor 2:94",
      "property K.q 2:114",
      "property K.#p 2:128",
      "enum E 3:6",
      "enumMember E.P 3:10",
      "enumMember E.Q 3:13",
      "interface I 4:11",
      "method I.m 4:15",
      "property I.p 4:35",
      "class T 5:6",
      "property T.a 5:12",
      "constant obj 6:14",
      "method obj.m 6:22",
      "method obj.arrow 6:30",
      "property obj.deep 6:46",
      "property obj.deep.inner 6:54",
      "variable a 6:70",
      "variable c 6:76",
    ],
  ],
  "decorators, properties, what a method gives its object; imports declare nothing": [
    "python",
    `from .core import Engine
__all__ = ["Engine"]
class E:
    def __init__(self): self.n = 0
    @property
    def speed(self): return self.n
    @speed.setter
    def speed(self, v): self.n = v
    class Inner: kind = 1
async def f(x):
    y = 1
    y = 2
    def g(): pass
LIMIT: int = 3
`,
    [
      "variable __all__ 2:1",
      "class E 3:7",
      "method E.__init__ 4:9",
      "field E.n 4:30",
      "property E.speed 6:9",
      "property E.speed 8:9",
      "class E.Inner 9:11",
      "field E.Inner.kind 9:18",
      "function f 10:11",
      "variable ~f.y 11:5",
      "function ~f.g 13:9",
      "constant LIMIT 14:1",
    ],
  ],
  "receivers, with generics dropped": [
    "go",
    `package kv

type Store[K comparable, V any] struct{ m map[K]V; Embedded }

func (s *Store[K, V]) Get(k K) V { x := 1; return s.m[k] }

type Getter interface{ Get() int }
const ( A, B = iota, 2 )
func init() {}
`,
    [
      "struct kv.Store 3:6",
      "field kv.Store.m 3:41",
      "field kv.Store.Embedded 3:52",
      "method kv.Store.Get 5:23",
      "variable ~kv.Store.Get.x 5:36",
      "interface kv.Getter 7:6",
      "method kv.Getter.Get 7:24",
      "constant kv.A 8:9",
      "constant kv.B 8:12",
      "function kv.init 9:6",
    ],
  ],
  "blocks: a container is the type, whatever the trait": [
    "rust",
    `pub mod m { pub struct S<T> { a: T } impl<T> fmt::Display for S<T> { fn fmt(&self) { let x = 1; } } }
impl Hi for &mut [u8] { const K: u8 = 1; }
trait Tr { type Out; fn req(&self); }
enum E { A, C { x: u8 } }
macro_rules! mac { () => {} }
#[cfg(test)]
mod tests { #[test] fn it() {} }
`,
    [
      "module m 1:9",
      "struct m.S 1:24",
      "field m.S.a 1:31",
      "method m.S.fmt 1:73",
      "variable ~m.S.fmt.x 1:90",
      "constant u8.K 2:31",
      "interface Tr 3:7",
      "class Tr.Out 3:17",
      "method Tr.req 3:25",
      "enum E 4:6",
      "enumMember E.A 4:10",
      "enumMember E.C 4:13",
      "field E.C.x 4:17",
      "function mac 5:14",
      "module ?tests 7:5",
      "function ?tests.it 7:24",
    ],
  ],
  "packages, nested and anonymous types, records": [
    "java",
    `package com.x;
class A<T> {
  static final int K = 1, L = 2;
  A(int x) { }
  <U> void m(String... b) { int loc = 1; new Runnable() { public void run() { int z; } }; class Loc { void q() {} } }
  enum E { P { void z() {} }; void m() {} }
  @interface An { int v() default 1; }
  record R(int a) { }
}
`,
    [
      "class com.x.A 2:7",
      "field com.x.A.K 3:20",
      "field com.x.A.L 3:27",
      "constructor com.x.A.A 4:3",
      "method com.x.A.m 5:12",
      "variable ~com.x.A.m.loc 5:33",
      "method com.x.A.m.run 5:71",
      "variable ~com.x.A.m.run.z 5:83",
      "class ~com.x.A.m.Loc 5:97",
      "method com.x.A.m.Loc.q 5:108",
      "enum com.x.A.E 6:8",
      "enumMember com.x.A.E.P 6:12",
      "method com.x.A.E.P.z 6:21",
      "method com.x.A.E.m 6:36",
      "interface com.x.A.An 7:14",
      "method com.x.A.An.v 7:23",
      "class com.x.A.R 8:10",
      "field com.x.A.R.a 8:16",
    ],
  ],
  "definitions outside of their class, operators, unnamed namespaces, macros before names": [
    "cpp",
    `#define MAX(a, b) ((a) > (b))
namespace geo { namespace { int tucked() { return 1; } } struct Shape { int area() const; ~Shape(); int *p, q[3]; }; }
int geo::Shape::area() const { int s = 1; return s; }
template <typename T> T Box<T>::get() const { return x; }
geo::Shape::~Shape() {}
bool operator==(const A& a, const B& b);
class EXPORT_API Out final : public Base { public: Out(); operator bool() const; friend bool operator<(Out a, Out b); private: int v = 1; };
typedef void (*Callback)(int);
using Al = int;
enum class Color { Red };
struct { int x; } un;
static const char* text(int (*compare)(int a)) GUARDED_BY(mutex);
`,
    [
      "function MAX 1:9",
      "namespace geo 2:11",
      "namespace geo.(anonymous namespace) 2:17",
      "function geo.(anonymous namespace).tucked 2:33",
      "struct geo.Shape 2:65",
      "method geo.Shape.area 2:77",
      "method geo.Shape.~Shape 2:91",
      "field geo.Shape.p 2:106",
      "field geo.Shape.q 2:109",
      "method geo.Shape.area 3:17",
      "variable ~geo.Shape.area.s 3:36",
      "method Box.get 4:33",
      "method geo.Shape.~Shape 5:13",
      "function operator== 6:6",
      "class Out 7:18",
      "constructor Out.Out 7:52",
      "method Out.operator bool 7:59",
      "field Out.v 7:132",
      "function operator< 7:94",
      "class Callback 8:16",
      "class Al 9:7",
      "enum Color 10:12",
      "enumMember Color.Red 10:20",
      "field x 11:14",
      "variable un 11:19",
      "function text 12:20",
    ],
  ],
  "extensions, companions, enums, constructor properties": [
    "kotlin",
    `package com.x
class Box(val size: Int, name: String) {
  companion object { fun create() = 1 }
  fun m(a: Int) { val loc = 1; list.map { val cb = 1 } }
}
fun String.ext(): Int = 1
enum class E {
  A,
  B { override fun z() {} };
  fun f() {}
}
fun interface Fi { fun n() }
`,
    [
      "class com.x.Box 2:7",
      "property com.x.Box.size 2:15",
      "method com.x.Box.create 3:26",
      "method com.x.Box.m 4:7",
      "variable ~com.x.Box.m.loc 4:23",
      "variable ~com.x.Box.m.cb 4:47",
      "function com.x.String.ext 6:12",
      "enum com.x.E 7:12",
      "enumMember com.x.E.A 8:3",
      "enumMember com.x.E.B 9:3",
      "method com.x.E.B.z 9:20",
      "method com.x.E.f 10:7",
      "interface com.x.Fi 12:15",
      "method com.x.Fi.n 12:24",
    ],
  ],
  "file-scoped namespaces, properties, operators, local functions": [
    "csharp",
    `namespace A.B;
public partial class Box<T> : Base {
  private int n, m;
  public int Prop { get; set; }
  Box(int x) : base(x) { }
  ~Box() { }
  public T Get(int a) { int Local(int z) { return z; } }
  public static bool operator ==(Box<T> a, Box<T> b) => true;
  enum E { P }
}
`,
    [
      "namespace A.B 1:13",
      "class A.B.Box 2:22",
      "field A.B.Box.n 3:15",
      "field A.B.Box.m 3:18",
      "property A.B.Box.Prop 4:14",
      "constructor A.B.Box.Box 5:3",
      "method A.B.Box.~Box 6:3",
      "method A.B.Box.Get 7:12",
      "function ~A.B.Box.Get.Local 7:29",
      "operator A.B.Box.operator== 8:22",
      "enum A.B.Box.E 9:8",
      "enumMember A.B.Box.E.P 9:12",
    ],
  ],
  "modules, accessors, singleton methods": [
    "ruby",
    `module A
  class B::C < D
    attr_accessor :x, "y"
    K = 1
    def initialize(a)
      @iv = 1
      loc = 2
    end
    def size=(v); end
    def self.make; end
    class << self
      def built; end
    end
    alias_method :other, :size
  end
end
`,
    [
      "module A 1:8",
      "class A.B.C 2:12",
      "property A.B.C.x 3:20",
      "property A.B.C.y 3:24",
      "constant A.B.C.K 4:5",
      "constructor A.B.C.initialize 5:9",
      "variable ~A.B.C.initialize.loc 7:7",
      "field A.B.C.@iv 6:7",
      "method A.B.C.size= 9:9",
      "method A.B.C.make 10:14",
      "method A.B.C.built 12:11",
      "method A.B.C.other 14:19",
    ],
  ],
  "namespaces, promoted properties, anonymous classes": [
    "php",
    `<?php
namespace App\\Model;
const TOP = 1;
trait T { protected $tp = 1; }
class Box { const A = 1; private $n; function __construct(private int $q) { $loc = 1; } }
enum Suit { case Hearts; }
function helper(array $a): int { new class { function am() {} }; }
`,
    [
      "namespace App.Model 2:15",
      "constant App.Model.TOP 3:7",
      "class App.Model.T 4:7",
      "property App.Model.T.$tp 4:21",
      "class App.Model.Box 5:7",
      "constant App.Model.Box.A 5:19",
      "property App.Model.Box.$n 5:34",
      "constructor App.Model.Box.__construct 5:47",
      "variable ~App.Model.Box.__construct.$loc 5:77",
      "property App.Model.Box.$q 5:71",
      "enum App.Model.Suit 6:6",
      "enumMember App.Model.Suit.Hearts 6:18",
      "function App.Model.helper 7:10",
      "method App.Model.helper.am 7:55",
    ],
  ],
  "extensions are in their type": [
    "swift",
    `struct Box<T>: P {
  var n: Int = 1, m = 2
  init(x: Int) { }
  func get(_ a: Int) -> T {
    list.map { x in
      let cb = 1
    }
  }
  enum E {
    case p, q(Int)
  }
}
extension Box where T: Foo {
  static func == (l: Box, r: Box) -> Bool { true }
}
protocol P { func n() -> Int }
`,
    [
      "struct Box 1:8",
      "property Box.n 2:7",
      "property Box.m 2:19",
      "constructor Box.init 3:3",
      "method Box.get 4:8",
      "variable ~Box.get.cb 6:11",
      "enum Box.E 9:8",
      "enumMember Box.E.p 10:10",
      "enumMember Box.E.q 10:13",
      "method Box.== 14:15",
      "interface P 16:10",
      "method P.n 16:19",
    ],
  ],
  "what a parser loses where it cannot read a macro": [
    "cpp",
    `namespace outer {
namespace inner {
#define TRY if (true)
void f() {
  TRY_IT { g(); }
  CATCH_ANY { h( }
}
template <typename A> class View { A data; };
}
class After { void m(); };
}
`,
    [
      "namespace outer 1:11",
      "namespace outer.inner 2:11",
      "function outer.inner.f 4:6",
      "class outer.inner.View 8:29",
      "field outer.inner.View.data 8:38",
      "class outer.After 10:7",
      "method outer.After.m 10:20",
      "constant TRY 3:9",
    ],
  ],
  "calls of macros on lines of their own, in a class and before a definition": [
    "cpp",
    `class Tester {
  Q_SIGNALS_OF(int x)
  BINARY_OP(IsEq, ==)
  BINARY_OP(IsNe,
            !=)
  // Attach.
  template <class V> Tester& operator<<(const V& value) { return *this; }
};
#define RUN(x) go(x)
TEST(A, One) { f(); }
// Verify (four bytes)
TEST(A, Two) { f(); }
`,
    [
      "class Tester 1:7",
      "method Tester.operator<< 7:30",
      "function RUN 9:9",
      "function TEST 10:1",
      "function TEST 12:1",
    ],
  ],
  "macros where the parser loses its way": [
    "cpp",
    `class Tester {
  Binary(IsEq, ==)
  Binary(IsNe, !=)
  template <class V> Tester& operator<<(const V& value) {
    if (!ok_) { ss_ << " " << value; }
    return *this;
  }
};
/* #define NOT this
#define NEITHER */
#define TRUE(c) Tester(__FILE__, __LINE__).Is((c), #c)
#define OK(s) Tester(__FILE__, __LINE__).IsOk((s))
  # define MORE \\
    OK(1)
void f();
`,
    ["class Tester 1:7", "function TRUE 11:9", "function OK 12:9", "constant MORE 13:12", "function f 15:6"],
  ],
  "backticks in types, variance behind a comment, members of a parameter's type": [
    "typescript",
    `type Missing<U extends string> = \`No \\\`Self\\\`: use \${U}<Self>\`;
const kept = "\\\\" + \`\\\\\`, b = 1;
export interface Box<
  /** @ts-ignore */
  out Shape extends object = object
> { shape: Shape; with(options: { negate?: boolean; run(): void }): void }
export const filter: { (options?: { readonly negate?: boolean }): void } = go;
function last(o: { x: number }) { type Own = { y: 1 }; }
function each(m: Map<string, number>) { for (const [key, value = 1] of m) use(key); for (const { d, e: f } of [m]) {} }
`,
    [
      "class Missing 1:6",
      "constant kept 2:7",
      "constant b 2:27",
      "interface Box 3:18",
      "property Box.shape 6:5",
      "method Box.with 6:19",
      "constant filter 7:14",
      "function last 8:10",
      "class ~last.Own 8:40",
      "property last.Own.y 8:48",
      "function each 9:10",
      "variable ~each.key 9:53",
      "variable ~each.value 9:58",
      "variable ~each.d 9:98",
      "variable ~each.f 9:104",
    ],
  ],
  "macros before constructors and as labels, names behind the signs of their types": [
    "cpp",
    `EXPORT_INLINE log::Logger::Logger(std::string name, int n)
    : Logger(make(std::move(name), f(n))) {}
class View {
  API_UNLESS_TESTED:
  // Convenience.
  using lexer = ::detail::lexer;
  API_CONST View(const char* s, int n) noexcept : s_(s), n_(n) {}
  API_FUNC API_STRONG_INLINE ~View() {}
  /** Scans. */
  API_NON_NULL(2)
  int scan(int n) { return n ? FULL_SIZE : n; }
  typedef const View& Nested;
};
typedef void* (alloc)(int);
`,
    [
      "constructor log.Logger.Logger 1:28",
      "class View 3:7",
      "class View.lexer 6:9",
      "constructor View.View 7:13",
      "method View.~View 8:30",
      "method View.scan 11:7",
      "class View.Nested 12:23",
      "class alloc 14:16",
    ],
  ],
  "conversions of every sort outside of their class, and empty arguments of macros": [
    "cpp",
    `constexpr n::U::operator char() const { return 1; }
U::operator signed char() const { return 1; }
Box<T>::operator const T*() const { return p; }
struct S { operator std::map<K,V> &() const; };
TEST_IT(one, m) {
  struct Local : B { int foo() override { OVERRIDE(int, B, foo, ); } };
  struct Next : B { int bar() override { OVERRIDE(int, B, bar, /*no args*/); } };
}
`,
    [
      "method n.U.operator char 1:17",
      "method U.operator signed char 2:4",
      "method Box.operator const T* 3:9",
      "struct S 4:8",
      "method S.operator std::map<K, V>& 4:12",
      "function TEST_IT 5:1",
      "struct ~TEST_IT.Local 6:10",
      "method TEST_IT.Local.foo 6:26",
      "struct ~TEST_IT.Next 7:10",
      "method TEST_IT.Next.bar 7:25",
    ],
  ],
  "an impl for a type without a name is in its trait": [
    "rust",
    "impl Args for () { fn augment() {} }\nimpl<A, B> Args for (A, B) { type Out = A; }\nimpl Args for Box<u8> { fn augment() {} }\n",
    ["method Args.augment 1:23", "class Args.Out 2:35", "method Box.augment 3:28"],
  ],
  "an annotation of a last parameter's dots": [
    "java",
    "class C {\n  static void a(boolean b, @Nullable Object @Nullable ... rest) { f(); }\n  void after() {}\n}\n",
    ["class C 1:7", "method C.a 2:15", "method C.after 3:8"],
  ],
  "what is there if a header is, and conversions to pointers": [
    "cpp",
    "#if defined(X) && __has_include(<optional>)\n# define HAS 1\n#endif\nclass C { operator E *() { return e; } };\nvoid f();\n",
    ["constant HAS 2:10", "class C 4:7", "method C.operator E* 4:11", "function f 5:6"],
  ],
  "macros are of no function and of no namespace": [
    "cpp",
    `namespace n {
int crc(int l) {
#define STEP(x) do { l ^= x; } while (0)
  STEP(1);
#undef STEP
  return l;
}
}
`,
    ["namespace n 1:11", "function n.crc 2:5", "function STEP 3:9"],
  ],
  "call signatures with type parameters behind lines without a semicolon": [
    "typescript",
    `interface F extends A {
    // First.
    <T = any>(value: T[], options?: O): A<T>
    /** Second. */
    <K extends object, V = any>(
        value: Map<K, V>
    ): M<K, V>
    box: V;
    // Third.
    <T>(value: T): T
    <
        A extends object
    >(value: A): A
    object: <in out T = any>(props: T) => T
    new (x: number): F
}
const curried = <A>(a: A) =>
  <B>(b: B) => a
interface V<in out A, out B = never> { v: A }
const f = use(
  <T>(x: T) => x,
)
`,
    [
      "interface F 1:11",
      "property F.box 8:5",
      "property F.object 14:5",
      "constructor F.new 15:5",
      "function curried 17:7",
      "interface V 19:11",
      "property V.v 19:40",
      "constant f 20:7",
    ],
  ],
  "primary constructors, records, conversions, a namespace for the file": [
    "csharp",
    `namespace A.B;
public class P(int x) : Base(x) {
  int[] list = [1, 2];
  string text = """
     raw "x"
     """;
  public static P operator +(P a, P b) => a;
  public static implicit operator int(P a) => 1;
  void M<T>(scoped ref int a) where T : new() { foreach (var one in list) { } }
}
record struct R(int Width);
file class F { required public string Name { get; init; } }
`,
    [
      "namespace A.B 1:13",
      "class A.B.P 2:14",
      "field A.B.P.list 3:9",
      "field A.B.P.text 4:10",
      "operator A.B.P.operator+ 7:19",
      "operator A.B.P.operator int 8:26",
      "method A.B.P.M 9:8",
      "variable ~A.B.P.M.one 9:62",
      "struct A.B.R 11:15",
      "property A.B.R.Width 11:21",
      "class A.B.F 12:12",
      "property A.B.F.Name 12:39",
    ],
  ],
  "property hooks, access of two sorts, a class without a name": [
    "php",
    `<?php
namespace A;
class P {
  public string $name { get => $this->x; set(string $v) { $this->x = $v; } }
  public private(set) int $z = 1;
  const string K = "a";
  function m(): static { return new class { function inner() {} }; }
}
`,
    [
      "namespace A 2:11",
      "class A.P 3:7",
      "property A.P.$name 4:17",
      "property A.P.$z 5:27",
      "constant A.P.K 6:16",
      "method A.P.m 7:12",
      "method A.P.m.inner 7:54",
    ],
  ],
  "functions, what they bind to themselves and what not": [
    "shellscript",
    `readonly VERSION=1
export PATH="$PATH:/x" HOME
x=$(ls | wc)
if [[ $a == b* && $(type f) =~ ^x ]]; then y=1; fi
f() { local a=1; c=2; declare -g G=1; inner() { :; }; }
function g { LANG=C sort <<EOF
hello $x
EOF
}
x=2
`,
    [
      "constant VERSION 1:10",
      "variable PATH 2:8",
      "variable x 3:1",
      "variable y 4:44",
      "function f 5:1",
      "variable ~f.a 5:13",
      "function ~f.inner 5:39",
      "variable c 5:18",
      "variable G 5:34",
      "function g 6:10",
    ],
  ],
  "languages without a table of their own: by the look of their nodes": [
    "dart",
    "class A { int m(int y) => 1; }\nint top() => 1;\n",
    ["class A 1:7", "method A.m 1:15", "function top 2:5"],
  ],
};

for (const [name, [language, text, expected]] of Object.entries(cases))
  test(`${language}: ${name}`, async () => {
    assert.deepEqual(await outline(language, text), expected);
  });
