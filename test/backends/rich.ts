/**
 * The abilities of a client that takes everything, as the recorder and the tests on real servers announce them: what a
 * server announces depends on them. Only UTF-16 is offered, as Switchboard does towards its backends.
 */
import type { ClientCapabilities, CompletionItemKind, SymbolKind } from "vscode-languageserver-protocol";

const symbolKind = { valueSet: Array.from({ length: 26 }, (_, i) => (i + 1) as SymbolKind) };
const completionItemKind = { valueSet: Array.from({ length: 25 }, (_, i) => (i + 1) as CompletionItemKind) };
const dynamic = { dynamicRegistration: true } as const;
const link = { dynamicRegistration: true, linkSupport: true } as const;

const tokenTypes = (
  "namespace type class enum interface struct typeParameter parameter variable property enumMember event function " +
  "method macro keyword modifier comment string number regexp operator decorator label"
).split(" ");
const tokenModifiers =
  "declaration definition readonly static deprecated abstract async modification documentation defaultLibrary".split(
    " ",
  );

export const richCapabilities: ClientCapabilities = {
  general: {
    positionEncodings: ["utf-16"],
    staleRequestSupport: { cancel: true, retryOnContentModified: [] },
    markdown: { parser: "marked", version: "1.1.0" },
    regularExpressions: { engine: "ECMAScript", version: "ES2020" },
  },
  window: { workDoneProgress: true, showMessage: { messageActionItem: {} }, showDocument: { support: true } },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: dynamic,
    didChangeWatchedFiles: { ...dynamic, relativePatternSupport: true },
    executeCommand: dynamic,
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ["create", "rename", "delete"],
      failureHandling: "textOnlyTransactional",
      normalizesLineEndings: true,
      changeAnnotationSupport: { groupsOnLabel: true },
    },
    symbol: {
      ...dynamic,
      symbolKind,
      tagSupport: { valueSet: [1] },
      resolveSupport: { properties: ["location.range"] },
    },
    fileOperations: {
      ...dynamic,
      willCreate: true,
      didCreate: true,
      willRename: true,
      didRename: true,
      willDelete: true,
      didDelete: true,
    },
    semanticTokens: { refreshSupport: true },
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    inlineValue: { refreshSupport: true },
    diagnostics: { refreshSupport: true },
    foldingRange: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { ...dynamic, willSave: true, willSaveWaitUntil: true, didSave: true },
    publishDiagnostics: {
      relatedInformation: true,
      versionSupport: true,
      codeDescriptionSupport: true,
      dataSupport: true,
      tagSupport: { valueSet: [1, 2] },
    },
    diagnostic: { ...dynamic, relatedDocumentSupport: true },
    completion: {
      ...dynamic,
      contextSupport: true,
      insertTextMode: 2,
      completionItemKind,
      completionItem: {
        snippetSupport: true,
        commitCharactersSupport: true,
        documentationFormat: ["markdown", "plaintext"],
        deprecatedSupport: true,
        preselectSupport: true,
        insertReplaceSupport: true,
        labelDetailsSupport: true,
        tagSupport: { valueSet: [1] },
        insertTextModeSupport: { valueSet: [1, 2] },
        resolveSupport: { properties: ["documentation", "detail", "additionalTextEdits"] },
      },
      completionList: { itemDefaults: ["commitCharacters", "editRange", "insertTextFormat", "insertTextMode", "data"] },
    },
    hover: { ...dynamic, contentFormat: ["markdown", "plaintext"] },
    signatureHelp: {
      ...dynamic,
      contextSupport: true,
      signatureInformation: {
        documentationFormat: ["markdown", "plaintext"],
        activeParameterSupport: true,
        parameterInformation: { labelOffsetSupport: true },
      },
    },
    declaration: link,
    definition: link,
    typeDefinition: link,
    implementation: link,
    references: dynamic,
    documentHighlight: dynamic,
    documentSymbol: {
      ...dynamic,
      symbolKind,
      tagSupport: { valueSet: [1] },
      hierarchicalDocumentSymbolSupport: true,
      labelSupport: true,
    },
    codeAction: {
      ...dynamic,
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      honorsChangeAnnotations: true,
      resolveSupport: { properties: ["edit", "command"] },
      codeActionLiteralSupport: {
        codeActionKind: {
          valueSet: ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite"].concat(
            ["source", "source.organizeImports", "source.fixAll"], // on whole files
          ),
        },
      },
    },
    codeLens: dynamic,
    documentLink: { ...dynamic, tooltipSupport: true },
    colorProvider: dynamic,
    formatting: dynamic,
    rangeFormatting: { ...dynamic, rangesSupport: true },
    onTypeFormatting: dynamic,
    rename: { ...dynamic, prepareSupport: true, prepareSupportDefaultBehavior: 1, honorsChangeAnnotations: true },
    foldingRange: {
      ...dynamic,
      rangeLimit: 5000,
      lineFoldingOnly: true,
      foldingRangeKind: { valueSet: ["comment", "imports", "region"] },
      foldingRange: { collapsedText: true },
    },
    selectionRange: dynamic,
    linkedEditingRange: dynamic,
    callHierarchy: dynamic,
    typeHierarchy: dynamic,
    moniker: dynamic,
    inlineValue: dynamic,
    inlayHint: {
      ...dynamic,
      resolveSupport: { properties: ["tooltip", "textEdits", "label.tooltip", "label.location"] },
    },
    semanticTokens: {
      ...dynamic,
      requests: { range: true, full: { delta: true } },
      tokenTypes,
      tokenModifiers,
      formats: ["relative"],
      overlappingTokenSupport: false,
      multilineTokenSupport: false,
      serverCancelSupport: true,
      augmentsSyntaxTokens: true,
    },
  },
};
