/**
 * What Switchboard adds to LSP: its own requests, their rows, params and results, the command twins for clients that
 * cannot send custom requests, and the names of symbol kinds. Positions are LSP's: 0-based, UTF-16 unless negotiated.
 * Only shapes: how names are read and found is `symbols/`.
 */

import type { ResponseError } from "./errors.ts";
import type { Diagnostic, DocumentSymbol, DocumentUri, Location, ProgressToken, Range } from "./messages.ts";
import type { Row } from "./methods.ts";

/** Our requests, by the name that `experimental` announces them under; those of the status kind and outline are not announced. */
export const X = {
  symbolByName: "$/symbolByName",
  symbolSearch: "$/symbolSearch",
  nameMentions: "$/nameMentions",
  outline: "$/outline",
  status: "$/switchboard/status",
  diagnostics: "$/switchboard/diagnostics",
} as const;

/** Ids for workspace/executeCommand, with the params as the one argument; a client may ask for a prefix before them. */
export const twins: ReadonlyMap<string, string> = new Map([
  ["switchboard.symbolByName", X.symbolByName],
  ["switchboard.symbolSearch", X.symbolSearch],
  ["switchboard.nameMentions", X.nameMentions],
]);

/** Ours are answered by functions that are registered with the core under the method; they wait and align by themselves. */
const ours = {
  kind: "request",
  direction: "toServer",
  route: "mux",
  merge: "none",
  capability: null,
  registration: null,
  clientCapability: null,
  gate: "pass",
  align: "none",
  asks: [],
  carries: ["uri", "range"],
  limits: { soft: 0, hard: 120_000 },
  cancel: "now",
  retry: "never",
  own: "extension",
  empty: null,
  unserved: "error",
  without: null,
} as const satisfies Partial<Row>;

export const extensionRows: readonly Row[] = [
  { ...ours, method: X.symbolByName, asks: ["token"], carries: ["uri", "version", "range", "data"] },
  { ...ours, method: X.symbolSearch, carries: ["uri"] },
  { ...ours, method: X.nameMentions, carries: ["uri"] },
  { ...ours, method: X.outline, asks: ["uri"], carries: ["range"] },
  { ...ours, method: X.status, carries: [] },
  { ...ours, method: X.diagnostics, carries: ["uri", "range", "data"] },
];

// ---- $/symbolByName -------------------------------------------------------------------------------------------------

export interface SymbolByNameParams {
  /** An address ("ui::Widget.draw") or a symbolKey. */
  name: string;
  /** Ranks only: a glob if it has one of `* ? [ {`, else whole trailing segments or a leading folder. */
  path?: string;
  /** Filter: globs over the path relative to its folder. */
  in?: string | string[];
  kinds?: (SymbolKindName | number | "type")[];
  /** LSP language ids; tsx, jsx and bash are accepted. */
  languages?: string[];
  /** Of the last segment; default "exact". */
  match?: "exact" | "ignoreCase" | "prefix";
  /** Default false. */
  unique?: boolean;
  include?: Include[];
  /** Any position request, run at each match; textDocument and position are filled in. */
  then?: { method: string; params?: object };
  /** 1..1000, default 50; 0: counts only. */
  limit?: number;
  /** Default "ready". "none": what syntax and running backends know now. */
  wait?: "none" | "ready";
  /** ms, default 20000. */
  timeoutMs?: number;
  workDoneToken?: ProgressToken;
}

export type Include =
  | "body"
  | "hover"
  | "signature"
  | "references"
  | "callers"
  | "callees"
  | "implementations"
  | "typeDefinition"
  | "diagnostics";

export interface SymbolByNameResult {
  matches: SymbolMatch[];
  total: number | null;
  truncated: boolean;
  /** Nothing was cut, and every file and backend that could matter was read and answered. */
  complete: boolean;
  /** What zero matches prove; "unknown" with matches. */
  absence: "semantic" | "text" | "unknown";
  coverage: Coverage;
  sources: Source[];
  suggestions?: string[];
}

