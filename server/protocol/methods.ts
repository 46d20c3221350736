/**
 * The policy table's type and look-up: what every method of LSP 3.18, and every request of our own, asks of the core.
 * The data itself is in methods-table.ts with methods-families.ts (LSP) and extensions.ts (ours). Only here does a
 * method's name decide anything: everybody else takes a row, or names a method that we originate as `M.didOpen`.
 */

import { extensionRows } from "./extensions.ts";
import type { Method } from "./messages.ts";
import { ECHO } from "./methods-families.ts";
import { lspRows } from "./methods-table.ts";

export { ECHO };

/** The four kinds of question that wait for a backend's index; adapters and `[limits]` give the caps in ms. */
export type GateName = "definition" | "references" | "symbol" | "rename";

/**
 * How the answers of several backends become one. A leg that is late, failed or dead counts as absent.
 * Where one backend answers, no rule runs.
 */
export type MergeRule =
  /** One leg only, nothing to merge: owner rows, notifications, rows of the core itself. */
  | "none"
  /** The first non-empty answer in rank order: signature help, document symbols, selection ranges. */
  | "first"
  /** Likewise; who gave it is asked to rename what it has accepted. */
  | "accepts"
  /** Likewise, in the client's legend; the result id is ours, for the differences that the client asks for next. */
  | "tokens"
  /** The answer of the first that can, whatever it is: formatting, where null means that nothing is to be done. */
  | "firstCapable"
  /** Arrays one after the other, without what shows the same: colours, lenses, links, hints, folds. */
  | "append"
  /** Likewise; a Location, a LocationLink and a hierarchy item of the same uri and range of the name are equal. */
  | "locations"
  /** Like locations, an array always: exact before prefix before fuzzy, the folders before anything outside them. */
  | "symbols"
  /** Items appended, `isIncomplete` if any is, item defaults expanded first. */
  | "completion"
  /** The non-empty texts joined under each other, equals dropped. */
  | "joinHover"
  /** Appended; each backend gets only its own diagnostics, `only` filtered by hierarchy, one `isPreferred` a kind. */
  | "codeActions"
  /** The edit of the backend that accepted prepareRename, else the first non-empty. */
  | "rename"
  /** The document changes of all, where they do not meet those of one before (willCreate/Rename/DeleteFiles). */
  | "edits"
  /** Likewise of the text edits of one document. */
  | "textEdits"
  /** Items of all backends in their slots; result ids are ours. */
  | "diagnostics";

/** The core's own functions; `Row.own` names one where the route is "mux". One function may serve several rows. */
export const ownNames = [
  "initialize",
  "initialized",
  "shutdown",
  "exit",
  "cancel",
  "progress",
  "setTrace",
  "didOpen",
  "didChange",
  "didSave",
  "didClose",
  "willSave",
  "notebook",
  "didChangeConfiguration",
  "didChangeWatchedFiles",
  "didChangeWorkspaceFolders",
  "workDoneProgressCancel",
  "executeCommand",
  "semanticTokensDelta",
  "publishDiagnostics",
  "registerCapability",
  "unregisterCapability",
  "configuration",
  "workspaceFolders",
  "workDoneProgressCreate",
  "refresh",
  "showMessage",
  "logMessage",
  "extension",
] as const;
export type OwnName = (typeof ownNames)[number];

/** Answer to a backend's request that no client can take, or that its client left open: a value, or computed by `own`. */
export type Fallback = { readonly result: unknown } | "own";

/** What params carry. "range": any position beside the one asked at. "data": opaque values of a backend's own. */
export type Asks = "uri" | "position" | "range" | "version" | "data" | "token";

/**
 * What an answer carries. "range": any position at all. "tokens": semantic token integers, positions as deltas. "command":
 * what a client may have executed later on.
 */
export type Carries = "uri" | "version" | "range" | "data" | "token" | "tokens" | "command";

/** A question that a client asks by itself when a character is typed that a server has announced. */
export interface Triggers {
  /** Where the character stands in the params. */
  readonly at: readonly string[];
  /** Options of the capability that list such characters. */
  readonly lists: readonly string[];
  /** `context.triggerKind` without the character: asked for by the user; while the user types. Absent: none can be asked. */
  readonly otherwise?: readonly [asked: number, typing: number];
}

/** One method's policy. */
export interface Row {
  readonly method: string;
  readonly kind: "request" | "notification";
  readonly direction: "toServer" | "toClient" | "both";
  /**
   * owner: the backend that made the item, as its envelope tells · capable: backends of the document, in rank order ·
   * all: every enabled backend of the folders (a notification starts none) · origin: the client or clients concerned ·
   * mux: the core's own function, named in `own`.
   */
  readonly route: "owner" | "capable" | "all" | "origin" | "mux";
  readonly merge: MergeRule;
  /** Dotted path in ServerCapabilities that must be there ("completionProvider.resolveProvider"); null: none needed. */
  readonly capability: string | null;
  /** Method under which client/registerCapability registers it, where that is another than its own. */
  readonly registration: string | null;
  /**
   * Dotted path in ClientCapabilities. Requests to the client: where the client says that it takes them; null: any client
   * should. To the server: the object whose `dynamicRegistration` tells whether the client takes registrations.
   */
  readonly clientCapability: string | null;
  /** Whether the question waits, within a cap, for the backend to know the project. */
  readonly gate: "pass" | GateName;
  /** Whose text the backend must hold before it is asked: nobody's, the asker's of this document, of all documents. */
  readonly align: "none" | "document" | "project";
  /** What the params carry (of a notification too). */
  readonly asks: readonly Asks[];
  /** What the answer carries; of a notification, its params. */
  readonly carries: readonly Carries[];
  /** ms. soft: for the other legs, counted from the first answer; hard: for a leg, counted from its sending. */
  readonly limits: { readonly soft: number; readonly hard: number };
  /**
   * What a client's cancel does. now: it is answered at once. afterAnswer: it may have changed files already, so the
   * backend's answer is awaited for a while (design of the ledger: `calls.ts`).
   */
  readonly cancel: "now" | "afterAnswer";
  /** sameText: read-only, so asked again after ContentModified (-32801) while the asker's text is what it was. */
  readonly retry: "never" | "sameText";
  /** The core's function; set where `route` is "mux", else null. */
  readonly own: OwnName | null;
  /** Result when nothing serves it, and in place of a null that the method's type does not allow. ECHO: the params. */
  readonly empty: unknown;
  /** When no backend or grammar serves the language: facts are an error (NoBackend), decorations are `empty`. */
  readonly unserved: "empty" | "error";
  /** Requests to the client: what we answer where it cannot or does not. Else null. */
  readonly without: Fallback | null;
  readonly triggers?: Triggers;
  /** Searches the whole project: what lies in the folders of other clients alone is left out. Absent: nothing is. */
  readonly foreign?: "dropped";
}

