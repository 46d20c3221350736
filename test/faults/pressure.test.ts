/** Peers that stop reading: nobody else waits for them, and nothing is lost that is still wanted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "./actors.ts";
import { posix, Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
/** 1 MiB in one frame. */
const mega = "x".repeat(1 << 20);

test(
  "a client that stops reading: backends are still read, its messages still heard, and it misses nothing",
  posix,
  async (t) => {
    const stage = await Stage.open(t, { fake1: {} });
    const line = stage.line();
    await line.initialize(stage.uri);
    const uri = stage.uriOf("a.x");
    line.send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "x", version: 1, text: "" } },
    });
    const fake = await stage.fake("fake1");
    await fake.until("textDocument/didOpen");
    line.process.stdout.pause();
    // Far more than pipes hold: it is only taken if we go on reading.
    await fake.write(frameOf({ jsonrpc: "2.0", method: "custom/much", params: { mega } }), 40);
    line.send({ id: 1, method: "textDocument/hover", params: { textDocument: { uri }, position: at } });
    await fake.until("textDocument/hover");
    line.process.stdout.resume();
    await line.answer(1);
    assert.equal(line.seen.all.filter(({ method }) => method === "custom/much").length, 40);
  },
);

const definition = { capabilities: { textDocumentSync: 2, definitionProvider: true }, role: "addon" } as const;

test("a backend that stops reading: the client is heard, the other backends answer", posix, async (t) => {
  const stage = await Stage.open(t, {
    fake1: { capabilities: { textDocumentSync: 2, hoverProvider: true } },
    fake2: definition,
  });
  const { client, uri } = await stage.ready("");
  await client.request("textDocument/hover", { textDocument: { uri }, position: at });
  (await stage.fake("fake1")).order({ do: "pause" });
  for (let version = 2; version < 22; version += 1)
    client.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ range: { start: at, end: at }, text: mega }],
    });
  assert.equal(await client.request("textDocument/definition", { textDocument: { uri }, position: at }), null);
  const two = await stage.fake("fake2");
  assert.equal(two.of("textDocument/didChange").length, 20);
});

test(
  "a backend for which too much waits is given up and replaced by one that holds the text as it is",
  posix,
  async (t) => {
    const stage = await Stage.open(
      t,
      { fake1: { capabilities: { textDocumentSync: 2, hoverProvider: true } } },
      { toml: "[limits]\nmaxQueuedBytes = 1048576\n" },
    );
    const much = (letter: string): string => letter.repeat(1 << 18);
    const { client, uri } = await stage.ready(much("a"));
    await client.request("textDocument/hover", { textDocument: { uri }, position: at });
    (await stage.fake("fake1")).order({ do: "pause" });
    const all = { start: at, end: { line: 0, character: 1 << 18 } };
    for (let version = 2; version < 22; version += 1) {
      const text = much(version === 21 ? "z" : "y");
      client.notify("textDocument/didChange", {
        textDocument: { uri, version },
        contentChanges: [{ range: all, text }],
      });
    }
    const second = await stage.fake("fake1", 2);
    const { params } = await second.until("textDocument/didOpen");
    const { text, version } = (params as { textDocument: { text: string; version: number } }).textDocument;
    assert.deepEqual([text === much("z"), version], [true, 21]);
    assert.equal(await client.request("textDocument/hover", { textDocument: { uri }, position: at }), null);
  },
);
