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

test("a new process registers for itself", () => {
  const { sim, servers } = stage();
  register(sim, servers[0], "**/*.x");
  servers[0]?.exit();
  sim.settle();
  assert.deepEqual(sim.watched, []);
  sim.advance(1_000);
  sim.touch([{ uri: `${folder}/b.x`, type: 1 }]);
  sim.settle();
  assert.deepEqual(told(sim.server("one")), []);
  register(sim, sim.server("one"), "**/*.x");
  sim.touch([{ uri: `${folder}/b.x`, type: 3 }]);
  sim.settle();
  assert.deepEqual(told(sim.server("one")), ["b.x"]);
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
