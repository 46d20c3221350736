/**
 * Forms of answers. LSP lets some results have several forms, and a client takes only those that it announced; a backend
 * may know richer ones, because we announce what we can convert. One table, keyed by the client capability of a row.
 * Values are parsed answers in the client's positions; an answer that needs nothing is returned as the same object.
 */
import type { ClientCapabilities, Location, LocationLink, TextEdit, WorkspaceSymbol } from "../../protocol/messages.ts";
import { M, type Row } from "../../protocol/methods.ts";
import { isObject, lookUp } from "../settings.ts";
import { isListOf, mapped } from "./lists.ts";
import {
  COMPLETION_FORMATS,
  plainCompletions,
  plainSignatures,
  SIGNATURE,
  takesActions,
  takesMarkdown,
  takesSnippets,
  unresolvedActions,
  usableActions,
} from "./lowered.ts";
import { plainText } from "./markdown.ts";
import { type Asked, flat, isDocumentSymbol, isRange, isSymbolInformation, tree, widened } from "./symbols.ts";

/** The answer in a form that the client takes. */
export function toClientForm(row: Row, result: unknown, client: ClientCapabilities, asked: Asked): unknown {
  const form = formOf(row);
  if (!form) return result;
  return form.taken(client, row) ? form.repair(result, asked) : form.lower(result, asked, client);
}

/**
 * Whether the client takes every form of the row that was announced to the backend, so that an answer may pass untouched:
 * unless it contains `foreignMark(row)`.
 */
export function takesForms(row: Row, client: ClientCapabilities, announced: ClientCapabilities): boolean {
  const form = formOf(row);
  if (!form || form.taken(client, row)) return true;
  return form.heeded !== false && !form.taken(announced, row);
}

/** Whether an answer may have a form that a client with poorer ones cannot take: read from its bytes alone, so that it need not be parsed. */
export function mayBeRich(row: Row, { bytes }: { readonly bytes: Buffer }): boolean {
  return formOf(row)?.rich?.some((word) => bytes.includes(word)) ?? true;
}

/**
 * A key that in the bytes of an answer betrays a form that the client should not see although it is legal: backends that
 * know only flat symbols. null: there is none.
 */
export function foreignMark(row: Row): string | null {
  return formOf(row)?.mark ?? null;
}

/**
 * Items that must be resolved first for a client that cannot do so itself, by their indexes, and the method for it: symbols
 * that say no range, actions that say nothing of what they do.
 */
export function unresolved(
  row: Row,
  result: unknown,
  client: ClientCapabilities,
): { readonly method: string; readonly indexes: readonly number[] } | null {
  const form = formOf(row);
  if (form?.unresolved === undefined) return null;
  const { method, of } = form.unresolved;
  const indexes = Array.isArray(result) ? of(result, client) : [];
  return indexes.length === 0 ? null : { method, indexes };
}

function rangeless(result: readonly unknown[], client: ClientCapabilities): readonly number[] {
  if (resolvesRanges(client)) return [];
  return result.flatMap((item, i) => (isWorkspaceSymbol(item) && !("range" in item.location) ? [i] : []));
}

interface Form {
  /** Whether a peer with these capabilities takes the rich form. */
  readonly taken: (capabilities: ClientCapabilities, row: Row) => boolean;
  /** For clients that do not take it. */
  readonly lower: (result: unknown, asked: Asked, client: ClientCapabilities) => unknown;
  /** For those that do: mends what backends get wrong. */
  readonly repair: (result: unknown, asked: Asked) => unknown;
  readonly mark?: string;
  /** Of these words one stands in every answer that `lower` changes; none: nothing is known. */
  readonly rich?: readonly string[];
  /** Items that a client cannot use before they are resolved, and the method that does it. */
  readonly unresolved?: {
    readonly method: string;
    readonly of: (result: readonly unknown[], client: ClientCapabilities) => readonly number[];
  };
  /** false: backends send the rich form whatever they are told. */
  readonly heeded?: false;
}

const links: Form = {
  taken: (capabilities, row) => lookUp(capabilities, `${row.clientCapability}.linkSupport`) === true,
  lower: (result) => mapped(result, (item) => (isLocationLink(item) ? plainLocation(item) : item)),
  repair: (result) => result,
  rich: ['"targetUri"'],
};

/** Of gopls, pyright and rust-analyzer all edits are `documentChanges`, which a weak client takes for none at all. */
const workspaceEdits: Form = {
  taken: takesDocumentChanges,
  lower: (result) =>
    mapped(result, (item) => {
      if (!isObject(item) || !("edit" in item)) return withChanges(item);
      const edit = withChanges(item.edit);
      return edit === item.edit ? item : { ...item, edit };
    }),
  repair: (result) => result,
  rich: ['"documentChanges"'],
  heeded: false,
};

