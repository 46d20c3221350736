/**
 * Folders of clients and of servers: which process serves which, what a server of several folders is told, and that nobody
 * is told of the folders of others, nor in a spelling that is not its own.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { foldersOf } from "../sim/quiet.ts";
import { at } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { Sim, type SimOptions } from "../sim.ts";

const [a, b, c] = ["file:///w/a", "file:///w/b", "file:///w/c"] as const;
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const at0 = range.start;

function join(sim: Sim, folders: readonly string[], capabilities: object = {}): FakeClient {
  const client = sim.connect();
  client.initialize(capabilities, folders);
  sim.settle();
  return client;
}

function change(client: FakeClient, added: readonly string[], removed: readonly string[]): void {
  const folders = (uris: readonly string[]): object[] => uris.map((uri) => ({ uri, name: uri }));
  client.tell("workspace/didChangeWorkspaceFolders", { event: { added: folders(added), removed: folders(removed) } });
}

const shared = (backend: Backend = {}, more: Partial<SimOptions> = {}): Sim =>
  new Sim({ backends: { one: { ...backend, adapter: { multiRoot: true, ...backend.adapter } } }, ...more });

test("a server of several folders has those of its clients, for as long as one of them has them", () => {
  const sim = shared();
  const first = join(sim, [a]);
  first.open(`${a}/f.x`, "text");
  sim.settle();
  const second = join(sim, [b, c]);
  second.open(`${b}/f.x`, "text");
  sim.settle();
  const server = sim.server("one");
  assert.deepEqual(foldersOf(server), [a, b, c]);
  change(second, [a], [c]);
  sim.settle();
  assert.deepEqual(foldersOf(server), [a, b]);
  sim.drop(first);
  sim.settle();
  assert.deepEqual(foldersOf(server), [a, b], "the second has it too");
  change(second, [], [a]);
  sim.settle();
  assert.deepEqual(foldersOf(server), [b]);
  const third = join(sim, [c]);
  third.open(`${c}/f.x`, "text");
  sim.settle();
  assert.deepEqual(foldersOf(server), [b, c]);
  second.ask("shutdown", null);
  sim.settle();
  assert.deepEqual(foldersOf(server), [c], "a client that leaves takes its folders along");
  assert.equal(sim.servers.get("one")?.length, 1);
  assert.deepEqual(sim.faults(), []);
});

test("a server of one folder: a process for each, which ends with the folder unless somebody else has it", () => {
  const sim = new Sim({ backends: { one: {} } });
  const first = join(sim, [a, b]);
  const second = join(sim, [b]);
  for (const [client, uri] of [
    [first, a],
    [first, b],
    [second, b],
  ] as const)
    client.open(`${uri}/f.x`, "text");
  sim.settle();
  const [ofA, ofB] = sim.servers.get("one") ?? [];
  assert.ok(ofA && ofB && sim.servers.get("one")?.length === 2);
  change(first, [c], [a, b]);
  sim.advance(5_000);
  assert.deepEqual([sim.runs(ofA), sim.runs(ofB)], [true, true], "files of theirs are still open");
  first.close(`${a}/f.x`);
  first.close(`${b}/f.x`);
  sim.advance(5_000);
  assert.deepEqual([sim.runs(ofA), sim.runs(ofB)], [false, true]);
  change(second, [], [b]);
  second.close(`${b}/f.x`);
  change(second, [c], []);
  sim.advance(5_000);
  assert.equal(sim.runs(ofB), false);
  assert.deepEqual(sim.faults(), []);
});

test("a folder within another: its files go to the process of the inner one, and back when that is removed", () => {
  const inner = `${a}/inner`;
  const sim = new Sim({ backends: { one: {} } });
  const client = join(sim, [a]);
  client.open(`${inner}/f.x`, "text");
  sim.settle();
  change(client, [inner], []);
  sim.advance(5_000);
  const [outer, within] = sim.servers.get("one") ?? [];
  assert.deepEqual([outer?.text(`${inner}/f.x`), within?.text(`${inner}/f.x`)], [undefined, "text"]);
  change(client, [], [inner]);
  sim.advance(5_000);
  assert.equal(outer?.text(`${inner}/f.x`), "text");
  assert.equal(within !== undefined && sim.runs(within), false);
  assert.deepEqual(sim.faults(), []);
});

test("clients without folders: a server of several has the project of each file that they open", () => {
  const sim = shared({}, { files: { "file:///p/.root": "", "file:///q/.root": "" } });
  const lone = join(sim, []);
  lone.open("file:///p/s/f.x", "text");
  sim.settle();
  const server = sim.server("one");
  assert.deepEqual(foldersOf(server), ["file:///p"]);
  const other = join(sim, [a]);
  other.open(`${a}/f.x`, "text");
  sim.settle();
  assert.deepEqual(foldersOf(server), ["file:///p", a]);
  lone.open("file:///q/f.x", "text");
  sim.settle();
  assert.deepEqual(foldersOf(server), ["file:///p", a, "file:///q"]);
  sim.drop(lone);
  sim.settle();
  assert.deepEqual(foldersOf(server), [a]);
  assert.equal(sim.servers.get("one")?.length, 1);
});

// ---- What lies in the folders of others -------------------------------------------------------------------------------

const places = [`${a}/f.x`, `${b}/g.x`, "file:///lib/l.x"];
const item = (uri: string): object => ({ name: "n", kind: 12, uri, range, selectionRange: range });
const searching: Readonly<Record<string, { readonly params: object; readonly result: unknown }>> = {
  "textDocument/references": {
    params: { context: { includeDeclaration: true } },
    result: places.map((uri) => ({ uri, range })),
  },
  "textDocument/implementation": {
    params: {},
    result: places.map((uri) => ({ targetUri: uri, targetRange: range, targetSelectionRange: range })),
  },
  "workspace/symbol": {
    params: { query: "n" },
    result: places.map((uri) => ({ name: "n", kind: 12, location: { uri, range } })),
  },
  "callHierarchy/incomingCalls": {
    params: {},
    result: places.map((uri) => ({ from: item(uri), fromRanges: [range] })),
  },
  "typeHierarchy/subtypes": { params: {}, result: places.map(item) },
};
const leading: typeof searching = {
  "textDocument/definition": { params: {}, result: places.map((uri) => ({ uri, range })) },
  "callHierarchy/outgoingCalls": {
    params: {},
    result: places.map((uri) => ({ to: item(uri), fromRanges: [range] })),
  },
  "textDocument/rename": {
    params: { newName: "m" },
    result: { changes: Object.fromEntries(places.map((uri) => [uri, [{ range, newText: "m" }]])) },
  },
};
const all = { ...searching, ...leading };
const able = {
  implementationProvider: true,
  workspaceSymbolProvider: true,
  callHierarchyProvider: true,
  typeHierarchyProvider: true,
};
const told: Backend = {
  capabilities: able,
  recorded: able,
  on: {
    ...Object.fromEntries(Object.entries(all).map(([method, { result }]) => [method, () => ({ result })])),
    ...Object.fromEntries(
      ["prepareCallHierarchy", "prepareTypeHierarchy"].map((name) => [
        `textDocument/${name}`,
        ({ params }) => ({ result: [item(String(at(params, "textDocument", "uri")))] }),
      ]),
    ),
  },
};
const taking = {
  textDocument: { implementation: { linkSupport: true } },
  workspace: { symbol: { resolveSupport: { properties: [] } } },
};

/** Which of the places an answer names. */
function named(sim: Sim, client: FakeClient, method: string, uri: string): readonly string[] {
  const about = method === "workspace/symbol" ? {} : { textDocument: { uri }, position: at0 };
  const document = method.includes("Hierarchy/") ? { item: item(uri) } : about;
  const asked = client.ask(method, { ...document, ...all[method]?.params });
  sim.advance(100);
  assert.equal(asked.answers[0]?.error, undefined, method);
  const text = JSON.stringify(asked.answers[0]?.result ?? null);
  return places.filter((place) => text.includes(`"${place}"`));
}

