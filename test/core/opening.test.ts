/** Long documents that go on to their server while they come in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flow } from "../../server/wire/framing.ts";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import { folder, Sim, type SimOptions } from "../sim.ts";

const uri = `${folder}/a.x`;
const text = "line 😀\n".repeat(10_000);

function openOf(of: string, content = text, version = 5): Buffer {
  const textDocument = { uri: of, languageId: "x", version, text: content };
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument } }));
}

class Scene {
  readonly sim: Sim;
  readonly client: FakeClient;
  readonly other: FakeClient;
  readonly body = openOf(uri);
  flow: Flow | null = null;

  constructor(options: Partial<SimOptions> = {}) {
    this.sim = new Sim({ backends: { one: {} }, ...options });
    this.client = this.sim.client("A");
    this.other = this.sim.client("B");
    // It runs, and both use it.
    for (const [client, name] of [
      [this.client, "b.x"],
      [this.other, "c.x"],
    ] as const)
      client.open(`${folder}/${name}`, "");
    this.sim.settle();
  }

  get server(): FakeServer {
    return this.sim.server("one");
  }

  /** All but the end of the message has come. */
  begin(body = this.body): Flow {
    const start = body.subarray(0, 20_000);
    const flow = this.sim.arriving(this.client, start, body.length);
    assert.ok(flow !== null, "it goes on as it comes");
    flow.write(start);
    flow.write(body.subarray(20_000, -10));
    this.flow = flow;
    return flow;
  }

  end(body = this.body): void {
    this.flow?.write(body.subarray(-10));
    this.flow?.end(true);
    this.sim.settle();
  }

  opened(): (readonly [string, unknown])[] {
    return this.server.notifications
      .filter(({ method, params }) => /did(Open|Close)$/.test(method) && at(params, "textDocument", "uri") === uri)
      .map(({ method, params }) => [method.replace("textDocument/", ""), at(params, "textDocument", "version")]);
  }

  right(): void {
    assert.equal(this.server.text(uri), text);
    assert.deepEqual(this.sim.faults(), []);
  }
}

test("a server is told once, and holds what the client sees: edits go on from there", () => {
  const scene = new Scene();
  scene.begin();
  scene.end();
  assert.deepEqual(scene.opened(), [["didOpen", 5]]);
  scene.right();
  scene.client.tell("textDocument/didChange", {
    textDocument: { uri, version: 6 },
    contentChanges: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }, text: "LINE" }],
  });
  scene.sim.settle();
  assert.equal(scene.server.text(uri), `LINE${text.slice(4)}`);
  assert.deepEqual(scene.sim.faults(), []);
});

test("one that is opened again under a version that does not rise goes on under one that does", () => {
  const scene = new Scene();
  for (const [version, content] of [
    [9, "first"],
    [1, text],
  ] as const) {
    const body = openOf(uri, content.padEnd(40_000), version);
    scene.begin(body);
    scene.end(body);
    if (version === 9) scene.client.tell("textDocument/didClose", { textDocument: { uri } });
    scene.sim.settle();
  }
  assert.deepEqual(scene.opened(), [
    ["didOpen", 9],
    ["didClose", undefined],
    ["didOpen", 10],
  ]);
  scene.right();
});

test("one that we have opened for a question is closed first, as the client's own opening asks", () => {
  const scene = new Scene({ files: { [uri]: "on disk" } });
  hover(scene);
  scene.sim.settle();
  scene.begin();
  scene.end();
  const [ours, closed, theirs, ...rest] = scene.opened();
  assert.deepEqual([ours?.[0], closed?.[0], theirs?.[0], rest.length], ["didOpen", "didClose", "didOpen", 0]);
  assert.ok(Number(theirs?.[1]) > Number(ours?.[1]), "under a version that rises");
  scene.right();
});

