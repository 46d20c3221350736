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

const folding = "textDocument/foldingRange";
const hints = "textDocument/inlayHint";
const lenses = "textDocument/codeLens";
const inline = "textDocument/inlineCompletion";
const completion = "textDocument/completion";
const actions = "textDocument/codeAction";
const save = "textDocument/willSaveWaitUntil";
const files = "workspace/willRenameFiles";
const renameFile = { kind: "rename", oldUri: "file:///a", newUri: "file:///c" };

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

/** Of each rule that joins: what two or three servers answer, and what comes of it. */
const joins: readonly (readonly [what: string, method: string, results: readonly unknown[], merged: unknown])[] = [
  [
    "folds of the same lines are one",
    folding,
    [[fold(1, 3)], [{ ...fold(1, 3), kind: "region" }, fold(2, 3)]],
    [fold(1, 3), fold(2, 3)],
  ],
  [
    "what shows the same is one",
    hints,
    [[hint("a", 1)], [{ label: "a", position: at(1).start, kind: 1 }, hint("b", 1)]],
    [hint("a", 1), hint("b", 1)],
  ],
  [
    "but not what is yet to be resolved",
    lenses,
    [[{ range: at(1), data: "1" }], [{ range: at(1), data: "2" }]],
    [
      { range: at(1), data: "1" },
      { range: at(1), data: "2" },
    ],
  ],
  [
    "inline completions in either form",
    inline,
    [{ items: [{ insertText: "a" }] }, [{ insertText: "a" }, { insertText: "b" }]],
    [{ insertText: "a" }, { insertText: "b" }],
  ],
  [
    "places and links: all as links",
    M.definition,
    [[place("file:///a", 1)], [link("file:///b", 2)]],
    [{ targetUri: "file:///a", targetRange: at(1), targetSelectionRange: at(1) }, link("file:///b", 2)],
  ],
  [
    "hierarchy items of one name and place",
    M.prepareCallHierarchy,
    [[hierarchyItem("f", 1)], [{ ...hierarchyItem("f", 1), detail: "d" }, hierarchyItem("g", 1)]],
    [hierarchyItem("f", 1), hierarchyItem("g", 1)],
  ],

  ["hover: one that says something", M.hover, [null, { contents: "h" }, { contents: " " }], { contents: "h" }],
  [
    "hover: the same is said once",
    M.hover,
    [{ contents: "h", range: at(1) }, { contents: { kind: "plaintext", value: "h" } }],
    { contents: "h", range: at(1) },
  ],
  [
    "hover: under each other, the first range",
    M.hover,
    [{ contents: "a" }, { contents: { kind: "markdown", value: "b" }, range: at(2) }],
    { contents: { kind: "markdown", value: "a\n\n---\n\nb" }, range: at(2) },
  ],
  [
    "hover: plain text stays plain",
    M.hover,
    [plain("a_b"), plain("c")],
    { contents: { kind: "plaintext", value: "a_b\n\nc" } },
  ],
  [
    "hover: what is plain is no markdown",
    M.hover,
    [plain("a_b"), { contents: { language: "x", value: "y" } }],
    { contents: { kind: "markdown", value: "```text\na_b\n```\n\n---\n\n```x\ny\n```" } },
  ],

  [
    "completion: incomplete if any is, be it empty",
    completion,
    [[item("a")], { isIncomplete: true, items: [] }],
    { isIncomplete: true, items: [item("a")] },
  ],
  [
    "completion: one list keeps its defaults",
    completion,
    [{ isIncomplete: false, itemDefaults: { data: 1 }, items: [item("a")] }, null],
    { isIncomplete: false, itemDefaults: { data: 1 }, items: [item("a")] },
  ],
  [
    "completion: the same label may be another's item",
    completion,
    [[{ ...item("a"), data: 1 }], [{ ...item("a"), data: 2 }, item("b")], [item("b")]],
    { isIncomplete: false, items: [{ ...item("a"), data: 1 }, { ...item("a"), data: 2 }, item("b")] },
  ],
  [
    "completion: defaults go into their own items, behind what these say themselves",
    completion,
    [
      {
        isIncomplete: false,
        itemDefaults: { commitCharacters: ["."], editRange: at(1), insertTextFormat: 2, insertTextMode: 1, data: 7 },
        items: [
          { label: "a", insertText: "A" },
          { label: "b", textEditText: "B", data: 8, commitCharacters: [] },
        ],
      },
      { isIncomplete: false, itemDefaults: { editRange: { insert: at(1), replace: at(2) } }, items: [item("c")] },
    ],
    {
      isIncomplete: false,
      items: [
        {
          label: "a",
          insertText: "A",
          insertTextFormat: 2,
          insertTextMode: 1,
          commitCharacters: ["."],
          data: 7,
          textEdit: { range: at(1), newText: "A" },
        },
        {
          label: "b",
          data: 8,
          commitCharacters: [],
          insertTextFormat: 2,
          insertTextMode: 1,
          textEdit: { range: at(1), newText: "B" },
        },
        { label: "c", textEdit: { insert: at(1), replace: at(2), newText: "c" } },
      ],
    },
  ],

  [
    "actions: of a kind one is preferred",
    actions,
    [
      [action("a", { isPreferred: true })],
      [action("b", { isPreferred: true }), action("c", { kind: "refactor", isPreferred: true })],
    ],
    [action("a", { isPreferred: true }), action("b"), action("c", { kind: "refactor", isPreferred: true })],
  ],
  [
    "actions: the same once",
    actions,
    [[action("a")], [action("a"), action("a", { data: "own" })]],
    [action("a"), action("a", { data: "own" })],
  ],

  [
    "edits before a save: those of both",
    save,
    [[edit(1, "a")], [edit(2, "b"), edit(1, "a")]],
    [edit(1, "a"), edit(2, "b")],
  ],
  [
    "edits before a save that meet others are left out, with all of their server",
    save,
    [[edit(1, "a")], [edit(1, "b"), edit(2, "b")]],
    [edit(1, "a")],
  ],
  ["two insertions at one place meet", save, [[insertion(1, "a")], [insertion(1, "b")]], [insertion(1, "a")]],
  [
    "edits of files in one form, each document once",
    files,
    [
      { changes: { "file:///a": [edit(1, "x")] } },
      {
        documentChanges: [
          documentEdit("file:///a", 3, edit(1, "x"), edit(2, "y")),
          documentEdit("file:///b", 1, edit(1, "z")),
        ],
      },
    ],
    {
      documentChanges: [
        documentEdit("file:///a", null, edit(1, "x"), edit(2, "y")),
        documentEdit("file:///b", 1, edit(1, "z")),
      ],
    },
  ],
  [
    "edits of files: in the older form where all are",
    files,
    [{ changes: { "file:///a": [edit(1, "x")] } }, { changes: { "file:///b": [edit(1, "y")] } }],
    { changes: { "file:///a": [edit(1, "x")], "file:///b": [edit(1, "y")] } },
  ],
  [
    "edits of files: what becomes of files comes last, once",
    files,
    [{ documentChanges: [renameFile, documentEdit("file:///a", 1, edit(1, "x"))] }, { documentChanges: [renameFile] }],
    { documentChanges: [documentEdit("file:///a", 1, edit(1, "x")), renameFile] },
  ],
];
for (const [what, method, results, merged] of joins)
  test(`${method}: ${what}`, () => assert.deepEqual(merge(row(method), answers(results)), merged));

