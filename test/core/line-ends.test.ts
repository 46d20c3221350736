/** Servers that end lines where LSP does not misplace edits: they get a text that holds such a place whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adapterOf } from "../../adapters/index.ts";
import { at } from "../sim/server.ts";
import type { Change } from "../sim/text.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
const edit: Change = { range, text: "new" };

for (const name of ["pylsp", "jedi"])
  test(`${name} gets whole what holds another end of a line, and edits of all else`, () => {
    const { linesEndAt } = adapterOf(name) ?? {};
    assert.ok(linesEndAt);
    for (const separator of ["\f", "\v", "\u001c", "\u0085", "\u2028", "\u2029", "", "\r\n"]) {
      const sim = new Sim({ backends: { one: { adapter: { linesEndAt } } } });
      const client = sim.client();
      client.open(uri, `a${separator}\nold\n`);
      sim.settle();
      const line = separator === "\r\n" ? 2 : 1;
      const placed = { start: { line, character: 0 }, end: { line, character: 3 } };
      client.change(uri, [{ ...edit, range: placed }]);
      sim.settle();
      const server = sim.server("one");
      const changes = at(server.notifications.at(-1)?.params, "contentChanges");
      const isWhole = separator !== "" && separator !== "\r\n";
      assert.deepEqual(changes, [isWhole ? { text: `a${separator}\nnew\n` } : { ...edit, range: placed }]);
      assert.equal(server.text(uri), `a${separator}\nnew\n`);
    }
  });
