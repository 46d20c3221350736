/** A wrong file of `--config` ends the program with 2 before it starts; other files are for the unit tests. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../server/config/load.ts";
import { program } from "../program.ts";
import { posix, Stage } from "./stage.ts";

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

test("a command ends with 2 where the user's file or the folder's is wrong, which it tells once; a server goes on", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "told-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "switchboard"));
  writeFileSync(join(folder, "a.py"), "x = 1\n");
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [program, ...words], {
      encoding: "utf8",
      cwd: folder,
      input: "",
      env: { ...process.env, XDG_CONFIG_HOME: folder, APPDATA: folder },
    });
  assert.equal(run("outline", "a.py").status, 0);
  for (const file of [join(folder, "switchboard", "config.toml"), join(folder, ".switchboard.toml")]) {
    writeFileSync(file, "[limits]\nhardMS = 2\n");
    const { status, stdout, stderr } = run("outline", "a.py");
    assert.deepEqual([status, stdout], [2, ""], stderr);
    assert.equal(stderr.split(`${file}:2:1`).length - 1, 1, stderr);
    assert.match(stderr, /hardMS.*did you mean hardMs/);
    assert.equal(run("--stdio").status, 1, "the end of input is what ends it");
    rmSync(file);
  }
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

test("a folder that is added later brings its file along, and takes it with it", posix, async (t) => {
  const says = (contents: string) => ({ on: { "textDocument/hover": () => ({ contents }) } });
  const stage = await Stage.open(t, { fake1: says("1"), fake2: says("2") });
  const [first, second] = ["first", "second"].map((name) => ({ uri: stage.uriOf(name), name }));
  assert.ok(first && second);
  for (const { name } of [first, second]) mkdirSync(join(stage.folder, name));
  const settings = "[backends.fake2]\nsettings = { a = 1 }\n";
  writeFileSync(join(stage.folder, "second", ".switchboard.toml"), `[backends.fake1]\nenabled = false\n${settings}`);
  const client = stage.client();
  await client.initialize([join(stage.folder, "first")]);
  const uri = `${first.uri}/a.x`;
  client.open(uri, "x", "text\n");
  const hover = async (): Promise<unknown> => {
    const place = { textDocument: { uri }, position: { line: 0, character: 0 } };
    return (await client.request<{ contents: unknown } | null>("textDocument/hover", place))?.contents;
  };
  assert.equal(await hover(), "1");
  const change = (event: object): void => client.notify("workspace/didChangeWorkspaceFolders", { event });
  change({ added: [second], removed: [] });
  assert.equal(await hover(), "2");
  const told = await client.until("what is held back", ({ method }) => method === "window/showMessage");
  assert.match(JSON.stringify(told.params), /backends\.fake2\.settings/);
  await stage.gone([(await stage.fake("fake1")).pid]);
  change({ added: [], removed: [second] });
  assert.equal(await hover(), "1");
  assert.equal((await client.stop()).code, 0);
});
