import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignMark, takesForms, toClientForm, unresolved } from "../../server/core/forms/forms.ts";
import { plainText } from "../../server/core/forms/markdown.ts";
import type { ClientCapabilities } from "../../server/protocol/messages.ts";
import { M, type Row, rowOf } from "../../server/protocol/methods.ts";

const uri = "file:///w/a.py";
const flatClient: ClientCapabilities = {};
const treeClient: ClientCapabilities = {
  textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
};
const linkClient: ClientCapabilities = { textDocument: { definition: { linkSupport: true } } };
const resolvingClient: ClientCapabilities = {
  workspace: { symbol: { resolveSupport: { properties: ["location.range"] } } },
};

const location = { uri: "file:///b", range: span(4, 2, 4, 5) };
const link = { targetUri: "file:///b", targetRange: span(3, 0, 9, 1), targetSelectionRange: span(4, 2, 4, 5) };

test("links become locations at the name, unless the client takes links of this very request", () => {
  assert.deepEqual(toClientForm(row(M.definition), [link, location], flatClient, { uri }), [location, location]);
  const links = [link];
  assert.equal(toClientForm(row(M.definition), links, linkClient, { uri }), links);
  assert.deepEqual(toClientForm(row(M.implementation), links, linkClient, { uri }), [location]);
});

test("what needs no change is the same object", () => {
  for (const [method, result] of [
    [M.definition, [location]],
    [M.definition, location],
    [M.definition, null],
    [M.definition, []],
    [M.documentSymbol, null],
    [M.documentSymbol, []],
    [M.documentSymbol, [{ name: "x", kind: 12, location }]],
    [M.workspaceSymbol, [{ name: "x", kind: 12, location }]],
    [M.references, [location]],
    [M.hover, { contents: "*x*" }],
    [M.hover, null],
  ] as const)
    assert.equal(toClientForm(row(method), result, flatClient, { uri }), result, method);
});

test("a tree becomes a list for a flat client: at the name, to the symbol's end, with its container", () => {
  const area = { ...sym("area", span(2, 2, 2, 30), span(2, 6, 2, 10)), tags: [1], deprecated: true };
  const shape = sym("Shape", span(0, 0, 3, 1), span(1, 7, 1, 12), [area]);
  assert.deepEqual(toClientForm(row(M.documentSymbol), [shape], flatClient, { uri }), [
    { name: "Shape", kind: 5, location: { uri, range: span(1, 7, 3, 1) } },
    {
      name: "area",
      kind: 5,
      tags: [1],
      deprecated: true,
      location: { uri, range: span(2, 6, 2, 30) },
      containerName: "Shape",
    },
  ]);
});

test("a name outside its symbol's range: the range is widened, at any depth, for both kinds of client", () => {
  const inner = sym("inner", span(3, 0, 3, 4), span(3, 0, 3, 9));
  const outer = sym("outer", span(1, 0, 5, 0), span(0, 4, 0, 9), [
    inner,
    sym("good", span(4, 0, 4, 4), span(4, 0, 4, 4)),
  ]);
  const sent = [outer];
  const found = toClientForm(row(M.documentSymbol), sent, treeClient, { uri });
  assert.deepEqual(found, [
    { ...outer, range: span(0, 4, 5, 0), children: [{ ...inner, range: span(3, 0, 3, 9) }, outer.children?.[1]] },
  ]);
  assert.deepEqual(toClientForm(row(M.documentSymbol), [inner], flatClient, { uri }), [
    { name: "inner", kind: 5, location: { uri, range: span(3, 0, 3, 9) } },
  ]);
  const fine = [sym("x", span(0, 0, 9, 0), span(0, 4, 0, 5), [sym("y", span(1, 0, 2, 0), span(1, 0, 1, 1))])];
  assert.equal(toClientForm(row(M.documentSymbol), fine, treeClient, { uri }), fine);
});

test("a list becomes a tree for a client that takes trees, with names looked up in the text", () => {
  const text = [
    "class E:",
    "    def __init__(self): self.n = 0",
    "    @property",
    "    def speed(self): return self.n",
    "    @speed.setter",
    "    def speed(self, v): self.n = v",
  ];
  const list = [
    info("speed", span(5, 4, 5, 34), "E"),
    info("E", span(0, 0, 6, 0)),
    info("__init__", span(1, 4, 1, 34), "E"),
    info("speed", span(3, 4, 3, 34), "E"),
    info("n", span(1, 24, 1, 34), "__init__"),
  ];
  const found = toClientForm(row(M.documentSymbol), list, treeClient, { uri, line: (line) => text[line] });
  assert.deepEqual(shape(found), ["E 0:6", ["__init__ 1:8", ["n 1:29", []], "speed 3:8", [], "speed 5:8", []]]);
});

