/**
 * The abilities that a backend is told of where it may have several clients, whoever is there first: the richest set whose
 * answers can be brought into the form that each client takes (`forms.ts`), or whose surplus no client minds. What is left out
 * cannot be taken back for a client without it: item defaults, two ranges of an edit, annotated changes, hints and symbols
 * with parts that come later, experiments.
 */
import type { ClientCapabilities } from "../../protocol/messages.ts";
import { standard } from "../tokens.ts";

const dynamic = { dynamicRegistration: true } as const;
const link = { dynamicRegistration: true, linkSupport: true } as const;
const markup: ("markdown" | "plaintext")[] = ["markdown", "plaintext"];
const refreshes = { refreshSupport: true } as const;

export const richest: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { showMessage: { messageActionItem: {} }, showDocument: { support: true } },
  workspace: {
    applyEdit: true,
    executeCommand: dynamic,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    symbol: {
      ...dynamic,
      symbolKind: { valueSet: numbers(26) },
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
    semanticTokens: refreshes,
    codeLens: refreshes,
    inlayHint: refreshes,
    inlineValue: refreshes,
    foldingRange: refreshes,
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
      completionItemKind: { valueSet: numbers(25) },
      completionItem: {
        snippetSupport: true,
        commitCharactersSupport: true,
        documentationFormat: markup,
        deprecatedSupport: true,
        preselectSupport: true,
        labelDetailsSupport: true,
        tagSupport: { valueSet: [1] },
        resolveSupport: { properties: ["documentation", "detail", "additionalTextEdits"] },
      },
    },
    hover: { ...dynamic, contentFormat: markup },
    signatureHelp: {
      ...dynamic,
      contextSupport: true,
      signatureInformation: {
        documentationFormat: markup,
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
      symbolKind: { valueSet: numbers(26) },
      tagSupport: { valueSet: [1] },
      hierarchicalDocumentSymbolSupport: true,
    },
    codeAction: {
      ...dynamic,
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit", "command"] },
      codeActionLiteralSupport: {
        codeActionKind: {
          valueSet: [
            "",
            "quickfix",
            "refactor",
            "refactor.extract",
            "refactor.inline",
            "refactor.rewrite",
            "source",
            "source.organizeImports",
            "source.fixAll",
          ],
        },
      },
    },
    codeLens: dynamic,
    documentLink: { ...dynamic, tooltipSupport: true },
    colorProvider: dynamic,
    formatting: dynamic,
    rangeFormatting: dynamic,
    onTypeFormatting: dynamic,
    rename: { ...dynamic, prepareSupport: true },
    // As most editors fold; the others lose a column.
    foldingRange: { ...dynamic, lineFoldingOnly: true },
    selectionRange: dynamic,
    linkedEditingRange: dynamic,
    callHierarchy: dynamic,
    typeHierarchy: dynamic,
    moniker: dynamic,
    inlineValue: dynamic,
    inlayHint: dynamic,
    semanticTokens: {
      ...dynamic,
      requests: { range: true, full: true },
      tokenTypes: [...standard.tokenTypes],
      tokenModifiers: [...standard.tokenModifiers],
      formats: ["relative"],
      overlappingTokenSupport: false,
      multilineTokenSupport: false,
    },
  },
};

/** LSP's kinds, from 1 up. */
function numbers<T extends number>(last: T): T[] {
  return Array.from({ length: last }, (_, i) => (i + 1) as T);
}