/** Every row, LSP's own first. */
export const rows: readonly Row[] = [...lspRows, ...extensionRows];

const byMethod: ReadonlyMap<string, Row> = new Map(rows.map((row) => [row.method, row]));

/** The row of a method; undefined for a method that neither LSP 3.18 nor we define. */
export function rowOf(method: string): Row | undefined {
  return byMethod.get(method);
}

/** How a method outside of the table is treated: as it came, by whoever may know it. */
export function unlistedRow(method: string): Row {
  return {
    method,
    kind: "request",
    direction: "both",
    route: "capable",
    merge: "none",
    capability: null,
    registration: null,
    clientCapability: null,
    gate: "pass",
    align: "document",
    asks: ["uri"],
    carries: [],
    limits: { soft: 0, hard: 60_000 },
    cancel: "now",
    retry: "never",
    own: null,
    empty: null,
    unserved: "error",
    without: null,
  };
}

/** Whether an unknown method may be dropped silently: LSP 3.18, "$ Notifications and Requests". */
export function isDollar(method: string): boolean {
  return method.startsWith("$/");
}

/** Names of the methods that we send ourselves, or ask a backend on somebody's behalf. */
export const M = {
  initialize: "initialize",
  initialized: "initialized",
  shutdown: "shutdown",
  exit: "exit",
  cancelRequest: "$/cancelRequest",
  progress: "$/progress",
  setTrace: "$/setTrace",
  didOpen: "textDocument/didOpen",
  didChange: "textDocument/didChange",
  didSave: "textDocument/didSave",
  didClose: "textDocument/didClose",
  publishDiagnostics: "textDocument/publishDiagnostics",
  diagnostic: "textDocument/diagnostic",
  diagnosticRefresh: "workspace/diagnostic/refresh",
  semanticTokensRefresh: "workspace/semanticTokens/refresh",
  didChangeConfiguration: "workspace/didChangeConfiguration",
  didChangeWatchedFiles: "workspace/didChangeWatchedFiles",
  didChangeWorkspaceFolders: "workspace/didChangeWorkspaceFolders",
  configuration: "workspace/configuration",
  applyEdit: "workspace/applyEdit",
  executeCommand: "workspace/executeCommand",
  registerCapability: "client/registerCapability",
  unregisterCapability: "client/unregisterCapability",
  showMessage: "window/showMessage",
  logMessage: "window/logMessage",
  workDoneProgressCreate: "window/workDoneProgress/create",
  workDoneProgressCancel: "window/workDoneProgress/cancel",
  workspaceSymbol: "workspace/symbol",
  workspaceSymbolResolve: "workspaceSymbol/resolve",
  codeActionResolve: "codeAction/resolve",
  documentSymbol: "textDocument/documentSymbol",
  hover: "textDocument/hover",
  signatureHelp: "textDocument/signatureHelp",
  definition: "textDocument/definition",
  declaration: "textDocument/declaration",
  typeDefinition: "textDocument/typeDefinition",
  implementation: "textDocument/implementation",
  references: "textDocument/references",
  documentHighlight: "textDocument/documentHighlight",
  prepareRename: "textDocument/prepareRename",
  rename: "textDocument/rename",
  prepareCallHierarchy: "textDocument/prepareCallHierarchy",
  incomingCalls: "callHierarchy/incomingCalls",
  outgoingCalls: "callHierarchy/outgoingCalls",
  prepareTypeHierarchy: "textDocument/prepareTypeHierarchy",
  supertypes: "typeHierarchy/supertypes",
  subtypes: "typeHierarchy/subtypes",
  foldingRange: "textDocument/foldingRange",
  semanticTokens: "textDocument/semanticTokens/full",
} as const satisfies Readonly<Record<string, Method>>;
export { M as methods };

/**
 * Whether a name that a user has written means a method: its own, or that of its family, under which it is registered
 * ("textDocument/rename" means textDocument/prepareRename as well); what a server publishes and what it is asked for by
 * the same thing are one.
 */
export function means(written: string, method: string): boolean {
  const row = rowOf(method);
  if (row === undefined || written === method) return written === method;
  const isBoth = [written, method].every((name) => name === M.publishDiagnostics || name === M.diagnostic);
  return isBoth || written === familyOf(row);
}

/** The request that makes the items of a row: of a resolve or a hierarchy's next step, the one that these belong to. */
export function familyOf(row: Row): string {
  return row.registration ?? row.method;
}
