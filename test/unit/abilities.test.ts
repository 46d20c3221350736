import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters, recorded } from "../../adapters/index.ts";
import { announce, announcedMethods, type Parts, towardsBackend } from "../../server/core/backends/abilities.ts";
import { type Options, Registrations } from "../../server/core/registrations.ts";
import { lookUp } from "../../server/core/settings.ts";
import { clientLegend } from "../../server/core/tokens.ts";
import type { ClientCapabilities } from "../../server/protocol/messages.ts";
import { M, rowOf, rows } from "../../server/protocol/methods.ts";

const rich: ClientCapabilities = {
  textDocument: {
    diagnostic: {},
    rename: { prepareSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } },
  },
};
const legend = clientLegend([]);

/** Expected value by dotted path; undefined: not announced. */
type Expected = Readonly<Record<string, unknown>>;

const unions: readonly (readonly [why: string, parts: Partial<Parts>, expected: Expected])[] = [
  [
    "nothing enabled",
    {},
    {
      hoverProvider: undefined,
      executeCommandProvider: undefined,
      "textDocumentSync.change": 2,
      diagnosticProvider: undefined,
    },
  ],
  [
    "one that can is enough",
    {
      recorded: [{ hoverProvider: false }, { hoverProvider: true }, { definitionProvider: { workDoneProgress: true } }],
    },
    { hoverProvider: true, definitionProvider: { workDoneProgress: true }, referencesProvider: undefined },
  ],
  [
    "lists are united, flags or-ed",
    {
      recorded: [
        { completionProvider: { triggerCharacters: [".", ":"], resolveProvider: false } },
        { completionProvider: { triggerCharacters: [":", ">"], resolveProvider: true } },
        { signatureHelpProvider: { triggerCharacters: ["("] } },
        { signatureHelpProvider: { triggerCharacters: ["("], retriggerCharacters: [","] } },
      ],
    },
    {
      completionProvider: { triggerCharacters: [".", ":", ">"], resolveProvider: true },
      signatureHelpProvider: { triggerCharacters: ["("], retriggerCharacters: [","] },
    },
  ],
  [
    "commit characters only where all agree",
    {
      recorded: [
        { completionProvider: { allCommitCharacters: [".", ";"] } },
        { completionProvider: { allCommitCharacters: [";", ","] } },
      ],
    },
    { completionProvider: { allCommitCharacters: [";"] } },
  ],
  [
    "commit characters: one has none",
    { recorded: [{ completionProvider: { allCommitCharacters: ["."] } }, { completionProvider: {} }] },
    { completionProvider: {} },
  ],
  [
    "what binds an option to one backend is left out",
    {
      recorded: [
        { callHierarchyProvider: { id: "x", documentSelector: [{ language: "go" }] } },
        { documentSymbolProvider: { label: "mine" } },
      ],
    },
    { callHierarchyProvider: true, documentSymbolProvider: true },
  ],
  [
    "no options where LSP knows no true",
    { recorded: [{ codeLensProvider: {}, documentLinkProvider: {}, completionProvider: {} }] },
    { codeLensProvider: {}, documentLinkProvider: {}, completionProvider: {} },
  ],
  [
    "nested options",
    {
      recorded: [
        { completionProvider: { completionItem: { labelDetailsSupport: true } } },
        { completionProvider: { completionItem: {} } },
      ],
    },
    { "completionProvider.completionItem": { labelDetailsSupport: true } },
  ],
  [
    "code action kinds of all",
    {
      client: rich,
      recorded: [
        { codeActionProvider: { codeActionKinds: ["quickfix"], resolveProvider: true } },
        { codeActionProvider: { codeActionKinds: ["quickfix", "source"] } },
      ],
    },
    { codeActionProvider: { codeActionKinds: ["quickfix", "source"], resolveProvider: true } },
  ],
  [
    "code action kinds: none when one names none, as clients ask for no others",
    {
      client: rich,
      recorded: [{ codeActionProvider: { codeActionKinds: ["quickfix"] } }, { codeActionProvider: true }],
    },
    { codeActionProvider: true },
  ],
  [
    "options of rename and code action only to clients that know them",
    { recorded: [{ renameProvider: { prepareProvider: true }, codeActionProvider: { resolveProvider: true } }] },
    { renameProvider: true, codeActionProvider: true },
  ],
  [
    "prepareRename to a client that knows it",
    { client: rich, recorded: [{ renameProvider: { prepareProvider: true } }, { renameProvider: true }] },
    { renameProvider: { prepareProvider: true } },
  ],
  [
    "formatting while typing: the first character in rank, then the others",
    {
      recorded: [
        { documentOnTypeFormattingProvider: { firstTriggerCharacter: "\n" } },
        { documentOnTypeFormattingProvider: { firstTriggerCharacter: "=", moreTriggerCharacter: [".", "\n"] } },
      ],
    },
    { documentOnTypeFormattingProvider: { firstTriggerCharacter: "\n", moreTriggerCharacter: ["=", "."] } },
  ],
  [
    "commands: ours, then theirs, each once",
    {
      commands: ["switchboard.symbolByName"],
      recorded: [
        { executeCommandProvider: { commands: ["fix"] } },
        { executeCommandProvider: { commands: ["fix", "run"] } },
      ],
    },
    { executeCommandProvider: { commands: ["switchboard.symbolByName", "fix", "run"] } },
  ],
  [
    "semantic tokens: the client's legend, no differences for a client that asks for none",
    {
      recorded: [
        { semanticTokensProvider: { legend: { tokenTypes: ["x"], tokenModifiers: [] }, full: { delta: true } } },
        { semanticTokensProvider: { legend: { tokenTypes: [], tokenModifiers: [] }, range: true } },
      ],
    },
    { semanticTokensProvider: { legend, full: true, range: true } },
  ],
  [
    "semantic tokens: differences whatever the server can",
    {
      client: {
        textDocument: {
          semanticTokens: { requests: { full: { delta: true } }, tokenTypes: [], tokenModifiers: [], formats: [] },
        },
      },
      recorded: [{ semanticTokensProvider: { legend: { tokenTypes: ["x"], tokenModifiers: [] }, full: true } }],
    },
    { semanticTokensProvider: { legend, full: { delta: true }, range: false } },
  ],
  [
    "pulled diagnostics to a client that pulls",
    {
      client: rich,
      recorded: [
        { diagnosticProvider: { identifier: "a", interFileDependencies: false, workspaceDiagnostics: true } },
        { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } },
      ],
    },
    { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true } },
  ],
  [
    "no pulled diagnostics to one that does not",
    { recorded: [{ diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } }] },
    { diagnosticProvider: undefined },
  ],
  [
    "sync: incremental whatever the backends take; text of saves and willSave only if asked for",
    { recorded: [{ textDocumentSync: 1 }, { textDocumentSync: { change: 1, save: true } }] },
    { textDocumentSync: { openClose: true, change: 2, save: { includeText: false } } },
  ],
  [
    "sync: one asks for more",
    {
      recorded: [
        { textDocumentSync: 1 },
        { textDocumentSync: { save: { includeText: true }, willSave: true, willSaveWaitUntil: true } },
      ],
    },
    {
      textDocumentSync: {
        openClose: true,
        change: 2,
        save: { includeText: true },
        willSave: true,
        willSaveWaitUntil: true,
      },
    },
  ],
  [
    "workspace: folders always, file operations with the filters of all",
    {
      recorded: [
        { workspace: { fileOperations: { willRename: { filters: [{ pattern: { glob: "*.a" } }] } } } },
        {
          workspace: {
            fileOperations: {
              willRename: { filters: [{ pattern: { glob: "*.a" } }, { pattern: { glob: "*.b" } }] },
              didCreate: { filters: [] },
            },
          },
        },
      ],
    },
    {
      "workspace.workspaceFolders": { supported: true, changeNotifications: true },
      "workspace.fileOperations": {
        willRename: { filters: [{ pattern: { glob: "*.a" } }, { pattern: { glob: "*.b" } }] },
        didCreate: { filters: [] },
      },
    },
  ],
  [
    "notebooks are not built",
    { recorded: [{ notebookDocumentSync: { notebookSelector: [] } }] },
    { notebookDocumentSync: undefined },
  ],
  [
    "encoding and our own requests",
    { encoding: "utf-8", experimental: { symbolByName: true } },
    { positionEncoding: "utf-8", experimental: { symbolByName: true } },
  ],
];
for (const [why, parts, expected] of unions)
  test(`announced: ${why}`, () => {
    const found = announced(parts);
    for (const [path, value] of Object.entries(expected)) assert.deepEqual(lookUp(found, path), value, path);
  });

