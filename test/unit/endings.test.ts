/** Endings of file names that a user gave a server: its files wherever files of a server are looked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtIn } from "../../server/config/config.ts";
import { ranked, resolveBackends } from "../../server/config/resolve.ts";
import { filesOfSpec } from "../../server/core/documents/languages.ts";
import { folder, Sim } from "../sim.ts";

const host = {
  env: {},
  which: (name: string) => name,
  packageBin: () => null,
  packageBeside: () => null,
  recorded: () => null,
};

test("a server that is configured by endings alone serves the files that have them, in any case", () => {
  const config = { ...builtIn, backends: { mine: { command: ["mine"], extensions: ["foo"] } } };
  const specs = resolveBackends(config, [], host);
  assert.deepEqual(filesOfSpec(specs[0] ?? assert.fail()).extensions, [".foo"]);
  assert.deepEqual(
    ranked(specs, config, "mine").map(({ name }) => name),
    ["mine"],
  );
  const sim = new Sim({ backends: { one: {} } });
  sim.client().open(`${folder}/A.X`, "text", 1, "");
  sim.settle();
  assert.equal(sim.server("one").text(`${folder}/A.X`), "text");
});

test("what a question needs open is found by them: the sim's language has no other", () => {
  for (const warmUp of ["open", { each: ["t.json"] }] as const) {
    const sim = new Sim({
      backends: {
        one: {
          capabilities: { workspaceSymbolProvider: true },
          recorded: { workspaceSymbolProvider: true },
          adapter: { ready: { on: "open" }, warmUp },
        },
      },
      files: { [`${folder}/a.other`]: "", [`${folder}/b.x`]: "name", [`${folder}/t.json`]: "" },
    });
    const asked = sim.client().ask("workspace/symbol", { query: "name" });
    sim.advance(100);
    assert.equal(asked.answers.length, 1);
    assert.deepEqual([...sim.server("one").documents.keys()], [`${folder}/b.x`]);
  }
});