test("actions: of the kinds that are asked for, and all below them", () => {
  const kinds = ["quickfix", "quickfixes", "source.fixAll", "source.fixAll.own", "source.organizeImports"];
  const list = [...kinds.map((kind) => action(kind, { kind })), { title: "bare", command: "c" }];
  const titles = (only: readonly string[]) => {
    const merged = merge(row(actions), answers([list, []]), { only });
    return Array.isArray(merged) ? merged.map(({ title }) => title) : merged;
  };
  assert.deepEqual(titles([]), [...kinds, "bare"]);
  assert.deepEqual(titles(["quickfix", "source.fixAll"]), ["quickfix", "source.fixAll", "source.fixAll.own"]);
  assert.deepEqual(titles(["source"]), ["source.fixAll", "source.fixAll.own", "source.organizeImports"]);
});

test("places are one by the identity of their document", () => {
  const keyOf = (uri: string) => uri.replace("%20", " ");
  const places = [[place("file:///a b", 1)], [place("file:///a%20b", 1)]];
  assert.deepEqual(merge(row(M.references), answers(places), { keyOf }), [place("file:///a b", 1)]);
});

test("two symbols of different names at one place stay two", () => {
  const symbols = [symbol("Alpha", "file:///w/t.cpp", 1), symbol("Beta", "file:///w/t.cpp", 1)];
  const merged = merge(row(M.workspaceSymbol), answers([symbols, [symbol("Beta", "file:///w/t.cpp", 1)]]));
  assert.deepEqual(merged, symbols);
});

test("workspace/symbol without a query: what the folders declare, types first; all there is where that is nothing", () => {
  const names = (...items: ReturnType<typeof symbol>[]) => {
    const inside = (uri: string) => uri.startsWith("file:///w/");
    const merged = merge(row(M.workspaceSymbol), answers([items]), { search: { query: "", inside } });
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
    const merged = merge(row(M.workspaceSymbol), answers([items]), { search: { query, inside } });
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
  const merged = merge(row(M.workspaceSymbol), answers([[7, {}, good]]), {
    search: { query: "x", inside: () => true },
  });
  assert.deepEqual(
    merged,
    [good, 7, {}].toSorted((a, b) => Number(a !== good) - Number(b !== good) || (a === 7 ? -1 : 1)),
  );
});

test("every row's rule gives its empty value for no answers", () => {
  for (const one of rows) assert.deepEqual(merge(one, []), one.merge === "symbols" ? [] : one.empty, one.method);
});

function fold(startLine: number, endLine: number) {
  return { startLine, endLine };
}

function hint(label: string, line: number) {
  return { position: at(line).start, label, kind: 1 };
}

function link(uri: string, line: number) {
  return { targetUri: uri, targetRange: at(line), targetSelectionRange: at(line) };
}

function hierarchyItem(name: string, line: number) {
  return { name, kind: 12, uri: "file:///a", range: at(line), selectionRange: at(line) };
}

function plain(value: string) {
  return { contents: { kind: "plaintext", value } };
}

function item(label: string) {
  return { label };
}

function action(title: string, more: object = {}) {
  return { title, kind: "quickfix", ...more };
}

function edit(line: number, newText: string) {
  return { range: at(line), newText };
}

function insertion(line: number, newText: string) {
  const { start } = at(line);
  return { range: { start, end: start }, newText };
}

function documentEdit(uri: string, version: number | null, ...edits: readonly object[]) {
  return { textDocument: { uri, version }, edits };
}

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
  const merged = merge(row, answers, { search: { query: "area", inside: () => true } });
  assert.equal(Array.isArray(merged) ? merged.length : -1, 1);
});