for (const inPieces of [false, true])
  test(`searches do not tell of the folders of others; what one's own code leads to they tell${inPieces ? ", in pieces" : ""}`, () => {
    const sim = shared(told, { inPieces });
    const first = join(sim, [a], taking);
    first.open(`${a}/f.x`, "n");
    sim.advance(100);
    for (const method of Object.keys(all))
      assert.deepEqual(named(sim, first, method, `${a}/f.x`), places, `${method}, alone`);
    const second = join(sim, [b], taking);
    second.open(`${b}/g.x`, "n");
    sim.advance(100);
    const [inA = "", inB = "", outside = ""] = places;
    for (const method of Object.keys(searching)) {
      assert.deepEqual(named(sim, first, method, inA), [inA, outside], `${method}, the first`);
      assert.deepEqual(named(sim, second, method, inB), [inB, outside], `${method}, the second`);
    }
    for (const method of Object.keys(leading)) assert.deepEqual(named(sim, first, method, inA), places, method);
    // A folder is its own as well once it works there.
    first.open(inB, "n");
    sim.advance(100);
    assert.deepEqual(named(sim, first, "textDocument/references", inA), places);
    first.close(inB);
    sim.drop(second);
    sim.advance(100);
    assert.deepEqual(foldersOf(sim.server("one")), [a]);
    assert.deepEqual(sim.faults(), []);
  });

