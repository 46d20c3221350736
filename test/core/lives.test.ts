/** Races in the lives of clients and backends, each a case of its own: attaching, leaving, ending, restarting. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
const echo: Backend = { otherwise: ({ text }) => ({ result: { contents: text ?? null } }) };
const hold: Backend = { otherwise: () => "hold" };

function hover(sim: Sim, client: FakeClient): unknown {
  const asked = client.ask("textDocument/hover", place);
  sim.advance(1);
  return asked.answers[0]?.result;
}

test("a client that comes while the backend is being ended gets a new one", () => {
  const sim = new Sim({ backends: { one: { ...echo, on: { shutdown: () => "hold" } } }, limits: { idleMs: 10 } });
  const a = sim.client();
  a.open(uri, "a");
  sim.settle();
  sim.drop(a);
  sim.advance(50);
  const b = sim.client();
  b.open(uri, "b");
  sim.advance(1);
  assert.deepEqual(hover(sim, b), { contents: "b" });
  sim.advance(10_000);
  assert.deepEqual(hover(sim, b), { contents: "b" });
  assert.equal(sim.servers.get("one")?.length, 2);
  assert.deepEqual(sim.faults(), []);
});

test("idle time counts from the last client's end", () => {
  const sim = new Sim({ backends: { one: echo }, limits: { idleMs: 1_000 } });
  const a = sim.client();
  a.open(uri, "a");
  sim.settle();
  sim.drop(a);
  sim.advance(900);
  const b = sim.client();
  b.open(uri, "b");
  sim.advance(10);
  sim.drop(b);
  sim.advance(500);
  assert.ok(sim.runs(sim.server("one")));
  sim.advance(600);
  assert.ok(!sim.runs(sim.server("one")));
  assert.deepEqual(sim.faults(), []);
});

test("a backend that is kept for nobody holds nobody's text", () => {
  const sim = new Sim({ backends: { one: echo }, limits: { idleMs: 1_000 } });
  const a = sim.client();
  a.open(uri, "unsaved");
  sim.settle();
  assert.equal(sim.server("one").documents.size, 1);
  sim.drop(a);
  sim.settle();
  assert.equal(sim.server("one").documents.size, 0);
  assert.ok(sim.runs(sim.server("one")));
  assert.deepEqual(sim.faults(), []);
});

test("what a client was asked is answered for it when it is gone", () => {
  const sim = new Sim({ backends: { one: hold } });
  const a = sim.client(undefined, { workspace: { applyEdit: true } });
  a.manner = "silent";
  const b = sim.client();
  a.open(uri, "a");
  b.open(uri, "a");
  sim.settle();
  const server = sim.server("one");
  server.ask("e", "workspace/applyEdit", { edit: { changes: {} } });
  sim.settle();
  assert.equal(a.requests.length, 1);
  sim.drop(a);
  sim.settle();
  assert.equal(at(server.answers.get("e")?.result, "applied"), false);
  assert.deepEqual(sim.faults(), []);
});

test("a command cancelled before it was sent is never sent", () => {
  const capabilities = { executeCommandProvider: { commands: ["do"] } };
  const sim = new Sim({ backends: { one: { ...hold, capabilities } } });
  const [a, b] = [sim.client(), sim.client()];
  a.open(uri, "a");
  sim.settle();
  a.ask("textDocument/hover", place);
  sim.settle();
  b.open(uri, "b");
  const command = b.ask("workspace/executeCommand", { command: "do" });
  sim.settle();
  b.cancel(command);
  sim.settle();
  assert.equal(command.answers[0]?.error?.code, -32800);
  sim.advance(5_000);
  assert.ok(!sim.server("one").questions.some(({ method }) => method === "workspace/executeCommand"));
  assert.deepEqual(sim.faults(), []);
});

test("a command cancelled under way is told once, and answered by the backend", () => {
  const capabilities = { executeCommandProvider: { commands: ["do"] } };
  const sim = new Sim({ backends: { one: { ...hold, capabilities } } });
  const a = sim.client();
  a.open(uri, "a");
  sim.settle();
  const commands = [1, 2].map(() => a.ask("workspace/executeCommand", { command: "do" }));
  sim.settle();
  for (const command of commands) a.cancel(command);
  sim.advance(1_000);
  const server = sim.server("one");
  assert.equal(server.cancelled.length, 2);
  const [first] = server.questions.filter(({ method }) => method === "workspace/executeCommand");
  assert.ok(first);
  server.answer(first, { result: "done" });
  sim.advance(5_000);
  assert.equal(commands[0]?.answers[0]?.result, "done");
  assert.equal(commands[1]?.answers[0]?.error?.code, -32800);
  assert.equal(server.cancelled.length, 2, "not again");
});

test("a leg that nobody waits for any more is not sent later, and one that was sent is told", () => {
  const sim = new Sim({ backends: { one: echo, two: hold, three: { ...echo, on: { initialize: () => "hold" } } } });
  const a = sim.client();
  a.open(uri, "a");
  sim.settle();
  const asked = a.ask("textDocument/hover", place);
  sim.advance(1_000);
  assert.equal(asked.answers.length, 1);
  assert.equal(sim.server("two").cancelled.length, 1);
  const [, , three] = [...sim.servers.values()].map(([process]) => process);
  const [initialize] = three?.open.values() ?? [];
  assert.ok(three && initialize);
  three.answer(initialize, { result: { capabilities: three.capabilities() } });
  sim.advance(1_000);
  assert.ok(!three.questions.some(({ method }) => method === "textDocument/hover"));
});

test("an edit passes while its client's question waits at a gate", () => {
  const ready = { on: "progress", match: /load/, settle: 10_000 } as const;
  const sim = new Sim({ backends: { one: { ...hold, adapter: { ready } } } });
  const a = sim.client();
  a.open(uri, "one two");
  sim.settle();
  a.ask("textDocument/definition", { ...place, position: { line: 0, character: 4 } });
  sim.settle();
  a.change(uri, [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "zero " }]);
  sim.settle();
  assert.equal(sim.server("one").text(uri), "zero one two");
  sim.advance(1_500);
  const question = sim.server("one").questions.at(-1);
  assert.deepEqual(question?.params, { ...place, position: { line: 0, character: 9 } });
});

test("a fence that is answered with ContentModified is passed", () => {
  const poison = `${folder}/p.x`;
  let deaths = 0;
  const modified = { error: { code: -32801, message: "m" } };
  const sim = new Sim({
    backends: {
      one: { dies: (m) => JSON.stringify(m).includes("poison") && ++deaths === 1, otherwise: () => modified },
    },
  });
  const a = sim.client();
  a.open(uri, "a");
  a.open(poison, "poison");
  sim.advance(300);
  assert.equal(sim.server("one").text(poison), "poison");
  assert.equal([...sim.mux.pool.all][0]?.state, "running");
});

test("a question asked again waits its whole time", () => {
  const sim = new Sim({ backends: { one: hold } });
  const [a, b] = [sim.client(), sim.client()];
  a.open(uri, "a");
  const asked = a.ask("textDocument/hover", place);
  sim.settle();
  b.open(uri, "b");
  sim.advance(1_500);
  const server = sim.server("one");
  const [first] = server.open.values();
  assert.ok(first);
  server.answer(first, { error: { code: -32801, message: "m" } });
  sim.settle();
  b.ask("textDocument/hover", place);
  sim.advance(1_000);
  assert.equal(asked.answers.length, 0, "not given up yet");
  for (let i = 0; i < 4; i++) {
    for (const question of server.open.values())
      server.answer(question, { result: { contents: question.text ?? null } });
    sim.advance(10);
  }
  assert.deepEqual(asked.answers[0]?.result, { contents: "a" });
});

test("a question whose document its asker closes is still about the asker's text", () => {
  const sim = new Sim({ backends: { one: { ...echo, on: { initialize: () => "hold" } } } });
  const a = sim.client();
  a.open(uri, "mine");
  const asked = a.ask("textDocument/hover", place);
  a.close(uri);
  sim.settle();
  const server = sim.server("one");
  const [initialize] = server.open.values();
  assert.ok(initialize);
  server.answer(initialize, { result: { capabilities: server.capabilities() } });
  sim.settle();
  assert.deepEqual(asked.answers[0]?.result, { contents: "mine" });
});

test("a close in the middle of a replay is passed on", () => {
  const other = `${folder}/b.x`;
  const sim = new Sim({ backends: { one: hold } });
  const a = sim.client();
  a.open(uri, "a");
  a.open(other, "b");
  sim.settle();
  sim.server("one").exit();
  sim.advance(300);
  const server = sim.server("one");
  assert.equal(server.documents.size, 1, "one, and then a fence");
  a.close(uri);
  a.close(other);
  a.open(other, "again");
  sim.settle();
  for (let i = 0; i < 3; i++) {
    for (const question of server.open.values()) server.answer(question, { result: null });
    sim.advance(10);
  }
  assert.deepEqual([server.text(uri), server.text(other)], [undefined, "again"]);
  assert.deepEqual(sim.faults(), []);
});

test("everything ends: no backend, no call, no timer is left", () => {
  const sim = new Sim({ backends: { one: hold, two: { ...hold, on: { initialize: () => "hold" } } } });
  const [a, b] = [sim.client(), sim.client()];
  a.open(uri, "a");
  b.open(uri, "b");
  a.ask("textDocument/hover", place);
  b.ask("textDocument/hover", place);
  sim.settle();
  let done = 0;
  sim.mux.stop(() => done++);
  sim.advance(200_000);
  assert.equal(done, 1);
  assert.deepEqual(sim.mux.calls.size, { calls: 0, legs: 0 });
  assert.equal(sim.timers, 0);
  assert.deepEqual([...sim.mux.pool.all], []);
});
