/** Characters on which a client asks by itself: each server is asked for those it announced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const one = {
  completionProvider: { triggerCharacters: ["."] },
  signatureHelpProvider: { triggerCharacters: ["("], retriggerCharacters: [","] },
  documentOnTypeFormattingProvider: { firstTriggerCharacter: ";" },
};
/** Serves another language: the client hears of its characters as well. */
const elsewhere = {
  completionProvider: { triggerCharacters: [" "] },
  signatureHelpProvider: { triggerCharacters: ["<"] },
  documentOnTypeFormattingProvider: { firstTriggerCharacter: "}", moreTriggerCharacter: [";"] },
};
const addon = { completionProvider: { triggerCharacters: ["@"] } };

/** What each server of the document was given, null for one that was not asked. */
function asked(method: string, more: object, when: "running" | "first" = "running"): readonly unknown[] {
  const backends = {
    one: { capabilities: one, recorded: one },
    addon: { capabilities: addon, recorded: addon },
    elsewhere: { capabilities: elsewhere, recorded: elsewhere, adapter: { languages: ["y"] } },
  };
  const sim = new Sim({ backends });
  const client = sim.client("A");
  client.open(uri, "a\n");
  if (when === "running") sim.settle();
  const question = client.ask(method, { textDocument: { uri }, position: { line: 0, character: 1 }, ...more });
  sim.settle();
  assert.equal(question.answers.length, 1);
  assert.equal(question.answers[0]?.error, undefined);
  assert.deepEqual(sim.faults(), []);
  return ["one", "addon"].map((name) => {
    const seen = sim.server(name).questions.find((q) => q.method === method);
    return seen === undefined ? null : (at(seen.params, "context") ?? at(seen.params, "ch"));
  });
}

const completion = (context: object, when?: "first"): readonly unknown[] =>
  asked("textDocument/completion", { context }, when);
const signature = (context: object): readonly unknown[] => asked("textDocument/signatureHelp", { context });

test("a completion on a character goes to those that announced it, also before they run", () => {
  const dot = { triggerKind: 2, triggerCharacter: "." };
  assert.deepEqual(completion(dot), [dot, null]);
  assert.deepEqual(completion(dot, "first"), [dot, null]);
  const sign = { triggerKind: 2, triggerCharacter: "@" };
  assert.deepEqual(completion(sign), [null, sign]);
});

test("on another language's character nobody is asked", () => {
  assert.deepEqual(completion({ triggerKind: 2, triggerCharacter: " " }), [null, null]);
  assert.deepEqual(completion({ triggerKind: 2, triggerCharacter: " " }, "first"), [null, null]);
  assert.deepEqual(signature({ triggerKind: 2, triggerCharacter: "<", isRetrigger: false }), [null, null]);
  assert.deepEqual(asked("textDocument/onTypeFormatting", { ch: "}" }), [null, null]);
  assert.deepEqual(asked("textDocument/onTypeFormatting", { ch: ";" }), [";", null]);
});

test("a character of the client's own, and none, is the user asking", () => {
  const invoked = { triggerKind: 1 };
  assert.deepEqual(completion({ triggerKind: 2, triggerCharacter: "!", more: 1 }), [
    { ...invoked, more: 1 },
    { ...invoked, more: 1 },
  ]);
  assert.deepEqual(completion(invoked), [invoked, invoked]);
  assert.deepEqual(completion({ triggerKind: 3 }), [{ triggerKind: 3 }, { triggerKind: 3 }]);
});

test("a signature that is shown is kept up", () => {
  const comma = { triggerKind: 2, triggerCharacter: ",", isRetrigger: true };
  assert.deepEqual(signature(comma), [comma, null]);
  const active = { signatures: [] };
  const typed = { triggerKind: 2, triggerCharacter: "<", isRetrigger: true, activeSignatureHelp: active };
  assert.deepEqual(signature(typed), [{ triggerKind: 3, isRetrigger: true, activeSignatureHelp: active }, null]);
});
