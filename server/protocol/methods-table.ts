/**
 * THE TABLE: one row for every method of LSP 3.18, both directions. Columns and their meaning: `Row` in methods.ts;
 * what a family of methods has in common: methods-families.ts. A missing or invented method, a wrong kind, an `empty`
 * that is no result of the method, or a capability path that LSP does not have does not compile.
 * Longer than other files because it is data that is read side by side.
 */

import type { ClientPath, Kind, Method, Result, ServerPath } from "./messages.ts";
import type { Row } from "./methods.ts";
import {
  acted,
  asksClient,
  asksMux,
  calls,
  commandMs,
  decoration,
  definition,
  dialogMs,
  didFiles,
  type ECHO,
  edited,
  fact,
  factMs,
  file,
  formatting,
  hinted,
  lent,
  life,
  notebook,
  notification,
  opaque,
  places,
  prepare,
  projectMs,
  refresh,
  request,
  resolve,
  startMs,
  stopMs,
  stretch,
  sync,
  tells,
  tokens,
  told,
  triggerCharacter,
  typed,
  typedMs,
  types,
  userMs,
  versioned,
  willFiles,
} from "./methods-families.ts";

/**
 * A row as written below. Without a `clientCapability` it has the one that LSP's naming gives: what is registered as
 * "textDocument/hover" is announced under "textDocument.hover".
 */
interface Cells<M extends Method> extends Omit<Row, keyof Checked<M> | "method">, Checked<M> {}

interface Checked<M extends Method> {
  readonly kind: Kind<M>;
  readonly capability: ServerPath | null;
  readonly clientCapability?: ClientPath | null;
  readonly empty: Result<M> | typeof ECHO;
  readonly without: { readonly result: Result<M> } | "own" | null;
}

