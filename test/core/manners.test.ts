/** What backends and clients are due beyond answers: who an edit goes to, which commands there are, what is never wedged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer, type Reaction } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const other = `${folder}/b.x`;
const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
const command = "workspace/executeCommand";
const commands = { executeCommandProvider: { commands: ["static"] } };
const editing = { workspace: { applyEdit: true } };
const editOf = (of: string): object => ({ edit: { changes: { [of]: [] } } });
const hold = (): Reaction => "hold";

const edits = (client: FakeClient): readonly unknown[] =>
  client.requests.flatMap(({ method, params }) => (method === "workspace/applyEdit" ? [params] : []));
const asked = (server: FakeServer, method: string): readonly unknown[] =>
  server.questions.flatMap((question) => (question.method === method ? [question.params] : []));

function stage(count: number, capabilities: object = editing): { sim: Sim; clients: FakeClient[]; server: FakeServer } {
  const sim = new Sim({ backends: { one: { capabilities: commands, otherwise: hold } } });
  const clients = Array.from({ length: count }, () => sim.client(undefined, capabilities));
  clients.forEach((client, i) => {
    client.open(i === 0 ? uri : other, "a");
  });
  sim.settle();
  return { sim, clients, server: sim.server("one") };
}

test("an edit goes to the client whose command waits, of several to who has the file open, never to two", () => {
  const { sim, clients, server } = stage(3);
  const [a, b, c] = clients;
  assert.ok(a && b && c);
  server.ask(1, "workspace/applyEdit", editOf(other));
  sim.settle();
  assert.deepEqual([a, b, c].map(edits), [[], [editOf(other)], []], "nobody waits: the first with the file open");
  c.ask(command, { command: "static" });
  sim.settle();
  server.ask(2, "workspace/applyEdit", editOf(uri));
  sim.settle();
  assert.equal(edits(c).length, 1, "the only one that waits, whatever it has open");
  a.ask(command, { command: "static" });
  sim.settle();
  server.ask(3, "workspace/applyEdit", editOf(uri));
  server.ask(4, "workspace/applyEdit", editOf(other));
  sim.settle();
  assert.deepEqual([a, b, c].map(edits), [[editOf(uri)], [editOf(other)], [editOf(uri), editOf(other)]]);
  assert.deepEqual(sim.faults(), []);
});

test("an edit that a cancelled command causes is refused, from the cancel on", () => {
  const { sim, clients, server } = stage(1);
  const [client] = clients;
  assert.ok(client);
  const asking = client.ask(command, { command: "static" });
  sim.settle();
  client.cancel(asking);
  sim.settle();
  server.ask(1, "workspace/applyEdit", editOf(uri));
  sim.settle();
  assert.equal(at(server.answers.get(1)?.result, "applied"), false);
  sim.advance(3000);
  assert.equal(asking.answers[0]?.error?.code, -32800);
  server.ask(2, "workspace/applyEdit", editOf(uri));
  sim.settle();
  assert.equal(at(server.answers.get(2)?.result, "applied"), false);
  assert.deepEqual(edits(client), []);
});

test("commands: all registrations count, and one taken back does not", () => {
  const { sim, clients, server } = stage(1);
  const [client] = clients;
  assert.ok(client);
  const register = (id: string): object => ({ id, method: command, registerOptions: { commands: [`of ${id}`] } });
  server.ask(1, "client/registerCapability", { registrations: [register("a"), register("b")] });
  sim.settle();
  server.ask(2, "client/unregisterCapability", { unregisterations: [{ id: "a", method: command }] });
  sim.settle();
  const codes = ["static", "of a", "of b"].map((name) => {
    const asking = client.ask(command, { command: name });
    sim.settle();
    return asking.answers[0]?.error?.code ?? null;
  });
  assert.deepEqual(codes, [null, -32602, null]);
  assert.deepEqual(
    asked(server, command).map((params) => at(params, "command")),
    ["static", "of b"],
  );
});

test("an announced command of a server that does not run yet starts it", () => {
  const sim = new Sim({ backends: { one: { capabilities: commands, recorded: commands } } });
  const client = sim.client();
  const asking = client.ask(command, { command: "static" });
  sim.settle();
  assert.deepEqual(asking.answers[0]?.result, null);
  assert.equal(asked(sim.server("one"), command).length, 1);
});

test("an answer with neither result nor error is an empty one", () => {
  const { sim, clients, server } = stage(1);
  const [client] = clients;
  assert.ok(client);
  const asking = client.ask("textDocument/hover", place);
  sim.settle();
  server.write(Buffer.from(`{"jsonrpc":"2.0","id":${server.questions.at(-1)?.id}}`));
  sim.settle();
  assert.deepEqual(
    asking.answers.map((answer) => answer.result),
    [null],
  );
});

test("odd capabilities of a client do not keep a server from it", () => {
  for (const textDocument of [{ semanticTokens: {} }, { semanticTokens: 5, completion: true, rename: [] }, null]) {
    const { server } = stage(1, { textDocument });
    assert.equal(server.text(uri), "a");
  }
});

test("before initialized a client is sent nothing; what is known by then is shown with it", () => {
  const sim = new Sim({ backends: { one: { otherwise: hold } } });
  const client = sim.connect();
  client.ask("initialize", { processId: null, rootUri: folder, capabilities: { window: { workDoneProgress: true } } });
  client.open(uri, "a");
  sim.settle();
  const server = sim.server("one");
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  server.tell("textDocument/publishDiagnostics", { uri, diagnostics: [{ range, message: "m" }] });
  server.ask(1, "window/showMessageRequest", { type: 1, message: "q" });
  server.ask(2, "window/workDoneProgress/create", { token: 1 });
  sim.settle();
  assert.deepEqual([client.notifications, client.requests], [[], []]);
  assert.deepEqual([server.answers.get(1)?.result, server.answers.get(2)?.result], [null, null]);
  client.tell("initialized", {});
  sim.settle();
  assert.equal(client.shown("textDocument/publishDiagnostics").length, 1);
});

test("a client that never says initialized is told things all the same, a little later", () => {
  const sim = new Sim({ backends: { one: { otherwise: hold } } });
  const client = sim.connect();
  client.ask("initialize", { processId: null, rootUri: folder, capabilities: {} });
  client.open(uri, "a");
  sim.settle();
  const server = sim.server("one");
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const publish = (message: string): void =>
    server.tell("textDocument/publishDiagnostics", { uri, diagnostics: [{ range, message }] });
  publish("first");
  sim.settle();
  assert.deepEqual(client.notifications, []);
  sim.advance(2000);
  publish("second");
  sim.settle();
  const shown = client.shown("textDocument/publishDiagnostics");
  assert.deepEqual(
    shown.map((params) => at(params, "diagnostics", "0", "message")),
    ["first", "second"],
  );
  client.tell("initialized", {});
  sim.settle();
  assert.equal(client.shown("textDocument/publishDiagnostics").length, 2);
});

test("a folder that is taken away takes its server along; its open documents move to one that serves them", () => {
  const sim = new Sim({ backends: { one: { otherwise: hold } } });
  const client = sim.connect();
  const folders = ["p1", "p2"].map((name) => ({ uri: `${folder}/${name}`, name }));
  client.initialize(
    {},
    folders.map((each) => each.uri),
  );
  const here = `${folder}/p1/a.x`;
  const there = `${folder}/p2/a.x`;
  client.open(here, "a");
  client.open(there, "b");
  sim.settle();
  const [first, second] = sim.servers.get("one") ?? [];
  assert.ok(first && second);
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  second.tell("textDocument/publishDiagnostics", { uri: there, diagnostics: [{ range, message: "m" }] });
  sim.settle();
  client.tell("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [folders[1]] } });
  sim.advance(5000);
  assert.ok(!sim.runs(second));
  assert.deepEqual([first.text(here), first.text(there)], ["a", "b"]);
  assert.deepEqual(at(client.shown("textDocument/publishDiagnostics").at(-1), "diagnostics"), []);
  client.tell("workspace/didChangeWorkspaceFolders", { event: { added: [folders[1]], removed: [] } });
  sim.advance(5000);
  const third = sim.server("one");
  assert.notEqual(third, first);
  assert.deepEqual([first.text(there), third.text(there)], [undefined, "b"]);
  assert.deepEqual(sim.faults(), []);
});

test("the folder that we were started in is that of a client that names none, until it names one", () => {
  const started = `${folder}/started`;
  const named = `${folder}/named`;
  const sim = new Sim({
    backends: { one: {} },
    files: { [`${started}/a.x`]: "", [`${named}/a.x`]: "" },
    workingFolder: started,
  });
  const client = sim.connect();
  client.initialize({}, []);
  client.ask("workspace/symbol", { query: "q" });
  sim.settle();
  const roots = (): unknown =>
    (sim.servers.get("one") ?? []).map(({ questions: [first] }) => at(first?.params, "rootUri"));
  assert.deepEqual(roots(), [started]);
  client.tell("workspace/didChangeWorkspaceFolders", { event: { added: [{ uri: named, name: "n" }], removed: [] } });
  client.ask("workspace/symbol", { query: "q" });
  sim.settle();
  assert.deepEqual(roots(), [started, named]);
});

test("facts of a language that nothing serves: an error each time, the user is told once", () => {
  const sim = new Sim({ backends: { one: { adapter: { languages: ["y"] } } } });
  const client = sim.client();
  const ask = (method: string) => client.ask(method, { ...place, textDocument: { uri: `${folder}/a.py` } });
  const asking = ["textDocument/definition", "textDocument/definition", "textDocument/hover"].map(ask);
  sim.settle();
  assert.deepEqual(
    asking.map(({ answers }) => at(answers[0]?.error?.data, "code") ?? answers[0]?.result),
    ["NoBackend", "NoBackend", null],
  );
  assert.equal(client.shown("window/showMessage").length, 1);
});

test("a file that is edited all day is not blamed for the crashes of a day", () => {
  const { sim, clients, server } = stage(1);
  const [client] = clients;
  assert.ok(client);
  sim.advance(3_600_000);
  client.change(uri, [{ text: "b" }]);
  sim.settle();
  server.exit();
  sim.advance(3_600_000);
  client.change(uri, [{ text: "c" }]);
  sim.settle();
  sim.server("one").exit();
  sim.advance(10_000);
  assert.equal(sim.server("one").text(uri), "c");
  assert.equal(sim.server("one").generation, 3);
});

test("a registration is passed on where the method was not announced and the client takes it; once, and taken back", () => {
  const takes = { textDocument: { formatting: { dynamicRegistration: true }, hover: { dynamicRegistration: true } } };
  const sim = new Sim({ backends: { one: { recorded: { hoverProvider: true } }, two: { recorded: {} } } });
  const clients = [sim.client("able", takes), sim.client("unable", {})];
  for (const client of clients) client.open(uri, "a");
  sim.settle();
  const [able, unable] = clients;
  const [one, two] = [sim.server("one"), sim.server("two")];
  assert.ok(able && unable);
  const formatting = "textDocument/formatting";
  const registrations = ["textDocument/hover", formatting, "workspace/didChangeWatchedFiles", "made/up"].map(
    (method) => ({
      id: method,
      method,
      registerOptions: { documentSelector: [{ language: "x" }], identifier: "own" },
    }),
  );
  one.ask(1, "client/registerCapability", { registrations });
  two.ask(1, "client/registerCapability", { registrations });
  sim.settle();
  assert.deepEqual(unable.requests, []);
  const told = able.requests.flatMap(({ params }) => at(params, "registrations"));
  assert.deepEqual(told, [{ id: at(told[0], "id"), method: formatting, registerOptions: { documentSelector: null } }]);
  const back = { unregisterations: [{ id: formatting, method: formatting }] };
  one.ask(2, "client/unregisterCapability", back);
  sim.settle();
  assert.equal(able.requests.length, 1, "the other still has it");
  two.ask(2, "client/unregisterCapability", back);
  sim.settle();
  assert.deepEqual(at(able.requests[1]?.params, "unregisterations"), [{ id: at(told[0], "id"), method: formatting }]);
  assert.deepEqual(sim.faults(), []);
});

test("a client that does not answer for its settings is not asked again until they change", () => {
  const { sim, clients, server } = stage(1, { workspace: { configuration: true } });
  const [client] = clients;
  assert.ok(client);
  client.manner = "silent";
  const ask = (id: number, section: string, wait: number): unknown => {
    server.ask(id, "workspace/configuration", { items: [{ section }] });
    sim.advance(wait);
    return server.answers.get(id)?.result;
  };
  assert.deepEqual(ask(1, "a", 3500), [null]);
  assert.deepEqual(ask(2, "b", 0), [null]);
  assert.equal(client.requests.length, 1);
  client.manner = () => [{ c: 1 }];
  client.tell("workspace/didChangeConfiguration", { settings: null });
  assert.deepEqual(ask(3, "a.c", 0), [1]);
});

test("a method outside of the table that its backend calls an invalid request is an unknown one", () => {
  const refuse = (): Reaction => ({ error: { code: -32600, message: "InvalidRequest" } });
  const sim = new Sim({ backends: { one: { on: { "made/up": refuse } } } });
  const client = sim.client();
  client.open(uri, "a");
  const asking = client.ask("made/up", place);
  sim.settle();
  assert.equal(asking.answers[0]?.error?.code, -32601);
});
