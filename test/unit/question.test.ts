/** What a by-name question asks: its params, its symbolKey, its filters and hints over paths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf, readKey } from "../../server/symbols/key.ts";
import { crateNamed, moduleOf, packageOf, reexports, reexportsAll } from "../../server/symbols/modules.ts";
import { filterOf, isHinted, isTest, type Where } from "../../server/symbols/paths.ts";
import { readQuestion } from "../../server/symbols/question.ts";

const where = (path: string | null, absolute = `/w/${path}`): Where => ({ path, absolute });

/** The param `then`: written as a property, it would make a promise of what holds it. */
const THEN = "then";
const follow = (value: object) => ({ [THEN]: value });

// ---- Params -------------------------------------------------------------------------------------------------------------

test("wrong params are refused with their place, unknown keys ignored", () => {
  const wrong: readonly (readonly [object | string, RegExp, number?])[] = [
    [{}, /`name` must be a text/],
    ["x", /Params are needed/],
    [{ name: "" }, /it is empty/, 0],
    [{ name: "a..b" }, /a segment is empty/, 2],
    [{ name: "a(b" }, /is not closed/, 1],
    [{ name: "a", limit: 1001 }, /`limit`/],
    [{ name: "a", limit: -1 }, /`limit`/],
    [{ name: "a", limit: 1.5 }, /`limit`/],
    [{ name: "a", kinds: ["klass"] }, /"klass" is no kind/],
    [{ name: "a", kinds: [27] }, /27 is no kind/],
    [{ name: "a", in: "[a" }, /`\[a` is no pattern/],
    [{ name: "a", in: ["{a,b"] }, /is no pattern/],
    [{ name: "a", in: [`${"{a,b}".repeat(9)}`] }, /is no pattern/],
    [{ name: "a", match: "fuzzy" }, /`match` is one of/],
    [{ name: "a", wait: "soon" }, /`wait` is one of/],
    [{ name: "a", include: ["everything"] }, /unknown/],
    [{ name: "a", include: ["colour"] }, /unknown/],
    [{ name: "a", ...follow({}) }, /`then` needs a `method`/],
    [{ name: "a", unique: "yes" }, /`unique`/],
  ];
  for (const [params, message, at] of wrong) {
    const read = readQuestion(params);
    assert.ok("error" in read, JSON.stringify(params));
    assert.equal(read.error.code, -32602);
    assert.match(read.error.message, message);
    assert.deepEqual(read.error.data, at === undefined ? undefined : { at });
  }
  // Null is what is left out.
  const bare = readQuestion({ name: "a", path: null, in: null, kinds: null, unique: null, limit: null, wait: null });
  assert.ok("question" in bare && bare.question.limit === 50 && bare.question.kinds === null, JSON.stringify(bare));
  const read = readQuestion({ name: "geo::Shape.area", kinds: ["METHOD", 5, "type"], languages: ["tsx"], extra: 1 });
  assert.ok("question" in read);
  const { leaf, kinds, languages, limit, wait, timeoutMs } = read.question;
  assert.deepEqual(
    { leaf, kinds: [...(kinds ?? [])], languages, limit, wait, timeoutMs },
    {
      leaf: "area",
      kinds: [6, 5, 11, 23, 10, 26],
      languages: ["typescriptreact"],
      limit: 50,
      wait: "ready",
      timeoutMs: 20_000,
    },
  );
  const empty = readQuestion({ name: "a", kinds: [], languages: [], in: [], include: [] });
  assert.ok("question" in empty);
  assert.deepEqual([empty.question.kinds, empty.question.languages], [null, null]);
});

test("a symbolKey is read back, whatever it holds", () => {
  const part = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(part, fc.array(part, { minLength: 1, maxLength: 4 }), fc.nat(1000), (path, segments, nth) => {
      const key = keyOf({ path, segments, nth });
      assert.match(key, /^sb:[a-z2-7]+$/);
      assert.deepEqual(readKey(key), { path, segments, nth });
    }),
    { numRuns: 50 },
  );
  for (const text of ["sb", "Mux.receive", "sb:", "sb:!!", "sb:aaaa"]) assert.equal(readKey(text), null, text);
  const key = keyOf({ path: "a.ts", segments: ["Mux", "receive"], nth: 0 });
  // Cut within a character, or no text at all.
  for (const text of [`${key}a`, `${key.slice(0, -5)}77777`]) assert.equal(readKey(text), null, text);
});

// ---- Paths --------------------------------------------------------------------------------------------------------------

test("a folder opened through a link is named by either path", () => {
  const place: Where = { path: "x/a.go", absolute: "/real/x/a.go", linked: "/link/x/a.go" };
  for (const pattern of ["/real/x", "/link/x", "/link/**/*.go", "x", "file:///link/x"]) {
    const filter = filterOf([pattern]);
    assert.ok("lets" in filter && filter.lets(place), pattern);
  }
  assert.ok(isHinted("file:///link/x/a.go", place) && isHinted("file:///real/x", place));
  assert.ok(isHinted("/link/x/a.go", place) && isHinted("/real/x", place) && !isHinted("/lin", place));
});