function hover({ client }: Scene): void {
  client.ask("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
}

test("what others ask meanwhile comes behind it", () => {
  const scene = new Scene();
  scene.begin();
  const asked = scene.other.ask("textDocument/hover", {
    textDocument: { uri: `${folder}/c.x` },
    position: { line: 0, character: 0 },
  });
  scene.sim.settle();
  assert.equal(asked.answers.length, 0);
  scene.end();
  assert.equal(asked.answers.length, 1);
  assert.deepEqual(scene.opened(), [["didOpen", 5]]);
  scene.right();
});

test("a connection that ends within it: the server is told to forget it", () => {
  const scene = new Scene();
  scene.begin();
  scene.flow?.end(false);
  scene.sim.settle();
  assert.deepEqual(scene.opened(), [
    ["didOpen", 5],
    ["didClose", undefined],
  ]);
  assert.equal(scene.sim.mux.drops.all["didOpen broken off"], 1);
  assert.deepEqual(scene.sim.faults(), []);
});

test("a client that falls silent within it holds up nobody for long; when the rest comes, the document is opened anew", () => {
  const scene = new Scene();
  scene.begin();
  scene.sim.advance(11_000);
  assert.deepEqual(scene.opened(), [
    ["didOpen", 5],
    ["didClose", undefined],
  ]);
  scene.end();
  assert.deepEqual(scene.opened(), [
    ["didOpen", 5],
    ["didClose", undefined],
    ["didOpen", 6],
  ]);
  scene.right();
});

test("another client opens the same document meanwhile", () => {
  const scene = new Scene();
  scene.begin();
  scene.other.open(uri, "short");
  scene.sim.settle();
  scene.end();
  assert.deepEqual(scene.opened(), [
    ["didOpen", 5],
    ["didClose", undefined],
    ["didOpen", 6],
  ]);
  const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
  for (const [client, sees] of [
    [scene.client, text],
    [scene.other, "short"],
  ] as const) {
    client.ask("textDocument/hover", place);
    scene.sim.settle();
    assert.equal(scene.server.questions.at(-1)?.text, sees);
  }
  assert.deepEqual(scene.sim.faults(), []);
});

test("a server that dies meanwhile is given the document again", () => {
  const scene = new Scene();
  scene.begin();
  scene.server.exit(1);
  scene.sim.settle();
  scene.end();
  scene.sim.advance(5_000);
  assert.equal(scene.server.generation, 2);
  assert.deepEqual(scene.opened(), [["didOpen", 5]]);
  assert.equal(scene.server.text(uri), text);
});

test("what turns out not to be a message is told to the client, and forgotten", () => {
  const scene = new Scene();
  const body = Buffer.from(scene.body.toString("utf8").replace(/\}$/, "x"));
  scene.begin(body);
  scene.end(body);
  assert.deepEqual(scene.opened(), [
    ["didOpen", 5],
    ["didClose", undefined],
  ]);
  assert.equal(scene.sim.mux.drops.all["malformed frame"], 1);
});

test("only what would be sent as it came goes on so", () => {
  const none = (why: string, body: Buffer, options?: Partial<SimOptions>, before?: (scene: Scene) => void): void => {
    const scene = new Scene(options);
    before?.(scene);
    scene.sim.settle();
    const end = Math.min(20_000, body.indexOf('"version":1') + (why.includes("number") ? 11 : 20_000));
    assert.equal(scene.sim.arriving(scene.client, body.subarray(0, end), body.length), null, why);
  };
  none("the number of its version is cut", openOf(uri, text, 123));
  none("several servers", scene().body, { backends: { one: {}, two: { adapter: { role: "addon" } } } });
  none("it is open", scene().body, {}, ({ client }) => client.open(uri, "x"));
  none("a question about it as it is on disk is not answered yet", scene().body, SILENT, hover);
  none("another client has it open", scene().body, {}, ({ other }) => other.open(uri, "x"));
  none("the client says goodbye", scene().body, {}, ({ client }) => void client.ask("shutdown", null));
  none("another language", Buffer.from(scene().body.toString("utf8").replace('"languageId":"x"', '"languageId":"y"')));
  none("another message", Buffer.from(scene().body.toString("utf8").replace("didOpen", "didSave")));
});

const SILENT: Partial<SimOptions> = {
  files: { [uri]: "on disk" },
  backends: { one: { on: { "textDocument/hover": () => "hold" } } },
};

function scene(): Scene {
  return new Scene();
}
