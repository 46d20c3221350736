/** Which clients share a process: those that would start the same program with the same options. */
import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { identityOf } from "../../server/host/command-cache.ts";
import type { FakeClient } from "../sim/client.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;

test("a client that comes after a command was replaced gets the new program, the others keep theirs", () => {
  const sim = new Sim({ backends: { one: {} } });
  const came = (name: string): FakeClient => {
    const client = sim.client(name);
    client.open(uri, "a");
    sim.settle();
    return client;
  };
  const a = came("A");
  const b = came("B");
  assert.equal(sim.servers.get("one")?.length, 1, "one program, one process");
  sim.programs.set("one", "new");
  came("C");
  const [old, fresh] = sim.servers.get("one") ?? [];
  assert.ok(old && fresh);
  a.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.settle();
  assert.equal(old.questions.at(-1)?.method, "textDocument/hover");
  // It runs out with the last of its clients.
  for (const client of [a, b]) sim.drop(client);
  sim.advance(5_000);
  assert.deepEqual(
    [old, fresh].map((server) => sim.runs(server)),
    [false, true],
  );
  came("D");
  assert.equal(sim.servers.get("one")?.length, 2);
  assert.deepEqual(sim.faults(), []);
});

test("a program is the same until it, its script, or what a link leads to is another", (t) => {
  const home = mkdtempSync(join(tmpdir(), "switchboard-pool-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const program = write("program", "1");
  const script = write("script", "1");
  const link = join(home, "link");
  symlinkSync(program, link);
  const seen = (): readonly string[] => [[program], [link, "--stdio"], [process.execPath, script]].map(identityOf);
  const before = seen();
  assert.deepEqual(seen(), before);
  assert.equal(before[0], before[1], "a link is what it leads to");
  renameSync(write("new", "22"), program);
  const after = seen();
  assert.deepEqual(
    after.map((one, i) => one === before[i]),
    [false, false, true],
  );
  write("script", "22");
  assert.notEqual(seen()[2], after[2]);
  assert.equal(identityOf(["not/absolute"]), "[]");
  assert.equal(identityOf([join(home, "none")]), "[null]");
});
