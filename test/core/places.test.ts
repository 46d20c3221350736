/** Places outside of the asked document, where the two sides count columns in different ways; and who serves a place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const other = `${folder}/b.x`;
const line = "é😀 name";
/** Of `name`, in UTF-8 and UTF-16. */
const bytes = { start: { line: 0, character: 7 }, end: { line: 0, character: 11 } };
const units = { start: { line: 0, character: 4 }, end: { line: 0, character: 8 } };

/** A backend that counts bytes, for a client that counts UTF-16. */
function counting(backend: Backend): Sim {
  return new Sim({ backends: { one: { encoding: "utf-8", ...backend } }, files: { [other]: line } });
}

test("an item that names no document is about the one whose items were asked for last", () => {
  const sim = counting({
    capabilities: { completionProvider: { resolveProvider: true } },
    on: {
      "textDocument/completion": () => ({ result: [{ label: "n", data: 1, textEdit: { range: bytes, newText: "" } }] }),
      "completionItem/resolve": ({ params }) => ({
        result: { ...(params as object), additionalTextEdits: [{ range: bytes, newText: "" }] },
      }),
    },
  });
  const client = sim.client();
  client.open(uri, line);
  const asked = client.ask("textDocument/completion", { textDocument: { uri }, position: units.start });
  sim.advance(1);
  const item = at(asked.answers[0]?.result, "0");
  assert.deepEqual(at(item, "textEdit", "range"), units);
  const resolved = client.ask("completionItem/resolve", item);
  sim.advance(1);
  const seen = sim.server("one").questions.find(({ method }) => method === "completionItem/resolve");
  assert.deepEqual(at(seen?.params, "textEdit", "range"), bytes);
  assert.deepEqual(at(resolved.answers[0]?.result, "textEdit", "range"), units);
  assert.deepEqual(at(resolved.answers[0]?.result, "additionalTextEdits", "0", "range"), units);
  assert.deepEqual(sim.faults(), []);
});

test("a hierarchy item of a file that is open nowhere goes back as it came", () => {
  const item = { name: "n", kind: 12, uri: other, range: bytes, selectionRange: bytes, data: 1 };
  const sim = counting({
    capabilities: { callHierarchyProvider: true },
    on: {
      "textDocument/prepareCallHierarchy": () => ({ result: [item] }),
      "callHierarchy/outgoingCalls": () => ({ result: [{ to: { ...item, uri }, fromRanges: [bytes] }] }),
    },
  });
  const client = sim.client();
  client.open(uri, line);
  const asked = client.ask("textDocument/prepareCallHierarchy", { textDocument: { uri }, position: units.start });
  sim.advance(1);
  const prepared = at(asked.answers[0]?.result, "0");
  assert.deepEqual(at(prepared, "selectionRange"), units);
  const calls = client.ask("callHierarchy/outgoingCalls", { item: prepared });
  sim.advance(1);
  const seen = sim.server("one").questions.find(({ method }) => method === "callHierarchy/outgoingCalls");
  assert.deepEqual(at(seen?.params, "item"), item);
  assert.deepEqual(at(calls.answers[0]?.result, "0", "fromRanges"), [units]);
  assert.deepEqual(at(calls.answers[0]?.result, "0", "to", "range"), units);
  assert.deepEqual(sim.faults(), []);
});

test("an item goes back as it came also where it points into files that are open nowhere", () => {
  const [capable, location] = [{ resolveProvider: true }, { uri: other, range: bytes }];
  const edit = { changes: { [other]: [{ range: bytes, newText: "n" }], [uri]: [{ range: bytes, newText: "m" }] } };
  const items: Readonly<Record<string, readonly [asks: string, params: object, item: object]>> = {
    "workspaceSymbol/resolve": ["workspace/symbol", { query: "n" }, { name: "n", kind: 12, location, data: 1 }],
    "codeAction/resolve": [
      "textDocument/codeAction",
      { textDocument: { uri }, range: units, context: { diagnostics: [] } },
      { title: "t", edit, data: 1 },
    ],
    "inlayHint/resolve": [
      "textDocument/inlayHint",
      { textDocument: { uri }, range: units },
      { position: bytes.start, label: [{ value: "n", location }], data: 1 },
    ],
  };
  for (const [resolve, [method, params, item]] of Object.entries(items)) {
    const sim = counting({
      capabilities: { workspaceSymbolProvider: capable, codeActionProvider: capable, inlayHintProvider: capable },
      on: { [method]: () => ({ result: [item] }), [resolve]: ({ params: asked }) => ({ result: asked }) },
    });
    const properties = { properties: ["location.range", "edit", "label.location"] };
    const client = sim.client(undefined, {
      workspace: { symbol: { resolveSupport: properties } },
      textDocument: {
        codeAction: { dataSupport: true, resolveSupport: properties, codeActionLiteralSupport: {} },
        inlayHint: { resolveSupport: properties },
      },
    });
    client.open(uri, line);
    const asked = client.ask(method, params);
    sim.advance(1);
    const given = at(asked.answers[0]?.result, "0");
    assert.ok(JSON.stringify(given).includes(JSON.stringify(units.start)), `${method}: ${JSON.stringify(given)}`);
    const resolved = client.ask(resolve, given);
    sim.advance(1);
    const seen = sim.server("one").questions.find((question) => question.method === resolve);
    assert.deepEqual(seen?.params, item, resolve);
    assert.deepEqual(resolved.answers[0]?.result, given, resolve);
    assert.deepEqual(sim.faults(), []);
  }
});

