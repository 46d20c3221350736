/**
 * Document sync as a model: any edits by any clients, counted in any encoding, lead to the same text in every backend as in
 * the client that asks it, whatever it counts in and takes. The texts are kept by `sim/text.ts`, which shares no code with
 * the core; `sim/server.ts` notes every breach of the protocol, such as a version that does not rise.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { type Change, changed, type Encoding, edges, positionOf } from "../sim/text.ts";
import { folder, Sim } from "../sim.ts";

const uris = [`${folder}/a.x`, `${folder}/b%2Bc.x`];
const capability = ["hoverProvider", "signatureHelpProvider", "documentLinkProvider"];
const methods = ["textDocument/hover", "textDocument/signatureHelp", "textDocument/documentLink"];

const encoding = fc.constantFrom<Encoding>("utf-16", "utf-16", "utf-16", "utf-8", "utf-32");
// Surrogates are rare, since a text that holds any is never passed on as it came.
const piece = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "é", "日本", "", " ", "\t{}\n") },
  { weight: 1, arbitrary: fc.constantFrom("𝒳", "👩‍👩‍👧", "\ud83d", "\ude00") },
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const where = fc.nat({ max: 1_000 });

/** A ranged change between two edges of the text, or past its end; or the whole text. */
const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("range" as const), from: where, to: where, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("past" as const), from: where, to: where, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("whole" as const), from: where, to: where, text }) },
);

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("edit" as const), changes: fc.array(change, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);

const step = fc.record({
  client: fc.nat({ max: 2 }),
  uri: fc.nat({ max: 1 }),
  text,
  version: fc.constantFrom(0, 1, 2, 2, 60),
  action,
});
const backend = fc.record({ sync: fc.constantFrom<0 | 1 | 2>(2, 2, 2, 1, 0), encoding });

const model = fc.record({
  clients: fc.array(encoding, { minLength: 1, maxLength: 3 }),
  backends: fc.array(backend, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
});
type Model = typeof model extends fc.Arbitrary<infer M> ? M : never;

const runs = Number(process.env.SWITCHBOARD_RUNS ?? 40);

test("every backend has the asker's text, at each question and whenever all is quiet", () => {
  fc.assert(fc.property(model, play), { numRuns: runs });
});

test("the two ways of keeping a text agree on what an edit is", () => {
  // Of the measure itself: an edit in one encoding is the same edit in another.
  fc.assert(
    fc.property(text, where, where, text, encoding, (before, from, to, inserted, one) => {
      const [start, end] = ordered(before, from, to);
      const range = { start: positionOf(before, start, one), end: positionOf(before, end, one) };
      assert.equal(
        changed(before, [{ range, text: inserted }], one),
        before.slice(0, start) + inserted + before.slice(end),
      );
    }),
    { numRuns: runs },
  );
});

function play({ clients: encodings, backends, steps }: Model): void {
  const sim = new Sim({
    backends: Object.fromEntries(backends.map((one, i) => [`s${i}`, serverOf(i, one)])),
    limits: { starts: 1_000 },
  });
  const clients = encodings.map((one) => {
    const client = sim.client(undefined, { general: { positionEncodings: [one] } });
    client.encoding = one;
    return client;
  });
  for (const { client: c, uri: u, text, version, action } of steps) {
    const client = clients[c % clients.length];
    const uri = uris[u];
    if (client === undefined || uri === undefined) continue;
    if (action.do === "settle") quiet(sim, clients, backends);
    else if (action.do === "crash") crash(sim, c);
    else if (client.text(uri) === undefined) client.open(uri, text, version);
    else if (action.do === "edit") edit(client, uri, action.changes, version);
    else if (action.do === "ask") for (const method of methods) client.ask(method, asking(uri));
    else client.close(uri);
  }
  quiet(sim, clients, backends);
}

/** Each server is the only one for its method, so that its answer comes back as it gave it: the text that it saw. */
function serverOf(i: number, { sync, encoding }: { sync: 0 | 1 | 2; encoding: Encoding }): Backend {
  const capabilities = Object.fromEntries(capability.map((name, n) => [name, n === i]));
  const otherwise = ({ text }: { text: string | undefined }): { result: unknown } => ({ result: answerOf(i, text) });
  return { sync, encoding, capabilities, recorded: capabilities, otherwise, adapter: { role: "general" } };
}

/** The text that the server saw, where the method's answer has room for one. */
function answerOf(i: number, text: string | undefined): unknown {
  if (i === 0) return { contents: text };
  if (i === 1) return { signatures: [{ label: text }] };
  return [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, tooltip: text }];
}

