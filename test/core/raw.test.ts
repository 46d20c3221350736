/**
 * Raw forwarding (design: an answer passes untouched only when all of some conditions hold): a base case in which the very
 * bytes pass, then for each condition a case in which only that one fails, and what the answer is then. And opaque `data`:
 * whatever a backend puts there comes back to it byte for byte.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Quirk } from "../../adapters/adapter.ts";
import type { FakeClient } from "../sim/client.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const text = "é = 1\nb\n";
const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } };
const place = { textDocument: { uri }, position: { line: 0, character: 4 } };

/** Blanks, an unknown key and a number that no parser keeps: only untouched bytes still have them. */
const marks = `"own" : 1.0 ,\t"big":1152921504606846977`;
const hover = `{"contents":"h","range":${JSON.stringify(range)},${marks}}`;
const locations = `[{"uri":"${uri}","range":${JSON.stringify(range)},${marks}}]`;
const edit = (version: number | null): string =>
  `{"documentChanges":[{"textDocument":{"uri":"${uri}","version":${version}},"edits":[{"range":${JSON.stringify(range)},"newText":"n"}]}],${marks}}`;

interface Case {
  readonly method: string;
  readonly answer: string;
  readonly params?: object;
  readonly backends?: Readonly<Record<string, Backend>>;
  readonly capabilities?: object;
  /** What happens before the question, and between the question and its answer. */
  readonly before?: (sim: Sim, client: FakeClient) => void;
  readonly between?: (sim: Sim, client: FakeClient) => void;
}

/** The answer's own JSON text as it reached the client. */
function answered({
  method,
  answer,
  params = {},
  backends = { one: {} },
  capabilities = {},
  before,
  between,
}: Case): string {
  let last = "";
  const sim = new Sim({
    backends,
    tap: (lane, direction, body) => void (lane === "A" && direction === "<" && (last = body.toString("utf8"))),
  });
  const client = sim.client("A", capabilities);
  client.open(uri, text);
  sim.settle();
  before?.(sim, client);
  sim.settle();
  hold(sim);
  client.ask(method, { ...place, ...params }, "mine");
  sim.settle();
  between?.(sim, client);
  for (const name of Object.keys(backends)) reply(sim, name, method, answer);
  sim.settle();
  assert.deepEqual(sim.faults(), []);
  const [, body] = /^\{"jsonrpc":"2\.0","id":"mine","(?:result|error)":(.*)\}$/s.exec(last) ?? [];
  assert.ok(body, `an answer came: ${last}`);
  return body;
}

const held = new WeakSet<Sim>();
function hold(sim: Sim): void {
  held.add(sim);
}

function reply(sim: Sim, name: string, method: string, answer: string): void {
  const server = sim.server(name);
  for (const question of [...server.open.values()])
    if (question.method === method)
      server.write(Buffer.from(`{"jsonrpc":"2.0","id":${question.id},"result":${answer}}`));
}
