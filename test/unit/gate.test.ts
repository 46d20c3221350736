/** When a backend counts as ready, for each kind of signal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "../../server/core/route/gate.ts";

test("initialized: at once", () => {
  const gate = new Gate({ on: "initialized" });
  assert.ok(!gate.open);
  gate.initialized(7);
  assert.ok(gate.open);
  assert.equal(gate.since, 7);
});

test("open: with the first document", () => {
  const gate = new Gate({ on: "open" });
  gate.initialized(0);
  assert.ok(!gate.open);
  assert.equal(gate.opened(), null);
  assert.ok(gate.open);
});

test("notification: the named one, when it says so", () => {
  const gate = new Gate({ on: "notification", method: "x/status", when: (params) => params === "ok" });
  assert.equal(gate.listensTo, "x/status");
  gate.initialized(0);
  gate.opened();
  gate.notified("busy");
  assert.ok(!gate.open);
  gate.notified("ok");
  assert.ok(gate.open);
  gate.notified("busy");
  assert.ok(gate.open, "for good");
});

test("progress: when the last of those that match has ended", () => {
  const gate = new Gate({ on: "progress", match: /^Index|^load$/, settle: 300 });
  gate.initialized(0);
  assert.equal(gate.opened(), 300);
  gate.progress("other", { kind: "begin", title: "Checking" });
  gate.progress(1, { kind: "begin", title: "Indexing" });
  gate.progress("load", { kind: "begin" });
  assert.equal(gate.opened(), null, "something has begun: no need to settle");
  gate.settled();
  gate.progress(1, { kind: "report", title: "Indexing" });
  gate.progress("other", { kind: "end" });
  gate.progress(1, { kind: "end" });
  assert.ok(!gate.open);
  assert.equal(gate.busyWith, "");
  gate.progress("load", { kind: "end" });
  assert.ok(gate.open);
  assert.equal(gate.busyWith, null);
});

test("progress: nothing begun by the time it names is ready as well", () => {
  const gate = new Gate({ on: "progress", match: /x/, settle: 300 });
  gate.initialized(0);
  gate.progress("t", { kind: "begin", title: "something else" });
  gate.settled();
  assert.ok(gate.open);
});
