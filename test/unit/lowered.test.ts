/** What poor clients are given of rich answers: completions, signatures, actions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { richest } from "../../server/core/backends/richest.ts";
import { mayBeRich, takesForms, toClientForm, unresolved } from "../../server/core/forms/forms.ts";
import { snippetText } from "../../server/core/forms/lowered.ts";
import type { ClientCapabilities } from "../../server/protocol/messages.ts";
import { M, type Row, rowOf } from "../../server/protocol/methods.ts";

const uri = "file:///w/a.x";
const poor: ClientCapabilities = {};

function row(method: string): Row {
  const found = rowOf(method);
  assert.ok(found, method);
  return found;
}

function given(method: string, result: unknown, client: ClientCapabilities): unknown {
  return toClientForm(row(method), result, client, { uri });
}

/** A snippet written with § for the dollar, which reads like a template's otherwise. */
function dollars(text: string): string {
  return text.replaceAll("§", "$");
}

test("whoever takes all that backends are told of gets answers as they came; others do not", () => {
  for (const method of [
    "textDocument/completion",
    M.signatureHelp,
    "textDocument/codeAction",
    "completionItem/resolve",
    "codeAction/resolve",
  ]) {
    assert.ok(takesForms(row(method), richest, richest), method);
    assert.ok(!takesForms(row(method), poor, richest), method);
  }
  const result = [{ label: "f", insertText: "f($1)", insertTextFormat: 2 }];
  assert.equal(given("textDocument/completion", result, richest), result);
});

test("what a poor client could not take is seen in the bytes of an answer", () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const place = { targetUri: uri, targetRange: range, targetSelectionRange: range };
  const texts = [{ textDocument: { uri, version: 1 }, edits: [{ range, newText: "n" }] }];
  const rows: readonly (readonly [method: string, rich: unknown, plain: unknown])[] = [
    ["textDocument/completion", [{ label: "f", insertTextFormat: 2 }], [{ label: "f", kind: 3 }]],
    ["textDocument/completion", { items: [{ label: "f", documentation: { kind: "markdown", value: "*f*" } }] }, []],
    ["completionItem/resolve", { label: "f", documentation: { kind: "markdown", value: "*f*" } }, { label: "f" }],
    [M.definition, [place], [{ uri, range }]],
    [M.documentSymbol, [{ name: "n", kind: 5, range, selectionRange: range }], []],
    [M.rename, { documentChanges: texts }, { changes: { [uri]: [{ range, newText: "n" }] } }],
  ];
  for (const [method, rich, plain] of rows) {
    const seen = (value: unknown): boolean => mayBeRich(row(method), { bytes: Buffer.from(JSON.stringify(value)) });
    assert.notDeepEqual(given(method, rich, poor), rich, method);
    assert.equal(seen(rich), true, method);
    assert.deepEqual(given(method, plain, poor), plain, method);
    assert.equal(seen(plain), false, method);
  }
  const bytes = Buffer.from("[]");
  assert.equal(mayBeRich(row("textDocument/codeAction"), { bytes }), true, "where no word tells, it is read");
});

test("a snippet is what it inserts when nothing is filled in", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["plain", "plain"],
    ["f($1, §{2:b})$0", "f(, b)"],
    ["§{1:outer §{2:inner} end}", "outer inner end"],
    ["§{1|one,two|} x", "one x"],
    ["a \\$ \\} \\\\ b", "a $ } \\ b"],
    ["\\n stays", "\\n stays"],
    ["$TM_FILENAME §{TM_LINE:7} §{name/(.*)/up/}!", " 7 !"],
    ["cost: $ 5 {}", "cost: $ 5 {}"],
    ["§{1:open", "open"],
    ["end$", "end$"],
    ["end\\", "end\\"],
  ];
  for (const [snippet, text] of rows) assert.equal(snippetText(dollars(snippet)), text, snippet);
});

test("completions without snippets and markdown, as a list, in a list, and resolved alone", () => {
  const item = {
    label: "f",
    insertTextFormat: 2,
    textEdit: { range: null, newText: dollars("f(§{1:a})") },
    documentation: { kind: "markdown", value: "**bold**" },
    data: "kept",
  };
  const plain = { label: "f", textEdit: { range: null, newText: "f(a)" }, documentation: "bold", data: "kept" };
  assert.deepEqual(given("textDocument/completion", [item], poor), [plain]);
  assert.deepEqual(given("textDocument/completion", { isIncomplete: true, items: [item] }, poor), {
    isIncomplete: true,
    items: [plain],
  });
  assert.deepEqual(given("completionItem/resolve", item, poor), plain);
  assert.deepEqual(given("textDocument/completion", [{ label: "a($1)", insertTextFormat: 2 }], poor), [
    { label: "a($1)", insertText: "a()" },
  ]);
  const snippets: ClientCapabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
  assert.deepEqual(given("textDocument/completion", [item], snippets), [{ ...item, documentation: "bold" }]);
  assert.equal(given("textDocument/completion", null, poor), null);
});

test("signatures with labels in words and plain text", () => {
  const result = {
    signatures: [
      {
        label: "f(one, two)",
        documentation: { kind: "markdown", value: "`f`" },
        parameters: [{ label: [2, 5] }, { label: "two", documentation: "as is" }],
      },
    ],
    activeSignature: 0,
  };
  assert.deepEqual(given(M.signatureHelp, result, poor), {
    signatures: [
      {
        label: "f(one, two)",
        documentation: "f",
        parameters: [{ label: "one" }, { label: "two", documentation: "as is" }],
      },
    ],
    activeSignature: 0,
  });
});

test("actions that a client can use", () => {
  const command = { title: "run", command: "x.run" };
  const literal = { title: "literal", kind: "quickfix", command };
  const edits = { title: "edits", edit: { documentChanges: [{ textDocument: { uri, version: 1 }, edits: [] }] } };
  const creates = { title: "creates", edit: { documentChanges: [{ kind: "create", uri }] } };
  const disabled = { title: "not now", disabled: { reason: "no" } };
  const all = [command, literal, edits, creates, disabled];
  assert.deepEqual(given("textDocument/codeAction", all, poor), [command, command]);
  const literals: ClientCapabilities = {
    textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } },
    workspace: { workspaceEdit: { documentChanges: true } },
  };
  assert.deepEqual(given("textDocument/codeAction", all, literals), [command, literal, edits]);
  assert.equal(given("textDocument/codeAction", all, richest), all);
});

test("actions that say nothing of what they do are resolved for a client that cannot do it", () => {
  const bare = { title: "later", data: 1 };
  const list = [{ title: "now", edit: {} }, bare, { title: "no", disabled: { reason: "" } }];
  assert.deepEqual(unresolved(row("textDocument/codeAction"), list, poor), {
    method: M.codeActionResolve,
    indexes: [1],
  });
  assert.equal(unresolved(row("textDocument/codeAction"), list, richest), null);
  assert.equal(unresolved(row("textDocument/codeAction"), null, poor), null);
});
