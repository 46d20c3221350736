import assert from "node:assert/strict";
import { test } from "node:test";
import { alternatives, fitsAnywhere, fitsBelow } from "../../server/core/backends/globs.ts";
import { type Options, Registrations } from "../../server/core/registrations.ts";
import { M, type Row, rowOf } from "../../server/protocol/methods.ts";

const ts = { uri: "file:///w/src/a.ts", language: "typescript" };
const py = { uri: "file:///w/src/a.py", language: "python" };

test("static capabilities: true, options and absence", () => {
  const able = new Registrations({
    hoverProvider: true,
    definitionProvider: { workDoneProgress: true },
    referencesProvider: false,
    completionProvider: { triggerCharacters: ["."], resolveProvider: true },
    renameProvider: true,
    codeActionProvider: { resolveProvider: false },
    semanticTokensProvider: { legend: { tokenTypes: [], tokenModifiers: [] }, full: { delta: true }, range: false },
  });
  const expected: Readonly<Record<string, boolean>> = {
    "textDocument/hover": true,
    "textDocument/definition": true,
    "textDocument/references": false,
    "textDocument/implementation": false,
    "textDocument/completion": true,
    "completionItem/resolve": true,
    "textDocument/rename": true,
    "textDocument/prepareRename": false,
    "textDocument/codeAction": true,
    "codeAction/resolve": false,
    "textDocument/semanticTokens/full": true,
    "textDocument/semanticTokens/full/delta": true,
    "textDocument/semanticTokens/range": false,
    "workspace/diagnostic": false,
    // Needs no ability.
    initialized: true,
  };
  const found = Object.keys(expected).map((method) => [method, able.can(row(method), ts)]);
  assert.deepEqual(Object.fromEntries(found), expected);
  assert.deepEqual(able.options(row(M.hover), ts), {});
  assert.deepEqual(able.options(row(M.references), ts), null);
  assert.deepEqual(able.options(row("completionItem/resolve"))?.triggerCharacters, ["."]);
});

test("a static capability may have a selector, and an id under which it is taken back", () => {
  const able = new Registrations({
    callHierarchyProvider: { id: "calls", documentSelector: [{ language: "typescript" }] },
    monikerProvider: { id: "monikers", documentSelector: null },
  });
  const prepare = row(M.prepareCallHierarchy);
  assert.deepEqual([able.can(prepare, ts), able.can(prepare, py), able.can(prepare)], [true, false, true]);
  able.unregister([{ id: "calls", method: M.prepareCallHierarchy }]);
  assert.deepEqual([able.can(prepare, ts), able.can(row("textDocument/moniker"), ts)], [false, true]);
});

test("registrations are a stack: the latest that fits wins, taking it back reveals the one before", () => {
  const able = new Registrations({ completionProvider: { triggerCharacters: ["static"] } });
  const triggers = (document = ts) => able.options(row("textDocument/completion"), document)?.triggerCharacters;
  const completion = (id: string, triggerCharacters: string[], documentSelector: unknown = null) =>
    able.register([
      { id, method: "textDocument/completion", registerOptions: { documentSelector, triggerCharacters } },
    ]);
  completion("1", ["one"]);
  completion("2", ["two"], [{ language: "python" }]);
  assert.deepEqual([triggers(ts), triggers(py)], [["one"], ["two"]]);
  completion("3", ["three"]);
  assert.deepEqual([triggers(ts), triggers(py)], [["three"], ["three"]]);
  able.unregister([{ id: "1", method: "textDocument/completion" }]);
  able.unregister([{ id: "3", method: "textDocument/completion" }]);
  assert.deepEqual([triggers(ts), triggers(py)], [["static"], ["two"]]);
  able.unregister([{ id: "unknown", method: "textDocument/completion" }]);
  assert.deepEqual(triggers(py), ["two"]);
});

test("the same id registered again replaces its options", () => {
  const able = new Registrations({});
  for (const includeText of [true, false])
    able.register([{ id: "x", method: M.didSave, registerOptions: { documentSelector: null, includeText } }]);
  assert.deepEqual(able.saves(ts), { includeText: false });
  able.unregister([{ id: "x", method: M.didSave }]);
  assert.equal(able.saves(ts), false);
});

test("one id for two methods: each is taken back alone", () => {
  const able = new Registrations({});
  able.register([
    { id: "x", method: M.hover },
    { id: "x", method: M.references },
  ]);
  able.unregister([{ id: "x", method: M.hover }]);
  assert.deepEqual([able.can(row(M.hover), ts), able.can(row(M.references), ts)], [false, true]);
});

