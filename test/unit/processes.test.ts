/** Which process counts as the one that started us, and that its end is noticed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { memoryOf, watchParent } from "../../server/host/processes.ts";
import { Sim } from "../sim.ts";

test("our parent is watched; we ourselves, strangers and numbers of nobody are not", async () => {
  const nothing = (): void => assert.fail("nobody has ended");
  const parent = watchParent(process.ppid, nothing, process.pid, 1);
  assert.ok(parent);
  parent.cancel();
  assert.equal(watchParent(process.pid, nothing, process.pid, 1), null);
  assert.equal(watchParent(2 ** 22 + 1, nothing, process.pid, 1), null, "beyond Linux's largest");
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
  const { pid = 0 } = child;
  if (process.platform === "linux") assert.equal(watchParent(pid, nothing, process.pid, 1), null, "no ancestor");
  child.stdin.end();
  await once(child, "exit");
});

test("a client whose process has ended is gone, with all that runs for it", () => {
  const sim = new Sim({ backends: { one: {} } });
  const clients = [11, 12, null].map((processId, i) => {
    const client = sim.connect(`client ${i}`);
    client.initialize({}, ["file:///w"], { processId });
    client.open("file:///w/a.x", "a");
    sim.settle();
    return client;
  });
  assert.deepEqual([...sim.parents.keys()], [11, 12]);
  sim.parents.get(11)?.();
  sim.advance(5_000);
  assert.equal(sim.mux.clients.size, 2);
  assert.ok(sim.runs(sim.server("one")), "others need it");
  assert.deepEqual([...sim.parents.keys()], [12]);
  const [, , last] = clients;
  assert.ok(last);
  sim.drop(last);
  sim.parents.get(12)?.();
  sim.advance(5_000);
  assert.equal(sim.mux.clients.size, 0);
  assert.ok(!sim.runs(sim.server("one")));
});

test("memory of a process, where the system tells", () => {
  const own = memoryOf(process.pid);
  if (process.platform === "linux") assert.ok(own !== null && own > 1e7 && own < 1e11, String(own));
  assert.equal(memoryOf(2 ** 22 + 1), null);
});
