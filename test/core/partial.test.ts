/** Partial results: pieces of an answer under the client's own token, only where the answer would pass untouched. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asked, FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const text = "é = 1\nb\n";
const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } };
const piece = `[ {"uri":"${uri}","range":${JSON.stringify(range)},"big":1152921504606846977} ]`;
const plain: Backend = { capabilities: { inlayHintProvider: true, workspaceSymbolProvider: true } };

interface Stage {
  readonly sim: Sim;
  readonly client: FakeClient;
  readonly server: FakeServer;
  readonly asked: Asked;
  /** What the backend was given. */
  readonly token: unknown;
  /** Frames that the client got after its question. */
  readonly frames: string[];
}

function stage(
  method = "textDocument/references",
  backends: Readonly<Record<string, Backend>> = { one: plain },
): Stage {
  const frames: string[] = [];
  const sim = new Sim({
    backends: Object.fromEntries(Object.entries(backends).map(([k, one]) => [k, { otherwise: () => "hold", ...one }])),
    tap: (lane, direction, body) => {
      if (lane === "A" && direction === "<") frames.push(body.toString("utf8"));
    },
  });
  const client = sim.client("A");
  client.open(uri, text);
  sim.settle();
  frames.length = 0;
  const asked = client.ask(method, {
    textDocument: { uri },
    position: { line: 0, character: 4 },
    range,
    query: "q",
    context: { includeDeclaration: true },
    partialResultToken: "mine",
    workDoneToken: "mine",
  });
  sim.settle();
  const server = sim.server("one");
  const question = server.questions.findLast((one) => one.method === method);
  assert.ok(question);
  return { sim, client, server, asked, token: at(question.params, "partialResultToken"), frames };
}

/** Sends a piece as bytes. */
function send({ sim, server, token }: Stage, value = piece): void {
  server.write(Buffer.from(`{"jsonrpc":"2.0","method":"$/progress","params":{"value":${value},"token":"${token}"}}`));
  sim.settle();
}

function answer({ sim, server, asked }: Stage, result: unknown = []): void {
  const question = server.questions.findLast((one) => one.method === asked.method);
  assert.ok(question);
  server.answer(question, { result });
  sim.settle();
}

const without = (s: Stage): void => assert.equal(s.token, undefined);

test("pieces go to the client untouched, under its own token, then the answer", () => {
  const s = stage();
  assert.equal(typeof s.token, "string");
  assert.notEqual(s.token, "mine");
  send(s);
  send(s);
  answer(s);
  const frame = `{"jsonrpc":"2.0","method":"$/progress","params":{"value":${piece},"token":"mine"}}`;
  assert.deepEqual(s.frames.slice(0, 2), [frame, frame]);
  assert.deepEqual(
    s.asked.answers.map(({ result }) => result),
    [[]],
  );
  assert.equal(s.frames.length, 3);
  assert.deepEqual(s.sim.faults(), []);
});

test("where the answer would not pass untouched nobody asks for pieces", () => {
  const response = (_r: unknown, _p: unknown, _ask: unknown, done: (result: unknown) => void): void => done(null);
  const quirk = { id: "q", why: "w", link: "l", affects: "*", on: "textDocument/references", response };
  without(stage("textDocument/references", { one: { ...plain, adapter: { quirks: [quirk] } } }));
  without(stage("textDocument/references", { one: plain, two: plain }));
  without(stage("textDocument/references", { one: { ...plain, encoding: "utf-8" } }));
  without(stage("textDocument/inlayHint"));
  without(stage("workspace/symbol"));
});

test("a piece that can no longer pass untouched is put into the client's terms", () => {
  const s = stage();
  const other = `${folder}/b.x`;
  s.client.open(other, "one\n");
  s.sim.settle();
  s.sim.client("B").open(other, "two\n");
  s.sim.settle();
  send(s);
  assert.equal(s.frames.length, 1);
  const { params } = JSON.parse(s.frames[0] ?? "") as { params: unknown };
  assert.deepEqual(params, { token: "mine", value: [{ uri, range, big: Number("1152921504606846977") }] });
});

test("nothing comes after the answer, nor after a cancel", () => {
  const s = stage();
  answer(s);
  send(s);
  assert.equal(s.frames.length, 1);
  const cancelled = stage();
  cancelled.client.cancel(cancelled.asked);
  cancelled.sim.settle();
  send(cancelled);
  assert.equal(cancelled.frames.length, 1);
  assert.equal(cancelled.sim.mux.drops.all["partial result that nobody waits for"], 1);
});

test("a question is not asked again once a piece has come", () => {
  const refused = { error: { code: -32801, message: "content modified" } };
  const count = ({ server, asked }: Stage): number => server.questions.filter((q) => q.method === asked.method).length;
  const fresh = stage();
  fresh.server.answer(fresh.server.questions.at(-1) ?? assert.fail(), refused);
  fresh.sim.settle();
  assert.equal(count(fresh), 2);
  const begun = stage();
  send(begun);
  begun.server.answer(begun.server.questions.at(-1) ?? assert.fail(), refused);
  begun.sim.settle();
  assert.equal(count(begun), 1);
  assert.equal(begun.asked.answers[0]?.error?.code, -32801);
});
