/** `workspace/symbol` for clients over the core with fakes: places as they are now, order, merging, what no list gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { answered, at, type Script, simOf } from "../sim/outlined.ts";
import { folder, type Sim } from "../sim.ts";

const uriOf = (path: string) => `${folder}/${path}`;
const listed = (name: string, path: string, range: object, containerName = "", kind = 6) => ({
  name,
  kind,
  containerName,
  location: { uri: uriOf(path), range },
});
const lists = (...items: object[]): Script => ({ "workspace/symbol": () => ({ result: items }) });
const rules = (more: object) => ({ symbol: { separator: ".", container: "path", ...more } });

/** `container.name path:line:character` of all that is listed. */
async function list(sim: Sim, client: FakeClient, query: string): Promise<readonly string[]> {
  const { result, error } = await answered(sim, client.ask("workspace/symbol", { query }));
  assert.equal(error, undefined, JSON.stringify(error));
  assert.ok(Array.isArray(result), JSON.stringify(result));
  return (result as ReturnType<typeof listed>[]).map(({ name, containerName, location: { uri, range } }) => {
    const { line, character } = (range as ReturnType<typeof at>).start;
    return `${containerName ? `${containerName}.` : ""}${name} ${uri.slice(folder.length + 1)}:${line}:${character}`;
  });
}

const two = { "a.x": "class Box\n  def set\n" };
const old = lists(listed("set", "a.x", at(1, 6, 9), "Box"));

test("places of an older text are corrected where the adapter says that they may be", async () => {
  for (const stale of [true, false]) {
    const { sim, client } = simOf(two, old, rules({ stale }));
    assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:1:6"]);
    client.open(uriOf("a.x"), two["a.x"]);
    // The name stands at the listed place by chance.
    client.change(uriOf("a.x"), [{ range: at(0, 0), text: "class New\n  def set\n" }]);
    const corrected = ["Box.set a.x:3:6", "New.set a.x:1:6"];
    assert.deepEqual(await list(sim, client, "set"), stale ? corrected : ["Box.set a.x:1:6"]);
    client.close(uriOf("a.x"));
    assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:1:6"]);
    sim.advance(1_000);
    sim.files.set(uriOf("a.x"), `class Zero\n\n\n${two["a.x"]}`);
    sim.writes.set(uriOf("a.x"), sim.now());
    assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:4:6"]);
    assert.deepEqual(sim.faults(), []);
  }
});

test("what is not at its place in an open document is corrected whatever the server; what is gone is left out", async () => {
  const { sim, client } = simOf(two, old, rules({}));
  client.open(uriOf("a.x"), "\n\n\nclass Box\n  def set\n");
  assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:4:6"]);
  client.change(uriOf("a.x"), [{ range: at(4, 6, 9), text: "put" }]);
  assert.deepEqual(await list(sim, client, "set"), []);
  assert.equal(sim.mux.drops.all["listed symbol that its file no longer declares"], 1);
});

test("what an unsaved buffer declares is in the list of a server that lags behind", async () => {
  const { sim, client } = simOf(two, old, rules({ stale: true }));
  client.open(uriOf("a.x"), two["a.x"]);
  client.change(uriOf("a.x"), [{ range: at(2, 0), text: "  def setter\n  def other\n" }]);
  assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:1:6", "Box.setter a.x:2:6"]);
});

test("what is born in a macro's body is listed where the macro is used", async () => {
  const files = {
    "m.x": "#pragma once\n#define MAKE(N) class N \\\n    def body\n#define body 1\n",
    "t.x": "MAKE(Alpha)\n\nMAKE(Beta)\n",
    "u.x": "MAKE(Gamma)\n",
  };
  const born = ["Gamma", "Beta", "Alpha"].map((name) => listed("body", "m.x", at(2, 8, 12), name));
  const macro = listed("body", "m.x", at(3, 8, 12));
  const { sim, client } = simOf(files, lists(...born, macro), rules({ macros: true }));
  const right = ["Gamma.body u.x:0:0", "Beta.body t.x:2:0", "Alpha.body t.x:0:0", "body m.x:3:8"];
  assert.deepEqual(await list(sim, client, "body"), right);
  const { result } = await answered(sim, client.ask("$/symbolByName", { name: "body" }));
  const { matches } = result as { matches: { qualifiedName: string; location: { uri: string } }[] };
  assert.deepEqual(
    matches.map(({ qualifiedName, location: { uri } }) => `${qualifiedName} ${uri.slice(folder.length + 1)}`),
    ["body m.x", "Alpha.body t.x", "Beta.body t.x", "Gamma.body u.x"],
  );
  const plain = simOf(files, lists(...born), rules({}));
  assert.deepEqual(
    new Set(await list(plain.sim, plain.client, "body")).size,
    3,
    "as listed where the adapter does not say",
  );
});

test("a qualified query lists what the address means, and what begins so", async () => {
  const files = { "a.x": "class Box\n  def set\n  def setter\nclass Bag\n  def set\n" };
  const { sim, client } = simOf(
    files,
    lists(listed("set", "a.x", at(1, 6, 9), "Box"), listed("set", "a.x", at(4, 6, 9), "Bag")),
  );
  const right = ["Box.set a.x:1:6", "Box.setter a.x:2:6"];
  for (const query of ["Box.set", "Box::set", "Box#set", ".Box.set"])
    assert.deepEqual(await list(sim, client, query), right, query);
  assert.deepEqual(await list(sim, client, "Bag.set"), ["Bag.set a.x:4:6"]);
});

test("a server without a list is served from its outlines", async () => {
  const capabilities = { textDocumentSync: 2, documentSymbolProvider: true };
  const { sim, client } = simOf({ ...two, "b.x": "def reset\ndef other\n" }, {}, {}, capabilities);
  assert.deepEqual(await list(sim, client, "set"), ["Box.set a.x:1:6", "reset b.x:0:4"]);
  assert.deepEqual(await list(sim, client, ""), ["Box a.x:0:6", "reset b.x:0:4", "other b.x:1:4"]);
  assert.deepEqual(await list(sim, client, "absent"), []);
  assert.ok(!sim.server("one").questions.some(({ method }) => method === "workspace/symbol"));
});

test("an empty query that a server leaves unanswered is answered as any other server's", async () => {
  const { sim, client } = simOf(two, { "workspace/symbol": () => ({ result: null }) });
  assert.deepEqual(await list(sim, client, ""), ["Box a.x:0:6"]);
});

test("an error of the only server is the answer; a query of the wrong type is refused", async () => {
  const fault = { code: -32603, message: "broken" };
  const { sim, client } = simOf(two, { "workspace/symbol": () => ({ error: fault }) });
  const { error } = await answered(sim, client.ask("workspace/symbol", { query: "set" }));
  assert.equal((error as { message: string }).message, "broken");
  const wrong = await answered(sim, client.ask("workspace/symbol", { query: 7 }));
  assert.equal((wrong.error as { code: number }).code, -32602);
});

test("a cancelled search is answered once, as cancelled", async () => {
  const { sim, client } = simOf(two, { "workspace/symbol": () => "hold" });
  const asked = client.ask("workspace/symbol", { query: "set" });
  sim.settle();
  client.cancel(asked);
  const { error } = await answered(sim, asked);
  assert.equal((error as { code: number }).code, -32800);
  assert.equal(sim.server("one").cancelled.length, 1);
});
