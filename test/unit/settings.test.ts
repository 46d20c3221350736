import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerConfiguration,
  type ConfigurationItem,
  fromClient,
  layered,
  lookUp,
  mergeTrees,
  type Settings,
  sections,
} from "../../server/core/settings.ts";

test("workspace/configuration is answered item by item", () => {
  const items = [{ section: "a.b" }, { section: "nope" }, {}, { section: "a", scopeUri: "file:///x" }];
  const answer = answerConfiguration(items, () => ({ a: { b: 1 } }));
  assert.deepEqual(answer, [1, null, { a: { b: 1 } }, { b: 1 }]);
});

test("each item is answered from the settings of its scope", () => {
  const scopes: Record<string, Settings> = { "file:///one": { a: 1 }, "file:///two": { a: 2 } };
  const items = [
    { section: "a", scopeUri: "file:///two" },
    { section: "a", scopeUri: "file:///one" },
    { section: "a" },
  ];
  const answer = answerConfiguration(items, (scope) => scopes[scope ?? ""] ?? {});
  assert.deepEqual(answer, [2, 1, null]);
});

test("falsy values are values", () => {
  const settings = { a: { no: false, zero: 0, empty: "", nothing: null } };
  const items = ["a.no", "a.zero", "a.empty", "a.nothing"].map((section) => ({ section }));
  const answer = answerConfiguration(items, () => settings);
  assert.deepEqual(answer, [false, 0, "", null]);
});

test("what objects inherit is not a setting", () => {
  assert.equal(lookUp({ a: {} }, "a.constructor"), undefined);
  assert.equal(lookUp({}, "__proto__.x"), undefined);
  assert.equal(lookUp({ a: [1] }, "a.length"), undefined);
});

test("a key may hold the rest of the path with its dots", () => {
  assert.equal(lookUp({ a: { "b.c": 1 } }, "a.b.c"), 1);
  assert.equal(lookUp({ a: { b: {} }, "a.b": { c: 2 } }, "a.b.c"), 2);
});

test("layers: later wins, objects merge, arrays and scalars replace, nothing is changed in place", () => {
  const builtIn = { a: { keep: 1, list: [1, 2], deep: { x: 1 } }, only: true };
  const config = { a: { list: [3], deep: { y: 2 } } };
  const client = { a: { deep: { x: null } } };
  const before = structuredClone([builtIn, config, client]);
  const merged = layered([builtIn, null, config, undefined, client]);
  assert.deepEqual(merged, { a: { keep: 1, list: [3], deep: { x: null, y: 2 } }, only: true });
  assert.deepEqual([builtIn, config, client], before);
});

test("dotted top-level keys are nested settings, dotted keys further down are data", () => {
  const merged = layered([
    { python: { analysis: { mode: "off", paths: ["x"] } } },
    { "python.analysis.mode": "strict", files: { "*.h.in": "cpp" } },
  ]);
  assert.deepEqual(merged, {
    python: { analysis: { mode: "strict", paths: ["x"] } },
    files: { "*.h.in": "cpp" },
  });
});

test("merging cannot reach a prototype", () => {
  const evil: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 1}}}');
  assert.ok(typeof evil === "object" && evil !== null);
  const merged = mergeTrees({ a: {} }, { ...evil });
  assert.equal(lookUp(merged, "polluted"), undefined);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal("polluted" in {}, false);
});

test("the client is asked for top-level sections, once per scope, and for none where an item names none", () => {
  const items = [
    { section: "a.b" },
    { section: "a.c" },
    {},
    { section: "" },
    { section: "a", scopeUri: "file:///x" },
    { section: "d" },
  ];
  assert.deepEqual(sections(items), [{ section: "a" }, { scopeUri: "file:///x", section: "a" }, { section: "d" }]);
});

const asked: readonly ConfigurationItem[] = [{ section: "a" }, { section: "b" }];
const answers: readonly (readonly [why: string, answer: unknown, settings: Settings | undefined])[] = [
  ["well behaved", [{ x: 1 }, { y: 2 }], { a: { x: 1 }, b: { y: 2 } }],
  ["short", [{ x: 1 }], { a: { x: 1 } }],
  ["nulls", [null, { y: 2 }], { b: { y: 2 } }],
  ["all null", [null, null], undefined],
  ["empty", [], undefined],
  ["null itself", null, undefined],
  ["an error, so nothing", undefined, undefined],
  ["too long", [1, 2, 3], { a: 1, b: 2 }],
  ["one tree for all", [{ a: { x: 1 }, b: { y: 2 }, c: 3 }], { a: { x: 1 }, b: { y: 2 } }],
  ["one tree, not in a list", { a: { x: 1 } }, { a: { x: 1 } }],
];
for (const [why, answer, settings] of answers)
  test(`the client's answer: ${why}`, () => assert.deepEqual(fromClient(asked, answer).get(""), settings));

test("the client's answer: one section asked is taken as it is, also when a setting is called like it", () => {
  assert.deepEqual(fromClient([{ section: "a" }], [{ a: 1 }]).get(""), { a: { a: 1 } });
});

test("the client's answer: scopes apart", () => {
  const scoped = [{ section: "a" }, { section: "a", scopeUri: "file:///x" }];
  const found = fromClient(scoped, [1, 2]);
  assert.deepEqual([found.get(""), found.get("file:///x")], [{ a: 1 }, { a: 2 }]);
});
