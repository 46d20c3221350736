/** What a server is given because of what lies in a root: it is told of it, and roots that differ in it share no process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment, Surroundings } from "../../adapters/adapter.ts";
import { folder, Sim } from "../sim.ts";

test("a server of several folders has a process for each environment, and is told of it", () => {
  const environment = ({ root, exists, trusted }: Surroundings): Environment =>
    exists(`${root}/env`) && !trusted
      ? { settings: { x: { path: `${root}/env` } }, initializationOptions: { from: "root", own: "root" } }
      : {};
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => `${folder}/${name}`);
  assert.ok(a && b && c && d);
  const adapter = {
    multiRoot: true,
    environment,
    initializationOptions: { own: "adapter" },
    settings: { x: { y: 1 } },
  };
  const sim = new Sim({ backends: { one: { adapter } }, files: { [`${b}/env`]: "", [`${a}/f.x`]: "" } });
  const client = sim.connect();
  client.initialize({}, [a, b, c]);
  for (const root of [a, b, c]) client.open(`${root}/f.x`, "text");
  sim.settle();
  const processes = sim.servers.get("one") ?? [];
  assert.deepEqual(
    processes.map((each) => [a, b, c].filter((root) => each.text(`${root}/f.x`) !== undefined)),
    [[a, c], [b]],
  );
  const [plain, special] = processes;
  assert.ok(plain && special);
  const settings = (server: typeof plain): unknown =>
    server.notifications.find(({ method }) => method === "workspace/didChangeConfiguration")?.params;
  assert.deepEqual(settings(plain), { settings: { x: { y: 1 } } });
  assert.deepEqual(settings(special), { settings: { x: { path: "/w/b/env", y: 1 } } });
  special.ask("q", "workspace/configuration", { items: [{ section: "x.path" }, { section: "x.y" }] });
  sim.settle();
  assert.deepEqual(special.answers.get("q")?.result, ["/w/b/env", 1]);
  // A new folder goes to the process that it has its surroundings in common with.
  client.tell("workspace/didChangeWorkspaceFolders", { event: { added: [{ uri: d, name: "d" }], removed: [] } });
  client.open(`${d}/f.x`, "text");
  sim.settle();
  assert.equal(plain.text(`${d}/f.x`), "text");
  assert.equal(sim.servers.get("one")?.length, 2);
  const folders = special.notifications.filter(({ method }) => method === "workspace/didChangeWorkspaceFolders");
  assert.deepEqual(folders, [], "the folders of another process are none of its own");
  assert.deepEqual(sim.faults(), []);
});

test("what a server is kept from for want of trust is told each client once", () => {
  const environment = ({ trusted }: Surroundings): Environment => (trusted ? {} : { withheld: "running the build" });
  const sim = new Sim({ backends: { one: { adapter: { environment } } }, files: { [`${folder}/f.x`]: "" } });
  for (let i = 0; i < 2; i++) {
    const client = sim.connect();
    client.initialize({}, [folder]);
    client.open(`${folder}/f.x`, "text");
    sim.settle();
    client.open(`${folder}/g.x`, "text");
    sim.settle();
    const told = client.notifications.filter(({ method }) => method === "window/showMessage");
    assert.deepEqual(
      told.map(({ params }) => params),
      [
        {
          type: 2,
          message:
            "/w is not trusted, so one is kept from this: running the build. `switchboard trust` there allows it.",
        },
      ],
    );
  }
  assert.deepEqual(sim.faults(), []);
});
