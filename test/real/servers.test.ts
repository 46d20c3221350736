/**
 * Each real server behind `switchboard --stdio`, asked for exact places: with nothing opened by the client, and after it
 * has opened, edited and closed the file; and what is published or pulled when it opens a file with a fault. Each question
 * as the very first one is in `languages.test.ts`.
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { Failed } from "../client.ts";
import type { Fixture, Mark } from "../fixture.ts";
import { type Expected, expected, placesOf, type SymbolFound, symbols } from "./expect.ts";
import { answersAreRight, insert, opened, textOf, untouched, useOf } from "./questions.ts";
import { type Session, serve } from "./session.ts";

const PUBLISH = "textDocument/publishDiagnostics";

const RETRIGGER = { retriggerRequest: true };

const pulling = {
  textDocument: { diagnostic: { dynamicRegistration: true }, publishDiagnostics: {} },
  workspace: { diagnostics: { refreshSupport: true } },
};

/** The file of the use, as opened and edited by the client: its lines stand this much lower. */
const DOWN = 2;

for (const server of expected) {
  const { server: name, fixture, method, language, blank, error } = server;
  const on = (title: string, run: (session: Session, workspace: Fixture) => Promise<void>): void =>
    serve(title, [fixture], run, { [fixture]: name });

  on(`${name}: nothing is opened and every answer is right`, async (session, workspace) => {
    const { client } = session;
    await session.initialize();
    assert.deepEqual(await session.backends(), [], "initialize is answered before any backend has started");
    const found = await client.request<SymbolFound[]>("workspace/symbol", { query: method });
    assert.deepEqual(symbols(workspace, found, server.pointsAt), placesOf(workspace, server.symbols, method.length));
    assert.deepEqual(await client.request("workspace/symbol", { query: "nobodyHasThisName" }), []);
    await answersAreRight(session, workspace, server, untouched);
    if (server.publishes === "open") {
      const published = client.seen.filter((seen) => seen.method === PUBLISH);
      assert.deepEqual(published, [], "nobody asked for diagnostics of files that the client has not opened");
    }
  });

  on(`${name}: what the client opens, edits and closes is what is answered`, async (session, workspace) => {
    const { client } = session;
    await session.initialize();
    // Ours first, then the client's: no server may see a second opening.
    await client.request("workspace/symbol", { query: method });
    const { uri } = useOf(workspace, server);
    const file = textOf(workspace, uri);
    client.open(uri, language, file);
    await answersAreRight(session, workspace, server, opened(uri, 0));
    insert(session, uri, 2, blank);
    await answersAreRight(session, workspace, server, opened(uri, DOWN));
    client.notify("textDocument/didClose", { textDocument: { uri } });
    await answersAreRight(session, workspace, server, untouched);
    client.open(uri, language, blank + file, 1);
    await answersAreRight(session, workspace, server, opened(uri, DOWN));
    client.notify("textDocument/didClose", { textDocument: { uri } });
    await answersAreRight(session, workspace, server, untouched);
  });

  // It looks for none.
  if (error === null) continue;

  on(`${name}: diagnostics come when the client opens a file`, async (session, workspace) => {
    const { client } = session;
    await session.initialize();
    const { uri, position } = faultOf(workspace, error);
    const text = error.text ?? textOf(workspace, uri);
    client.open(uri, language, text, 7);
    const published = await client.until("the diagnostics", (seen) => errorsAt(seen.params, uri).length > 0);
    assert.deepEqual(errorsAt(published.params, uri), [position]);
    assert.ok([7, undefined].includes((published.params as { version?: number }).version));
    if (server.publishes === "open") assert.deepEqual(otherFiles(session, uri), []);
    // It goes with the document, and comes back with it.
    const before = client.seen.length;
    client.notify("textDocument/didClose", { textDocument: { uri } });
    if (server.publishes === "open") {
      const gone = (seen: { method: string; params: unknown }): boolean => isPublish(seen, uri) && isEmpty(seen.params);
      await client.until("the empty list", (seen) => client.seen.indexOf(seen) >= before && gone(seen));
    }
    const after = client.seen.length;
    client.open(uri, language, text, 1);
    const again = await client.until(
      "the diagnostics again",
      (seen) => client.seen.indexOf(seen) >= after && errorsAt(seen.params, uri).length > 0,
    );
    assert.deepEqual(errorsAt(again.params, uri), [position]);
  });

  on(`${name}: a client that pulls gets every diagnostic once`, async (session, workspace) => {
    const { client } = session;
    await session.initialize({ capabilities: pulling });
    const { uri, position } = faultOf(workspace, error);
    client.open(uri, language, error.text ?? textOf(workspace, uri));
    const pulled = await pulledErrors(session, uri, server);
    if (!server.pulls) await client.until("the diagnostics", (seen) => errorsAt(seen.params, uri).length > 0);
    const pushed = client.seen.filter((seen) => isPublish(seen, uri)).map((seen) => errorsAt(seen.params, uri));
    assert.deepEqual([...pulled, ...(pushed.at(-1) ?? [])], [position], "in one of the two channels");
  });
}

// ---- Diagnostics --------------------------------------------------------------------------------------------------------

interface Diagnostic {
  readonly severity?: number;
  readonly range: { readonly start: Mark["position"] };
}

/** Where the errors of a publish for the document stand; [] for any other message. */
function errorsAt(params: unknown, uri: string): readonly Mark["position"][] {
  const published = params as { uri?: string; diagnostics?: readonly Diagnostic[] } | undefined;
  return published?.uri === uri ? errorsIn(published.diagnostics ?? []) : [];
}

/** The place of the fault, in the text that is opened. */
function faultOf(workspace: Fixture, { marker, character }: NonNullable<Expected["error"]>): Mark {
  const mark = workspace.mark(marker);
  return character === undefined ? mark : { ...mark, position: { ...mark.position, character } };
}

function errorsIn(diagnostics: readonly Diagnostic[]): readonly Mark["position"][] {
  return diagnostics.filter(({ severity }) => severity === 1).map(({ range }) => range.start);
}

function isPublish({ method, params }: { method: string; params: unknown }, uri: string): boolean {
  return method === PUBLISH && (params as { uri: string }).uri === uri;
}

function isEmpty(params: unknown): boolean {
  return (params as { diagnostics: readonly unknown[] }).diagnostics.length === 0;
}

function otherFiles({ client }: Session, uri: string): readonly unknown[] {
  return client.seen.filter((seen) => seen.method === PUBLISH && !isPublish(seen, uri));
}

/** Errors by pull. A server that is still loading asks to be pulled again, or to be asked once more at once. */
async function pulledErrors({ client }: Session, uri: string, server: Expected): Promise<readonly Mark["position"][]> {
  for (;;) {
    const before = client.seen.length;
    const params = { textDocument: { uri } };
    const report = await client.request<Report>("textDocument/diagnostic", params).catch(cancelledByServer);
    if (report === "again") continue;
    const errors = errorsIn(report.items);
    if (errors.length > 0 || !server.pulls) return errors;
    const isRefresh = (seen: { method: string }): boolean => seen.method === "workspace/diagnostic/refresh";
    await client.until("a refresh", (seen) => client.seen.indexOf(seen) >= before && isRefresh(seen));
  }
}

interface Report {
  readonly items: readonly Diagnostic[];
}

/** LSP 3.18, ServerCancelled with DiagnosticServerCancellationData. */
function cancelledByServer(fault: unknown): "again" {
  const isRetriggered = fault instanceof Failed && fault.code === -32802 && isDeepStrictEqual(fault.data, RETRIGGER);
  if (!isRetriggered) throw fault;
  return "again";
}
