/**
 * LSP's own types, and the maps from a method's name to the types of its params and result. Types only: importing
 * vscode-languageserver-protocol at run time costs 150 ms, so nothing here may become a value.
 * What Switchboard adds to LSP is in extensions.ts; what a method means for routing is in methods.ts.
 */

import type {
  ClientCapabilities,
  LogTraceParams,
  NotificationType,
  NotificationType0,
  ProgressToken,
  RequestType,
  RequestType0,
  ServerCapabilities,
  SetTraceParams,
} from "vscode-languageserver-protocol";

export type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  ClientCapabilities,
  CodeAction,
  CodeActionContext,
  CodeActionParams,
  Command,
  CompletionItem,
  CompletionList,
  ConfigurationItem,
  ConfigurationParams,
  Diagnostic,
  DidChangeTextDocumentParams,
  DidChangeWatchedFilesRegistrationOptions,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
  DidSaveTextDocumentParams,
  DocumentDiagnosticReport,
  DocumentFilter,
  DocumentSelector,
  DocumentSymbol,
  DocumentUri,
  ExecuteCommandParams,
  FileSystemWatcher,
  Hover,
  InitializeParams,
  InitializeResult,
  Location,
  LocationLink,
  LSPAny,
  MarkupContent,
  Position,
  PrepareRenameResult,
  ProgressToken,
  PublishDiagnosticsParams,
  Range,
  Registration,
  RegistrationParams,
  RelativePattern,
  SemanticTokens,
  SemanticTokensLegend,
  ServerCapabilities,
  SymbolInformation,
  SymbolKind,
  TextDocumentContentChangeEvent,
  TextDocumentIdentifier,
  TextDocumentItem,
  TextDocumentPositionParams,
  TextDocumentSyncOptions,
  TextEdit,
  TypeHierarchyItem,
  Unregistration,
  UnregistrationParams,
  VersionedTextDocumentIdentifier,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressParams,
  WorkDoneProgressReport,
  WorkspaceEdit,
  WorkspaceFolder,
  WorkspaceSymbol,
} from "vscode-languageserver-protocol";

/** LSP's basic JSON-RPC id; `null` occurs only in answers to what could not be read. */
export type Id = number | string;

type Package = typeof import("vscode-languageserver-protocol");

/** Params and result of one method, read off the package's descriptor; `never` for what is no request or notification. */
type Shape<T> = T extends { readonly type: RequestType<infer P, infer R, infer _E> }
  ? { kind: "request"; params: P; result: Wire<R> }
  : T extends { readonly type: RequestType0<infer R, infer _E> }
    ? { kind: "request"; params: undefined; result: Wire<R> }
    : T extends { readonly type: NotificationType<infer P> }
      ? { kind: "notification"; params: P; result: null }
      : T extends { readonly type: NotificationType0 }
        ? { kind: "notification"; params: undefined; result: null }
        : never;

/** A result as it stands on the wire: `void` is null, and the package's `any` is unknown. */
type Wire<R> = 0 extends 1 & R ? unknown : undefined extends R ? null : R;

type MethodName<T> = [Shape<T>] extends [never]
  ? never
  : T extends { readonly method: infer M extends string }
    ? M
    : never;

/** The package's methods; what it only lets be registered ("notebookDocument/sync") is not among them. */
type Described = { [K in keyof Package as MethodName<Package[K]>]: Shape<Package[K]> };

/** Methods of LSP 3.18 that the package uses without exporting a descriptor. */
interface Undescribed {
  "$/cancelRequest": { kind: "notification"; params: { id: Id }; result: null };
  "$/progress": { kind: "notification"; params: { token: ProgressToken; value: unknown }; result: null };
  "$/setTrace": { kind: "notification"; params: SetTraceParams; result: null };
  "$/logTrace": { kind: "notification"; params: LogTraceParams; result: null };
}

type Messages = Described & Undescribed;

/** Every method of LSP 3.18, both directions. */
export type Method = keyof Messages;

/** Whether a method is a request or a notification. */
export type Kind<M extends Method> = Messages[M]["kind"];

/** Params of a method; undefined where it has none. */
export type Params<M extends Method> = Messages[M]["params"];

/** Result of a request as it stands on the wire; null for notifications. */
export type Result<M extends Method> = Messages[M]["result"];

/**
 * Dotted paths through a capabilities object, four names deep at most; it ends at arrays and at open-ended values, so a
 * path that the types do not know does not compile.
 */
export type PathsOf<T, Depth extends readonly 0[] = [0, 0, 0, 0]> = [T] extends [never]
  ? never
  : Depth extends readonly [0, ...infer Rest extends readonly 0[]]
    ? { [K in keyof T & string]: K | `${K}.${PathsOf<Inner<T[K]>, Rest>}` }[keyof T & string]
    : never;

/** The object forms of a value: no arrays, no primitives, nothing with an index signature. */
type Inner<V> = V extends readonly unknown[] | string | number | boolean | null | undefined
  ? never
  : V extends object
    ? string extends keyof V
      ? never
      : V
    : never;

export type ServerPath = PathsOf<ServerCapabilities>;
export type ClientPath = PathsOf<ClientCapabilities>;
