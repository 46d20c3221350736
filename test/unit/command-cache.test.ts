/** What is kept of a command counts as long as the command is the same. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keep, kept } from "../../server/host/command-cache.ts";

test("what is kept is forgotten when the program, its script or its arguments change", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cache-"));
  const name = process.platform === "win32" ? "LOCALAPPDATA" : "XDG_CACHE_HOME";
  const before = process.env[name];
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
    rmSync(folder, { recursive: true });
  });
  process.env[name] = folder;
  const [program, script] = [join(folder, "program"), join(folder, "script.js")];
  writeFileSync(program, "1");
  writeFileSync(script, "1");
  const command = [program, script, "--stdio"];
  keep("versions", "x", command, "1.0");
  assert.equal(kept("versions", "x", command), "1.0");
  assert.equal(kept("versions", "y", command), null);
  assert.equal(kept("versions", "x", [program, script]), null);
  writeFileSync(script, "a longer one");
  assert.equal(kept("versions", "x", command), null);
  keep("versions", "x", command, "2.0");
  writeFileSync(program, "another");
  assert.equal(kept("versions", "x", command), null);
  for (const none of [null, [], [join(folder, "gone")]]) {
    keep("versions", "x", none, "3.0");
    assert.equal(kept("versions", "x", none), null);
  }
});
