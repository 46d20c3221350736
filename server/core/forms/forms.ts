/**
 * Forms of answers. LSP lets some results have several forms, and a client takes only those that it announced; a backend
 * may know richer ones, because we announce what we can convert. One table, keyed by the client capability of a row.
 * Values are parsed answers in the client's positions; an answer that needs nothing is returned as the same object.
 */
import type {
  ClientCapabilities,
  DocumentSymbol,
  Location,
  LocationLink,
  Position,
  Range,
  SymbolInformation,
  TextEdit,
  WorkspaceSymbol,
} from "../../protocol/messages.ts";
import { M, type Row } from "../../protocol/methods.ts";
import { advance, measure } from "../documents/units.ts";
import type { Encoding } from "../positions.ts";
import { isObject, lookUp } from "../settings.ts";
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

/** The document asked about. */
export interface Asked {
  /** As the client spells it. */
  readonly uri: string;
  /** Its lines (0-based) without their ends, where its text is at hand: names are looked for in it. */
  readonly line?: (line: number) => string | undefined;
  /** What columns count; default UTF-16. */
  readonly encoding?: Encoding;
}

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

/**
 * A tree of symbols as a list, parents first. A range starts at the symbol's name, where a client asks on, and not at its
 * comment; it still ends where the symbol does, so that ranges nest.
 */
function flat(symbols: readonly DocumentSymbol[], asked: Asked, container?: string): SymbolInformation[] {
  return symbols.flatMap((symbol) => {
    const { name, kind, tags, deprecated, selectionRange, children } = symbol;
    const information: SymbolInformation = {
      name,
      kind,
      ...(tags && { tags }),
      ...(deprecated !== undefined && { deprecated }),
      location: { uri: asked.uri, range: { start: selectionRange.start, end: bounds(symbol).end } },
      ...(container !== undefined && { containerName: container }),
    };
    return [information, ...flat(children ?? [], asked, name)];
  });
}

/** A list of symbols as a tree: a symbol lies in the nearest one whose range holds it, or that it names as its container. */
function tree(symbols: readonly SymbolInformation[], asked: Asked): DocumentSymbol[] {
  const top: DocumentSymbol[] = [];
  const open: { symbol: DocumentSymbol; children: DocumentSymbol[] }[] = [];
  const ordered = symbols.toSorted(
    ({ location: { range: a } }, { location: { range: b } }) => compare(a.start, b.start) || compare(b.end, a.end),
  );
  for (const { name, kind, tags, deprecated, containerName, location } of ordered) {
    const children: DocumentSymbol[] = [];
    const symbol: DocumentSymbol = {
      name,
      kind,
      ...(tags && { tags }),
      ...(deprecated !== undefined && { deprecated }),
      range: location.range,
      selectionRange: nameRange(name, location.range, asked),
      children,
    };
    let parent = open.at(-1);
    while (parent && parent.symbol.name !== containerName && !holds(parent.symbol.range, location.range)) {
      open.pop();
      parent = open.at(-1);
    }
    (parent?.children ?? top).push(symbol);
    open.push({ symbol, children });
  }
  return top;
}

/** Where the name is written in a symbol's range; its start when the text is not at hand or does not say it. */
function nameRange(name: string, range: Range, { line, encoding = "utf-16" }: Asked): Range {
  const last = Math.min(range.end.line, range.start.line + 100);
  for (let at = range.start.line; line && at <= last; at++) {
    const text = line(at) ?? "";
    const offset = ({ character }: Position): number => advance(text, 0, text.length, character, encoding);
    const place = (to: number): Position => ({ line: at, character: measure(text, 0, to, encoding) });
    const end = at === range.end.line ? offset(range.end) : text.length;
    let from = at === range.start.line ? offset(range.start) : 0;
    for (from = text.indexOf(name, from); from >= 0; from = text.indexOf(name, from + 1)) {
      const to = from + name.length;
      const isWhole = !wordEnd.test(text.slice(0, from)) && !wordStart.test(text.slice(to));
      if (isWhole && to <= end) return { start: place(from), end: place(to) };
    }
  }
  return { start: range.start, end: range.start };
}

/** A name goes on at the end of a text, or at its start. */
export const wordEnd = /[\p{L}\p{N}_$]$/u;
export const wordStart = /^[\p{L}\p{N}_$]/u;

/** The symbol and those in it with ranges that hold their names: clients reject the whole list where one does not. */
function widened(symbol: DocumentSymbol): DocumentSymbol {
  const range = bounds(symbol);
  const children = symbol.children && mapped(symbol.children, widened);
  if (range === symbol.range && children === symbol.children) return symbol;
  return { ...symbol, range, ...(children && { children }) };
}

/** LSP 3.18, DocumentSymbol: `selectionRange` must lie in `range`. */
function bounds({ range, selectionRange }: DocumentSymbol): Range {
  const start = compare(selectionRange.start, range.start) < 0 ? selectionRange.start : range.start;
  const end = compare(selectionRange.end, range.end) > 0 ? selectionRange.end : range.end;
  return start === range.start && end === range.end ? range : { start, end };
}

/** A list (or one item) with each item changed; the same object when none was. */
function mapped<T>(list: T[], change: (item: T) => T): T[];
function mapped(list: unknown, change: (item: unknown) => unknown): unknown;
function mapped(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return change(list);
  const items: readonly unknown[] = list;
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? list : changed;
}

function holds(outer: Range, inner: Range): boolean {
  const starts = compare(outer.start, inner.start);
  const ends = compare(outer.end, inner.end);
  return starts <= 0 && ends >= 0 && (starts !== 0 || ends !== 0);
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.length > 0 && value.every(is);
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

function isDocumentSymbol(value: unknown): value is DocumentSymbol {
  return isObject(value) && isRange(value.range) && isRange(value.selectionRange);
}

function isSymbolInformation(value: unknown): value is SymbolInformation {
  return isObject(value) && isObject(value.location) && isRange(value.location.range);
}

function isWorkspaceSymbol(value: unknown): value is WorkspaceSymbol {
  return isObject(value) && isObject(value.location) && typeof value.location.uri === "string";
}

function isRange(value: unknown): value is Range {
  return isObject(value) && isObject(value.start) && isObject(value.end);
}