test("rows that share a registration are flags in its options", () => {
  const able = new Registrations({});
  able.register([
    { id: "1", method: "textDocument/completion", registerOptions: { documentSelector: null, resolveProvider: true } },
    { id: "2", method: "textDocument/completion", registerOptions: { documentSelector: [{ language: "python" }] } },
    {
      id: "3",
      method: "textDocument/semanticTokens",
      registerOptions: { documentSelector: null, full: { delta: true } },
    },
    { id: "4", method: M.prepareCallHierarchy, registerOptions: { documentSelector: null } },
  ]);
  assert.equal(able.can(row("completionItem/resolve"), ts), true);
  assert.equal(able.can(row("completionItem/resolve"), py), false, "the later one has no resolve");
  assert.equal(able.can(row("completionItem/resolve")), true, "for any document");
  assert.equal(able.can(row("textDocument/semanticTokens/full/delta"), ts), true);
  assert.equal(able.can(row("textDocument/semanticTokens/range"), ts), false);
  assert.equal(able.can(row(M.incomingCalls)), true);
});

test("the legend is that of the registration in force", () => {
  const legend = (name: string) => ({ tokenTypes: [name], tokenModifiers: [] });
  const able = new Registrations({ semanticTokensProvider: { legend: legend("static"), range: true } });
  assert.deepEqual(able.legend(), legend("static"));
  const method = "textDocument/semanticTokens";
  able.register([{ id: "1", method, registerOptions: { documentSelector: null, legend: legend("one"), full: true } }]);
  assert.deepEqual(able.legend(), legend("one"));
  able.unregister([{ id: "1", method }]);
  assert.deepEqual(able.legend(), legend("static"));
  assert.equal(
    new Registrations({ semanticTokensProvider: { full: true, legend: { tokenTypes: [1] } } }).legend(),
    null,
  );
});

const selectors: readonly (readonly [selector: unknown, ts: boolean, py: boolean])[] = [
  [null, true, true],
  [undefined, true, true],
  [[], false, false],
  [[{ language: "typescript" }], true, false],
  [["typescript"], true, false],
  [["*"], true, true],
  [[{ scheme: "file" }], true, true],
  [[{ scheme: "untitled", language: "typescript" }], false, false],
  [[{ pattern: "**/*.{ts,tsx}" }], true, false],
  [[{ pattern: "*.ts" }], true, false],
  [[{ pattern: "/w/src/**" }], true, true],
  [[{ pattern: "/other/**" }], false, false],
  [[{ language: "python" }, { pattern: "**/src/*.ts" }], true, true],
  [[{ language: "python", pattern: "**/*.ts" }], false, false],
  [[{ pattern: { baseUri: "file:///w/src", pattern: "*.ts" } }], true, false],
  [[{ pattern: { baseUri: { uri: "file:///w", name: "w" }, pattern: "*.ts" } }], false, false],
  [[{ notebook: "*", language: "typescript" }], false, false],
  [[{ pattern: 7 }, 8, null], false, false],
];
for (const [selector, forTs, forPy] of selectors)
  test(`selector ${JSON.stringify(selector)}`, () => {
    const able = new Registrations({});
    able.register([{ id: "1", method: M.hover, registerOptions: { documentSelector: selector } }]);
    assert.deepEqual([able.can(row(M.hover), ts), able.can(row(M.hover), py)], [forTs, forPy]);
  });

const syncs: readonly (readonly [why: string, sync: unknown, kind: number, saves: unknown, opens: boolean])[] = [
  ["absent", undefined, 0, false, false],
  ["number 0", 0, 0, false, false],
  ["number 1", 1, 1, { includeText: false }, true],
  ["number 2", 2, 2, { includeText: false }, true],
  ["object", { openClose: true, change: 2 }, 2, false, true],
  ["saves", { change: 1, save: true }, 1, { includeText: false }, false],
  ["saves with text", { openClose: true, save: { includeText: true } }, 0, { includeText: true }, true],
  ["no saves", { save: false }, 0, false, false],
  ["an unheard-of kind", { change: 3 }, 0, false, false],
];
for (const [why, textDocumentSync, kind, saves, opens] of syncs)
  test(`sync: ${why}`, () => {
    const able = new Registrations({ textDocumentSync });
    assert.deepEqual([able.syncKind(ts), able.saves(ts), able.can(row(M.didOpen), ts)], [kind, saves, opens]);
  });

test("a dynamic registration of didChange asks for full text, for its documents, until it is taken back", () => {
  const able = new Registrations({ textDocumentSync: 2 });
  const selector = [{ language: "python" }];
  able.register([{ id: "x", method: M.didChange, registerOptions: { documentSelector: selector, syncKind: 1 } }]);
  assert.deepEqual([able.syncKind(ts), able.syncKind(py)], [2, 1]);
  able.unregister([{ id: "x", method: M.didChange }]);
  assert.equal(able.syncKind(py), 2);
});

