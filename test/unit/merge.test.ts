import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmpty, merge } from "../../server/core/merge.ts";
import { M, type Row, rowOf, rows } from "../../server/protocol/methods.ts";

const empties: readonly (readonly [result: unknown, empty: boolean])[] = [
  [null, true],
  [undefined, true],
  [[], true],
  [{ items: [] }, true],
  [{ isIncomplete: true, items: [] }, true],
  [{ contents: "" }, true],
  [{ contents: " \n" }, true],
  [{ contents: [] }, true],
  [{ contents: ["", { language: "ts", value: "" }] }, true],
  [{ contents: { kind: "markdown", value: "" } }, true],
  [{ signatures: [] }, true],
  [{ data: [] }, true],
  [{ resultId: "1", data: [] }, true],
  [{ changes: {} }, true],
  [{ documentChanges: [] }, true],
  [{ kind: "full", items: [] }, true],
  [[null], false],
  [0, false],
  [false, false],
  [{}, false],
  [{ contents: "x" }, false],
  [{ contents: ["", "x"] }, false],
  [{ contents: { kind: "plaintext", value: "x" } }, false],
  [{ items: [{ label: "" }] }, false],
  [{ data: [0, 0, 1, 0, 0] }, false],
  [{ changes: { "file:///a": [] } }, false],
  [{ documentChanges: [], changes: { "file:///a": [] } }, false],
  [{ uri: "file:///a", range: at(0) }, false],
  [{ defaultBehavior: true }, false],
  [{ kind: "unchanged", resultId: "1" }, false],
];
for (const [result, empty] of empties)
  test(`empty: ${JSON.stringify(result)}: ${empty}`, () => assert.equal(isEmpty(result), empty));

const firsts: readonly (readonly [method: string, results: readonly unknown[], merged: unknown])[] = [
  [M.hover, [null, { contents: "h" }, { contents: "i" }], { contents: "h" }],
  [M.hover, [{ contents: "" }, { contents: "h" }], { contents: "h" }],
  [M.hover, [null, null], null],
  [M.hover, [null, { contents: "" }], { contents: "" }],
  [M.hover, [], null],
  [M.documentSymbol, [[], null, ["s"]], ["s"]],
  [M.documentSymbol, [null, []], []],
  [
    "textDocument/completion",
    [
      { isIncomplete: false, items: [] },
      { isIncomplete: true, items: ["i"] },
    ],
    { isIncomplete: true, items: ["i"] },
  ],
  ["textDocument/formatting", [null, ["edit"]], null],
  ["textDocument/formatting", [[], ["edit"]], []],
  [M.diagnostic, [null], { kind: "full", items: [] }],
  [M.workspaceSymbol, [null, null], []],
  [M.workspaceSymbol, [], []],
  [M.references, [null, null], null],
  [M.references, [null, []], []],
];
for (const [method, results, merged] of firsts)
  test(`${method}: ${JSON.stringify(results)}`, () => assert.deepEqual(merge(row(method), answers(results)), merged));

test("a single answer with something in it is the same object", () => {
  const twice = place("file:///a", 1);
  const result = [twice, twice];
  assert.equal(merge(row(M.references), answers([null, result, []])), result);
});

test("definition: one place in several forms is one", () => {
  const location = place("file:///a", 1);
  const link = {
    targetUri: "file:///a",
    targetRange: { ...at(1), end: { line: 9, character: 0 } },
    targetSelectionRange: at(1),
  };
  assert.deepEqual(merge(row(M.definition), answers([location, [link, place("file:///b", 1)], [location]])), [
    location,
    place("file:///b", 1),
  ]);
});

test("references: appended in rank order, the same place once, another end another place", () => {
  const longer = { uri: "file:///a", range: { ...at(2), end: { line: 2, character: 9 } } };
  assert.deepEqual(
    merge(
      row(M.references),
      answers([[place("file:///a", 2), place("file:///a", 1)], null, [place("file:///a", 1), longer]]),
    ),
    [place("file:///a", 2), place("file:///a", 1), longer],
  );
});

test("rows whose items carry no uri are appended as they are", () => {
  const highlight = { range: at(1) };
  assert.deepEqual(merge(row("textDocument/foldingRange"), answers([[highlight], [highlight]])), [
    highlight,
    highlight,
  ]);
});

