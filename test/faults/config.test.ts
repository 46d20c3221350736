/** A wrong file of `--config` ends the program with 2 before it starts; other files are for the unit tests. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../server/config/load.ts";
import { program } from "../program.ts";

/** [what is wrong, the file, line and column, what is said] */
const wrong: readonly (readonly [string, string, string, RegExp])[] = [
  ["a key", "[limits]\nsoftMs = 1\n  hardMS = 2\n", "3:3", /hardMS.*did you mean hardMs/],
  ["a value", '[backends.fake1]\ncommand = "node"\n', "2:1", /command: expected a list of words/],
  ["no TOML", "[limits\n", "1:8", /./],
];

test("a wrong --config: exit 2, with file, line and column, and nothing on stdout", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "wrong.toml");
  for (const [what, text, place, said] of wrong) {
    writeFileSync(file, text);
    const { status, stderr, stdout } = spawnSync(process.execPath, [program, "--stdio", "--config", file], {
      encoding: "utf8",
      input: "",
    });
    assert.deepEqual([status, stdout], [2, ""], what);
    assert.ok(stderr.includes(`${file}:${place}`), `${what}: ${stderr}`);
    assert.match(stderr, said, what);
  }
  const { status, stderr } = spawnSync(process.execPath, [program, "--stdio", "--config", join(folder, "none.toml")], {
    encoding: "utf8",
    input: "",
  });
  assert.equal(status, 2);
  assert.match(stderr, /none\.toml.*no such file/);
});

test("`switchboard trust`: what a folder's file held back before holds from then on, until a byte of it changes", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trust-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = join(folder, ".switchboard.toml");
  writeFileSync(config, "[backends.tsgo]\nsettings = { a = 1 }\n");
  const machine = { env: { XDG_STATE_HOME: folder }, platform: process.platform, home: folder };
  const held = () => loadConfig({ folders: [folder], adapters: ["tsgo"], machine }).held.map(({ key }) => key);
  const trust = (...words: readonly string[]) =>
    spawnSync(process.execPath, [program, "trust", ...words], {
      encoding: "utf8",
      cwd: folder,
      env: { ...process.env, XDG_STATE_HOME: folder },
    });
  assert.deepEqual(held(), ["backends.tsgo.settings"]);
  assert.equal(trust().status, 0);
  assert.deepEqual(held(), []);
  writeFileSync(config, "[backends.tsgo]\nsettings = { a = 2 }\n");
  assert.deepEqual(held(), ["backends.tsgo.settings"]);
  assert.equal(trust(folder).status, 0);
  assert.deepEqual(held(), []);
  const nowhere = trust(join(folder, "nowhere"));
  assert.equal(nowhere.status, 2);
  assert.match(nowhere.stderr, /nowhere/);
});