test("watchers: strings and relative patterns, kinds, several registrations, ids of two backends apart", () => {
  const one = new Registrations({});
  const two = new Registrations({});
  const watch = (able: Registrations, id: string, watchers: readonly unknown[]) =>
    able.register([{ id, method: M.didChangeWatchedFiles, registerOptions: { watchers } }]);
  watch(one, "x", [{ globPattern: "**/*.go" }]);
  watch(two, "x", [
    { globPattern: "**/*.{py,pyi}", kind: 5 },
    { globPattern: { baseUri: "file:///lib", pattern: "**/*.h" } },
    { globPattern: 7 },
  ]);
  watch(two, "y", [{ globPattern: "/w/conf.json", kind: 2 }]);
  one.unregister([{ id: "x", method: M.didChangeWatchedFiles }]);
  assert.deepEqual([one.watchers().length, two.watchers().length], [0, 3]);
  const told: readonly (readonly [uri: string, type: 1 | 2 | 3, told: boolean])[] = [
    ["file:///w/a.py", 1, true],
    ["file:///w/a.py", 2, false],
    ["file:///w/a.py", 3, true],
    ["file:///w/.hidden/deep/a.pyi", 1, true],
    ["file:///other/a.py", 1, false],
    ["file:///lib/x/y.h", 2, true],
    ["file:///w/y.h", 2, false],
    ["file:///w/conf.json", 2, true],
    ["file:///w/conf.json", 1, false],
  ];
  for (const [uri, type, expected] of told)
    assert.equal(two.watches({ uri, type }, "file:///w"), expected, `${uri} ${type}`);
  assert.equal(two.watches({ uri: "file:///w/a.py", type: 1 }, null), false, "no root");
});

const below: readonly (readonly [glob: string, root: string, uri: string, fits: boolean])[] = [
  ["**", "file:///w", "file:///w/a/b", true],
  ["**/*", "file:///w/", "file:///w/a", true],
  ["*.ts", "file:///w", "file:///w/a.ts", true],
  ["*.ts", "file:///w", "file:///w/src/a.ts", false],
  ["**/*.ts", "file:///w", "file:///wide/a.ts", false],
  ["a[!b]c", "file:///w", "file:///w/axc", true],
  ["a[!b]c", "file:///w", "file:///w/abc", false],
  ["a?c", "file:///w", "file:///w/abc", true],
  ["#a", "file:///w", "file:///w/%23a", true],
  ["!a", "file:///w", "file:///w/b", false],
  ["+(a)", "file:///w", "file:///w/+(a)", true],
  ["**/é ä.ts", "file:///w", "file:///w/x/%C3%A9%20%C3%A4.ts", true],
  ["C:/w/**/*.ts", "file:///c%3A/w", "file:///c%3A/w/a.ts", true],
  ["*.ts", "file:///C:/w", "file:///c%3A/w/a.ts", true],
  ["**/*.ts", "file:///w", "not a uri", false],
  ["**/*.ts", "file:///w", "file:///w/%E9.ts", false],
];
for (const [glob, root, uri, fits] of below)
  test(`glob ${glob} below ${root}: ${uri}`, () => assert.equal(fitsBelow(glob, uri, root), fits));

test("a selector's pattern fits documents of any scheme", () => {
  assert.equal(fitsAnywhere("*.ts", "untitled:a.ts"), true);
  assert.equal(fitsAnywhere("**/*.java", "jdt://contents/x/A.java?y"), true);
});

const counts: readonly (readonly [glob: string, count: number])[] = [
  ["a", 1],
  ["{a,b}", 2],
  ["{a,b}{c,d,e}", 6],
  ["{a,{b,c}d,e}", 4],
  ["x{1..9}", 9],
  ["{a..e}{1..3}", 15],
  ["{a,b", 2],
  ["a,b}", 1],
  ["\\{a,b\\}", 1],
  ["", 1],
];
for (const [glob, count] of counts)
  test(`alternatives of "${glob}": ${count}`, () => assert.equal(alternatives(glob), count));

test("a pattern with too many alternatives is not expanded and fits everything", () => {
  for (const glob of [
    "{a,b}".repeat(20),
    "{1..99999999}",
    "{".repeat(5000) + "a,".repeat(5000),
    "{a,{b,".repeat(200),
  ]) {
    assert.equal(fitsBelow(glob, "file:///w/zzz", "file:///w"), true);
  }
});

function row(method: string): Row {
  const found = rowOf(method);
  assert.ok(found, method);
  return found;
}

test("options of any shape do no harm", () => {
  const odd: readonly unknown[] = [null, 7, "x", [], { watchers: 7 }, { watchers: [null, 7, {}, { globPattern: {} }] }];
  const able = new Registrations({});
  const options = odd.map((registerOptions, i) => ({ id: `${i}`, method: M.didChangeWatchedFiles, registerOptions }));
  able.register(options);
  assert.deepEqual(able.watchers(), []);
  const hover: Options | null = new Registrations({ hoverProvider: [1] }).options(row(M.hover));
  assert.deepEqual(hover, {});
});