const forms: Readonly<Record<string, Form>> = {
  "textDocument.rename": workspaceEdits,
  "textDocument.codeAction": {
    taken: (capabilities) => takesDocumentChanges(capabilities) && takesActions(capabilities),
    lower: (result, asked, client) => {
      const usable = usableActions(result, client);
      return takesDocumentChanges(client) ? usable : workspaceEdits.lower(usable, asked, client);
    },
    repair: workspaceEdits.repair,
    heeded: false,
    unresolved: { method: M.codeActionResolve, of: unresolvedActions },
  },
  "textDocument.completion": {
    taken: (capabilities) => takesSnippets(capabilities) && takesMarkdown(capabilities, COMPLETION_FORMATS),
    lower: (result, _, client) => plainCompletions(result, client),
    repair: (result) => result,
    rich: ['"markdown"', '"insertTextFormat"'],
  },
  "textDocument.signatureHelp": {
    taken: (capabilities) =>
      takesMarkdown(capabilities, `${SIGNATURE}.documentationFormat`) &&
      lookUp(capabilities, `${SIGNATURE}.parameterInformation.labelOffsetSupport`) === true,
    lower: (result, _, client) => plainSignatures(result, client),
    repair: (result) => result,
  },
  "workspace.fileOperations": workspaceEdits,
  "workspace.applyEdit": workspaceEdits,
  "textDocument.definition": links,
  "textDocument.declaration": links,
  "textDocument.typeDefinition": links,
  "textDocument.implementation": links,
  "textDocument.documentSymbol": {
    taken: (capabilities) => capabilities.textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    lower: (result, asked) => (isListOf(result, isDocumentSymbol) ? flat(result, asked) : result),
    repair: (result, asked) => {
      if (isListOf(result, isSymbolInformation)) return tree(result, asked);
      return mapped(result, (item) => (isDocumentSymbol(item) ? widened(item) : item));
    },
    mark: '"location":',
    rich: ['"selectionRange"'],
  },
  "workspace.symbol": {
    taken: resolvesRanges,
    lower: (result) => mapped(result, (item) => (isWorkspaceSymbol(item) ? ranged(item) : item)),
    repair: (result) => result,
    unresolved: { method: M.workspaceSymbolResolve, of: rangeless },
  },
  "textDocument.hover": {
    // No list at all is an old client, which takes MarkedString: markdown.
    taken: (capabilities) => capabilities.textDocument?.hover?.contentFormat?.includes("markdown") ?? true,
    lower: (result) =>
      isObject(result) && "contents" in result ? { ...result, contents: plainText(result.contents) } : result,
    repair: (result) => result,
  },
};

function formOf(row: Row): Form | undefined {
  return row.clientCapability === null ? undefined : forms[row.clientCapability];
}

function takesDocumentChanges(capabilities: ClientCapabilities): boolean {
  return capabilities.workspace?.workspaceEdit?.documentChanges === true;
}

function resolvesRanges(capabilities: ClientCapabilities): boolean {
  return capabilities.workspace?.symbol?.resolveSupport?.properties.includes("location.range") ?? false;
}

function plainLocation({ targetUri, targetSelectionRange }: LocationLink): Location {
  return { uri: targetUri, range: targetSelectionRange };
}

/** An edit in the older form, without versions; what creates, renames or deletes files can be said in no other. */
function withChanges(edit: unknown): unknown {
  if (!isObject(edit) || !isListOf(edit.documentChanges, isTextDocumentEdit)) return edit;
  const { documentChanges, changeAnnotations: _, ...rest } = edit;
  const changes = new Map<string, TextEdit[]>();
  for (const { textDocument, edits } of documentChanges)
    changes.set(textDocument.uri, [...(changes.get(textDocument.uri) ?? []), ...edits]);
  return { ...rest, changes: Object.fromEntries(changes) };
}

/** Last resort for a symbol that nobody resolved: such clients drop the whole list where one range is missing. */
function ranged(symbol: WorkspaceSymbol): WorkspaceSymbol {
  if ("range" in symbol.location) return symbol;
  const start = { line: 0, character: 0 };
  return { ...symbol, location: { uri: symbol.location.uri, range: { start, end: start } } };
}

function isLocationLink(value: unknown): value is LocationLink {
  return isObject(value) && typeof value.targetUri === "string" && isRange(value.targetSelectionRange);
}

interface PlainDocumentEdit {
  readonly textDocument: { readonly uri: string };
  readonly edits: readonly TextEdit[];
}

function isTextDocumentEdit(value: unknown): value is PlainDocumentEdit {
  if (!isObject(value) || !isObject(value.textDocument) || typeof value.textDocument.uri !== "string") return false;
  const { edits } = value;
  return Array.isArray(edits) && edits.every((edit) => isObject(edit) && isRange(edit.range) && "newText" in edit);
}

function isWorkspaceSymbol(value: unknown): value is WorkspaceSymbol {
  return isObject(value) && isObject(value.location) && typeof value.location.uri === "string";
}