test("who opens a file outside of all folders gets nobody else's folder by that", () => {
  const sim = shared(told);
  const first = join(sim, [a], taking);
  first.open(`${a}/f.x`, "n");
  const second = join(sim, [b], taking);
  second.open(`${b}/g.x`, "n");
  second.open("file:///lib/l.x", "n");
  sim.advance(100);
  const [, inB = "", outside = ""] = places;
  assert.deepEqual(named(sim, second, "workspace/symbol", inB), [inB, outside]);
  assert.deepEqual(named(sim, second, "textDocument/references", outside), [inB, outside]);
});

test("a folder that nobody has any more: what a server still tells of it is left out, and what we opened there is closed", () => {
  const markers = { [`${a}/t.json`]: "", [`${b}/t.json`]: "", [`${a}/f.x`]: "n", [`${b}/g.x`]: "n" };
  const sim = shared({ ...told, adapter: { ready: { on: "open" }, warmUp: { each: ["t.json"] } } }, { files: markers });
  const [inA = "", inB = "", outside = ""] = places;
  const client = join(sim, [a, b], taking);
  assert.deepEqual(named(sim, client, "workspace/symbol", inA), places);
  const open = (): readonly string[] => [...sim.server("one").documents.keys()].sort();
  assert.deepEqual(open(), [inA, inB], "one file of the projects of each folder");
  change(client, [], [b]);
  sim.advance(100);
  assert.deepEqual(open(), [inA]);
  assert.deepEqual(named(sim, client, "workspace/symbol", inA), [inA, outside]);
  assert.deepEqual(named(sim, client, "textDocument/definition", inA), places, "where its own code leads");
  change(client, [b], []);
  sim.advance(100);
  assert.deepEqual(named(sim, client, "workspace/symbol", inA), places);
  assert.deepEqual(open(), [inA, inB]);
  assert.equal(sim.servers.get("one")?.length, 1);
  assert.deepEqual(sim.faults(), []);
});

test("the projects of a folder are loaded for who works there, and for nobody else", () => {
  const files = { [`${a}/t.json`]: "", [`${b}/t.json`]: "", [`${a}/f.x`]: "n", [`${b}/g.x`]: "n" };
  const sim = shared({ ...told, adapter: { ready: { on: "open" }, warmUp: { each: ["t.json"] } } }, { files });
  const [inA = "", inB = "", outside = ""] = places;
  const [first, second] = [join(sim, [a], taking), join(sim, [b], taking)];
  const open = (): readonly string[] => [...sim.server("one").documents.keys()].sort();
  named(sim, first, "workspace/symbol", inA);
  assert.deepEqual(open(), [inA]);
  assert.deepEqual(named(sim, second, "workspace/symbol", inB), [inB, outside]);
  assert.deepEqual(open(), [inA, inB]);
  assert.deepEqual(named(sim, first, "workspace/symbol", inA), [inA, outside]);
});

test("a server is told of its folders where it wants to hear of them: from the start, or once it has said so", () => {
  for (const wanted of ["never", "from the start", "later"]) {
    const capabilities = wanted === "from the start" ? {} : { workspace: { workspaceFolders: { supported: true } } };
    const sim = shared({ capabilities });
    const client = join(sim, [a]);
    client.open(`${a}/f.x`, "n");
    sim.settle();
    const server = sim.server("one");
    change(client, [b], []);
    sim.settle();
    assert.deepEqual(foldersOf(server), wanted === "from the start" ? [a, b] : [a], wanted);
    if (wanted !== "later") continue;
    const registrations = [{ id: "w", method: "workspace/didChangeWorkspaceFolders" }];
    server.ask("r", "client/registerCapability", { registrations });
    sim.settle();
    assert.deepEqual(foldersOf(server), [a, b], wanted);
  }
});

