/** Events of files: one watch a root, only to backends that asked for such, and one change told once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;

function stage(links: Readonly<Record<string, string>> = {}): { sim: Sim; client: FakeClient; servers: FakeServer[] } {
  const sim = new Sim({ backends: { one: {}, two: {} }, links });
  const client = sim.client();
  client.open(uri, "a");
  sim.settle();
  return { sim, client, servers: [sim.server("one"), sim.server("two")] };
}

function register(sim: Sim, server: FakeServer | undefined, glob: string, id = "w"): void {
  const registrations = [
    { id, method: "workspace/didChangeWatchedFiles", registerOptions: { watchers: [{ globPattern: glob }] } },
  ];
  server?.ask(`r${id}`, "client/registerCapability", { registrations });
  sim.settle();
}

function told(server: FakeServer | undefined): readonly unknown[] {
  const events = server?.notifications.filter(({ method }) => method === "workspace/didChangeWatchedFiles") ?? [];
  return events.flatMap(({ params }) =>
    (at(params, "changes") as { uri: string }[]).map((change) => change.uri.slice(folder.length + 1)),
  );
}

test("a root is watched while somebody asked, once", () => {
  const { sim, client, servers } = stage();
  assert.deepEqual(sim.watched, []);
  register(sim, servers[0], "**/*.x");
  register(sim, servers[1], "**/*.y");
  assert.deepEqual(sim.watched, [folder]);
  servers[0]?.ask("u", "client/unregisterCapability", {
    unregisterations: [{ id: "w", method: "workspace/didChangeWatchedFiles" }],
  });
  sim.settle();
  assert.deepEqual(sim.watched, [folder], "the other still wants it");
  sim.drop(client);
  sim.advance(5_000);
  assert.deepEqual(sim.watched, []);
});

test("each is told what it asked for, once, whoever saw it", () => {
  const { sim, client, servers } = stage();
  register(sim, servers[0], "**/*.x");
  register(sim, servers[1], "**/*.{x,y}");
  const events = ["b.x", "c.y", "d.z"].map((name) => ({ uri: `${folder}/${name}`, type: 2 as const }));
  sim.touch(events);
  client.tell("workspace/didChangeWatchedFiles", { changes: events });
  sim.advance(100);
  assert.deepEqual(servers.map(told), [["b.x"], ["b.x", "c.y"]]);
  sim.advance(600);
  sim.touch(events.slice(0, 1));
  sim.settle();
  assert.deepEqual(
    servers.map(told),
    [
      ["b.x", "b.x"],
      ["b.x", "c.y", "b.x"],
    ],
    "a later change is another one",
  );
});

test("a new process registers for itself, and hears of what happened since it started", () => {
  const { sim, servers } = stage();
  register(sim, servers[0], "**/*.x");
  servers[0]?.exit();
  sim.advance(1_000);
  sim.touch([{ uri: `${folder}/b.x`, type: 1 }]);
  sim.settle();
  assert.deepEqual(told(sim.server("one")), []);
  register(sim, sim.server("one"), "**/*.x");
  assert.deepEqual(told(sim.server("one")), ["b.x"]);
  sim.touch([{ uri: `${folder}/b.x`, type: 3 }]);
  sim.settle();
  assert.deepEqual(told(sim.server("one")), ["b.x", "b.x"]);
});

test("a change counts from the start of a process, whenever it asks for such, once", () => {
  const { sim, servers } = stage();
  const change = (name: string): void => sim.touch([{ uri: `${folder}/${name}`, type: 2 }]);
  change("before.x");
  register(sim, servers[0], "**/*.x");
  assert.deepEqual(servers.map(told), [["before.x"], []]);
  // The folder is watched now, for the first one.
  change("late.y");
  change("b.x");
  sim.settle();
  register(sim, servers[0], "**/*.y", "v");
  register(sim, servers[1], "**/*.{x,y}");
  assert.deepEqual(servers.map(told), [
    ["before.x", "b.x", "late.y"],
    ["before.x", "late.y", "b.x"],
  ]);
  // What nobody asks for is not kept for ever.
  for (let i = 0; i < 1_010; i++) change(`${i}.z`);
  sim.settle();
  register(sim, servers[1], "**/*.z", "z");
  assert.equal(told(servers[1]).length, 3 + 1_000);
  assert.equal(sim.mux.drops.all["change of a file that nobody has asked for"], 20);
});

test("trouble with the watch of a folder is counted", () => {
  const { sim, servers } = stage();
  register(sim, servers[0], "**/*.x");
  sim.trouble(folder, "polled");
  sim.trouble(folder, "rescanned");
  assert.deepEqual(
    Object.keys(sim.mux.drops.all).filter((reason) => reason.startsWith("watch of a folder")),
    ["watch of a folder: polled instead", "watch of a folder: events lost, the folder looked through"],
  );
});

test("changes below a linked folder are told under the path by which it was opened", () => {
  const { sim, servers } = stage({ "/w": "/real" });
  const [server] = servers;
  const registrations = [
    {
      id: "w",
      method: "workspace/didChangeWatchedFiles",
      registerOptions: { watchers: [{ globPattern: { baseUri: folder, pattern: "*.x" } }] },
    },
  ];
  server?.ask(1, "client/registerCapability", { registrations });
  sim.settle();
  sim.touch([
    { uri: "file:///real/new.x", type: 1 },
    { uri: "file:///real/a.x", type: 2 },
  ]);
  sim.settle();
  assert.deepEqual(told(server), ["new.x", "a.x"]);
});
