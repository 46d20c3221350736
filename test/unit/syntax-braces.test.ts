import assert from "node:assert/strict";
import { test } from "node:test";
import { bracedIn } from "../../server/syntax/braces.ts";

function told(text: string): readonly string[] {
  return bracedIn(text).map(({ kind, name, nameStart, end }) => {
    assert.ok(text.startsWith(name === "" ? "namespace" : name, nameStart));
    return `${kind} ${name} to ${text.slice(0, end).split("\n").length}`;
  });
}

test("namespaces and classes by their braces", () => {
  const text = `namespace a::b {
namespace {
template <class T, class U = int>
class Box final : public Base<T> {
  void f() { if (x) { y(); } }
  struct Inner { int n; } one;
  enum class Color { Red };
};
}
struct Node* make() { return nullptr; }
}
`;
  assert.deepEqual(told(text), ["namespace a::b to 11", "namespace  to 9", "class Box to 8", "struct Inner to 6"]);
});

test("braces in comments, texts and directives are none, and each branch of a condition counts alone", () => {
  const text = `namespace a { // {
#define OPEN {
const char* s = "{" R"x({{")x"; char c = '{'; int n = 1'000; /* {
{ */
#if A
class B : X {
#else
class B : Y {
#endif
  int m;
};
class C { };
#if A
class D:X
#else
class D:Y
#endif
{ };
}
`;
  const [, , , { repeats = [], nameStart = 0 } = {}] = bracedIn(text);
  assert.deepEqual([nameStart, ...repeats], [text.indexOf("D:X"), text.indexOf("D:Y")]);
  assert.deepEqual(told(text), ["namespace a to 19", "class B to 11", "class C to 12", "class D to 18"]);
});