test("diagnostics of files that nobody has open are shown to whose folder they lie in", () => {
  const sim = shared({ adapter: { publishes: "project" } });
  const first = join(sim, [a]);
  const second = join(sim, [b]);
  first.open(`${a}/f.x`, "n");
  second.open(`${b}/f.x`, "n");
  sim.settle();
  for (const uri of places)
    sim.server("one").tell("textDocument/publishDiagnostics", { uri, diagnostics: [{ range, message: "m" }] });
  sim.settle();
  const shown = (client: FakeClient): unknown[] =>
    client.shown("textDocument/publishDiagnostics").map((params) => at(params, "uri"));
  assert.deepEqual(shown(first), [`${a}/f.x`, "file:///lib/l.x"]);
  assert.deepEqual(shown(second), [`${b}/g.x`, "file:///lib/l.x"]);
});

// ---- Spellings --------------------------------------------------------------------------------------------------------

test("a folder under two names: one process, and each hears of all files under its own name", () => {
  const real = "file:///real/dir";
  const link = "file:///home/link";
  for (const [one, two] of [
    [link, real],
    [real, link],
    ["file:///sp%20ace+é", "file:///sp%20ace%2B%C3%A9"],
  ] as const) {
    // Some servers tell real paths, whatever they were told.
    const result = [`${one}/f.x`, `${one}/unopened.x`, ...(one === link ? [`${real}/unopened.x`] : [])];
    const sim = new Sim({
      backends: {
        one: {
          capabilities: { workspace: { fileOperations: { didRename: { filters: [{ pattern: { glob: "**" } }] } } } },
          on: { "textDocument/references": () => ({ result: result.map((uri) => ({ uri, range })) }) },
          adapter: { publishes: "project" },
        },
      },
      links: { "/home/link": "/real/dir" },
    });
    const first = join(sim, [one]);
    first.open(`${one}/f.x`, "n");
    sim.settle();
    const second = join(sim, [two]);
    second.open(`${two}/f.x`, "n");
    second.open(`${two}/own.x`, "n");
    sim.settle();
    assert.equal(sim.servers.get("one")?.length, 1, "one process");
    const server = sim.server("one");
    assert.deepEqual([...server.documents.keys()], [`${one}/f.x`, `${one}/own.x`], "under the name of its folder");
    for (const [client, name] of [
      [first, one],
      [second, two],
    ] as const) {
      const asked = client.ask("textDocument/references", { textDocument: { uri: `${name}/f.x` }, position: at0 });
      sim.advance(10);
      const { result: told } = asked.answers[0] ?? {};
      const uris = Array.isArray(told) ? told.map((place) => at(place, "uri")) : [];
      assert.deepEqual(new Set(uris), new Set([`${name}/f.x`, `${name}/unopened.x`]));
      assert.equal(at(server.questions.at(-1)?.params, "textDocument", "uri"), `${one}/f.x`);
    }
    for (const file of ["f.x", "unopened.x"])
      server.tell("textDocument/publishDiagnostics", { uri: `${one}/${file}`, diagnostics: [{ range, message: "m" }] });
    sim.advance(10);
    for (const [client, name] of [
      [first, one],
      [second, two],
    ] as const)
      assert.deepEqual(
        client.shown("textDocument/publishDiagnostics").map((params) => at(params, "uri")),
        [`${name}/f.x`, `${name}/unopened.x`],
      );
    second.tell("workspace/didRenameFiles", { files: [{ oldUri: `${two}/y.x`, newUri: `${two}/z.x` }] });
    sim.advance(10);
    assert.deepEqual(server.notifications.at(-1)?.params, { files: [{ oldUri: `${one}/y.x`, newUri: `${one}/z.x` }] });
    assert.deepEqual(sim.faults(), []);
  }
});

// ---- Between the folders ----------------------------------------------------------------------------------------------

test("a document that its folder's process holds for others alone is not edited there", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" } }, limits: { idleMs: 60_000 } });
  const [first, second] = [join(sim, [a, b]), join(sim, [b])];
  for (const client of [first, second]) client.open(`${b}/f.x`, client === first ? "first" : "second");
  first.open(`${a}/f.x`, "text");
  sim.settle();
  const inB = sim.servers.get("one")?.find((server) => server.text(`${b}/f.x`) !== undefined);
  // Under way when its folder goes: it is still about its asker's text, whoever else edits there.
  const asked = first.ask("textDocument/hover", { textDocument: { uri: `${b}/f.x` }, position: at0 });
  sim.settle();
  assert.equal(inB?.text(`${b}/f.x`), "first");
  change(first, [], [b]);
  sim.settle();
  assert.equal(inB?.text(`${b}/f.x`), "first");
  for (const question of inB?.open.values() ?? []) inB?.answer(question, { result: { contents: "h" } });
  sim.settle();
  assert.deepEqual(asked.answers[0]?.result, { contents: "h" });
  assert.equal(inB?.text(`${b}/f.x`), "second");
  first.change(`${b}/f.x`, [{ text: "first, edited" }]);
  sim.settle();
  assert.equal(inB?.text(`${b}/f.x`), "second");
  const others = (sim.servers.get("one") ?? []).filter((server) => server !== inB);
  assert.deepEqual(others.map((server) => server.text(`${b}/f.x`)).filter(Boolean), ["first, edited"]);
  assert.deepEqual(sim.faults(), []);
});

