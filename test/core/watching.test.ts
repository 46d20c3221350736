/** Changes on disk: what a backend hears of them, whoever reports them, and which text it holds after. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileEvent } from "../../server/core/ports.ts";
import type { FakeClient } from "../sim/client.ts";
import type { FakeServer } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const changed: readonly FileEvent[] = [{ uri, type: 2 }];

test("a change that the client reports as well counts once, a second one counts", () => {
  const { sim, client, server } = watched();
  const report = (): void => client.tell("workspace/didChangeWatchedFiles", { changes: changed });
  sim.touch(changed);
  report();
  sim.settle();
  assert.equal(heard(server).length, 1, "one change, told by both");
  // A second change within the same half second, which the client tells of first.
  report();
  sim.settle();
  sim.touch(changed);
  sim.settle();
  assert.equal(heard(server).length, 2);
  sim.touch(changed);
  sim.touch(changed);
  sim.settle();
  assert.equal(heard(server).length, 4, "no change is dropped for having come soon after another");
  assert.deepEqual(sim.faults(), []);
});

test("a file that is open on our account is read anew, and closed when it is gone", () => {
  const { sim, client, server } = watched();
  client.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.settle();
  assert.equal(server.text(uri), "old\n");
  sim.files.set(uri, "new\n");
  sim.touch(changed);
  sim.settle();
  assert.equal(server.text(uri), "new\n");
  sim.files.delete(uri);
  sim.touch([{ uri, type: 3 }]);
  sim.settle();
  assert.equal(server.text(uri), undefined);
  assert.deepEqual(sim.faults(), []);
});

test("a client's buffer is nobody's business but its own", () => {
  const { sim, client, server } = watched();
  client.open(uri, "buffer\n");
  sim.settle();
  sim.files.set(uri, "new\n");
  sim.touch(changed);
  sim.settle();
  assert.equal(server.text(uri), "buffer\n");
  assert.deepEqual(sim.faults(), []);
});

/** A client, and a running server that watches everything. */
function watched(): { sim: Sim; client: FakeClient; server: FakeServer } {
  const sim = new Sim({ backends: { one: {} }, files: { [uri]: "old\n" } });
  const client = sim.client("A");
  client.ask("workspace/symbol", { query: "" });
  sim.settle();
  const server = sim.server("one");
  const registerOptions = { watchers: [{ globPattern: "**/*" }] };
  const registrations = [{ id: "w", method: "workspace/didChangeWatchedFiles", registerOptions }];
  server.ask("r", "client/registerCapability", { registrations });
  sim.settle();
  return { sim, client, server };
}

function heard(server: FakeServer): readonly unknown[] {
  return server.notifications.filter(({ method }) => method === "workspace/didChangeWatchedFiles");
}
