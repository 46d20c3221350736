/** What a folder's file may do before it is trusted, and the store of what was. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { builtIn } from "../../server/config/config.ts";
import { folderFile, loadConfig, messagesOf } from "../../server/config/load.ts";
import { type Machine, trustFile, userConfigFile } from "../../server/config/places.ts";
import { distrust, isTrusted, trust } from "../../server/config/trust.ts";

const scratch = mkdtempSync(join(tmpdir(), "switchboard-trust-"));
after(() => rmSync(scratch, { recursive: true }));

let folders = 0;
/** A machine of its own with a folder; the user's file has a server `mine` and has disabled clangd. */
function setUp(text: string): { machine: Machine; folder: string; file: string } {
  const base = join(scratch, String(folders++));
  const folder = join(base, "project");
  const machine: Machine = {
    env: { XDG_CONFIG_HOME: join(base, "config"), XDG_STATE_HOME: join(base, "state") },
    platform: "linux",
    home: base,
  };
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(base, "config", "switchboard"), { recursive: true });
  writeFileSync(
    userConfigFile(machine),
    "[backends.mine]\ncommand = ['m']\nlanguages = ['zig']\n[backends.clangd]\nenabled = false\n[limits]\nsoftMs = 100\n",
  );
  const file = join(folder, folderFile);
  writeFileSync(file, text);
  return { machine, folder, file };
}

const load = (machine: Machine, folder: string, files: readonly string[] = []) =>
  loadConfig({ machine, folders: [folder], files, adapters: ["gopls", "clangd"] });

const everything = `
[backends.gopls]
enabled = false
command = ["evil"]
settings = { gopls = { toolexec = "evil" } }
env = { PATH = "evil" }
[backends.clangd]
enabled = true
[backends.mine]
initializationOptions = { python = "evil" }
[backends.evil]
command = ["evil"]
languages = ["go"]
enabled = true
[languages.go]
backends = ["evil", "gopls"]
features.gopls.except = ["textDocument/hover"]
[languages.zig]
backends = ["mine", "given"]
[index]
exclude = ["gen"]
[limits]
softMs = 99
hardMs = 999999
starts = 5
[shared]
enabled = true
[log]
file = "/etc/evil"
`;

test("an untrusted file chooses, disables, indexes and lowers; the rest is held back and listed", () => {
  const { machine, folder, file } = setUp(everything);
  const given = join(folder, "given.toml");
  writeFileSync(given, "[backends.given]\ncommand = ['g']\nlanguages = ['zig']\n");
  const loaded = load(machine, folder, [given]);
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(loaded.config.backends, {
    mine: { command: ["m"], languages: ["zig"] },
    clangd: { enabled: false },
    gopls: { enabled: false },
    given: { command: ["g"], languages: ["zig"] },
  });
  assert.deepEqual(loaded.config.languages, {
    go: { features: { gopls: { except: ["textDocument/hover"] } } },
    zig: { backends: ["mine", "given"] },
  });
  assert.deepEqual(loaded.config.index, { ...builtIn.index, exclude: ["gen"] });
  assert.deepEqual(loaded.config.limits, { ...builtIn.limits, softMs: 99 });
  assert.deepEqual([loaded.config.shared, loaded.config.log], [builtIn.shared, builtIn.log]);
  assert.deepEqual(loaded.held.map(({ key }) => key).sort(), [
    "backends.clangd.enabled",
    "backends.evil.command",
    "backends.evil.enabled",
    "backends.evil.languages",
    "backends.gopls.command",
    "backends.gopls.env",
    "backends.gopls.settings",
    "backends.mine.initializationOptions",
    "languages.go.backends",
    "limits.hardMs",
    "log",
    "shared",
  ]);
  assert.ok(loaded.held.every((item) => item.file === file));
  assert.deepEqual(loaded.held.find(({ key }) => key === "limits.hardMs")?.value, 999999);
  const messages = messagesOf(loaded);
  assert.equal(messages.length, 1);
  assert.match(
    messages[0] ?? "",
    /\.switchboard\.toml is not trusted, so this is held back: .*backends\.gopls\.command/,
  );
});

test("a trusted file is used whole, until a byte of it changes", () => {
  const { machine, folder, file } = setUp(everything.replace('"mine", "given"', '"mine"'));
  trust(folder, readFileSync(file), machine);
  const loaded = load(machine, folder);
  assert.deepEqual([loaded.problems, loaded.held], [[], []]);
  assert.deepEqual(loaded.config.backends.gopls?.command, ["evil"]);
  assert.equal(loaded.config.limits.hardMs, 999999);

  writeFileSync(file, `${everything}\n`);
  assert.ok(load(machine, folder).held.length > 0);
  assert.equal(load(machine, folder).config.backends.gopls?.command, undefined);
});

test("a wrong file is a problem with or without trust, and nothing of it is used", () => {
  const { machine, folder, file } = setUp("[index]\nexclude = ['x']\n[limits]\nwrong = 1\n");
  for (const trusted of [false, true]) {
    if (trusted) trust(folder, readFileSync(file), machine);
    const loaded = load(machine, folder);
    assert.deepEqual(
      loaded.problems.map(({ line, key }) => [line, key]),
      [[4, "limits.wrong"]],
    );
    assert.deepEqual([loaded.config.index, loaded.held], [builtIn.index, []]);
  }
});

test("what is pinned is the real folder and the bytes", (t) => {
  const { machine, folder } = setUp("");
  const bytes = Buffer.from("a = 1");
  assert.ok(!isTrusted(folder, bytes, machine));
  trust(folder, bytes, machine);
  assert.ok(isTrusted(folder, Buffer.from("a = 1"), machine));
  assert.ok(!isTrusted(folder, Buffer.from("a = 2"), machine));
  assert.ok(!isTrusted(folder, null, machine));
  assert.ok(!isTrusted(join(folder, "sub"), bytes, machine));
  assert.ok(distrust(folder, machine));
  assert.ok(!distrust(folder, machine));
  assert.ok(!isTrusted(folder, bytes, machine));

  trust(folder, null, machine);
  assert.ok(isTrusted(folder, null, machine), "a folder without a file can be trusted");
  assert.ok(!isTrusted(folder, bytes, machine), "a file that came later asks again");
  if (process.platform === "win32") return t.skip("the rest needs symbolic links");
  const link = join(folder, "..", "link");
  symlinkSync(folder, link);
  assert.ok(isTrusted(link, null, machine));
});

test("a store that is not one trusts nothing, and can be written again", () => {
  const { machine, folder } = setUp("");
  for (const broken of ["", "{", "3", "null", '{"folders":3}', `{"folders":{${JSON.stringify(folder)}:1}}`]) {
    mkdirSync(join(trustFile(machine), ".."), { recursive: true });
    writeFileSync(trustFile(machine), broken);
    assert.ok(!isTrusted(folder, null, machine), broken);
  }
  trust(folder, null, machine);
  assert.ok(isTrusted(folder, null, machine));
});