const table = {
  // Life cycle. The hard limits are those towards a backend.
  initialize: { ...life, own: "initialize", asks: ["uri", "token"], limits: startMs, empty: { capabilities: {} } },
  initialized: { ...told, own: "initialized" },
  shutdown: { ...life, own: "shutdown", asks: [], limits: stopMs, empty: null },
  exit: { ...told, own: "exit" },
  "$/cancelRequest": { ...notification, direction: "both", route: "mux", capability: null, own: "cancel" },
  "$/progress": {
    ...notification,
    direction: "both",
    route: "mux",
    capability: null,
    own: "progress",
    asks: ["token"],
    carries: ["token"],
  },
  "$/setTrace": { ...told, own: "setTrace" },
  "$/logTrace": { ...tells, route: "origin", own: null },
  "telemetry/event": { ...tells, route: "origin", own: null },

  // Documents
  "textDocument/didOpen": {
    ...sync,
    own: "didOpen",
    capability: "textDocumentSync.openClose",
    asks: ["uri", "version"],
    carries: ["uri", "version"],
  },
  "textDocument/didChange": {
    ...sync,
    own: "didChange",
    capability: "textDocumentSync",
    asks: versioned,
    carries: versioned,
  },
  "textDocument/willSave": {
    ...sync,
    own: "willSave",
    capability: "textDocumentSync.willSave",
    asks: ["uri"],
    carries: ["uri"],
  },
  "textDocument/willSaveWaitUntil": {
    ...formatting,
    // Each server's edits are for the text as it is; the one saved has those of all.
    merge: "textEdits",
    capability: "textDocumentSync.willSaveWaitUntil",
    cancel: "afterAnswer",
    clientCapability: "textDocument.synchronization",
    asks: ["uri"],
    limits: { soft: 250, hard: 5_000 },
    retry: "never",
  },
  "textDocument/didSave": {
    ...sync,
    own: "didSave",
    capability: "textDocumentSync.save",
    asks: ["uri"],
    carries: ["uri"],
  },
  "textDocument/didClose": {
    ...sync,
    own: "didClose",
    capability: "textDocumentSync.openClose",
    asks: ["uri"],
    carries: ["uri"],
  },
  "notebookDocument/didOpen": { ...notebook, asks: ["uri", "version"], carries: ["uri", "version"] },
  "notebookDocument/didChange": { ...notebook, asks: versioned, carries: versioned },
  "notebookDocument/didSave": { ...notebook, asks: ["uri"], carries: ["uri"] },
  "notebookDocument/didClose": { ...notebook, asks: ["uri"], carries: ["uri"] },

  // Typed at, looked at
  "textDocument/completion": {
    ...typed,
    capability: "completionProvider",
    merge: "completion",
    carries: lent,
    triggers: { at: triggerCharacter, lists: ["triggerCharacters"], otherwise: [1, 1] },
  },
  "completionItem/resolve": {
    ...resolve,
    capability: "completionProvider.resolveProvider",
    registration: "textDocument/completion",
    carries: lent,
  },
  "textDocument/inlineCompletion": {
    ...typed,
    capability: "inlineCompletionProvider",
    merge: "append",
    asks: ["uri", "position", "range", "token"],
    carries: ["range", "command"],
  },
  "textDocument/hover": { ...typed, capability: "hoverProvider", merge: "joinHover" },
  "textDocument/signatureHelp": {
    ...typed,
    capability: "signatureHelpProvider",
    carries: [],
    triggers: { at: triggerCharacter, lists: ["triggerCharacters", "retriggerCharacters"], otherwise: [1, 3] },
  },
  "textDocument/documentHighlight": { ...typed, capability: "documentHighlightProvider" },
  "textDocument/linkedEditingRange": { ...typed, capability: "linkedEditingRangeProvider" },
  "textDocument/selectionRange": { ...typed, capability: "selectionRangeProvider" },
  "textDocument/prepareRename": {
    ...typed,
    merge: "accepts",
    capability: "renameProvider.prepareProvider",
    registration: "textDocument/rename",
    unserved: "error",
  },
  "textDocument/codeAction": {
    ...decoration,
    capability: "codeActionProvider",
    merge: "codeActions",
    asks: ["uri", "range", "data", "token"],
    carries: acted,
  },
  "codeAction/resolve": {
    ...resolve,
    capability: "codeActionProvider.resolveProvider",
    registration: "textDocument/codeAction",
    asks: edited,
    carries: acted,
  },

  // Decorations
  "textDocument/semanticTokens/full": { ...tokens, merge: "tokens", capability: "semanticTokensProvider.full" },
  // Worked out here from all tokens: whoever has these can be asked.
  "textDocument/semanticTokens/full/delta": {
    ...tokens,
    route: "mux",
    merge: "none",
    own: "semanticTokensDelta",
    capability: "semanticTokensProvider.full.delta",
  },
  "textDocument/semanticTokens/range": { ...tokens, capability: "semanticTokensProvider.range", asks: stretch },
  "textDocument/foldingRange": { ...decoration, capability: "foldingRangeProvider" },
  "textDocument/inlayHint": { ...decoration, capability: "inlayHintProvider", asks: stretch, carries: hinted },
  "inlayHint/resolve": {
    ...resolve,
    capability: "inlayHintProvider.resolveProvider",
    registration: "textDocument/inlayHint",
    asks: opaque,
    carries: hinted,
  },
  "textDocument/inlineValue": { ...decoration, capability: "inlineValueProvider", asks: stretch },
  "textDocument/codeLens": { ...decoration, capability: "codeLensProvider", carries: lent },
  "codeLens/resolve": {
    ...resolve,
    capability: "codeLensProvider.resolveProvider",
    registration: "textDocument/codeLens",
    carries: lent,
  },
  "textDocument/documentLink": { ...decoration, capability: "documentLinkProvider", carries: opaque },
  "documentLink/resolve": {
    ...resolve,
    capability: "documentLinkProvider.resolveProvider",
    registration: "textDocument/documentLink",
    asks: opaque,
    carries: opaque,
  },
  "textDocument/documentColor": {
    ...decoration,
    capability: "colorProvider",
    clientCapability: "textDocument.colorProvider",
    empty: [],
  },
  "textDocument/colorPresentation": {
    ...decoration,
    capability: "colorProvider",
    registration: "textDocument/documentColor",
    clientCapability: "textDocument.colorProvider",
    asks: stretch,
    empty: [],
  },

  // Formatting
  "textDocument/formatting": { ...formatting, capability: "documentFormattingProvider" },
  "textDocument/rangeFormatting": { ...formatting, capability: "documentRangeFormattingProvider", asks: stretch },
  "textDocument/rangesFormatting": {
    ...formatting,
    capability: "documentRangeFormattingProvider.rangesSupport",
    registration: "textDocument/rangeFormatting",
    asks: stretch,
  },
  "textDocument/onTypeFormatting": {
    ...formatting,
    capability: "documentOnTypeFormattingProvider",
    asks: ["uri", "position"],
    limits: typedMs,
    triggers: { at: ["ch"], lists: ["firstTriggerCharacter", "moreTriggerCharacter"] },
  },

  // Facts
  "textDocument/definition": { ...definition, capability: "definitionProvider" },
  "textDocument/declaration": { ...definition, capability: "declarationProvider" },
  "textDocument/typeDefinition": { ...definition, capability: "typeDefinitionProvider" },
  "textDocument/implementation": { ...definition, capability: "implementationProvider", foreign: "dropped" },
  "textDocument/references": {
    ...fact,
    capability: "referencesProvider",
    gate: "references",
    limits: projectMs,
    foreign: "dropped",
  },
  "textDocument/moniker": { ...fact, capability: "monikerProvider", merge: "append", carries: [], unserved: "empty" },
  "textDocument/documentSymbol": {
    ...fact,
    capability: "documentSymbolProvider",
    merge: "first",
    align: "document",
    asks: file,
  },
  "workspace/symbol": {
    ...fact,
    route: "all",
    capability: "workspaceSymbolProvider",
    merge: "symbols",
    gate: "symbol",
    asks: ["token"],
    carries: opaque,
    empty: [],
    foreign: "dropped",
  },
  "workspaceSymbol/resolve": {
    ...resolve,
    capability: "workspaceSymbolProvider.resolveProvider",
    registration: "workspace/symbol",
    asks: opaque,
    carries: opaque,
  },
  "textDocument/prepareCallHierarchy": {
    ...prepare,
    capability: "callHierarchyProvider",
    clientCapability: "textDocument.callHierarchy",
  },
  "callHierarchy/incomingCalls": { ...calls, foreign: "dropped" },
  "callHierarchy/outgoingCalls": { ...calls },
  "textDocument/prepareTypeHierarchy": {
    ...prepare,
    capability: "typeHierarchyProvider",
    clientCapability: "textDocument.typeHierarchy",
  },
  "typeHierarchy/supertypes": { ...types },
  "typeHierarchy/subtypes": { ...types, foreign: "dropped" },
  "textDocument/rename": {
    ...fact,
    capability: "renameProvider",
    merge: "rename",
    gate: "rename",
    carries: versioned,
    // The user decided on what stood there; what changed since is for them to see.
    retry: "never",
  },

  // Diagnostics
  "textDocument/diagnostic": {
    ...fact,
    capability: "diagnosticProvider",
    merge: "diagnostics",
    asks: file,
    carries: opaque,
    empty: { kind: "full", items: [] },
    foreign: "dropped",
  },
  // A server may hold it back until something changes (LSP 3.18, "Workspace Diagnostics"): the others' reports do not wait.
  "workspace/diagnostic": {
    ...fact,
    route: "all",
    capability: "diagnosticProvider.workspaceDiagnostics",
    registration: "textDocument/diagnostic",
    merge: "diagnostics",
    asks: file,
    carries: edited,
    limits: { soft: 2_000, hard: dialogMs.hard },
    empty: { items: [] },
    foreign: "dropped",
  },
  // To every client, announced or not: the simplest ones announce nothing and show them all the same.
  "textDocument/publishDiagnostics": {
    ...tells,
    route: "mux",
    own: "publishDiagnostics",
    asks: edited,
    carries: edited,
  },

  // Workspace
  "workspace/executeCommand": {
    ...request,
    route: "mux",
    own: "executeCommand",
    merge: "none",
    capability: "executeCommandProvider",
    cancel: "afterAnswer",
    gate: "pass",
    align: "project",
    asks: ["data", "token"],
    carries: [],
    limits: commandMs,
    retry: "never",
    empty: null,
    unserved: "error",
  },
  "workspace/didChangeConfiguration": {
    ...told,
    own: "didChangeConfiguration",
    clientCapability: "workspace.didChangeConfiguration",
  },
  "workspace/didChangeWatchedFiles": {
    ...told,
    own: "didChangeWatchedFiles",
    clientCapability: "workspace.didChangeWatchedFiles",
    asks: ["uri"],
    carries: ["uri"],
  },
  "workspace/didChangeWorkspaceFolders": {
    ...told,
    own: "didChangeWorkspaceFolders",
    capability: "workspace.workspaceFolders.changeNotifications",
    asks: ["uri"],
    carries: ["uri"],
  },
  "workspace/willCreateFiles": { ...willFiles, capability: "workspace.fileOperations.willCreate" },
  "workspace/willRenameFiles": { ...willFiles, capability: "workspace.fileOperations.willRename" },
  "workspace/willDeleteFiles": { ...willFiles, capability: "workspace.fileOperations.willDelete" },
  "workspace/didCreateFiles": { ...didFiles, capability: "workspace.fileOperations.didCreate" },
  "workspace/didRenameFiles": { ...didFiles, capability: "workspace.fileOperations.didRename" },
  "workspace/didDeleteFiles": { ...didFiles, capability: "workspace.fileOperations.didDelete" },
  // Documents of a scheme that a backend made up. It alone serves it, so the first that can is the owner.
  "workspace/textDocumentContent": {
    ...typed,
    capability: "workspace.textDocumentContent",
    align: "none",
    asks: ["uri"],
    carries: [],
    limits: factMs,
    empty: { text: "" },
    unserved: "error",
  },

  // Requests and notifications of backends
  "client/registerCapability": { ...asksMux, own: "registerCapability" },
  "client/unregisterCapability": { ...asksMux, own: "unregisterCapability" },
  "workspace/configuration": {
    ...asksMux,
    own: "configuration",
    clientCapability: "workspace.configuration",
    asks: ["uri"],
    empty: [],
  },
  "workspace/workspaceFolders": {
    ...asksMux,
    own: "workspaceFolders",
    clientCapability: "workspace.workspaceFolders",
    carries: ["uri"],
  },
  "window/workDoneProgress/create": {
    ...asksMux,
    own: "workDoneProgressCreate",
    clientCapability: "window.workDoneProgress",
    asks: ["token"],
    without: { result: null },
  },
  "window/workDoneProgress/cancel": { ...told, own: "workDoneProgressCancel", asks: ["token"], carries: ["token"] },
  "workspace/applyEdit": {
    ...asksClient,
    clientCapability: "workspace.applyEdit",
    asks: versioned,
    limits: userMs,
    empty: { applied: false },
    without: { result: { applied: false, failureReason: "No client that can apply edits has answered." } },
  },
  "window/showDocument": {
    ...asksClient,
    clientCapability: "window.showDocument.support",
    asks: places,
    empty: { success: false },
    without: { result: { success: false } },
  },
  "window/showMessageRequest": { ...asksClient, limits: dialogMs },
  "window/showMessage": { ...tells, route: "mux", own: "showMessage" },
  "window/logMessage": { ...tells, route: "mux", own: "logMessage" },
  "workspace/codeLens/refresh": { ...refresh, clientCapability: "workspace.codeLens.refreshSupport" },
  "workspace/diagnostic/refresh": { ...refresh, clientCapability: "workspace.diagnostics.refreshSupport" },
  "workspace/foldingRange/refresh": { ...refresh, clientCapability: "workspace.foldingRange.refreshSupport" },
  "workspace/inlayHint/refresh": { ...refresh, clientCapability: "workspace.inlayHint.refreshSupport" },
  "workspace/inlineValue/refresh": { ...refresh, clientCapability: "workspace.inlineValue.refreshSupport" },
  "workspace/semanticTokens/refresh": { ...refresh, clientCapability: "workspace.semanticTokens.refreshSupport" },
  "workspace/textDocumentContent/refresh": {
    ...asksClient,
    clientCapability: "workspace.textDocumentContent",
    asks: ["uri"],
  },
} satisfies { readonly [M in Method]: Cells<M> };

/** The rows' own types, for checks of what they say against the package's types. */
export type Table = typeof table;

/** The rows above, in their order. */
export const lspRows: readonly Row[] = Object.entries<Cells<Method>>(table).map(([method, cells]) => ({
  method,
  ...cells,
  clientCapability:
    cells.clientCapability === undefined ? (cells.registration ?? method).replace("/", ".") : cells.clientCapability,
}));