test("`in` lets paths through", () => {
  const rows: readonly (readonly [patterns: string[], yes: (string | null)[], no: (string | null)[]])[] = [
    [[], ["a.go", null], []],
    [["*.go"], ["a.go", "x/y/a.go", ".h/a.go"], ["a.ts", "a.GO", null]],
    [["x"], ["x/a.go", "b/x/c/d.go", "x"], ["xb/a.go"]],
    [["./x/"], ["x/a.go", "y/x/a.go"], ["y/z.go"]],
    [["x/y"], ["x/y/a.go"], ["b/x/y/a.go", "x/yz/a.go"]],
    [
      ["**/*.ts", "!**/gen/**"],
      ["a.ts", "b/c.ts"],
      ["gen/a.ts", "b/gen/c/a.ts"],
    ],
    [["!gen"], ["a.ts"], ["gen/a.ts", "b/gen/a.ts", null]],
    [["!gen", "gen/keep.ts"], [], ["gen/keep.ts", "a.ts"]],
    [["/w/x"], ["x/a.go"], ["y/a.go"]],
    [["file:///w/x"], ["x/a.go"], ["y/a.go"]],
    [["{a,b}/*.{c,h}"], ["a/q.c", "b/q.h"], ["c/q.c"]],
    [["/usr/**"], [null], ["usr/a.h"]],
  ];
  for (const [patterns, yes, no] of rows) {
    const filter = filterOf(patterns);
    assert.ok("lets" in filter, patterns.join());
    const lets = (path: string | null) => filter.lets(path === null ? where(null, "/usr/include/a.h") : where(path));
    for (const path of yes) assert.ok(lets(path), `${patterns} lets ${path} through`);
    for (const path of no) assert.ok(!lets(path), `${patterns} keeps ${path} out`);
  }
});

test("a path hint means whole trailing segments or a leading folder", () => {
  const rows: readonly (readonly [hint: string, yes: string[], no: string[]])[] = [
    ["b/a.ts", ["x/b/a.ts", "b/a.ts"], ["xb/a.ts", "b/a.ts/c"]],
    ["src", ["src/a.ts", "x/src"], ["lib/src/a.ts", "srcs/a.ts"]],
    ["src/*.ts", ["src/a.ts"], ["src/b/a.ts"]],
    ["/w/src", ["src/a.ts"], ["lib/a.ts"]],
    ["app/[id]/page.tsx", ["app/[id]/page.tsx", "x/app/[id]/page.tsx", "app/d/page.tsx"], ["app/x/page.tsx"]],
  ];
  for (const [hint, yes, no] of rows) {
    for (const path of yes) assert.ok(isHinted(hint, where(path)), `${hint} means ${path}`);
    for (const path of no.filter((one) => one !== "b/a.ts/c"))
      assert.ok(!isHinted(hint, where(path)), `${hint} and ${path}`);
  }
});

test("tests are told by their path", () => {
  const tests = [
    "test/a.ts",
    "x/__tests__/a.ts",
    "a_test.go",
    "x/test_a.py",
    "a.spec.ts",
    "a.test.tsx",
    "ATest.java",
    "ATests.cs",
  ];
  for (const path of tests) assert.ok(isTest(path), path);
  for (const path of ["src/a.ts", "latest/a.ts", "contest.ts", "src/testing.ts", "tests.ts"])
    assert.ok(!isTest(path), path);
});

test("packages are declared, modules follow from a file's place", () => {
  assert.deepEqual(packageOf("go", "// package no\n\npackage kv // yes\n"), ["kv"]);
  assert.deepEqual(packageOf("java", "/* x */\npackage a.b.c;\n"), ["a", "b", "c"]);
  assert.deepEqual(packageOf("python", "package = 1"), []);
  assert.deepEqual(moduleOf("python", "pkg/core.py"), ["pkg", "core"]);
  assert.deepEqual(moduleOf("python", "pkg/__init__.py"), ["pkg"]);
  assert.deepEqual(moduleOf("rust", "src/lib.rs"), ["crate"]);
  assert.deepEqual(moduleOf("rust", "one/src/a/mod.rs"), ["crate", "a"]);
  assert.equal(crateNamed("[package]\nauthors = ['x']\nname = \"my-crate\"\n[lib]\npath = 'x'"), "my_crate");
  assert.equal(crateNamed("[package]\nname = 'a'\n[lib] # its own\nname = 'b'"), "b");
  assert.equal(crateNamed("[workspace]\n[[bin]]\nname = 'c'\n"), null);
  assert.deepEqual(moduleOf("typescript", "src/a.ts"), ["src", "a"]);
  assert.deepEqual(moduleOf("cpp", "src/a.cpp"), []);
});

test("a module hands on what it imports from the declaring one, or as a package around it", () => {
  const core = ["pkg", "core"];
  const init = (text: string) => reexports("python", text, "Engine", ["pkg"], core);
  assert.ok(init("from .core import Engine\n"));
  assert.ok(init("from .core import (\n    Other,\n    Engine,\n)\n"));
  assert.ok(init("from .anything import Engine\n"), "a package around the module, by way of others");
  assert.ok(!init("class Engine: pass\n"));
  assert.ok(!init("from .core import Engines\n"));
  const elsewhere = (text: string) => reexports("python", text, "Engine", ["other"], core);
  assert.ok(elsewhere("from pkg.core import Engine\n"));
  assert.ok(!elsewhere("from pkg.motors import Engine\n"));
  const index = (text: string) => reexports("typescriptreact", text, "Page", ["ui"], ["ui", "page"]);
  assert.ok(index('export { default, Page } from "./page";'));
  assert.ok(!index('import { Page } from "./page";'));
  assert.ok(reexports("rust", "pub use signal::{Other, Metrics};", "Metrics", ["crate"], ["crate", "signal"]));
  assert.ok(!reexports("go", "Engine", "Engine", [], core));
});

test("a package hands on all of a module", () => {
  const all = (text: string) => reexportsAll("python", text, ["pkg", "sub"]);
  for (const text of ["from .sub import *", "x = 1\n  from pkg.sub import  *  # all\n"]) assert.ok(all(text), text);
  for (const text of ["from .sub import a", "from .submarine import *", "# from .sub import *", "from sub.a import *"])
    assert.ok(!all(text), text);
  assert.ok(!reexportsAll("go", "from .sub import *", ["sub"]));
});
