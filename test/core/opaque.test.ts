/**
 * Opaque `data`: what a backend puts there comes back to it byte for byte, through a client that parses and writes it anew,
 * and on all ways: untouched, in an envelope, through a merge, a change of encoding, a rewritten question.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim, type SimOptions } from "../sim.ts";

const uri = `${folder}/a.x`;
const deep = `${"[".repeat(2_000)}1${"]".repeat(2_000)}`;
const values = [
  "1152921504606846976",
  "1.0",
  "1e2",
  "{}",
  "[]",
  "null",
  "false",
  '""',
  '{"b":1,"a":2,"b":3}',
  '{"data":{"data":1.0}}',
  '"\\u00e9\\/\\ud800 \\"quoted\\" \\\\ \\n"',
  '"é𝒳"',
  '{ "spaced" : [ 1 , 2.0 ] }',
  '"sb1:1:1:5"',
  deep,
];

const completing = { completionProvider: { resolveProvider: true }, inlayHintProvider: { resolveProvider: true } };
const item = (label: string, data: string | null): string =>
  `{"label":"${label}"${data === null ? "" : `,"data":${data}`}}`;

class Scene {
  readonly sim: Sim;
  readonly client: FakeClient;
  /** The last question that reached a backend, as it was written. */
  asked = "";

  constructor(backends: Readonly<Record<string, Backend>>, options: Partial<SimOptions> = {}, capabilities = {}) {
    this.sim = new Sim({
      backends: Object.fromEntries(
        Object.entries(backends).map(([name, b]) => [name, { otherwise: () => "hold", ...b }]),
      ),
      tap: (lane, direction, body) => {
        if (lane.includes("#") && direction === "<" && body.includes('"id"')) this.asked = body.toString("utf8");
      },
      ...options,
    });
    this.client = this.sim.client("A", capabilities);
    this.client.open(uri, "é\n");
    this.sim.settle();
  }

  /** Asks, lets each server answer with its text, and returns the client's answer, parsed as a client does. */
  ask(method: string, params: object, answers: Readonly<Record<string, string>>): unknown {
    const asked = this.client.ask(method, params);
    this.sim.settle();
    for (const [name, answer] of Object.entries(answers)) answerLast(this.sim.server(name), method, answer);
    this.sim.advance(300);
    assert.deepEqual(this.sim.faults(), []);
    assert.equal(asked.answers.length, 1, method);
    assert.equal(asked.answers[0]?.error, undefined);
    return asked.answers[0]?.result;
  }
}

function answerLast(server: FakeServer, method: string, answer: string): void {
  const question = server.questions.findLast((one) => one.method === method);
  assert.ok(question !== undefined && server.open.has(question.id), `${server.name} was asked ${method}`);
  server.write(Buffer.from(`{"jsonrpc":"2.0","id":${question.id},"result":${answer}}`));
}

const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
const lists = (name: string): string =>
  `[${values.map((value, i) => item(`${name}${i}`, value)).join(",")},${item(`${name}-`, null)}]`;

interface Way {
  readonly backends: Readonly<Record<string, Backend>>;
  readonly methods?: readonly [string, string];
  readonly more?: object;
  readonly options?: Partial<SimOptions>;
}

const completion = ["textDocument/completion", "completionItem/resolve"] as const;

const ways: Readonly<Record<string, Way>> = {
  "one backend": { backends: { one: { capabilities: completing } } },
  "two backends, merged": {
    backends: { one: { capabilities: completing }, two: { capabilities: completing } },
    methods: ["textDocument/inlayHint", "inlayHint/resolve"],
  },
  "a long list that comes in pieces": { backends: { one: { capabilities: completing } }, options: { inPieces: true } },
  "another encoding": { backends: { one: { capabilities: completing, encoding: "utf-8" } } },
  "a rewritten question": { backends: { one: { capabilities: completing } }, more: { workDoneToken: "t" } },
};

