/** Edits of backends that several clients share: never made for a text that is neither the asker's nor on disk. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { at } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const [mine, theirs] = [`${folder}/mine.x`, `${folder}/theirs.x`];
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
const edits = [{ range, newText: "new" }];
const position = range.start;
const forms = {
  changes: { changes: { [mine]: edits, [theirs]: edits } },
  documentChanges: {
    documentChanges: [mine, theirs].map((uri) => ({ textDocument: { uri, version: null }, edits })),
  },
};
const codeAction = { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } };
const takes = {
  textDocument: { codeAction },
  workspace: { workspaceEdit: { documentChanges: true }, applyEdit: true },
};

for (const [form, edit] of Object.entries(forms))
  test(`an edit of what another client has not saved is refused, and made once it is (${form})`, () => {
    const harmless = { title: "h", edit: { changes: { [mine]: edits } } };
    const actions = [{ title: "t", edit }, harmless];
    const on: Backend["on"] = {
      "textDocument/rename": () => ({ result: edit }),
      "textDocument/codeAction": () => ({ result: actions }),
    };
    const capabilities = { codeActionProvider: true };
    const sim = new Sim({
      backends: { one: { on, capabilities, recorded: capabilities } },
      files: { [theirs]: "name" },
    });
    const [asker, other] = [sim.client("asker", takes), sim.client("other")];
    asker.open(mine, "name");
    other.open(theirs, "// not saved\nname");
    sim.advance(10);
    const server = sim.server("one");
    const ask = (method: string): unknown => {
      const asked = asker.ask(method, {
        textDocument: { uri: mine },
        position,
        range,
        newName: "new",
        context: { diagnostics: [] },
      });
      sim.advance(10);
      return asked.answers[0]?.error?.data ?? asked.answers[0]?.result;
    };
    const refused = { code: "Unsaved", backend: "one", uri: theirs };
    assert.deepEqual(ask("textDocument/rename"), refused);
    assert.deepEqual(ask("textDocument/codeAction"), [harmless]);
    server.ask("a", "workspace/applyEdit", { edit });
    sim.advance(10);
    assert.equal(at(server.answers.get("a")?.result, "applied"), false);
    sim.files.set(theirs, "// not saved\nname");
    assert.deepEqual(ask("textDocument/rename"), edit);
    assert.deepEqual(ask("textDocument/codeAction"), actions);
    asker.manner = () => ({ applied: true });
    server.ask("b", "workspace/applyEdit", { edit });
    sim.advance(10);
    assert.equal(at(server.answers.get("b")?.result, "applied"), true);
    assert.deepEqual(sim.faults(), []);
  });

test("an edit goes out under the version that the asker had when it asked", () => {
  // Counted otherwise, so that the answer cannot pass as it came.
  const backend: Backend = { encoding: "utf-8", on: { "textDocument/rename": () => "hold" } };
  const sim = new Sim({ backends: { one: backend } });
  const client = sim.client("A", takes);
  client.open(mine, "name", 3);
  const asked = client.ask("textDocument/rename", { textDocument: { uri: mine }, position, newName: "new" });
  sim.advance(10);
  client.change(mine, [{ text: "other name" }], 4);
  sim.advance(10);
  const server = sim.server("one");
  const [question] = [...server.open.values()];
  assert.ok(question);
  server.answer(question, { result: { documentChanges: [{ textDocument: { uri: mine, version: 3 }, edits }] } });
  sim.advance(10);
  assert.deepEqual(at(asked.answers[0]?.result, "documentChanges", "0", "textDocument"), { uri: mine, version: 3 });
});
