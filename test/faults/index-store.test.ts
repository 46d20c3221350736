/** The index on disk under processes that are killed while they write it, and that write it at the same time. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type KeptFile, load, save } from "../../server/syntax/index/store.ts";
import { lexisOf } from "../../server/syntax/lexis/table.ts";
import { Lexer } from "../../server/syntax/lexis.ts";
import { NameIndex } from "../../server/syntax/name-index.ts";

const FOLDER = "/w";
const KILLS = 6;
const NAMES = 20_000;

/** Writes without end, saying so each time. */
function writer(cache: string, name: string): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(import.meta.url), "write", cache, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

if (process.argv[2] === "write") {
  const [, , , cache = "", name = ""] = process.argv;
  const index = new NameIndex();
  const lexis = lexisOf("go");
  assert.ok(lexis);
  const text = Buffer.from(Array.from({ length: NAMES }, (_, i) => `${name}${i}`).join(" "));
  index.replace(0, (sink) => new Lexer(lexis).scan(text, text.length, sink));
  const file: KeptFile = {
    ...{ path: "/w/a.go", language: "go", size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 },
    ...{ guessed: false, makes: false, told: null },
  };
  const kept = { parts: index.settle(), files: [file] };
  for (;;) {
    save(cache, FOLDER, kept);
    process.stdout.write(".");
  }
}

test("an index is whole, whoever was killed while writing it and whoever wrote beside", async (t) => {
  const cache = mkdtempSync(join(tmpdir(), "switchboard-cache-"));
  const other = writer(cache, "other");
  t.after(() => {
    other.kill("SIGKILL");
    rmSync(cache, { recursive: true, force: true });
  });
  await once(other.stdout ?? assert.fail(), "data");
  for (let i = 0; i < KILLS; i++) {
    const child = writer(cache, "one");
    // Its first index is written: it is in the middle of the next.
    await once(child.stdout ?? assert.fail(), "data");
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    const kept = load(cache, FOLDER);
    assert.ok(kept, `after ${i + 1} kills`);
    const index = new NameIndex(kept.parts);
    const names = ["one", "other"].filter((name) => index.exact(`${name}${NAMES - 1}`).length === 1);
    assert.equal(names.length, 1, "one of the two, not a mixture");
    assert.equal(index.stats.names, NAMES);
  }
});
