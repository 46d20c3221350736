/** Who breaks off within a long message, of which the other side has the beginning already. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fake, silence } from "./actors.ts";
import { Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
const LENGTH = 1 << 20;

/** The head of an answer of 1 MiB, and half a megabyte of it. */
const half = (id: unknown): string =>
  `Content-Length: ${LENGTH}\r\n\r\n{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[${'{"uri":"file:///x"},'.repeat(25_000)}{"ur`;

const broken: readonly (readonly [how: string, then: (fake: Fake) => void])[] = [
  ["dies", (fake) => void fake.die(3)],
  ["falls silent", () => {}],
];

for (const [how, then] of broken)
  test(`a backend that ${how} within an answer: an error, and whatever waited behind it`, async (t) => {
    const stage = await Stage.open(t, {
      fake1: {
        on: {
          "textDocument/references": async ({ fake, id }) => {
            await fake.write(half(id));
            then(fake);
            return silence;
          },
        },
      },
    });
    const line = stage.line();
    await line.initialize(stage.uri);
    const uri = stage.uriOf("a.x");
    const textDocument = { uri, languageId: "x", version: 1, text: "" };
    line.send({ method: "textDocument/didOpen", params: { textDocument } });
    const params = { textDocument: { uri }, position: at, context: { includeDeclaration: true } };
    line.send({ id: "long", method: "textDocument/references", params });
    await (await stage.fake("fake1")).until("textDocument/references");
    line.send({ id: "behind", method: "$/switchboard/status" });
    const { error } = await line.answer("long");
    assert.equal((error?.data as { code?: string } | undefined)?.code, "BrokenOff");
    assert.match(error?.message ?? "", /fake1/);
    const { result } = await line.answer("behind");
    assert.ok(result);
    // It was on its way before it was broken off: all of it came in one frame of the promised length.
    line.send({ id: "after", method: "$/switchboard/status" });
    const { drops } = (await line.answer("after")).result as { drops: Record<string, number> };
    assert.equal(drops["answer broken off by its backend"], 1);
  });

test("a client that falls silent within a didOpen: its server forgets it, and has it once the rest has come", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const line = stage.line();
  await line.initialize(stage.uri);
  const open = (name: string, text: string): string => {
    const textDocument = { uri: stage.uriOf(name), languageId: "x", version: 1, text };
    return JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument } });
  };
  const textOf = (params: unknown): string => (params as { textDocument: { text: string } }).textDocument.text;
  line.send(JSON.parse(open("first.x", "")));
  const fake = await stage.fake("fake1");
  await fake.until("textDocument/didOpen");

  const text = "line\n".repeat(LENGTH / 5);
  const body = open("a.x", text);
  line.write(`Content-Length: ${body.length}\r\n\r\n${body.slice(0, LENGTH / 2)}`);
  const { params } = await fake.until("textDocument/didClose");
  assert.deepEqual(params, { textDocument: { uri: stage.uriOf("a.x") } });
  const begun = textOf(fake.of("textDocument/didOpen")[1]?.params);
  assert.ok(begun.length > LENGTH / 3 && text.startsWith(begun), `it had ${begun.length} characters of it`);

  line.write(body.slice(LENGTH / 2));
  await fake.until("textDocument/didOpen", (frame) => textOf(frame.params) === text);
});