test("a list of ranges that hold only names is nested by container; without text the name stands at the start", () => {
  const list = [
    info("E", span(0, 6, 0, 7)),
    info("run", span(1, 8, 1, 11), "E"),
    info("stop", span(2, 8, 2, 12), "E"),
    info("F", span(4, 6, 4, 7)),
    info("run", span(5, 8, 5, 11), "F"),
    info("free", span(7, 0, 7, 4), "module"),
  ];
  const found = toClientForm(row(M.documentSymbol), list, treeClient, { uri });
  assert.deepEqual(shape(found), ["E 0:6", ["run 1:8", [], "stop 2:8", []], "F 4:6", ["run 5:8", []], "free 7:0", []]);
});

test("symbols of one and the same range stay beside each other", () => {
  const found = toClientForm(
    row(M.documentSymbol),
    [info("a", span(0, 0, 0, 9)), info("b", span(0, 0, 0, 9))],
    treeClient,
    {
      uri,
    },
  );
  assert.deepEqual(shape(found), ["a 0:0", [], "b 0:0", []]);
});

test("a name is found as a whole word within its range only", () => {
  const text = ["set reset set_ $set", "xx set"];
  const symbol = (range: ReturnType<typeof span>) =>
    shape(toClientForm(row(M.documentSymbol), [info("set", range)], treeClient, { uri, line: (line) => text[line] }));
  assert.deepEqual(symbol(span(0, 1, 1, 6)), ["set 1:3", []]);
  assert.deepEqual(symbol(span(0, 1, 1, 5)), ["set 0:1", []]);
  assert.deepEqual(symbol(span(0, 0, 0, 2)), ["set 0:0", []]);
});

test("a name's columns are those of the client", () => {
  const text = ['x = "😀é"; def = 1'];
  const found = (encoding: "utf-8" | "utf-16" | "utf-32", from: number, to: number) =>
    shape(
      toClientForm(row(M.documentSymbol), [info("def", span(0, from, 0, to))], treeClient, {
        uri,
        encoding,
        line: (line) => text[line],
      }),
    );
  assert.deepEqual(found("utf-8", 13, 20), ["def 0:14", []]);
  assert.deepEqual(found("utf-8", 2, 20), ["def 0:14", []]);
  assert.deepEqual(found("utf-32", 2, 16), ["def 0:10", []]);
});

test("workspace symbols without a range are named, and get one for clients that cannot resolve it", () => {
  const bare = { name: "x", kind: 12, location: { uri } };
  const whole = { name: "y", kind: 12, location };
  const symbols = [whole, bare];
  const symbolRow = row(M.workspaceSymbol);
  assert.deepEqual(unresolved(symbolRow, symbols, flatClient), { method: M.workspaceSymbolResolve, indexes: [1] });
  assert.equal(unresolved(symbolRow, symbols, resolvingClient), null);
  assert.equal(unresolved(symbolRow, null, flatClient), null);
  assert.equal(unresolved(row(M.references), symbols, flatClient), null);
  assert.deepEqual(toClientForm(symbolRow, symbols, flatClient, { uri }), [
    whole,
    { ...bare, location: { uri, range: span(0, 0, 0, 0) } },
  ]);
  assert.equal(toClientForm(symbolRow, symbols, resolvingClient, { uri }), symbols);
});

test("hover is made plain only for a client that says so", () => {
  const plain: ClientCapabilities = { textDocument: { hover: { contentFormat: ["plaintext"] } } };
  const both: ClientCapabilities = { textDocument: { hover: { contentFormat: ["plaintext", "markdown"] } } };
  const hover = { contents: { kind: "markdown", value: "**x**" }, range: span(0, 0, 0, 1) };
  assert.deepEqual(toClientForm(row(M.hover), hover, plain, { uri }), {
    contents: { kind: "plaintext", value: "x" },
    range: span(0, 0, 0, 1),
  });
  for (const client of [flatClient, both]) assert.equal(toClientForm(row(M.hover), hover, client, { uri }), hover);
});

const raw: readonly (readonly [
  method: string,
  client: ClientCapabilities,
  announced: ClientCapabilities,
  raw: boolean,
])[] = [
  [M.documentSymbol, treeClient, treeClient, true],
  [M.documentSymbol, flatClient, treeClient, false],
  [M.documentSymbol, flatClient, flatClient, true],
  [M.definition, flatClient, linkClient, false],
  [M.definition, linkClient, linkClient, true],
  [M.declaration, flatClient, linkClient, true],
  [M.workspaceSymbol, flatClient, resolvingClient, false],
  [M.references, flatClient, treeClient, true],
  [M.hover, flatClient, flatClient, true],
];
for (const [method, client, announced, expected] of raw)
  test(`${method}: raw ${expected} for ${JSON.stringify(client)} of ${JSON.stringify(announced)}`, () =>
    assert.equal(takesForms(row(method), client, announced), expected));

