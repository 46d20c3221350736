/**
 * The families of the policy table: columns that many methods share, each stated once, with the times in ms.
 * methods-table.ts spreads one into each row and adds what is the row's own.
 */

import type { Row } from "./methods.ts";

/** `Row.empty` of resolve rows: the item as it was sent, its data restored. */
export const ECHO: unique symbol = Symbol("echo");

type Some = Partial<Omit<Row, "method">>;

// Soft: ms for the other backends after the first answer. Hard: ms for one backend; below the clients' own patience
// where that is known (10 s in lsp-mode, 20 s in Helix, 30 s and more elsewhere) unless waiting is worth it.
export const typedMs = { soft: 250, hard: 5_000 };
export const decorationMs = { soft: 1_000, hard: 15_000 };
export const factMs = { soft: 1_000, hard: 30_000 };
export const projectMs = { soft: 2_000, hard: 60_000 };
export const commandMs = { soft: 2_000, hard: 120_000 };
export const startMs = { soft: 0, hard: 30_000 };
export const stopMs = { soft: 0, hard: 1_000 };
// Backends hold their work back until these are answered, and clients that never answer exist.
export const clientMs = { soft: 0, hard: 3_000 };
// A client may put these before its user first.
export const userMs = { soft: 0, hard: 60_000 };
export const dialogMs = { soft: 0, hard: 3_600_000 };

export const place = ["uri", "position", "token"] as const;
export const stretch = ["uri", "range", "token"] as const;
export const file = ["uri", "token"] as const;
export const places = ["uri", "range"] as const;
export const triggerCharacter = ["context", "triggerCharacter"] as const;
export const marked = ["range", "data"] as const;
export const opaque = ["uri", "range", "data"] as const;
/** Items that a command may belong to. */
export const lent = ["range", "data", "command"] as const;
export const hinted = ["uri", "range", "data", "command"] as const;
export const versioned = ["uri", "version", "range"] as const;
export const edited = ["uri", "version", "range", "data"] as const;
export const acted = ["uri", "version", "range", "data", "command"] as const;

export const request = {
  kind: "request",
  direction: "toServer",
  registration: null,
  own: null,
  without: null,
  cancel: "now",
} as const satisfies Some;

/** Asked while the user types or looks: never waits for an index, an empty answer does no harm. */
export const typed = {
  ...request,
  route: "capable",
  merge: "first",
  gate: "pass",
  align: "document",
  asks: place,
  carries: ["range"],
  limits: typedMs,
  retry: "sameText",
  empty: null,
  unserved: "empty",
} as const satisfies Some;

export const decoration = { ...typed, merge: "append", asks: file, limits: decorationMs } as const satisfies Some;

export const formatting = { ...typed, merge: "firstCapable", asks: file, limits: decorationMs } as const satisfies Some;

export const tokens = {
  ...decoration,
  merge: "first",
  carries: ["tokens"],
  registration: "textDocument/semanticTokens",
} as const satisfies Some;

/** Answers that a caller takes for the truth about the project. They read other documents too, as the asker sees them. */
export const fact = {
  ...typed,
  merge: "locations",
  align: "project",
  carries: places,
  limits: factMs,
  unserved: "error",
} as const satisfies Some;

export const definition = { ...fact, gate: "definition" } as const satisfies Some;

/** Items whose `data` belongs to the backend that made them; further questions about one go to it alone. */
export const hierarchy = { ...fact, merge: "append", gate: "references", limits: projectMs } as const satisfies Some;
export const prepare = { ...hierarchy, merge: "locations", carries: opaque } as const satisfies Some;
export const ofItem = {
  ...hierarchy,
  route: "owner",
  merge: "none",
  asks: ["uri", "range", "data", "token"],
  carries: opaque,
} as const satisfies Some;
export const calls = {
  ...ofItem,
  capability: "callHierarchyProvider",
  registration: "textDocument/prepareCallHierarchy",
  clientCapability: "textDocument.callHierarchy",
} as const satisfies Some;
export const types = {
  ...ofItem,
  capability: "typeHierarchyProvider",
  registration: "textDocument/prepareTypeHierarchy",
  clientCapability: "textDocument.typeHierarchy",
} as const satisfies Some;

/** Fills in one item. The document may have moved on since; the backend knows its item. */
export const resolve = {
  ...request,
  route: "owner",
  merge: "none",
  gate: "pass",
  align: "none",
  asks: marked,
  carries: marked,
  limits: { soft: 0, hard: 10_000 },
  retry: "sameText",
  empty: ECHO,
  unserved: "empty",
} as const satisfies Some;

/** Before files are created, renamed or deleted: an edit over the project. */
export const willFiles = {
  ...request,
  route: "all",
  merge: "edits",
  clientCapability: "workspace.fileOperations",
  gate: "rename",
  align: "project",
  asks: ["uri"],
  carries: versioned,
  limits: { soft: 2_000, hard: 10_000 },
  retry: "never",
  empty: null,
  unserved: "empty",
} as const satisfies Some;

export const notification = {
  kind: "notification",
  cancel: "now",
  merge: "none",
  registration: null,
  clientCapability: null,
  gate: "pass",
  align: "none",
  asks: [],
  carries: [],
  limits: { soft: 0, hard: 0 },
  retry: "never",
  empty: null,
  unserved: "empty",
  without: null,
} as const satisfies Some;

/** Notifications of a client that the core takes in itself; what it tells the backends is its own. */
export const told = {
  ...notification,
  direction: "toServer",
  route: "mux",
  capability: null,
} as const satisfies Some;

export const sync = { ...told, clientCapability: "textDocument.synchronization" } as const satisfies Some;

/** Not built: taken in and dropped, and never announced, so that no client sends them. */
export const notebook = {
  ...told,
  own: "notebook",
  capability: "notebookDocumentSync",
  registration: "notebookDocument/sync",
  clientCapability: "notebookDocument.synchronization",
} as const satisfies Some;

export const didFiles = {
  ...notification,
  direction: "toServer",
  route: "all",
  own: null,
  clientCapability: "workspace.fileOperations",
  asks: ["uri"],
  carries: ["uri"],
} as const satisfies Some;

/** Notifications of a backend. */
export const tells = { ...notification, direction: "toClient", capability: null } as const satisfies Some;

/** Requests of a backend. */
export const asksClient = {
  kind: "request",
  cancel: "now",
  direction: "toClient",
  route: "origin",
  merge: "none",
  capability: null,
  registration: null,
  clientCapability: null,
  gate: "pass",
  align: "none",
  asks: [],
  carries: [],
  limits: clientMs,
  retry: "never",
  own: null,
  empty: null,
  unserved: "empty",
  without: { result: null },
} as const satisfies Some;

/** Requests of a backend that the core answers, asking clients first where that is useful. */
export const asksMux = { ...asksClient, route: "mux", without: "own" } as const satisfies Some;

/** Collected, answered null at once, and passed to the clients that support it. */
export const refresh = { ...asksClient, route: "mux", own: "refresh" } as const satisfies Some;

/** Life cycle requests: the core answers. */
export const life = {
  ...request,
  route: "mux",
  merge: "none",
  capability: null,
  clientCapability: null,
  gate: "pass",
  align: "none",
  carries: [],
  retry: "never",
  unserved: "error",
} as const satisfies Some;