export interface SymbolMatch {
  name: string;
  /** In the language's own spelling: "ui::Widget", "fx.Metrics"; "" at top level. */
  container: string;
  qualifiedName: string;
  /** LSP's number. */
  kind: number;
  kindName: SymbolKindName;
  detail?: string;
  symbolKey: string;
  role: "definition" | "declaration";
  language: string;
  /** The first in rank that confirmed it; "syntax" when no server did. */
  backend: string;
  confidence: "semantic" | "syntactic";
  /** selectionRange: the name itself, safe for every position request. */
  location: { uri: DocumentUri; range: Range; selectionRange: Range };
  /** null: read from disk. */
  version: number | null;
  /** "sha256:" + hex of the text as UTF-8 without BOM. */
  contentHash: string;
  score: number;
  test: boolean;
  external: boolean;
  truncated?: boolean;
  /** Text of the range. */
  body?: string;
  hover?: string;
  signature?: string;
  references?: List<Location>;
  callers?: List<CallSite>;
  callees?: List<CallSite>;
  implementations?: List<Location>;
  typeDefinition?: List<Location>;
  diagnostics?: List<Diagnostic>;
  then?: { result: unknown } | { error: ResponseError };
}

/** An ability that is missing is the error, never an empty list. */
export type List<T> =
  | { items: T[]; total: number; truncated: boolean }
  | { error: { code: string; backend?: string; message: string } };

export interface CallSite {
  qualifiedName: string;
  kindName: SymbolKindName;
  location: Location;
  ranges: Range[];
}

export interface Source {
  backend: string;
  language: string;
  state: "ready" | "indexing" | "starting" | "failed" | "missing";
  ms: number;
  reason?: string;
}

/** What the search covered, in files; `asOf`: ISO 8601. */
export interface Coverage {
  files: number;
  ignored: number;
  tooLarge: number;
  binary: number;
  undecodable: number;
  unreadable: number;
  unparsed: number;
  asOf: string;
}

/** One of several symbols that share the highest score; `hint` is the shortest address that would be unique. */
export interface Candidate {
  qualifiedName: string;
  kindName: SymbolKindName;
  location: SymbolMatch["location"];
  hint: string;
}

// ---- $/switchboard/diagnostics ---------------------------------------------------------------------------------------

export interface DiagnosticsParams {
  /** Of files and folders; default: the workspace folders. */
  uris?: DocumentUri[];
  /** ms, default 110000. */
  timeoutMs?: number;
}

export interface DiagnosticsResult {
  /** By URI; those without a finding, too. */
  files: CheckedFile[];
  /** Every file of a served language was looked at, and every server answered. */
  complete: boolean;
}

export interface CheckedFile {
  uri: DocumentUri;
  diagnostics: Diagnostic[];
  /** Who was asked; empty where no server serves the language. */
  backends: string[];
  unanswered: { backend: string; message: string }[];
}

// ---- $/symbolSearch -------------------------------------------------------------------------------------------------

export interface SymbolSearchParams {
  /** `*` and `?` anchored to the whole name, or to qualifiedName if it has a separator; else substring; empty: all. */
  query: string;
  kinds?: (SymbolKindName | number | "type")[];
  /** Prefix of the container. */
  namespace?: string;
  languages?: string[];
  in?: string | string[];
  path?: string;
  /** Default true: no tests, generated or vendored files, no externals. */
  sourceOnly?: boolean;
  access?: Access;
  /** Default "score". */
  sortBy?: "score" | "name" | "kind" | "path" | "container";
  sortOrder?: "ascending" | "descending" | "asc" | "desc";
  skip?: number;
  /** Default 200, at most 1000; 0: counts only. */
  take?: number;
  /** Default "relative". */
  pathStyle?: "relative" | "uri" | "absolute";
  /** Of the page before; a page of another generation is answered from the new one with `changed`. */
  generation?: number;
}

