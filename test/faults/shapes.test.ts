/** Values of the wrong shape, where LSP says otherwise: each question is answered all the same, and no fault of ours shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asked, frameOf, silence } from "./actors.ts";
import { Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
const range = { start: at, end: at };

/** Requests and, where a document and a position are not enough, their params. */
const questions: Readonly<Record<string, object>> = {
  "textDocument/hover": {},
  "textDocument/completion": {},
  "textDocument/signatureHelp": {},
  "textDocument/definition": {},
  "textDocument/references": { context: { includeDeclaration: true } },
  "textDocument/documentHighlight": {},
  "textDocument/documentSymbol": {},
  "textDocument/codeAction": { range, context: { diagnostics: [] } },
  "textDocument/codeLens": {},
  "textDocument/documentLink": {},
  "textDocument/documentColor": {},
  "textDocument/foldingRange": {},
  "textDocument/selectionRange": { positions: [at] },
  "textDocument/inlayHint": { range },
  "textDocument/semanticTokens/full": {},
  "textDocument/semanticTokens/range": { range },
  "textDocument/formatting": { options: { tabSize: 2, insertSpaces: true } },
  "textDocument/prepareRename": {},
  "textDocument/rename": { newName: "y" },
  "textDocument/prepareCallHierarchy": {},
  "textDocument/diagnostic": {},
  "workspace/symbol": { query: "x" },
  "workspace/executeCommand": { command: "of the fake" },
};

/** As JSON text, so that `undefined` has no say in it. */
const values = [
  "null",
  "0",
  "true",
  '"x"',
  "[]",
  "{}",
  "[null]",
  "[0]",
  "[[]]",
  '[{"uri":7,"range":{}}]',
  '{"items":null}',
  '{"items":[null,7,{}]}',
  '{"data":[1,2]}',
  '{"data":{"data":null}}',
  '{"changes":{"x":null},"documentChanges":[null,{}]}',
  '{"contents":{"kind":3}}',
  '{"range":null,"uri":null}',
  '[{"name":null,"location":null,"children":[null]}]',
  '{"kind":"full"}',
];

const providers = [
  "hover",
  "signatureHelp",
  "definition",
  "references",
  "documentHighlight",
  "documentSymbol",
  "codeAction",
  "documentLink",
  "color",
  "foldingRange",
  "selectionRange",
  "inlayHint",
  "documentFormatting",
  "callHierarchy",
  "workspaceSymbol",
];
const capabilities = {
  textDocumentSync: 2,
  ...Object.fromEntries(providers.map((name) => [`${name}Provider`, true])),
  completionProvider: {},
  codeLensProvider: {},
  documentLinkProvider: {},
  renameProvider: { prepareProvider: true },
  semanticTokensProvider: { legend: { tokenTypes: ["odd"], tokenModifiers: [] }, full: true, range: true },
  diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
  executeCommandProvider: { commands: ["of the fake"] },
};

for (const [what, names] of [
  ["one backend", ["fake1"]],
  ["two backends", ["fake1", "fake2"]],
] as const) {
  test(`results of the wrong shape, ${what}`, async (t) => {
    let value = "null";
    const raw = ({ fake, id }: Asked): unknown => {
      fake.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${value}}`);
      return silence;
    };
    const on = Object.fromEntries(Object.keys(questions).map((method) => [method, raw]));
    const scripts = names.map(
      (name, i) => [name, { capabilities, on, ...(i > 0 && { role: "addon" as const }) }] as const,
    );
    const stage = await Stage.open(t, Object.fromEntries(scripts));
    // A client that takes only the oldest forms, with a URI that every server spells in its own way.
    const client = stage.client();
    await client.initialize([stage.folder], { capabilities: { general: { positionEncodings: ["utf-8"] } } });
    const uri = stage.uriOf("odd é.x");
    client.open(uri, "x", "é😀 x\n");
    for (value of values) {
      const answers = Object.entries(questions).map(([method, more]) =>
        client
          .request(method, { textDocument: { uri }, position: at, ...more })
          .catch((error: { code?: unknown }) => error.code ?? assert.fail(String(error))),
      );
      await Promise.all(answers);
    }
    const { drops } = await client.request<{ drops: Record<string, number> }>("$/switchboard/status");
    assert.equal(drops["fault of our own"], undefined, stage.log().slice(0, 5000));
    for (const name of names) assert.equal(stage.lives(name), 1);
  });
}

test("params and errors of the wrong shape, from both sides", async (t) => {
  const stage = await Stage.open(t, { fake1: { capabilities } });
  const line = stage.line();
  line.write(frameOf({ jsonrpc: "2.0", id: "bad", method: "initialize", params: [7] }));
  assert.ok((await line.answer("bad")).error);
  await line.initialize(stage.uri);
  const uri = stage.uriOf("a.x");
  line.send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "x", version: 1, text: "one\n" } },
  });
  const notifications = [
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "textDocument/willSave",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "workspace/didRenameFiles",
    "$/cancelRequest",
    "$/progress",
    "$/setTrace",
    "window/workDoneProgress/cancel",
    "notebookDocument/didOpen",
  ];
  const params = [
    null,
    7,
    "x",
    [],
    [null],
    {},
    { textDocument: null },
    { textDocument: { uri: 7 } },
    { textDocument: { uri: "no uri" } },
    { textDocument: { uri } },
    { textDocument: { uri }, contentChanges: [null] },
    { textDocument: { uri }, contentChanges: [{ range: {}, text: 7 }] },
    { settings: 7 },
    { changes: [null, { uri: 7 }] },
    { event: { added: [null, 7], removed: {} } },
    { id: null },
    { token: {} },
  ];
  let id = 0;
  for (const one of params) {
    for (const method of notifications) line.send({ method, params: one });
    for (const method of [
      ...Object.keys(questions),
      "completionItem/resolve",
      "callHierarchy/incomingCalls",
      "$/symbolByName",
    ])
      line.send({ id: ++id, method, params: one });
  }
  for (let i = 1; i <= id; i += 1) await line.answer(i);
  line.send({ id: "last", method: "$/switchboard/status" });
  const { drops } = (await line.answer("last")).result as { drops: Record<string, number> };
  assert.equal(drops["fault of our own"], undefined, stage.log().slice(0, 5000));
});