test("flat symbols betray themselves in the bytes, trees do not", () => {
  const mark = foreignMark(row(M.documentSymbol));
  assert.ok(mark);
  assert.ok(JSON.stringify([info("x", span(0, 0, 0, 1))]).includes(mark));
  const quoting = sym('"location":', span(0, 0, 0, 1), span(0, 0, 0, 1));
  assert.equal(JSON.stringify([quoting]).includes(mark), false);
  assert.equal(foreignMark(row(M.references)), null);
});

const texts: readonly (readonly [why: string, contents: unknown, plain: string])[] = [
  [
    "a fence and text",
    "```ts\nconst a_b_c = `x*y*z`;\n```\n\nSome **bold** and _it_.",
    "const a_b_c = `x*y*z`;\n\nSome bold and it.",
  ],
  ["a tilde fence with backticks in it", "~~~\n```\n~~~", "```"],
  ["code spans keep their marks", "use `**kwargs` and ``a`b``", "use **kwargs and a`b"],
  ["snake case is no emphasis", "see foo_bar_baz and 2 * 3 * 4", "see foo_bar_baz and 2 * 3 * 4"],
  ["heads, rules, links, images", "# T\n\n---\n\n[a](http://x) ![b](y)", "T\n\na b"],
  ["escapes and entities", "a\\_b \\*c\\* &lt;T&gt; &amp;&nbsp;", "a_b *c* <T> &"],
  ["a list of strings and code", ["*a*", { language: "ts", value: "b * c * d" }, ""], "a\n\nb * c * d"],
  ["plain already", { kind: "plaintext", value: "*a*" }, "*a*"],
  ["nothing", null, ""],
];
for (const [why, contents, value] of texts)
  test(`plain text: ${why}`, () => assert.deepEqual(plainText(contents), { kind: "plaintext", value }));

// A pattern that grows with the square of the length would be at it for hours.
test("plain text: long lines of marks are read in time linear in their length", { timeout: 60_000 }, () => {
  for (const mark of ["*", "_", "`", "`a", "[", "[a](", "\\", "~", "(a) "])
    assert.equal(plainText(mark.repeat(50_000)).kind, "plaintext");
});

function span(line: number, character: number, endLine: number, endCharacter: number) {
  return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}

type Span = ReturnType<typeof span>;
interface Sym {
  readonly name: string;
  readonly kind: number;
  readonly range: Span;
  readonly selectionRange: Span;
  readonly children?: readonly Sym[];
}

function sym(name: string, range: Span, selectionRange: Span, children?: readonly Sym[]): Sym {
  return { name, kind: 5, range, selectionRange, ...(children && { children }) };
}

function info(name: string, range: Span, containerName?: string) {
  return { name, kind: 5, location: { uri, range }, ...(containerName !== undefined && { containerName }) };
}

/** Each symbol as "name line:character" of its name, followed by the list of those in it. */
function shape(symbols: unknown): unknown[] {
  assert.ok(Array.isArray(symbols));
  return symbols.flatMap(({ name, range, selectionRange: { start, end }, children }) => {
    assert.ok(start.line > range.start.line || start.character >= range.start.character, "name before the range");
    assert.ok(end.line < range.end.line || end.character <= range.end.character, "name behind the range");
    return [`${name} ${start.line}:${start.character}`, shape(children)];
  });
}

function row(method: string): Row {
  const found = rowOf(method);
  assert.ok(found, method);
  return found;
}

test("edits come as changes to a client that takes no documentChanges, unless they do more than edit", () => {
  const range = span(1, 0, 1, 3);
  const textDocument = { uri, version: 3 };
  const edit = { documentChanges: [{ textDocument, edits: [{ range, newText: "n" }] }] };
  const changes = { changes: { [uri]: [{ range, newText: "n" }] } };
  assert.deepEqual(toClientForm(row(M.rename), edit, {}, { uri }), changes);
  const literals: ClientCapabilities = {
    textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } },
  };
  const [action] = toClientForm(row("textDocument/codeAction"), [{ title: "t", edit }], literals, { uri }) as object[];
  assert.deepEqual(action, { title: "t", edit: changes });
  assert.deepEqual(toClientForm(row("workspace/applyEdit"), { label: "l", edit }, {}, { uri }), {
    label: "l",
    edit: changes,
  });
  const creating = { documentChanges: [{ kind: "create", uri }, ...edit.documentChanges] };
  assert.equal(toClientForm(row(M.rename), creating, {}, { uri }), creating);
  const rich: ClientCapabilities = { workspace: { workspaceEdit: { documentChanges: true } } };
  assert.equal(toClientForm(row(M.rename), edit, rich, { uri }), edit);
  assert.equal(takesForms(row(M.rename), {}, {}), false, "no backend can be relied on");
  assert.equal(takesForms(row(M.rename), rich, rich), true);
});
