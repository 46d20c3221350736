/** Symbols by pattern: what fits, in what order, and pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { X } from "../../server/protocol/extensions.ts";
import { readKey } from "../../server/symbols/key.ts";
import { requests } from "../../server/symbols/requests.ts";
import type { Listed } from "../../server/syntax/index/catalogue.ts";
import type { SearchQuestion } from "../../server/syntax/questions.ts";
import { found, page, patternOf } from "../../server/syntax/search.ts";

const entry = (path: string, line: number, more: object = {}) => {
  const containers = path.split(".");
  const name = containers.pop() ?? "";
  const plain = { kind: "function", access: "public", test: false, column: 0, nth: 0 } as const;
  return { name, containers, line, ...plain, ...more };
};

const file = (path: string, entries: Listed["entries"], more: Partial<Listed> & { hinted?: boolean } = {}): Listed => ({
  file: { uri: `file:///w/${path}`, language: "go", path, wanted: true, hinted: more.hinted === true },
  entries,
  generated: false,
  failed: false,
  ...more,
});

const listed = [
  file("b.go", [
    entry("geo.Shape", 3, { kind: "struct" }),
    entry("geo.Shape.area", 4, { kind: "method", access: "private" }),
  ]),
  file("a.go", [entry("kv.area", 1), entry("kv.AREA", 2), entry("kv.areas", 3), entry("kv.inArea", 4, { test: true })]),
  file("c.go", [entry("gen.area", 1)], { generated: true }),
];

const plain: SearchQuestion = {
  files: [],
  ...{ folders: [], byIndex: true, languages: null, in: [], path: null },
  query: "",
  kinds: null,
  namespace: "",
  access: null,
  sourceOnly: true,
  sortBy: "score",
  descending: true,
  skip: 0,
  take: 200,
  timeoutMs: 0,
};

const names = (question: Partial<SearchQuestion>, files: readonly Listed[] = listed): string =>
  found({ ...plain, ...question }, files)
    .map(({ qualifiedName }) => qualifiedName)
    .join(" ");

test("a pattern is a part of the name, or the whole of it where it has wildcards; of the whole path with a separator", () => {
  const fits = (query: string, path: string): boolean => patternOf(query)(entry(path, 0)) !== null;
  const cases: readonly [query: string, path: string, fits: boolean][] = [
    ["", "kv.area", true],
    ["REA", "kv.area", true],
    ["kv", "kv.area", false],
    ["kv.", "kv.area", true],
    ["KV::ar", "kv.area", true],
    ["are*", "kv.area", true],
    ["rea*", "kv.area", false],
    ["?rea", "kv.area", true],
    ["kv.*", "kv.area", true],
    ["v.*", "kv.area", false],
    ["*::Shape#*", "geo.Shape.area", true],
    ["a.ea", "kv.area", false],
    ["(x|y)", "kv.area", false],
    ["a\\*b", "kv.a*b", true],
    ["a\\*b", "kv.axb", false],
    ["\\?*", "kv.?empty", true],
    ["größe", "GRÖSSE", false],
    ["GRÖ?E", "größe", true],
  ];
  for (const [query, path, expected] of cases) assert.equal(fits(query, path), expected, `${query} ${path}`);
});

test("exact before any case before a beginning before a part; hinted files first; the same order every time", () => {
  assert.equal(names({ query: "area" }), "kv.area geo.Shape.area kv.AREA kv.areas");
  assert.equal(names({ query: "area" }, [...listed].reverse()), names({ query: "area" }));
  const hinted = listed.map((one) => ({ ...one, file: { ...one.file, hinted: one.file.path === "b.go" } }));
  assert.equal(names({ query: "area" }, hinted), "geo.Shape.area kv.area kv.AREA kv.areas");
  assert.equal(names({ query: "area", descending: false }), "kv.areas kv.AREA kv.area geo.Shape.area");
  const by = (sortBy: SearchQuestion["sortBy"], descending = false) => names({ query: "", sortBy, descending });
  assert.equal(by("name"), "kv.AREA geo.Shape kv.area geo.Shape.area kv.areas");
  assert.equal(by("path", true), "geo.Shape geo.Shape.area kv.area kv.AREA kv.areas");
  assert.equal(by("container"), "geo.Shape geo.Shape.area kv.area kv.AREA kv.areas");
  assert.equal(by("kind"), "geo.Shape.area kv.area kv.AREA kv.areas geo.Shape");
});

test("filters: kinds, what is around, access, code of tests and of programs", () => {
  assert.equal(names({ kinds: [23] }), "geo.Shape");
  assert.equal(names({ namespace: "geo" }), "geo.Shape geo.Shape.area");
  assert.equal(names({ namespace: "geo::Shape" }), "geo.Shape.area");
  assert.equal(names({ namespace: "ge" }), "");
  assert.equal(names({ access: "private" }), "geo.Shape.area");
  assert.equal(names({ query: "area", sourceOnly: false }).split(" ").length, 6);
});

test("pages end where they are asked to, or at 256 KiB, never before the first", () => {
  const all = found(plain, listed);
  const told = (skip: number, take: number) => page(all, skip, take).matches.map(({ qualifiedName }) => qualifiedName);
  assert.deepEqual(told(0, 2), ["kv.area", "kv.AREA"]);
  assert.deepEqual(told(4, 2), ["geo.Shape.area"]);
  assert.deepEqual([told(9, 2), told(0, 0)], [[], []]);
  const [first] = page(all, 0, 1).matches;
  assert.deepEqual(readKey(first?.symbolKey ?? ""), { path: "a.go", segments: ["kv", "area"], nth: 0 });
  const long = found(plain, [
    file("long.go", [
      entry("x".repeat(300_000), 1),
      ...Array.from({ length: 900 }, (_, i) => entry("y".repeat(500) + i, i + 2)),
    ]),
  ]);
  const [huge, rest] = [page(long, 0, 10), page(long, 1, 1000)];
  assert.deepEqual([huge.matches.length, huge.truncatedForSize], [1, true]);
  assert.ok(rest.truncatedForSize && rest.matches.length > 50 && rest.matches.length < 400, `${rest.matches.length}`);
  assert.ok(JSON.stringify(rest.matches).length <= 256 << 10);
});

test("what is announced is built, and has a twin", () => {
  const announced = Object.keys(requests.experimental);
  assert.deepEqual(announced.sort(), ["nameMentions", "symbolByName", "symbolSearch"]);
  for (const name of announced) assert.ok(requests.twins.has(`switchboard.${name}`), name);
  for (const method of [X.symbolSearch, X.nameMentions, X.outline]) assert.ok(requests.extensions.has(method), method);
});