test("a document outside of all folders stays where it was put, whatever is opened after it", () => {
  const sim = new Sim({ backends: { one: {} }, files: { "file:///lib/.root": "" } });
  const client = join(sim, [a, b]);
  client.open("file:///lib/l.x", "text");
  sim.settle();
  client.open(`${a}/f.x`, "text");
  sim.settle();
  client.change("file:///lib/l.x", [{ text: "edited" }]);
  client.ask("textDocument/hover", { textDocument: { uri: "file:///lib/l.x" }, position: at0 });
  sim.settle();
  const holders = (sim.servers.get("one") ?? []).map((server) => server.text("file:///lib/l.x"));
  assert.deepEqual(holders, ["edited", undefined]);
});

test("what a question wants open while another's older question reads it: nothing turns in circles", () => {
  const ready = { on: "progress", match: /never/, settle: 60_000 } as const;
  const sim = new Sim({ backends: { one: { otherwise: () => "hold", adapter: { ready, warmUp: "open" } } } });
  const [first, second] = [join(sim, [a]), join(sim, [a])];
  first.open(`${a}/f.x`, "first");
  const place = { textDocument: { uri: `${a}/f.x` }, position: at0 };
  first.ask("textDocument/hover", place);
  sim.settle();
  first.close(`${a}/f.x`);
  second.open(`${a}/f.x`, "second");
  const asked = second.ask("textDocument/references", { ...place, context: { includeDeclaration: true } });
  sim.settle();
  sim.advance(30_000);
  const server = sim.server("one");
  assert.equal(server.text(`${a}/f.x`), "second");
  for (const question of server.open.values()) server.answer(question, { result: [] });
  sim.settle();
  assert.deepEqual(asked.answers[0]?.result, []);
});

test("a question of one who has left its folder is about its text, and the text of who stays comes back", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" } }, limits: { idleMs: 60_000 } });
  const [first, second] = [join(sim, [a, b]), join(sim, [b])];
  first.open(`${a}/f.x`, "text");
  sim.settle();
  first.open(`${b}/f.x`, "first");
  second.open(`${b}/f.x`, "second");
  // It waits for the server's start.
  first.ask("textDocument/hover", { textDocument: { uri: `${b}/f.x` }, position: at0 });
  change(first, [], [b]);
  sim.settle();
  const server = sim.servers.get("one")?.find(({ questions }) => questions.some(({ method }) => /hover/.test(method)));
  assert.equal(server?.questions.at(-1)?.text, "first");
  assert.equal(server?.text(`${b}/f.x`), "first");
  for (const question of server?.open.values() ?? []) server?.answer(question, { result: null });
  sim.settle();
  assert.equal(server?.text(`${b}/f.x`), "second");
  assert.deepEqual(sim.faults(), []);
});

test("what a question of one who has left its folder is warmed up with is nobody's text afterwards", () => {
  const ready = { on: "progress", match: /never/, settle: 60_000 } as const;
  const sim = new Sim({
    backends: { one: { otherwise: () => "hold", adapter: { ready, warmUp: "open" } } },
    limits: { idleMs: 60_000 },
    files: { [`${b}/f.x`]: "disk" },
  });
  const [first, second] = [join(sim, [a, b]), join(sim, [b])];
  const place = { textDocument: { uri: `${b}/f.x` }, position: at0 };
  first.open(`${a}/f.x`, "text");
  sim.settle();
  first.open(`${b}/f.x`, "first");
  // It waits for the server's start.
  first.ask("textDocument/references", { ...place, context: { includeDeclaration: true } });
  change(first, [], [b]);
  sim.settle();
  const server = sim.servers.get("one")?.find((each) => foldersOf(each).includes(b));
  assert.equal(server?.text(`${b}/f.x`), "first");
  sim.advance(10_000);
  for (const question of server?.open.values() ?? []) server?.answer(question, { result: [] });
  second.ask("textDocument/hover", place);
  sim.settle();
  assert.equal(server?.questions.at(-1)?.method, "textDocument/hover");
  assert.equal(server?.questions.at(-1)?.text, "disk");
  assert.deepEqual(sim.faults(), []);
});