/** Where a language has none, a symbol counts as public. */
export type Access = "public" | "protected" | "internal" | "private";

export interface SymbolSearchResult {
  query: string;
  total: number;
  paging: {
    skip: number;
    take: number;
    returned: number;
    total: number;
    hasMore: boolean;
    truncatedForSize: boolean;
    nextSkip: number | null;
  };
  matches: SearchMatch[];
  generation: number;
  changed?: boolean;
  complete: boolean;
  coverage: Coverage;
  sources: Source[];
}

export interface SearchMatch {
  name: string;
  qualifiedName: string;
  kind: number;
  kindName: SymbolKindName;
  container: string;
  path: string;
  folder: string;
  line: number;
  column: number;
  symbolKey: string;
  language: string;
  access: Access;
  external: boolean;
}

// ---- $/nameMentions, $/outline, $/switchboard/status ----------------------------------------------------------------

export interface NameMentionsParams {
  /** An identifier, compared ordinally, case-sensitive. */
  name: string;
  in?: string | string[];
  languages?: string[];
  /** Default false. */
  includeDeclarations?: boolean;
  /** Files, default 20; 0: counts only. */
  limit?: number;
  /** Lines, default 5. */
  perFile?: number;
}

export interface NameMentionsResult {
  name: string;
  /** All occurrences; declarations only if included. */
  total: number;
  fileCount: number;
  files: MentionsFile[];
  truncated: boolean;
  complete: boolean;
  coverage: Coverage;
  basis: "name";
}

export interface MentionsFile {
  path: string;
  uri: DocumentUri;
  hits: number;
  lines: MentionLine[];
}

export interface MentionLine {
  line: number;
  columns: number[];
  /** Trimmed, read at the time of the answer. */
  text: string;
  /** The enclosing symbol's qualifiedName, or "". */
  owner: string;
  isDeclaration: boolean;
}

export type OutlineParams = ({ textDocument: { uri: DocumentUri } } | { path: string }) & {
  /** 1: top level. */
  depth?: number;
  include?: "body"[];
};

export interface OutlineSymbol extends Omit<DocumentSymbol, "children"> {
  body?: string;
  children?: OutlineSymbol[];
}

export interface StatusResult {
  version: string;
  uptimeMs: number;
  clients: number;
  backends: BackendStatus[];
  /** Reason: how often. */
  drops: Record<string, number>;
  index: { files: number; names: number; bytes: number; state: string; coverage: Coverage } | null;
}

export interface BackendStatus {
  name: string;
  command: readonly string[];
  version: string | null;
  root: string;
  pid: number | null;
  state: string;
  uptimeMs: number;
  clients: number;
  openDocuments: number;
  requests: number;
  restarts: number;
  rssBytes: number | null;
  quirks: readonly string[];
}

// ---- Kinds of symbols -----------------------------------------------------------------------------------------------

/** LSP's names in lower camel; a name's place is its number less one (LSP 3.18, "SymbolKind"). */
export const kindNames = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enumMember",
  "struct",
  "event",
  "operator",
  "typeParameter",
] as const;
export type SymbolKindName = (typeof kindNames)[number];

/** Name of an LSP number; undefined for one that LSP does not have. */
export function kindName(kind: number): SymbolKindName | undefined {
  return kindNames[kind - 1];
}

/** The kinds as which clangd lists the use of a macro: null (LSP's 21), or string where it was not told that null is known. */
export const macroUses: readonly unknown[] = [21, 15];

/** LSP's number of a name in any case; undefined for an unknown one. */
export function kindNumber(name: string): number | undefined {
  return numbers.get(name.toLowerCase());
}

/** As the command line prints it: "EnumMember". */
export function kindTitle(name: SymbolKindName): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const numbers: ReadonlyMap<string, number> = new Map(kindNames.map((name, i) => [name.toLowerCase(), i + 1]));
