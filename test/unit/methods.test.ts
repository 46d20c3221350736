/**
 * The policy table against the package's own descriptors and types. What the types can tell is checked when this file
 * is compiled (the `Wrong...` types must be never), the rest when it runs.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as protocol from "vscode-languageserver-protocol";
import { kindName, kindNames, kindNumber, kindTitle, twins, X } from "../../server/protocol/extensions.ts";
import type { Method, Params, Result } from "../../server/protocol/messages.ts";
import { ECHO, isDollar, M, ownNames, type Row, rowOf, rows } from "../../server/protocol/methods.ts";
import type { Table } from "../../server/protocol/methods-table.ts";

interface Descriptor {
  method: string;
  kind: "request" | "notification" | "registration";
  direction: Row["direction"];
  client: string | undefined;
  server: string | undefined;
}

const directions = {
  [protocol.MessageDirection.clientToServer]: "toServer",
  [protocol.MessageDirection.serverToClient]: "toClient",
  [protocol.MessageDirection.both]: "both",
} as const;

/** Methods of LSP 3.18 that the package speaks without exporting a descriptor of them. */
const undescribed = ["$/cancelRequest", "$/progress", "$/setTrace", "$/logTrace"];

const descriptors = Object.values(protocol).flatMap((value: unknown): Descriptor[] => {
  if (typeof value !== "object" || value === null) return [];
  const { method, type, messageDirection, capabilities } = { ...value } as Record<string, unknown>;
  if (typeof method !== "string" || typeof type !== "object" || type === null) return [];
  const name = type.constructor.name;
  const { client, server } = { ...(capabilities as object | undefined) } as { client?: string; server?: string };
  return [
    {
      method,
      kind: /Notification/.test(name) ? "notification" : /Request/.test(name) ? "request" : "registration",
      direction: directions[messageDirection as protocol.MessageDirection],
      client,
      server,
    },
  ];
});
const described = descriptors.filter((d) => d.kind !== "registration");
const own = rows.filter((row) => row.own === "extension");

function need(method: string): Row {
  const row = rowOf(method);
  assert.ok(row, `no row for ${method}`);
  return row;
}

test("every method of the package has a row, and every row a method", () => {
  assert.deepEqual(
    descriptors.filter((d) => d.kind === "registration").map((d) => d.method),
    ["notebookDocument/sync", "textDocument/semanticTokens"].sort(
      (a, b) => descriptors.findIndex((d) => d.method === a) - descriptors.findIndex((d) => d.method === b),
    ),
  );
  const expected = [...described.map((d) => d.method), ...undescribed, ...Object.values(X)];
  assert.deepEqual(rows.map((row) => row.method).sort(), expected.sort());
  assert.equal(new Set(expected).size, expected.length);
});

test("kind and direction are the package's", () => {
  for (const d of described) {
    const row = need(d.method);
    assert.deepEqual({ kind: row.kind, direction: row.direction }, { kind: d.kind, direction: d.direction }, d.method);
  }
});

test("server capabilities are the package's, or a flag of it", () => {
  const odd: string[] = [];
  for (const d of described) {
    const { capability, direction } = need(d.method);
    if (direction !== "toServer" || capability === (d.server ?? null)) continue;
    if (d.server !== undefined && capability?.startsWith(`${d.server}.`)) continue;
    odd.push(d.method);
  }
  assert.deepEqual(odd.sort(), [
    // The package names none.
    "notebookDocument/didChange",
    "notebookDocument/didClose",
    "notebookDocument/didOpen",
    "notebookDocument/didSave",
    "typeHierarchy/subtypes",
    "typeHierarchy/supertypes",
  ]);
});

test("client capabilities are the package's, the object that holds it, or a flag in it", () => {
  const odd: string[] = [];
  for (const d of described) {
    const { clientCapability: path, kind, direction } = need(d.method);
    if (path === (d.client ?? null)) continue;
    if (path !== null && d.client !== undefined && (d.client.startsWith(`${path}.`) || path.startsWith(`${d.client}.`)))
      continue;
    // A message to the client needs no leave.
    if (path === null && direction === "toClient" && kind === "notification") continue;
    odd.push(d.method);
  }
  assert.deepEqual(odd.sort(), [
    "notebookDocument/didChange", // the package names none
    "notebookDocument/didClose",
    "notebookDocument/didOpen",
    "notebookDocument/didSave",
    "typeHierarchy/subtypes",
    "typeHierarchy/supertypes",
    "window/showMessageRequest", // older than its capability object
    "workspace/diagnostic", // registered with textDocument/diagnostic
    "workspace/textDocumentContent/refresh",
  ]);
});

