/**
 * Raw forwarding (design: an answer passes untouched only when all of some conditions hold). A base case in which the very
 * bytes pass, then for each condition a case in which only that one fails, and what the client gets then. Opaque `data` is
 * in `opaque.test.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const other = `${folder}/b.x`;
const text = "é = 1\nb\n";
const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } };

/** Blanks and numbers that no parser keeps: only untouched bytes still have them. */
const marks = `"own" : 1.0 ,\t"big":1152921504606846977`;
const at = JSON.stringify(range);
const hover = `{"contents":"h","range":${at},${marks}}`;
const locations = `[{"uri":"${uri}","range":${at},${marks}}]`;
const hints = `[{"position":{"line":0,"character":5},"label":"i","data":{"k":12},${marks}}]`;
const symbols = `[{"name":"n","kind":5,"range":${at},"selectionRange":${at},${marks}}]`;
const tokens = `{"data":[0,0,1,0,0],${marks}}`;

interface Case {
  readonly method?: string;
  readonly answer?: string;
  readonly params?: object;
  readonly backends?: Readonly<Record<string, Backend>>;
  readonly capabilities?: object;
  /** What happens before the question, and while it is under way. */
  readonly before?: (client: FakeClient, sim: Sim) => void;
  readonly during?: (client: FakeClient, sim: Sim) => void;
}

const provided = {
  inlayHintProvider: true,
  colorProvider: true,
  semanticTokensProvider: { full: true, legend: { tokenTypes: ["namespace", "type"], tokenModifiers: [] } },
};
const plain: Backend = { capabilities: provided };

/** Asks, and returns the JSON text of the answer as it reached the client: the same, whole or in pieces, however it came. */
function answered(one: Case): string {
  const whole = played(one, false);
  const pieces = played(one, true);
  assert.equal(pieces.body, whole.body);
  // It is passed on from its beginning when, and only when, it passes untouched.
  const isLong = /^[[{]/.test(one.answer ?? hover);
  assert.equal(pieces.passed > 0, isLong && whole.body === (one.answer ?? hover), whole.body);
  return whole.body;
}

function played(one: Case, inPieces: boolean): { body: string; passed: number } {
  const { method = "textDocument/hover", answer = hover, params = {}, backends = { one: plain } } = one;
  let last = "";
  const sim = new Sim({
    inPieces,
    backends: Object.fromEntries(
      Object.entries(backends).map(([name, b]) => [name, { otherwise: () => "hold", ...b }]),
    ),
    tap: (lane, direction, body) => {
      if (lane === "A" && direction === "<") last = body.toString("utf8");
    },
  });
  const client = sim.client("A", one.capabilities);
  client.open(uri, text);
  sim.settle();
  one.before?.(client, sim);
  sim.settle();
  client.ask(method, { textDocument: { uri }, position: range.start, range, ...params }, "mine");
  sim.settle();
  sim.passed = 0;
  one.during?.(client, sim);
  sim.settle();
  for (const name of Object.keys(backends)) {
    const server = sim.server(name);
    const question = server.questions.findLast((asked) => asked.method === method);
    if (question !== undefined) server.write(Buffer.from(`{"jsonrpc":"2.0","id":${question.id},"result":${answer}}`));
  }
  sim.settle();
  assert.deepEqual(sim.faults(), []);
  const [, body] = /^\{"jsonrpc":"2\.0","id":"mine","(?:result|error)":(.*)\}$/s.exec(last) ?? [];
  assert.ok(body !== undefined, `an answer came: ${last}`);
  assert.deepEqual(sim.lost, []);
  return { body, passed: sim.passed };
}

const trees = { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } };
const versioned = { workspace: { workspaceEdit: { documentChanges: true } } };

test("the base: bytes pass as they are", () => {
  assert.equal(answered({}), hover);
  assert.equal(answered({ method: "textDocument/references", answer: locations }), locations);
  assert.equal(
    answered({ method: "textDocument/rename", answer: edit(1), params: { newName: "n" }, capabilities: versioned }),
    edit(1),
  );
  assert.equal(answered({ method: "textDocument/inlayHint", answer: hints }), hints);
  assert.equal(answered({ method: "textDocument/semanticTokens/full", answer: tokens }), tokens);
  assert.equal(answered({ method: "textDocument/documentColor", answer: "[]" }), "[]");
  assert.equal(answered({ method: "textDocument/documentSymbol", answer: symbols, capabilities: trees }), symbols);
  assert.equal(answered({ answer: "null" }), "null");
});

test("an id at the end of the frame, and one inside of the answer, do no harm", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" } } });
  const client = sim.client("A");
  client.open(uri, text);
  const asked = client.ask("textDocument/hover", { textDocument: { uri }, position: range.start });
  sim.settle();
  const server = sim.server("one");
  const id = server.questions.at(-1)?.id;
  server.write(Buffer.from(`{"result":{"contents":"x","id":99},"jsonrpc":"2.0","id":${id}}`));
  sim.settle();
  assert.deepEqual(asked.answers, [{ result: { contents: "x", id: 99 }, jsonrpc: "2.0", id: asked.id }]);
});