test("a backend that was never recorded counts as able of every method whose announcement needs no list", () => {
  const all = announced({ client: rich, unrecorded: true });
  const able = new Registrations(all);
  const without = rows.filter((row) => row.direction === "toServer" && !able.can(row)).map(({ method }) => method);
  assert.deepEqual(without.filter((method) => !method.startsWith("notebookDocument/")).toSorted(), [
    "textDocument/onTypeFormatting",
    "textDocument/semanticTokens/full/delta",
    "textDocument/willSave",
    "textDocument/willSaveWaitUntil",
    "workspace/diagnostic",
    "workspace/didCreateFiles",
    "workspace/didDeleteFiles",
    "workspace/didRenameFiles",
    "workspace/textDocumentContent",
    "workspace/willCreateFiles",
    "workspace/willDeleteFiles",
    "workspace/willRenameFiles",
  ]);
  assert.deepEqual(lookUp(all, "executeCommandProvider.commands"), []);
  assert.equal(lookUp(all, "completionProvider.triggerCharacters"), undefined);
  assert.equal(lookUp(all, "completionProvider.resolveProvider"), true);
  assert.deepEqual(lookUp(all, "semanticTokensProvider.legend"), legend);
});

test("announced methods are those never to be registered dynamically as well", () => {
  const found = announcedMethods(
    announced({ recorded: [{ hoverProvider: true, semanticTokensProvider: { full: true } }] }),
  );
  for (const method of [M.hover, "textDocument/semanticTokens", M.didOpen, M.didChange, M.didChangeWorkspaceFolders])
    assert.ok(found.has(method), method);
  for (const method of [
    M.references,
    "textDocument/semanticTokens/range",
    "notebookDocument/sync",
    M.didChangeWatchedFiles,
  ])
    assert.ok(!found.has(method), method);
});