test("a registration is known to LSP, and its rows share its provider", () => {
  const registered = new Set(descriptors.map((d) => d.method));
  for (const row of rows) {
    if (row.registration === null) continue;
    assert.ok(registered.has(row.registration), `${row.method}: ${row.registration}`);
    const main = rowOf(row.registration);
    if (main === undefined) continue;
    assert.equal(row.capability?.split(".")[0], main.capability?.split(".")[0], row.method);
    assert.equal(row.clientCapability, main.clientCapability, row.method);
  }
});

test("own names a function exactly where the route is mux, and all are used", () => {
  for (const row of rows) assert.equal(row.own !== null, row.route === "mux", row.method);
  assert.deepEqual(new Set(rows.map((row) => row.own).filter((name) => name !== null)), new Set(ownNames));
});

test("requests have a time limit, and questions to the client an answer without it", () => {
  for (const row of rows) {
    const { soft, hard } = row.limits;
    assert.ok(soft <= hard && hard < 2 ** 31, `${row.method}: a timer's reach`);
    assert.equal(hard > 0, row.kind === "request", row.method);
    assert.equal(row.without !== null, row.kind === "request" && row.direction === "toClient", row.method);
  }
});

test("what changes something is never asked twice, and only what is asked of the server waits", () => {
  for (const row of rows) {
    if (row.kind === "notification" || row.direction !== "toServer") {
      assert.deepEqual([row.retry, row.gate, row.align, row.merge], ["never", "pass", "none", "none"], row.method);
    }
  }
  for (const method of [M.executeCommand, "textDocument/willSaveWaitUntil", "workspace/willRenameFiles"])
    assert.equal(need(method).retry, "never", method);
});

test("an item goes back to its owner with its data, and comes back as sent when nobody has it", () => {
  for (const row of rows) {
    if (row.route === "owner") assert.ok(row.asks.includes("data") && row.merge === "none", row.method);
    const resolves = row.method.endsWith("/resolve");
    assert.equal(row.empty === ECHO, resolves, row.method);
    if (!resolves) continue;
    const carried = row.carries.filter((what) => what !== "command");
    assert.deepEqual([row.route, row.align, carried], ["owner", "none", [...row.asks]], row.method);
    // What makes the items must wrap their data.
    assert.ok(need(row.registration ?? "").carries.includes("data"), row.method);
  }
});

test("gates, facts and merge rules stand as the design has them", () => {
  const methodsOf = (gate: Row["gate"]) =>
    rows
      .filter((row) => row.gate === gate)
      .map((row) => row.method)
      .sort();
  assert.deepEqual(methodsOf("definition"), [M.declaration, M.definition, M.implementation, M.typeDefinition].sort());
  assert.deepEqual(methodsOf("symbol"), [M.workspaceSymbol]);
  assert.deepEqual(
    methodsOf("references"),
    [
      M.references,
      M.prepareCallHierarchy,
      M.incomingCalls,
      M.outgoingCalls,
      M.prepareTypeHierarchy,
      M.supertypes,
      M.subtypes,
    ].sort(),
  );
  const facts = rows.filter((row) => row.gate !== "pass" && row.kind === "request" && !row.method.includes("/will"));
  for (const row of [...facts, need(M.documentSymbol), need(M.diagnostic)])
    assert.equal(row.unserved, "error", row.method);
  for (const method of [M.hover, "textDocument/completion", "textDocument/inlayHint", "textDocument/formatting"])
    assert.deepEqual([need(method).unserved, need(method).gate], ["empty", "pass"], method);
  assert.deepEqual(need(M.workspaceSymbol).empty, []);
});

