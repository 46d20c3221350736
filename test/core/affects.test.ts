/** Corrections hold for the version that runs: as the server says of itself, else as its program prints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Quirk } from "../../adapters/adapter.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;

const corrected: Quirk = {
  id: "wrong",
  why: "It says wrong.",
  link: "https://example.com",
  affects: "<20",
  on: "textDocument/hover",
  response: (_result, _params, _ask, done) => done({ contents: "right" }),
};

/** What a client is told by a server of some version, and whether its program was run for it. */
function told(server: Backend, quirk: Quirk = corrected, version: readonly string[] | null = ["--version"]): unknown {
  const adapter = { ...(version === null ? {} : { version }), quirks: [quirk] };
  const script: Backend = { otherwise: () => ({ result: { contents: "wrong" } }), ...server, adapter };
  const sim = new Sim({ backends: { one: script } });
  const client = sim.client();
  client.open(uri, "a");
  const asked = client.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.advance(1);
  assert.deepEqual(sim.faults(), []);
  return [asked.answers[0]?.result, sim.versionsAsked];
}

test("a correction is on for the versions that it names", () => {
  assert.deepEqual(told({ version: "Debian clangd version 14.0.6" }), [{ contents: "right" }, []]);
  assert.deepEqual(told({ version: "22.1.1" }), [{ contents: "wrong" }, []]);
});

test("a server that does not say its version is asked for it by its command, before any question", () => {
  assert.deepEqual(told({ prints: "one 14.0.6" }), [{ contents: "right" }, ["one"]]);
  assert.deepEqual(told({ prints: "one 22.1.1" }), [{ contents: "wrong" }, ["one"]]);
});

test("nothing is run where it would change nothing, and a version that nobody knows is corrected", () => {
  assert.deepEqual(told({ prints: "22" }, { ...corrected, affects: "*" }), [{ contents: "right" }, []]);
  assert.deepEqual(told({ prints: "22" }, corrected, null), [{ contents: "right" }, []]);
  assert.deepEqual(told({}), [{ contents: "right" }, ["one"]]);
});

test("a process that ends while its version is being looked up is not taken for its successor", () => {
  const script: Backend = { otherwise: () => ({ result: null }), prints: "14.0", adapter: { quirks: [corrected] } };
  const sim = new Sim({ backends: { one: { ...script, adapter: { version: ["-V"], quirks: [corrected] } } } });
  const client = sim.client();
  client.open(uri, "a");
  // All frames but the version, which is slow.
  const moving = (): string[] => sim.ready().filter((lane) => lane !== "versions >");
  for (let lanes = moving(); lanes.length > 0; lanes = moving()) for (const lane of lanes) sim.move(lane);
  sim.server("one").exit(1);
  sim.advance(1_000);
  const asked = client.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.advance(1_000);
  assert.deepEqual(asked.answers[0]?.result, { contents: "right" });
  assert.deepEqual(sim.faults(), []);
});
