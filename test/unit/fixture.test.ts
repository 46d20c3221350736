import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fixture, fixtureNames } from "../fixture.ts";

for (const name of fixtureNames) {
  test(`${name}: every marker points at the name that it is for`, () => {
    const workspace = fixture(name);
    try {
      for (const [marker, mark] of workspace.marks) {
        const line = workspace.textOf(mark.path.slice(workspace.root.length)).split("\n")[mark.position.line] ?? "";
        const pointedAt = line.slice(mark.position.character);
        if (marker === "error") continue;
        const leaf = marker.split(/[.:]/).at(-1) ?? "";
        assert.ok(pointedAt.startsWith(leaf) && !/^\w/.test(pointedAt.slice(leaf.length)), `${marker}: ${pointedAt}`);
        assert.ok(!/\w$/.test(line.slice(0, mark.position.character)), `${marker}: ${line}`);
      }
      const record = name === "go" ? "Record" : "record";
      for (const needed of ["def:Metrics", `def:Metrics.${record}`, `use:Metrics.${record}`, "error"]) {
        assert.ok(workspace.marks.has(needed), needed);
      }
      assert.throws(() => workspace.mark("no such"), /no marker no such/);
      assert.equal(existsSync(workspace.pathOf("compile_commands.json")), name === "cpp");
    } finally {
      workspace.remove();
    }
    assert.ok(!existsSync(workspace.root));
  });
}