/** Asked in the midst of edits: about the text as it was then, or a later one of this client. */
function answersFit(client: FakeClient, backends: Model["backends"]): void {
  for (const { method, texts, answers } of client.asked) {
    const i = methods.indexOf(method);
    const [answer] = answers;
    if (answer?.result === undefined || (backends[i]?.sync ?? 0) === 0) continue;
    // Only the text: where the place of a link stands in the text of the question is for other tests.
    const seen = [["contents"], ["signatures", "0", "label"], ["0", "tooltip"]][i] ?? [];
    const fits = texts.some((text) => at(answer.result, ...seen) === text?.toWellFormed());
    assert.ok(fits, `${method}: ${JSON.stringify(answer.result)} is not about one of ${JSON.stringify(texts)}`);
  }
}

function edit(
  client: FakeClient,
  uri: string,
  edits: readonly { kind: string; from: number; to: number; text: string }[],
  version: number,
): void {
  let now = client.text(uri) ?? "";
  const changes = edits.map((one): Change => {
    const [from, to] = ordered(now, one.from, one.to);
    const start = positionOf(now, from, client.encoding);
    const end =
      one.kind === "past" ? { line: start.line + one.to, character: 100_000 } : positionOf(now, to, client.encoding);
    const next: Change = one.kind === "whole" ? { text: one.text } : { range: { start, end }, text: one.text };
    now = changed(now, [next], client.encoding);
    return next;
  });
  // Versions of weak clients repeat or go back.
  client.change(uri, changes, (client.texts.get(uri)?.version ?? 0) + version - 1);
}

function ordered(text: string, a: number, b: number): readonly [number, number] {
  const places = edges(text);
  const [from = 0, to = 0] = [places[a % places.length] ?? 0, places[b % places.length] ?? 0].sort((x, y) => x - y);
  return [from, to];
}

function asking(uri: string): object {
  return { textDocument: { uri }, position: { line: 0, character: 0 } };
}

function crash(sim: Sim, which: number): void {
  const running = [...sim.servers.values()].flatMap((list) => list.slice(-1)).filter((server) => sim.runs(server));
  running[which % running.length]?.exit();
}

/** Nothing is under way: each client asks about each of its texts, one after the other, and each backend has that text. */
function quiet(sim: Sim, clients: readonly FakeClient[], backends: Model["backends"]): void {
  sim.advance(10_000);
  assert.deepEqual(sim.faults(), []);
  for (const client of clients)
    for (const [uri, { text }] of client.texts)
      for (const [i, { sync }] of backends.entries()) {
        const method = methods[i] ?? "";
        const asked = client.ask(method, asking(uri));
        sim.advance(3_000);
        assert.equal(asked.answers.length, 1, `${method} is answered`);
        const server = sim.server(`s${i}`);
        if (!isKept(sim, `s${i}`, uri) && sync !== 0)
          assert.equal(seenBy(server, uri), text.toWellFormed(), `${server.name} has ${client.name}'s text`);
      }
  assert.deepEqual(sim.faults(), []);
  for (const client of clients) answersFit(client, backends);
}

function isKept(sim: Sim, name: string, uri: string): boolean {
  return [...sim.mux.pool.all].some(
    (backend) => backend.name === name && backend.quarantine.has(sim.mux.documents.keyOf(uri)),
  );
}

function seenBy(server: FakeServer, uri: string): string | undefined {
  const question = server.questions.at(-1);
  assert.deepEqual(question?.params, asking(uri));
  return question?.text;
}
