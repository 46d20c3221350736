/** Diagnostics are about the text of their version, whatever the backend and the client hold when they come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at } from "../sim/server.ts";
import type { Encoding } from "../sim/text.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const place = (line: number, character: number): object => ({
  start: { line, character },
  end: { line, character: character + 4 },
});

function shown(client: FakeClient): unknown {
  const last = client.shown("textDocument/publishDiagnostics").at(-1);
  const diagnostics = at(last, "diagnostics");
  return { version: at(last, "version"), ranges: Array.isArray(diagnostics) ? diagnostics.map((d) => d.range) : [] };
}

for (const [encoding, column, later] of [
  ["utf-16", 2, 3],
  ["utf-8", 3, 3],
] as const satisfies readonly (readonly [Encoding, number, number])[])
  test(`a list about an older text moves along with the edits since (${encoding})`, () => {
    const sim = new Sim({ backends: { one: { encoding } } });
    const client = sim.client();
    client.open(uri, "é name", 1);
    sim.settle();
    client.change(uri, [{ text: "\néé name" }], 2);
    sim.settle();
    const server = sim.server("one");
    assert.equal(server.documents.get(uri)?.version, 2);
    const list = (version: number, range: object): object => ({ uri, version, diagnostics: [{ range, message: "m" }] });
    server.tell("textDocument/publishDiagnostics", list(1, place(0, column)));
    sim.settle();
    assert.deepEqual(shown(client), { version: undefined, ranges: [place(1, later)] });
    server.tell("textDocument/publishDiagnostics", list(2, place(1, encoding === "utf-8" ? 5 : 3)));
    sim.settle();
    assert.deepEqual(shown(client), { version: 2, ranges: [place(1, 3)] });
    assert.deepEqual(sim.faults(), []);
  });

test("a list goes to who sees the text of its version, also when the backend holds another's by now", () => {
  const sim = new Sim({ backends: { one: {} } });
  const [a, b] = [sim.client("A"), sim.client("B")];
  a.open(uri, "of A name", 1);
  sim.settle();
  b.open(uri, "B name", 1);
  b.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.settle();
  const server = sim.server("one");
  assert.equal(server.text(uri), "B name");
  const { version = 0 } = server.documents.get(uri) ?? {};
  a.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  sim.settle();
  assert.equal(server.text(uri), "of A name");
  const before = a.shown("textDocument/publishDiagnostics").length;
  server.tell("textDocument/publishDiagnostics", { uri, version, diagnostics: [{ range: place(0, 2), message: "m" }] });
  sim.settle();
  assert.deepEqual(shown(b), { version: 1, ranges: [place(0, 2)] });
  assert.equal(a.shown("textDocument/publishDiagnostics").length, before);
  assert.deepEqual(sim.faults(), []);
});
