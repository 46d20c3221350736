/** Texts as nodes: lazy, shared, and right whatever was built when. What an edit is, is in `positions.test.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasSurrogates, Text } from "../../server/core/documents/text.ts";
import { notification } from "../../server/wire/compose.ts";
import { isMalformed, readPacket } from "../../server/wire/packet.ts";

function opened(text: string): Text {
  const packet = readPacket(notification("textDocument/didOpen", { textDocument: { uri: "file:///a", text } }));
  if (isMalformed(packet)) throw new Error(packet.problem);
  return Text.opened(packet);
}

const insert = (character: number, text: string) => ({
  range: { start: { line: 0, character }, end: { line: 0, character } },
  text,
});

test("a text comes from its packet, its base and its edits", () => {
  const first = opened("abc");
  const second = Text.edited(first, [insert(1, "X"), insert(0, "Y")], "utf-16");
  const third = Text.edited(second, [{ text: "new" }, insert(3, "!")], "utf-16");
  assert.equal(third.string, "new!");
  assert.equal(second.string, "YaXbc");
  assert.equal(first.string, "abc");
  assert.equal(Text.edited(Text.of("é"), [insert(2, "x")], "utf-8").string, "éx");
});

test("a long chain is built now and then, and every node of it is right", () => {
  const nodes = [opened("")];
  for (let i = 0; i < 1_000; i++)
    nodes.push(Text.edited(nodes.at(-1) ?? Text.of(""), [insert(0, String(i % 10))], "utf-16"));
  const last = nodes.at(-1)?.string ?? "";
  assert.equal(last.length, 1_000);
  assert.ok(last.startsWith("9876543210"));
  assert.equal(nodes[500]?.string, last.slice(500));
  assert.equal(nodes[3]?.string, "210");
});

test("same content, whatever the way to it", () => {
  const text = Text.of("ab");
  assert.ok(text.same(text));
  assert.ok(text.same(opened("ab")));
  assert.ok(text.same(Text.edited(Text.of("a"), [insert(1, "b")], "utf-16")));
  assert.ok(!text.same(Text.of("abc")));
});

test("lines are those of the string", () => {
  assert.deepEqual(Text.of("a\r\nb\rc\n").lines, [0, 3, 5, 7]);
});

test("a text that may hold surrogates says so, however it was written", () => {
  for (const text of ["𝒳", "\ud800", "a\udc00"]) {
    assert.ok(Text.of(text).mayHoldSurrogates, text);
    assert.ok(opened(text).mayHoldSurrogates, text);
    assert.ok(Text.edited(Text.of("a"), [insert(0, text)], "utf-16").mayHoldSurrogates, text);
    assert.ok(hasSurrogates(text));
  }
  for (const text of ["", "abc", "é日"]) {
    assert.ok(!Text.of(text).mayHoldSurrogates, text);
    assert.ok(!opened(text).mayHoldSurrogates, text);
  }
});

test("a packet without a text is an empty one", () => {
  const packet = readPacket(notification("textDocument/didOpen", { textDocument: { uri: "file:///a" } }));
  assert.ok(!isMalformed(packet));
  assert.equal(Text.opened(packet).string, "");
});
