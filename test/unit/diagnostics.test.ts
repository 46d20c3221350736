import assert from "node:assert/strict";
import { test } from "node:test";
import { type Channel, type Sight, Slots } from "../../server/core/diagnostics.ts";
import type { BackendId } from "../../server/core/ports.ts";
import type { Diagnostic } from "../../server/protocol/messages.ts";

const one = 1 as BackendId;
const two = 2 as BackendId;
const all: Sight = { backends: [one, two], channels: ["push", "pull 1"] };
const doc = "file:///a.ts";

test("two servers for one document: neither clears the other", () => {
  const slots = new Slots();
  slots.set(doc, one, "push", slot(["e1"]));
  assert.deepEqual(seen(slots), ["e1"]);
  slots.set(doc, two, "push", slot(["e2"]));
  assert.deepEqual(seen(slots), ["e1", "e2"]);
  slots.set(doc, one, "push", slot([]));
  assert.deepEqual(seen(slots), ["e2"]);
  assert.deepEqual(slots.clearBackend(two), [doc]);
  assert.deepEqual(seen(slots), []);
});

test("push and pull of one server: a union for who cannot pull, each channel its own for who can", () => {
  const slots = new Slots();
  slots.set(doc, one, "push", slot(["check"]));
  slots.set(doc, one, "pull 1", slot(["native"]));
  assert.deepEqual(seen(slots), ["check", "native"]);
  assert.deepEqual(seen(slots, { ...all, channels: ["push"] }), ["check"]);
  assert.deepEqual(seen(slots, { ...all, channels: ["pull 1"] }), ["native"]);
});

test("the order is the rank, not the time of arrival; backends of others are not seen", () => {
  const slots = new Slots();
  slots.set(doc, two, "push", slot(["e2"]));
  slots.set(doc, one, "push", slot(["e1"]));
  assert.deepEqual(seen(slots), ["e1", "e2"]);
  assert.deepEqual(seen(slots, { ...all, backends: [two, one] }), ["e2", "e1"]);
  assert.deepEqual(seen(slots, { ...all, backends: [one] }), ["e1"]);
});

const versions: readonly (readonly [why: string, first: Said, second: Said | null, version: number | null])[] = [
  ["one list", [["e"], 3], null, 3],
  ["one list without", [["e"], null], null, null],
  ["the same text", [["e"], 3], [["f"], 3], 3],
  ["two texts", [["e"], 3], [["f"], 4], null],
  ["one does not say", [["e"], 3], [["f"], null], null],
  ["the other has nothing", [["e"], 3], [[], 2], 3],
  ["both empty, the same text", [[], 3], [[], 3], 3],
  ["both empty, two texts", [[], 3], [[], 4], null],
];
for (const [why, first, second, version] of versions)
  test(`version: ${why}`, () => {
    const slots = new Slots();
    slots.set(doc, one, "push", slot(...first));
    if (second) slots.set(doc, two, "push", slot(...second));
    assert.equal(slots.union(doc, all).version, version);
  });

test("sole: one list that is not empty, or one list", () => {
  const slots = new Slots();
  assert.equal(slots.union(doc, all).sole, null);
  slots.set(doc, one, "push", slot([]));
  assert.deepEqual(slots.union(doc, all).sole, { backend: one, channel: "push" });
  slots.set(doc, two, "pull 1", slot(["e"]));
  assert.deepEqual(slots.union(doc, all).sole, { backend: two, channel: "pull 1" });
  slots.set(doc, one, "push", slot(["f"]));
  assert.equal(slots.union(doc, all).sole, null);
  slots.set(doc, one, "push", slot([]));
  slots.set(doc, two, "pull 1", slot([]));
  assert.equal(slots.union(doc, all).sole, null);
});

test("a dead server's lists go, and only documents that show less are named", () => {
  const slots = new Slots();
  slots.set("a", one, "push", slot(["e"]));
  slots.set("b", one, "push", slot([]));
  slots.set("c", two, "push", slot(["f"]));
  slots.set("d", one, "pull 1", slot(["g"]));
  slots.set("d", two, "pull 1", slot(["h"]));
  assert.deepEqual(slots.clearBackend(one), ["a", "d"]);
  assert.deepEqual([...slots.keys()], ["c", "d"]);
  assert.deepEqual(slots.clearBackend(one), []);
});

test("what nobody is going to look at is forgotten, a channel or one backend's slot in it", () => {
  const slots = new Slots();
  slots.set(doc, one, "push", slot(["e"]));
  slots.set(doc, one, "pull 1", slot(["f"]));
  slots.set(doc, two, "pull 1", slot(["g"]));
  slots.drop(doc, "pull 1", two);
  assert.deepEqual(seen(slots), ["e", "f"]);
  slots.drop(doc, "pull 1");
  assert.deepEqual(seen(slots), ["e"]);
  slots.drop(doc, "push", one);
  slots.drop("other", "push");
  assert.deepEqual([...slots.keys()], []);
});

test("result ids: equal while nothing changes, never used twice", () => {
  const slots = new Slots();
  const ids = new Set<string>();
  const id = () => slots.union(doc, all).resultId;
  const isNew = (why: string) => {
    assert.ok(!ids.has(id()), why);
    ids.add(id());
    assert.equal(id(), id());
  };
  slots.set(doc, one, "pull 1", slot(["e"]));
  isNew("first list");
  slots.set("other", one, "pull 1", slot(["e"]));
  assert.ok(ids.has(id()), "another document");
  slots.set(doc, two, "push", slot(["f"]));
  isNew("second list");
  slots.clearBackend(one);
  isNew("a server died");
  slots.clearDocument(doc);
  slots.set(doc, one, "pull 1", slot(["e"]));
  isNew("closed and opened again");
  assert.match(id(), /^sb:\d+$/);
});

test("a backend's own result id is kept for its next pull", () => {
  const slots = new Slots();
  slots.set(doc, one, "pull 1", { ...slot(["e"]), resultId: "theirs" });
  assert.equal(slots.get(doc, one, "pull 1")?.resultId, "theirs");
  assert.equal(slots.get(doc, one, "push"), undefined);
  assert.equal(slots.get(doc, two, "pull 1"), undefined);
});

type Said = readonly [messages: readonly string[], version: number | null];

function slot(messages: readonly string[], version: number | null = null) {
  const start = { line: 0, character: 0 };
  return { items: messages.map((message): Diagnostic => ({ message, range: { start, end: start } })), version };
}

function seen(slots: Slots, sight: { backends: readonly BackendId[]; channels: readonly Channel[] } = all): unknown[] {
  return slots.union(doc, sight).items.map(({ message }) => message);
}