test("our own requests are found like LSP's", () => {
  assert.deepEqual(own.map((row) => row.method).sort(), Object.values(X).sort());
  for (const method of twins.values()) assert.equal(need(method).own, "extension");
  assert.equal(rowOf("textDocument/noSuch"), undefined);
  assert.deepEqual([isDollar(X.outline), isDollar(M.hover)], [true, false]);
});

test("kinds of symbols have LSP's numbers", () => {
  for (const [title, number] of Object.entries(protocol.SymbolKind)) {
    const name = kindName(number);
    assert.ok(name, title);
    assert.equal(kindTitle(name), title);
    assert.equal(kindNumber(title.toUpperCase()), number);
  }
  assert.equal(kindNames.length, Object.keys(protocol.SymbolKind).length);
  assert.deepEqual([kindName(0), kindName(27), kindNumber("type")], [undefined, undefined, undefined]);
});

// ---- Checked by the compiler ----------------------------------------------------------------------------------------

/** Names of all properties in a message's type, through arrays and maps, down to open-ended values. */
type Names<T, Depth extends readonly 0[] = [0, 0, 0, 0, 0, 0, 0, 0]> = 0 extends 1 & T
  ? never
  : Depth extends readonly [0, ...infer Rest extends readonly 0[]]
    ? T extends readonly (infer E)[]
      ? Names<E, Depth>
      : T extends object
        ? string extends keyof T
          ? Names<T[keyof T], Rest>
          : (keyof T & string) | { [K in keyof T]-?: Names<T[K], Rest> }[keyof T]
        : never
    : never;

/** How what a row can name shows among the names of properties. */
interface Signs {
  uri: "uri" | "targetUri" | "scopeUri" | "rootUri" | "oldUri" | "target" | "changes";
  version: "version";
  position: "position" | "positions";
  range: "start" | "startLine";
  /** Any position at all: what `carries` means by "range". */
  any: "line" | "startLine";
  data: "data";
  token: "token" | "workDoneToken";
}

/** Methods where a row names a thing that the type lacks, or the other way round. */
type Differ<Named extends Record<Method, string>, Held extends Record<Method, string>, Thing, Sign> = {
  [M in Method]: Has<Named[M], Thing> extends Has<Held[M], Sign> ? never : M;
}[Method];
type Has<N, Name> = [Extract<N, Name>] extends [never] ? false : true;

type Asks = { [M in Method]: Table[M]["asks"][number] };
type Asked = { [M in Method]: Names<Params<M>> };
type Carries = { [M in Method]: Table[M]["carries"][number] };
type Carried = { [M in Method]: Names<Table[M]["kind"] extends "notification" ? Params<M> : Result<M>> };

interface Wrong {
  askedUri: Differ<Asks, Asked, "uri", Signs["uri"]>;
  // clientInfo.version
  askedVersion: Exclude<Differ<Asks, Asked, "version", Signs["version"]>, "initialize">;
  // The hint's own place, not a question's: the row calls it a range.
  askedPosition: Exclude<Differ<Asks, Asked, "position", Signs["position"]>, "inlayHint/resolve">;
  askedRange: Differ<Asks, Asked, "range", Signs["range"]>;
  // Arguments hold envelopes; a notebook change has a member of that name.
  askedData: Exclude<
    Differ<Asks, Asked, "data", Signs["data"]>,
    "workspace/executeCommand" | "notebookDocument/didChange"
  >;
  askedToken: Differ<Asks, Asked, "token", Signs["token"]>;
  uri: Differ<Carries, Carried, "uri", Signs["uri"]>;
  version: Differ<Carries, Carried, "version", Signs["version"]>;
  range: Differ<Carries, Carried, "range", Signs["any"]>;
  dataOrTokens: Exclude<Differ<Carries, Carried, "data" | "tokens", Signs["data"]>, "notebookDocument/didChange">;
  token: Differ<Carries, Carried, "token", Signs["token"]>;
}

/** Does not compile while any method is wrong; its message then names them. */
const wrong: { [K in keyof Wrong]: { [M in Wrong[K]]: "wrong" } } = {
  askedUri: {},
  askedVersion: {},
  askedPosition: {},
  askedRange: {},
  askedData: {},
  askedToken: {},
  uri: {},
  version: {},
  range: {},
  dataOrTokens: {},
  token: {},
};
void wrong;