test("an error passes with its data", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" } } });
  const client = sim.client("A");
  client.open(uri, text);
  const asked = client.ask("textDocument/hover", { textDocument: { uri }, position: range.start });
  sim.settle();
  const server = sim.server("one");
  const error = { code: -32802, message: "m", data: { retriggerRequest: false } };
  server.write(Buffer.from(JSON.stringify({ id: server.questions.at(-1)?.id, error })));
  sim.settle();
  assert.deepEqual(asked.answers[0]?.error, error);
});

test("two legs: merged", () => {
  const got = answered({ backends: { one: plain, two: plain } });
  assertRewritten(got, hover);
});

test("two backends, but one leg: bytes", () => {
  assert.equal(answered({ backends: { one: plain, two: { capabilities: { hoverProvider: false } } } }), hover);
});

test("a quirk of the answer", () => {
  const quirk = (on: string) => ({
    id: "q",
    why: "w",
    link: "l",
    affects: "*",
    on,
    response: (_r: unknown, _p: unknown, _ask: unknown, done: (result: unknown) => void) =>
      done({ contents: "mended" }),
  });
  const of = (on: string): Case => ({ backends: { one: { ...plain, adapter: { quirks: [quirk(on)] } } } });
  assert.equal(answered(of("textDocument/hover")), '{"contents":"mended"}');
  assert.equal(answered(of("textDocument/completion")), hover);
});

test("another encoding", () => {
  const got = answered({ backends: { one: { ...plain, encoding: "utf-8" } } });
  assertRewritten(got, hover, { range: { start: { line: 0, character: 3 }, end: { line: 0, character: 4 } } });
});

test("another client's text of another document that the asker has open", () => {
  const before = (client: FakeClient, sim: Sim): void => {
    client.open(other, "one\n");
    sim.settle();
    sim.client("B").open(other, "two\n");
  };
  assertRewritten(answered({ before }), hover);
  // A row whose answer has no positions does not care.
  const signatures = `{"signatures":[],${marks}}`;
  const backends = { one: { capabilities: { signatureHelpProvider: {} } } };
  assert.equal(answered({ before, backends, method: "textDocument/signatureHelp", answer: signatures }), signatures);
  // Nor does one while the other client's text is the same.
  const same = (client: FakeClient, sim: Sim): void => {
    client.open(other, "one\n");
    sim.client("B").open(other, "one\n");
  };
  assert.equal(answered({ before: same }), hover);
});

test("the asker's own edit after it asked: bytes, its positions are its own business", () => {
  const during = (client: FakeClient): void => client.change(uri, [{ range, text: "22" }]);
  assert.equal(answered({ during }), hover);
});

test("another version on the wire than the client's", () => {
  const before = (client: FakeClient): void => client.change(uri, [{ range, text: "2" }], 1);
  const method = "textDocument/rename";
  const got = answered({ before, method, answer: edit(2), params: { newName: "n" }, capabilities: versioned });
  assertRewritten(got, edit(1));
  assert.equal(answered({ before }), hover, "a row without versions does not care");
});