test("places in files that are open nowhere: related information, edits of a backend", () => {
  const sim = counting({});
  const client = sim.client(undefined, { workspace: { applyEdit: true } });
  client.open(uri, line);
  sim.advance(1);
  const related = (range: object) => [{ location: { uri: other, range }, message: "r" }];
  const server = sim.server("one");
  server.tell("textDocument/publishDiagnostics", {
    uri,
    diagnostics: [{ range: bytes, message: "m", relatedInformation: related(bytes) }],
  });
  server.ask(1, "workspace/applyEdit", { edit: { changes: { [other]: [{ range: bytes, newText: "" }] } } });
  sim.advance(1);
  assert.deepEqual(at(client.shown("textDocument/publishDiagnostics").at(-1), "diagnostics"), [
    { range: units, message: "m", relatedInformation: related(units) },
  ]);
  const edit = client.requests.find(({ method }) => method === "workspace/applyEdit");
  assert.deepEqual(at(edit?.params, "edit", "changes", other, "0", "range"), units);
  assert.deepEqual(sim.faults(), []);
});

test("each client that cannot pull is shown what is pulled for it", () => {
  const sim = new Sim({
    backends: {
      one: {
        capabilities: { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
        on: { "textDocument/diagnostic": ({ text }) => ({ result: { kind: "full", items: [{ message: text }] } }) },
      },
    },
  });
  const [a, b] = [sim.client(), sim.client()];
  a.open(uri, "of a");
  b.open(uri, "of b");
  sim.advance(5_000);
  for (const [client, text] of [
    [a, "of a"],
    [b, "of b"],
  ] as const) {
    const shown = client
      .shown("textDocument/publishDiagnostics")
      .map((params) => at(params, "diagnostics", "0", "message"));
    assert.deepEqual([...new Set(shown)], [text]);
  }
  assert.deepEqual(sim.faults(), []);
});

test("what was pulled for a client moves along with its edits until it is pulled anew", () => {
  let pulls = 0;
  const item = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "pulled" };
  const sim = new Sim({
    backends: {
      one: {
        capabilities: { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
        on: {
          "textDocument/diagnostic": () =>
            pulls++ > 0 ? "hold" : { result: { kind: "full", resultId: "r", items: [item] } },
        },
      },
    },
  });
  const unchanged = { kind: "unchanged", resultId: "r" };
  const client = sim.client();
  const shown = (): unknown => {
    const last = client.shown("textDocument/publishDiagnostics").at(-1);
    const list = at(last, "diagnostics") as readonly object[];
    return [list.map((one) => [at(one, "message"), at(one, "range", "start", "line")]), at(last, "version")];
  };
  const push = (): void => {
    sim.server("one").tell("textDocument/publishDiagnostics", { uri, diagnostics: [{ ...item, message: "pushed" }] });
    sim.settle();
  };
  client.open(uri, "x\n", 1);
  sim.advance(1_000);
  assert.deepEqual(shown(), [[["pulled", 0]], 1]);
  client.change(
    uri,
    [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "new\n" }],
    2,
  );
  push();
  assert.deepEqual(shown(), [
    [
      ["pushed", 0],
      ["pulled", 1],
    ],
    undefined,
  ]);
  sim.advance(1_000);
  assert.equal(pulls, 2);
  // Said of the text as it is now: the place stands, as the server has it.
  for (const question of sim.server("one").open.values()) sim.server("one").answer(question, { result: unchanged });
  sim.settle();
  push();
  assert.deepEqual(shown(), [
    [
      ["pushed", 0],
      ["pulled", 0],
    ],
    undefined,
  ]);
  assert.deepEqual(sim.faults(), []);
});

test("what is no file is served by the server of the client's folder, also when it is opened first", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => ({ result: { contents: "h" } }) } } });
  const client = sim.client();
  client.open("untitled:Untitled-1", "t");
  client.open(uri, "t");
  sim.advance(1);
  assert.equal(sim.servers.get("one")?.length, 1);
  assert.deepEqual([...sim.server("one").documents.keys()], ["untitled:Untitled-1", uri]);
});

test("a client without folders: a server for each project that it opens a file of, none for dependencies", () => {
  const sim = new Sim({
    backends: { one: {} },
    files: { "file:///p/.root": "", "file:///q/.root": "", "file:///q/node_modules/d/.root": "" },
  });
  const client = sim.connect();
  client.initialize({}, []);
  for (const path of ["p/s/a.x", "p/b.x", "q/a.x", "q/node_modules/d/i.x", "r/a.x"])
    client.open(`file:///${path}`, "t");
  sim.advance(1);
  const held = sim.servers.get("one")?.map(({ documents }) => [...documents.keys()]);
  assert.deepEqual(held, [
    ["file:///p/s/a.x", "file:///p/b.x", "file:///r/a.x"],
    ["file:///q/a.x", "file:///q/node_modules/d/i.x"],
  ]);
});

test("a range of null is no range; the first line of a buffer tells its language where nothing else does", () => {
  const sim = new Sim({ backends: { one: { adapter: { languages: ["python"] } } } });
  const client = sim.client();
  const tool = `${folder}/tool`;
  client.open(tool, "#!/usr/bin/env python3\n", 1, "");
  client.tell("textDocument/didChange", {
    textDocument: { uri: tool, version: 2 },
    contentChanges: [{ range: null, text: "all of it" }],
  });
  sim.advance(1);
  assert.equal(sim.server("one").text(tool), "all of it");
});