test("what real servers were recorded to be able of is announced", (t) => {
  const recordings = adapters.flatMap(({ name }): Options[] => {
    const recording = recorded(name);
    return recording ? [recording.capabilities] : [];
  });
  if (recordings.length === 0) return t.skip("no recordings in adapters/capabilities");
  const able = new Registrations(announced({ client: rich, recorded: recordings }));
  // Not built.
  const never = new Set([
    "textDocument/semanticTokens/full/delta",
    "workspace/diagnostic",
    "workspace/textDocumentContent",
  ]);
  for (const row of rows) {
    if (row.direction !== "toServer" || never.has(row.method) || row.own === "notebook") continue;
    const has = recordings.some((one) => new Registrations(one).can(row));
    if (has) assert.ok(able.can(row), row.method);
  }
});

test("towards a backend: what we do ourselves, over what the client is able of", () => {
  const client: ClientCapabilities = {
    general: { positionEncodings: ["utf-8", "utf-16"], markdown: { parser: "x" } },
    workspace: {
      applyEdit: true,
      configuration: false,
      symbol: { resolveSupport: { properties: ["location.range"] } },
    },
    textDocument: {
      documentSymbol: { hierarchicalDocumentSymbolSupport: false },
      hover: { contentFormat: ["plaintext"] },
    },
    notebookDocument: { synchronization: {} },
    experimental: { mine: true },
  };
  const before = structuredClone(client);
  const found = towardsBackend(client, { capabilities: { experimental: { serverStatusNotification: true } } });
  const expected: Expected = {
    "general.positionEncodings": ["utf-16"],
    "general.markdown": { parser: "x" },
    "window.workDoneProgress": true,
    "workspace.applyEdit": true,
    "workspace.configuration": true,
    "workspace.workspaceFolders": true,
    "workspace.symbol": { resolveSupport: { properties: ["location.range"] }, dynamicRegistration: true },
    "workspace.didChangeWatchedFiles": { dynamicRegistration: true, relativePatternSupport: true },
    "workspace.didChangeConfiguration": { dynamicRegistration: true },
    "workspace.diagnostics": { refreshSupport: true },
    "workspace.inlayHint": undefined,
    "textDocument.documentSymbol": { hierarchicalDocumentSymbolSupport: true, dynamicRegistration: true },
    "textDocument.hover": { contentFormat: ["plaintext"], dynamicRegistration: true },
    "textDocument.diagnostic.dynamicRegistration": true,
    "textDocument.publishDiagnostics": { versionSupport: true },
    "textDocument.synchronization.dynamicRegistration": true,
    "textDocument.semanticTokens": undefined,
    notebookDocument: undefined,
    offsetEncoding: undefined,
    experimental: { mine: true, serverStatusNotification: true },
  };
  for (const [path, value] of Object.entries(expected)) assert.deepEqual(lookUp(found, path), value, path);
  assert.deepEqual(client, before, "the client's own are not changed");
});

test("towards a backend: the client's own token types, without deltas; clangd's older offer of encodings", () => {
  const semanticTokens = {
    requests: { full: { delta: true }, range: true },
    tokenTypes: ["x"],
    tokenModifiers: [],
    formats: ["relative" as const],
  };
  const client = { textDocument: { semanticTokens }, offsetEncoding: ["utf-8"] };
  const found = towardsBackend(client, {});
  assert.deepEqual(lookUp(found, "textDocument.semanticTokens"), {
    ...semanticTokens,
    requests: { full: true, range: true },
    dynamicRegistration: true,
  });
  assert.deepEqual(lookUp(found, "offsetEncoding"), ["utf-16"]);
});

test("towards a backend: registrations for all that can be registered and routed", () => {
  const found = towardsBackend({}, {});
  for (const { direction, method, capability, clientCapability } of rows) {
    const isOurs = direction === "toServer" && capability !== null && clientCapability !== null;
    if (!isOurs || /^(notebookDocument|textDocument\/semanticTokens)/.test(method)) continue;
    assert.equal(lookUp(found, `${clientCapability}.dynamicRegistration`), true, method);
  }
  assert.ok(rowOf(M.hover));
});

function announced(parts: Partial<Parts>): Options {
  return announce({
    recorded: [],
    unrecorded: false,
    legend,
    encoding: "utf-16",
    client: {},
    commands: [],
    experimental: {},
    ...parts,
  });
}
