/**
 * Several servers for one language beyond what a conversation shows (`transcripts/*-of-two.lspt`): who is asked where two are
 * general, who takes over, what a user has switched off, and commands of two processes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, type FakeServer, type Reaction } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const general = { role: "general" } as const;
const hover = "textDocument/hover";
const published = "textDocument/publishDiagnostics";
const command = "workspace/executeCommand";

const says = (contents: string) => ({ [hover]: (): Reaction => ({ result: { contents } }) });
const asked = (server: FakeServer, method: string): number =>
  server.questions.filter((question) => question.method === method).length;
const publish = (server: FakeServer, ...messages: readonly string[]): void =>
  server.tell(published, { uri, diagnostics: messages.map((message) => ({ range, message })) });

test("two general servers: the first that can is asked, and the second is not even started", () => {
  const sim = new Sim({ backends: { one: { on: says("1") }, two: { adapter: general, on: says("2") } } });
  const client = sim.client();
  client.open(uri, "a");
  const asking = client.ask(hover, place);
  sim.settle();
  assert.deepEqual(asking.answers[0]?.result, { contents: "1" });
  assert.deepEqual([...sim.servers.keys()], ["one"]);
});

test("two general servers: the second is asked what the first cannot, and tells no fault a second time", () => {
  const only = { capabilities: { hoverProvider: false } };
  const sim = new Sim({ backends: { one: only, two: { adapter: general, on: says("2") } } });
  const client = sim.client();
  client.open(uri, "a");
  sim.settle();
  const asking = client.ask(hover, place);
  sim.settle();
  assert.deepEqual(asking.answers[0]?.result, { contents: "2" });
  const shown = (): unknown =>
    (at(client.shown(published).at(-1), "diagnostics") as readonly unknown[] | undefined)?.map((one) =>
      at(one, "message"),
    );
  publish(sim.server("two"), "of two");
  sim.settle();
  assert.deepEqual(shown(), ["of two"], "one has said nothing yet");
  publish(sim.server("one"), "of one");
  publish(sim.server("two"), "of two", "more of two");
  sim.settle();
  assert.deepEqual(shown(), ["of one"]);
});

test("a general server that is given up: the next one gets the documents, and is asked", () => {
  const sim = new Sim({
    backends: { one: { on: says("1") }, two: { adapter: general, on: says("2") } },
    limits: { starts: 1 },
  });
  const client = sim.client();
  client.open(uri, "a");
  sim.settle();
  sim.server("one").exit();
  sim.settle();
  assert.equal(sim.server("two").text(uri), "a");
  const asking = client.ask(hover, place);
  sim.settle();
  assert.deepEqual(asking.answers[0]?.result, { contents: "2" });
  sim.server("two").exit();
  sim.settle();
  const last = client.ask(hover, place);
  sim.settle();
  assert.match(last.answers[0]?.error?.message ?? "", /^one /, "nobody is left: the first in rank says why");
});

test("a command goes to the process in whose folder its file lies; with a mark to whom it names", () => {
  const commands = { executeCommandProvider: { commands: ["fix"] }, codeLensProvider: {} };
  const lenses = (): Reaction => ({ result: [{ range, command: { title: "t", command: "fix", arguments: [1] } }] });
  const sim = new Sim({ backends: { one: { capabilities: commands, on: { "textDocument/codeLens": lenses } } } });
  const client = sim.connect();
  const folders = [`${folder}/p1`, `${folder}/p2`];
  client.initialize({}, folders);
  for (const root of folders) client.open(`${root}/a.x`, "a");
  sim.settle();
  const [first, second] = sim.servers.get("one") ?? [];
  assert.ok(first && second);
  for (const argument of [`${folder}/p2/b.x`, { nested: [`${folder}/p2/b.x`] }, "/w/p2/b.x"])
    client.ask(command, { command: "fix", arguments: [argument] });
  sim.settle();
  assert.deepEqual([asked(first, command), asked(second, command)], [0, 3]);
  client.ask(command, { command: "fix", arguments: [1] });
  sim.settle();
  assert.deepEqual([asked(first, command), asked(second, command)], [1, 3]);

  const lens = client.ask("textDocument/codeLens", { textDocument: { uri: `${folder}/p2/a.x` } });
  sim.settle();
  const given = at(lens.answers[0]?.result, "0", "command");
  assert.deepEqual(given, { title: "t", command: "fix", arguments: [1, "sb1:2:1:"] });
  client.ask(command, given);
  sim.settle();
  assert.deepEqual([asked(first, command), asked(second, command)], [1, 4]);
  assert.deepEqual(at(second.questions.at(-1)?.params, "arguments"), [1]);
  assert.deepEqual(sim.faults(), []);
});

test("what a user has switched off: neither asked nor shown", () => {
  const sim = new Sim({
    backends: {
      one: { on: says("1") },
      two: {
        on: says("2"),
        capabilities: { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
      },
    },
    allows: (_language, backend, method) => backend === "one" || !/diagnostic|Diagnostics/.test(method),
  });
  const client = sim.client();
  client.open(uri, "a");
  sim.settle();
  publish(sim.server("two"), "of two");
  publish(sim.server("one"), "of one");
  sim.advance(1000);
  assert.deepEqual(
    client.shown(published).map((params) => at(params, "diagnostics", "0", "message")),
    ["of one"],
  );
  assert.equal(asked(sim.server("two"), "textDocument/diagnostic"), 0);
});

test("a server that renames without being asked first has accepted every name, whatever another says", () => {
  const edit = { changes: { [uri]: [] } };
  const renames = { "textDocument/rename": (): Reaction => ({ result: edit }) };
  const sim = new Sim({
    backends: {
      one: { capabilities: { renameProvider: true }, on: renames },
      two: { capabilities: { renameProvider: { prepareProvider: true } } },
    },
  });
  const rename = { textDocument: { rename: { prepareSupport: true } } };
  const clients = [rename, { textDocument: { rename: { prepareSupport: true, prepareSupportDefaultBehavior: 1 } } }];
  const [plain, able] = clients.map((capabilities) => sim.client(undefined, capabilities));
  assert.ok(plain && able);
  for (const client of [plain, able]) client.open(uri, "a = b2c;");
  sim.settle();
  const at6 = { ...place, position: { line: 0, character: 6 } };
  const prepared = [plain, able].map((client) => client.ask("textDocument/prepareRename", at6));
  const nowhere = plain.ask("textDocument/prepareRename", { ...place, position: { line: 0, character: 3 } });
  sim.settle();
  const word = { start: { line: 0, character: 4 }, end: { line: 0, character: 7 } };
  assert.deepEqual(
    prepared.map(({ answers }) => answers[0]?.result),
    [word, { defaultBehavior: true }],
  );
  assert.equal(nowhere.answers[0]?.result, null);
  plain.ask("textDocument/prepareRename", at6);
  sim.settle();
  const renamed = plain.ask("textDocument/rename", { ...at6, newName: "n" });
  sim.settle();
  assert.deepEqual(renamed.answers[0]?.result, edit);
  assert.equal(asked(sim.server("two"), "textDocument/rename"), 0);
});

test("one server that does not heed which kinds of action are wanted: what is of another kind is left out", () => {
  const actions = [
    { title: "a", kind: "source.organizeImports.own" },
    { title: "b", kind: "quickfix", isPreferred: true },
    { title: "c", kind: "source.organizeImportsNot" },
    { title: "d", command: "x" },
  ];
  const sim = new Sim({
    backends: {
      one: {
        capabilities: { codeActionProvider: true },
        on: { "textDocument/codeAction": () => ({ result: actions }) },
      },
    },
  });
  const literal = { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } }, isPreferredSupport: true };
  const client = sim.client(undefined, { textDocument: { codeAction: literal } });
  client.open(uri, "a");
  const titles = (context: object): unknown => {
    const asking = client.ask("textDocument/codeAction", { textDocument: { uri }, range, context });
    sim.settle();
    const list = asking.answers[0]?.result;
    return Array.isArray(list) ? list.map((one) => at(one, "title")) : list;
  };
  assert.deepEqual(titles({ diagnostics: [], only: ["source.organizeImports"] }), ["a"]);
  assert.deepEqual(titles({ diagnostics: [], only: ["source"] }), ["a", "c"]);
  assert.deepEqual(titles({ diagnostics: [], only: [] }), ["a", "b", "c", "d"]);
  assert.deepEqual(titles({ diagnostics: [] }), ["a", "b", "c", "d"]);
});