for (const [way, { backends, methods: [list, resolve] = completion, more, options }] of Object.entries(ways))
  test(`data survives: ${way}`, () => {
    const scene = new Scene(backends, options);
    const names = Object.keys(backends);
    const answers = Object.fromEntries(names.map((name) => [name, lists(name)]));
    const result = scene.ask(list, place, answers);
    const items = (Array.isArray(result) ? result : at(result, "items")) as { label: string }[];
    assert.equal(items.length, names.length * (values.length + 1));
    for (const one of items) {
      const [, name = "", n = ""] = /^(\D+?)(\d+|-)$/.exec(one.label) ?? [];
      const value = values[Number(n)];
      const resolved = scene.ask(resolve, { ...one, ...more }, { [name]: item(one.label, value ?? null) });
      if (value === undefined) assert.ok(!scene.asked.includes('"data"'), "no data came, none goes");
      else
        assert.ok(
          scene.asked.includes(`"data":${value}`),
          `${way}: ${value.slice(0, 80)} in ${scene.asked.slice(0, 300)}`,
        );
      assert.equal(at(resolved, "label"), one.label);
    }
  });

test("an item that came back from its resolve can go there again", () => {
  const scene = new Scene({ one: { capabilities: completing } });
  const [first] = scene.ask("textDocument/completion", place, { one: `[${item("a", "1.0")}]` }) as object[];
  const once = scene.ask("completionItem/resolve", first ?? {}, { one: item("a", "2.0") });
  scene.ask("completionItem/resolve", once as object, { one: item("a", "2.0") });
  assert.ok(scene.asked.includes('"data":2.0'), scene.asked);
});

test("an item of a process that has ended comes back as it was sent, its data untouched", () => {
  const scene = new Scene({ one: { capabilities: completing } });
  const range = { start: place.position, end: place.position };
  const hint = `{"position":{"line":0,"character":0},"label":"a","data":{"b":1.0}}`;
  const asking = [
    ["textDocument/completion", place, item("a", "1.0"), "completionItem/resolve"],
    // Items that a client sends back with places, of which none names the document.
    ["textDocument/inlayHint", { ...place, range }, hint, "inlayHint/resolve"],
  ] as const;
  const given = asking.map(
    ([method, params, one]) => at(scene.ask(method, params, { one: `[${one}]` }), "0") as object,
  );
  scene.sim.server("one").exit();
  scene.sim.advance(1_000);
  scene.asked = "";
  for (const [i, [, , , resolve]] of asking.entries())
    assert.deepEqual(scene.ask(resolve, given[i] ?? {}, {}), given[i]);
  assert.equal(scene.asked, "");
});

test("data of diagnostics survives the way to the client and back in a code action", () => {
  const backends = { one: { capabilities: { codeActionProvider: true } } };
  for (const value of values) {
    const scene = new Scene(backends);
    const at0 = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const diagnostic = `{"range":${JSON.stringify(at0)},"message":"m","data":${value}}`;
    const params = `{"uri":"${uri}","version":1,"diagnostics":[${diagnostic}]}`;
    scene.sim
      .server("one")
      .write(Buffer.from(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":${params}}`));
    scene.sim.settle();
    const shown = at(scene.client.shown("textDocument/publishDiagnostics").at(-1), "diagnostics");
    const question = { textDocument: { uri }, range: at0, context: { diagnostics: shown } };
    scene.ask("textDocument/codeAction", question, { one: "[]" });
    assert.ok(scene.asked.includes(`"data":${value}`), `${value.slice(0, 80)} in ${scene.asked.slice(0, 400)}`);
  }
});

test("data of pulled diagnostics survives as well", () => {
  const backends = { one: { capabilities: { codeActionProvider: true, diagnosticProvider: {} } } };
  const scene = new Scene(backends, {}, { textDocument: { diagnostic: {} } });
  const at0 = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const report = `{"kind":"full","items":[{"range":${JSON.stringify(at0)},"message":"m","data":1.0}]}`;
  const pulled = scene.ask("textDocument/diagnostic", { textDocument: { uri } }, { one: report });
  const question = { textDocument: { uri }, range: at0, context: { diagnostics: at(pulled, "items") } };
  scene.ask("textDocument/codeAction", question, { one: "[]" });
  assert.ok(scene.asked.includes('"data":1.0'), scene.asked);
});

test("arguments of a command are a backend's own and pass as they are", () => {
  const executing = { codeLensProvider: {}, executeCommandProvider: { commands: ["do"] } };
  const scene = new Scene({ one: { capabilities: executing } });
  scene.client.write(
    Buffer.from(
      '{"id":"c","method":"workspace/executeCommand","params":{"command":"do","arguments":[1.0,{"data":1152921504606846976}]}}',
    ),
  );
  scene.sim.settle();
  assert.ok(scene.asked.includes('"arguments":[1.0,{"data":1152921504606846976}]'), scene.asked);
});