test("two symbols of different names at one place stay two", () => {
  const symbols = [symbol("Alpha", "file:///w/t.cpp", 1), symbol("Beta", "file:///w/t.cpp", 1)];
  const merged = merge(row(M.workspaceSymbol), answers([symbols, [symbol("Beta", "file:///w/t.cpp", 1)]]));
  assert.deepEqual(merged, symbols);
});

test("workspace/symbol without a query: what the folders declare, types first; all there is where that is nothing", () => {
  const names = (...items: ReturnType<typeof symbol>[]) => {
    const inside = (uri: string) => uri.startsWith("file:///w/");
    const merged = merge(row(M.workspaceSymbol), answers([items]), { query: "", inside });
    return Array.isArray(merged) ? merged.map(({ name }) => name) : merged;
  };
  const outside = symbol("far", "file:///goroot/x.go", 1);
  const type = { ...symbol("Type", "file:///w/a", 3), kind: 5 };
  assert.deepEqual(names(outside, symbol("near", "file:///w/a", 2), type), ["Type", "near"]);
  assert.deepEqual(names(outside), ["far"]);
});

test("workspace/symbol: the folders first, exact before prefix before fuzzy, else as they came", () => {
  const names = (query: string, ...items: ReturnType<typeof symbol>[]) => {
    const inside = (uri: string) => uri.startsWith("file:///w/");
    const merged = merge(row(M.workspaceSymbol), answers([items]), { query, inside });
    assert.ok(Array.isArray(merged) && merged.length === items.length);
    return merged.map(({ name, location }) => (inside(location.uri) ? name : `(${name})`));
  };
  const symbols = ["gadget", "Getter", "get", "Get"].map((name, i) => symbol(name, "file:///w/a.go", i));
  assert.deepEqual(
    names("Get", symbol("Get", "file:///goroot/x.go", 1), ...symbols, symbol("bGet", "file:///w/b.go", 1)),
    ["Get", "get", "Getter", "gadget", "bGet", "(Get)"],
  );
  const decorated = [
    "recorder",
    "(*Box).record",
    "(get) record",
    "record(int, string)",
    "a::Box::record",
    "Box.record",
  ];
  assert.deepEqual(names("record", ...decorated.map((name, i) => symbol(name, "file:///w/a", i))), [
    ...decorated.slice(1),
    "recorder",
  ]);
  assert.deepEqual(names("Box::set", symbol("reset", "file:///w/a", 1), symbol("set", "file:///w/a", 2)), [
    "set",
    "reset",
  ]);
  assert.deepEqual(names("sync#", symbol("sync2", "file:///w/a", 1), symbol("sync", "file:///w/a", 2)), [
    "sync",
    "sync2",
  ]);
  assert.deepEqual(names("", symbol("b", "file:///w/a", 1), symbol("a", "file:///w/a", 2)), ["b", "a"]);
});

test("workspace/symbol: odd items stay, at the end", () => {
  const good = symbol("x", "file:///w/a", 1);
  const merged = merge(row(M.workspaceSymbol), answers([[7, {}, good]]), { query: "x", inside: () => true });
  assert.deepEqual(
    merged,
    [good, 7, {}].toSorted((a, b) => Number(a !== good) - Number(b !== good) || (a === 7 ? -1 : 1)),
  );
});

test("every row's rule gives its empty value for no answers", () => {
  for (const one of rows) assert.deepEqual(merge(one, []), one.merge === "symbols" ? [] : one.empty, one.method);
});

function answers(results: readonly unknown[]) {
  return results.map((result, backend) => ({ backend, result }));
}

function at(line: number) {
  return { start: { line, character: 0 }, end: { line, character: 3 } };
}

function place(uri: string, line: number) {
  return { uri, range: at(line) };
}

function symbol(name: string, uri: string, line: number) {
  return { name, kind: 12, location: place(uri, line) };
}

function row(method: string): Row {
  const found = rowOf(method);
  assert.ok(found, method);
  return found;
}

test("symbols: one place is one place, in whichever order a server writes line and character", () => {
  const one = { start: { line: 3, character: 1 }, end: { line: 3, character: 5 } };
  const other = { end: { character: 5, line: 3 }, start: { character: 1, line: 3 } };
  const answers = [one, other].map((range, i) => ({
    backend: String(i),
    result: [{ name: "area", kind: 6, location: { uri: "file:///a", range } }],
  }));
  const row = rowOf(M.workspaceSymbol);
  assert.ok(row);
  const merged = merge(row, answers, { query: "area", inside: () => true });
  assert.equal(Array.isArray(merged) ? merged.length : -1, 1);
});