test("a URI that the backend may spell otherwise", () => {
  const before = (client: FakeClient): void => client.open(`${folder}/d+e.x`, "");
  const method = "textDocument/references";
  assertRewritten(answered({ before, method, answer: locations }), locations);
  assert.equal(answered({ before }), hover, "a row without URIs does not care");
  // The client gets its own spelling back, whichever the backend writes.
  const answer = `[{"uri":"${folder}/d%2Be.x","range":${at}}]`;
  assert.deepEqual(JSON.parse(answered({ before, method, answer })), [{ uri: `${folder}/d+e.x`, range }]);
});

test("null where the method has no null", () => {
  assert.equal(answered({ method: "textDocument/documentColor", answer: "null" }), "[]");
});

test("a form that the client does not take", () => {
  const method = "textDocument/documentSymbol";
  const flat = [{ name: "n", kind: 5, location: { uri, range } }];
  assert.deepEqual(JSON.parse(answered({ method, answer: symbols })), flat);
  // And one that it does not expect.
  const tree = JSON.parse(answered({ method, answer: JSON.stringify(flat), capabilities: trees })) as unknown[];
  assert.deepEqual(tree, [
    { name: "n", kind: 5, range, selectionRange: { start: range.start, end: range.start }, children: [] },
  ]);
});

test("an edit in a form that the client does not take, whatever the backend was told", () => {
  const got = answered({ method: "textDocument/rename", answer: edit(1), params: { newName: "n" } });
  assert.deepEqual(JSON.parse(got).changes, { [uri]: [{ range, newText: "n" }] });
});

test("an edit in the one form that the client takes passes, once it is known to be in that form", () => {
  const answer = `{"changes":{"${uri}":[{"range":${at},"newText":"n"}]},${marks}}`;
  const one: Case = { method: "textDocument/rename", answer, params: { newName: "n" } };
  assert.equal(played(one, false).body, answer);
  assert.deepEqual(played(one, true), { body: answer, passed: 0 });
});

test("a file that is open on our account only: no version of it means anything to the client", () => {
  const before = (client: FakeClient, sim: Sim): void => {
    sim.files.set(other, text);
    client.ask("textDocument/hover", { textDocument: { uri: other }, position: range.start });
  };
  const answer = edit(1).replace(uri, other);
  const got = answered({
    before,
    method: "textDocument/rename",
    answer,
    params: { newName: "n" },
    capabilities: versioned,
  });
  assertRewritten(got, answer.replace('"version":1', '"version":null'));
});

test("data that a client may spoil, or another backend may own", () => {
  const method = "textDocument/inlayHint";
  const spoiled = hints.replace("12", "1152921504606846976");
  assert.equal(
    answered({ method, answer: spoiled }),
    spoiled.replace(/\{"k":\d+\}/, '"sb1:1:1:{\\"k\\":1152921504606846976}"'),
  );
  // Only the value of `data` is replaced: the other bytes pass even now.
  const backends = { one: plain, two: { capabilities: { hoverProvider: true } } };
  assert.equal(answered({ method, answer: hints, backends }), hints.replace('{"k":12}', '"sb1:1:1:{\\"k\\":12}"'));
});

test("another legend of tokens", () => {
  const legend = { tokenTypes: ["type", "namespace"], tokenModifiers: [] };
  const backends = { one: { capabilities: { semanticTokensProvider: { full: true, legend } } } };
  const got = answered({ backends, method: "textDocument/semanticTokens/full", answer: tokens });
  assertRewritten(got, tokens, { data: [0, 0, 1, 1, 0] });
});

function edit(version: number): string {
  const changes = `{"textDocument":{"uri":"${uri}","version":${version}},"edits":[{"range":${at},"newText":"n"}]}`;
  return `{"documentChanges":[${changes}],${marks}}`;
}

/** Parsed and written anew: equal as a value but for `but`, and the bytes show it. */
function assertRewritten(got: string, answer: string, but: object = {}): void {
  assert.notEqual(got, answer);
  const value: unknown = JSON.parse(answer);
  assert.deepEqual(JSON.parse(got), Array.isArray(value) ? value : { ...(value as object), ...but });
  assert.ok(!got.includes(" : 1.0"), "no bytes of the answer's own");
}
