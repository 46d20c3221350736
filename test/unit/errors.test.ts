/** The failures that we originate: their codes, what programs find in `data`, and whom their messages name. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, errors, type ResponseError } from "../../server/protocol/errors.ts";
import type { Candidate, Source } from "../../server/protocol/extensions.ts";

const zero = { line: 0, character: 0 };
const range = { start: zero, end: zero };
const candidate = (hint: string): Candidate => ({
  qualifiedName: hint,
  kindName: "class",
  location: { uri: "file:///a", range, selectionRange: range },
  hint,
});
const source = (backend: string, state: Source["state"]): Source => ({ backend, language: "go", state, ms: 1 });

/** Error, its code, `data.code` (null: none), and what its message must name. */
const cases: readonly (readonly [ResponseError, number, string | null, readonly string[]])[] = [
  [errors.parseError("no closing brace"), -32700, null, ["no closing brace"]],
  [errors.badJson("textDocument/hover", "Unexpected token"), -32700, null, ["textDocument/hover", "Unexpected token"]],
  [errors.frameTooLarge(20, 10), -32600, null, ["20", "10", "maxFrameBytes"]],
  [errors.tooDeep(512), -32600, null, ["512", "maxDepth"]],
  [errors.tooMany(1000), -32803, "TooManyRequests", ["1000"]],
  [errors.editOfUnsaved("one", "file:///x"), -32803, "Unsaved", ["one", "file:///x"]],
  [errors.queueFull("one", 64), -32803, "QueueFull", ["one", "64"]],
  [errors.notInitialized("textDocument/hover"), -32002, null, ["textDocument/hover", "initialize"]],
  [errors.initializedTwice(), -32600, null, ["initialize"]],
  [errors.afterShutdown("textDocument/hover"), -32600, null, ["textDocument/hover", "shutdown"]],
  [errors.duplicateId("7"), -32600, null, ['"7"']],
  [errors.duplicateId(7), -32600, null, [" 7 "]],
  [errors.methodNotFound("no/such"), -32601, null, ["no/such"]],
  [errors.invalidParams("limit is 1..1000"), -32602, null, ["limit is 1..1000"]],
  [errors.unknownCommand("fix.all"), -32602, null, ["fix.all"]],
  [errors.internal("no leg"), -32603, null, ["no leg"]],
  [errors.cancelled(), -32800, null, ["cancelled"]],
  [errors.contentModified(), -32801, null, ["changed"]],
  [errors.staleItem("one"), -32801, null, ["one"]],
  [errors.textSwitched("one"), -32801, null, ["one"]],
  [errors.editOfOtherText("one"), -32801, null, ["one"]],
  [errors.garbage("one", "textDocument/hover"), -32803, "BadAnswer", ["one", "textDocument/hover"]],
  [
    errors.notAsked("one", "textDocument/hover", "starting"),
    -32803,
    "TimedOut",
    ["one", "starting", "textDocument/hover"],
  ],
  [errors.timedOut("one", "textDocument/hover", 5_000), -32803, "TimedOut", ["one", "5 s", "textDocument/hover"]],
  [errors.backendCrashed("one", { code: null, signal: "SIGSEGV" }), -32803, "BackendCrashed", ["one", "SIGSEGV"]],
  [errors.backendCrashed("one", { code: 3, signal: null }), -32803, "BackendCrashed", ["one", "exit code 3"]],
  [errors.brokenOff("one", "textDocument/hover"), -32803, "BrokenOff", ["one", "textDocument/hover"]],
  [errors.backendNotStarted("one", "not on PATH"), -32803, "BackendNotStarted", ["one", "not on PATH"]],
  [errors.backendGaveUp("one", 5, 180_000), -32803, "BackendGaveUp", ["one", "5 times", "180 s"]],
  [errors.backendStopped("one", "no such file"), -32803, "BackendStopped", ["one", "no such file"]],
  [errors.backendStopped("one", null), -32803, "BackendStopped", ["one"]],
  [errors.quarantined("one", "file:///a.go"), -32803, "Quarantined", ["one", "file:///a.go"]],
  [errors.renameNotReady("one", "Indexing 40%"), -32803, "NotReady", ["one", "Indexing 40%", "rename"]],
  [errors.renameNotReady("one", null), -32803, "NotReady", ["one"]],
  [errors.noBackend(["zig"], ["npm install zls"]), -32803, "NoBackend", ["zig", "npm install zls"]],
  [errors.noBackend([], []), -32803, "NoBackend", ["[backends]"]],
  [
    errors.ambiguous("Set", [candidate("a.Set"), candidate("b.Set")]),
    -32803,
    "Ambiguous",
    ["Set", "2", "a.Set", "b.Set"],
  ],
  [errors.notFound("Sett", ["Set"], "semantic"), -32803, "NotFound", ["Sett", "Set"]],
  [
    errors.notReady("Set", [source("one", "indexing"), source("two", "ready")], 1_500),
    -32803,
    "NotReady",
    ["one indexing", "1.5 s"],
  ],
  [errors.thenUnsupported("textDocument/moniker", "one"), -32803, "ThenUnsupported", ["one", "textDocument/moniker"]],
  [errors.noGrammar("a.zig"), -32803, "NoGrammar", ["a.zig"]],
  [errors.overLimit("$/outline"), -32803, "TimedOut", ["$/outline", "hardMs", "[limits]"]],
  [errors.unreadable("a.go", "EACCES"), -32803, "Unreadable", ["a.go", "EACCES"]],
];

test("codes, data and messages", () => {
  for (const [error, code, dataCode, names] of cases) {
    assert.equal(error.code, code, error.message);
    const found =
      typeof error.data === "object" && error.data !== null && "code" in error.data ? error.data.code : null;
    assert.equal(found, dataCode, error.message);
    for (const name of names) assert.ok(error.message.includes(name), `${name} in: ${error.message}`);
    assert.match(error.message, /^\S.*[^.]\.?$/, "one sentence or two, no doubled full stop");
    assert.ok(!/undefined|null|\[object|NaN/.test(error.message), error.message);
  }
});

test("every constructor is in the table above", () => {
  const made = new Set(cases.map(([error]) => error.message));
  assert.equal(made.size, cases.length);
  // Five constructors appear twice, with and without their optional part.
  assert.equal(cases.length - 5, Object.keys(errors).length);
});

test("what programs read", () => {
  assert.deepEqual(errors.invalidParams("empty segment", 3).data, { at: 3 });
  assert.ok(!("data" in errors.invalidParams("empty segment")));
  assert.deepEqual(errors.noBackend(["zig"], []).data, { code: "NoBackend", languages: ["zig"], install: [] });
  const candidates = ["a.S", "b.S", "c.S", "d.S"].map(candidate);
  const ambiguous = errors.ambiguous("S", candidates);
  assert.deepEqual(ambiguous.data, { code: "Ambiguous", candidates });
  assert.ok(ambiguous.message.includes("c.S") && !ambiguous.message.includes("d.S"), "three hints are enough to read");
  assert.deepEqual(errors.notReady("S", [], 500).data, { code: "NotReady", sources: [], retryAfterMs: 500 });
});

test("codes are told apart", () => {
  assert.equal(new Set(Object.values(Code)).size, Object.keys(Code).length);
});
