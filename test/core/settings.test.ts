/** Whose settings a server has that several clients share, and when it is told of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const [a, b] = [`${folder}/a`, `${folder}/b`];

/** A client that pushes its settings, or is asked for them where `pulls`. */
function join(sim: Sim, folders: readonly string[], value: string, pulls = false): FakeClient {
  const client = sim.connect();
  client.manner = (method, params) =>
    method === "workspace/configuration"
      ? (at(params, "items") as readonly unknown[]).map((item) => ({ from: `${value} ${at(item, "scopeUri") ?? ""}` }))
      : null;
  client.initialize({ workspace: { configuration: pulls } }, folders);
  if (!pulls) push(client, value);
  client.open(`${folders[0]}/f.x`, "text");
  sim.settle();
  return client;
}

function push(client: FakeClient, value: string): void {
  client.tell("workspace/didChangeConfiguration", { settings: { s: { from: value } } });
}

let asked = 0;
function answered(sim: Sim, server: FakeServer, scopeUri?: string): unknown {
  const id = `q${++asked}`;
  const scope = scopeUri === undefined ? {} : { scopeUri };
  server.ask(id, "workspace/configuration", { items: [{ section: "s.from", ...scope }] });
  sim.settle();
  return at(server.answers.get(id)?.result, "0");
}

function told(server: FakeServer): readonly unknown[] {
  return server.notifications
    .filter(({ method }) => method === "workspace/didChangeConfiguration")
    .map(({ params }) => at(params, "settings", "s", "from"));
}

test("those of the first client hold for a process, also when it has left, until one that is left has others", () => {
  for (const pulls of [false, true]) {
    const sim = new Sim({ backends: { one: {} } });
    const first = join(sim, [a], "first", pulls);
    const server = sim.server("one");
    const seen = answered(sim, server);
    assert.equal(String(seen).trim(), "first");
    const second = join(sim, [a], "second");
    assert.equal(answered(sim, server), seen);
    push(second, "second, changed");
    sim.settle();
    assert.equal(answered(sim, server), seen);
    const before = told(server).length;
    sim.drop(first);
    sim.settle();
    assert.equal(answered(sim, server), seen, "nobody has said otherwise");
    assert.equal(told(server).length, before);
    push(second, "second, again");
    sim.settle();
    assert.equal(answered(sim, server), "second, again");
    assert.equal(told(server).at(-1), "second, again");
    assert.deepEqual(sim.faults(), []);
  }
});

test("for a place in a folder those of the client that has it, each asked once and by its own name of the place", () => {
  const sim = new Sim({
    backends: { one: { adapter: { multiRoot: true } } },
    links: { "/home/b": "/w/b" },
  });
  const first = join(sim, [a], "first", true);
  const second = join(sim, ["file:///home/b"], "second", true);
  const third = join(sim, [a, b], "third", true);
  const server = sim.server("one");
  for (let times = 0; times < 2; times++) {
    assert.equal(answered(sim, server), "first ");
    assert.equal(answered(sim, server, `${a}/f.x`), `first ${a}/f.x`);
    assert.equal(answered(sim, server, `${b}/f.x`), "second file:///home/b/f.x");
    assert.equal(answered(sim, server, "file:///elsewhere/f.x"), "first file:///elsewhere/f.x");
  }
  const questions = (client: FakeClient): number =>
    client.requests.filter(({ method }) => method === "workspace/configuration").length;
  assert.deepEqual([first, second, third].map(questions), [3, 1, 0]);
  // Said by one that is not the first: the server may want to ask anew.
  const before = told(server).length;
  second.tell("workspace/didChangeConfiguration", { settings: null });
  sim.settle();
  assert.equal(told(server).length, before + 1);
  assert.equal(answered(sim, server, `${b}/f.x`), "second file:///home/b/f.x");
  assert.equal(questions(second), 2);
  sim.drop(second);
  sim.settle();
  assert.equal(answered(sim, server, `${b}/f.x`), `third ${b}/f.x`, "of who has the folder now");
  assert.deepEqual(sim.faults(), []);
});

test("a new process, and one that its clients have left, have those of who is there", () => {
  const sim = new Sim({ backends: { one: {} }, limits: { idleMs: 60_000 } });
  const first = join(sim, [a], "first");
  const second = join(sim, [a], "second");
  sim.drop(first);
  sim.settle();
  assert.equal(answered(sim, sim.server("one")), "first");
  sim.server("one").exit();
  sim.advance(2_000);
  assert.equal(answered(sim, sim.server("one")), "second");
  sim.drop(second);
  sim.settle();
  join(sim, [a], "third");
  assert.equal(sim.server("one").generation, 2, "the same process");
  assert.equal(answered(sim, sim.server("one")), "third");
  assert.equal(told(sim.server("one")).at(-1), "third");
  assert.deepEqual(sim.faults(), []);
});

test("settings that change while a server is being given its documents again are told", () => {
  const backend: Backend = { on: { "textDocument/hover": () => "hold" } };
  const sim = new Sim({ backends: { one: backend } });
  const client = join(sim, [a], "before");
  client.change(`${a}/f.x`, [{ text: "changed" }]);
  sim.settle();
  sim.server("one").exit();
  sim.advance(300);
  const server = sim.server("one");
  assert.equal(server.generation, 2);
  assert.equal([...server.open.values()].at(-1)?.method, "textDocument/hover", "it is asked whether it lives");
  push(client, "after");
  sim.settle();
  assert.deepEqual(told(server), ["before", "after"]);
});
