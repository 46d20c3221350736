/** Configuration: what is said of wrong files, the order of layers, and the backends that come of it. */
import assert from "node:assert/strict";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { type Adapter, defineAdapter } from "../../adapters/adapter.ts";
import { builtIn, type Config, withLayer } from "../../server/config/config.ts";
import { ConfigError, type LoadOptions, loadConfig, messagesOf } from "../../server/config/load.ts";
import { nearest } from "../../server/config/nearest.ts";
import { type Machine, userConfigFile } from "../../server/config/places.ts";
import { ownPackage, packageBeside } from "../../server/config/project.ts";
import { allows, type Host, ranked, resolveBackends } from "../../server/config/resolve.ts";
import { parseToml } from "../../server/config/toml.ts";
import { which } from "../../server/config/which.ts";

const scratch = mkdtempSync(join(tmpdir(), "switchboard-config-"));
after(() => rmSync(scratch, { recursive: true }));
const machine: Machine = {
  env: { XDG_CONFIG_HOME: join(scratch, "config"), XDG_STATE_HOME: join(scratch, "state") },
  platform: "linux",
  home: join(scratch, "home"),
};

let files = 0;
function write(text: string | Uint8Array, name = `file-${files++}.toml`): string {
  const path = name.startsWith(scratch) ? name : join(scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const load = (options: Partial<LoadOptions>) =>
  loadConfig({ adapters: ["gopls", "pyright", "clangd"], machine, ...options });

/** Of a `--config` file: its faults, without the name of the file. */
function faults(text: string | Uint8Array): readonly string[] {
  const file = write(text);
  try {
    load({ files: [file] });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.map(({ message }) => message.replace(file, ""));
  }
}

test("a wrong file is told with line, column, key and what was expected", () => {
  const rows: readonly (readonly [text: string | Uint8Array, ...faults: string[]])[] = [
    ["", ...[]],
    ["[limits]\nstarts = 3\n", ...[]],
    ["[limits]\nstarts = 0\n", ":2:1: limits.starts: expected a whole number of starts, 1 or more"],
    ["[limits]\n  softMs = 1.5\n", ":2:3: limits.softMs: expected a whole number of ms, 0 or more"],
    ["limits.softMs = '1'\n", ":1:1: limits.softMs: expected a whole number of ms, 0 or more"],
    ["limits = { softMs = 1, hardMs = 'x' }\n", ":1:24: limits.hardMs: expected a whole number of ms, 1 or more"],
    ["limits = 3\n", ":1:1: limits: expected a table"],
    ["[backends.gopls]\nenabled = 'no'\n", ":2:1: backends.gopls.enabled: expected true or false"],
    ["# x\n\n[backends.gopls]\ncommand = 'gopls -v'\n", ":4:1: backends.gopls.command: expected a list of words"],
    ["[backends.gopls]\ncommand = []\n", ":2:1: backends.gopls.command: expected a list of words, the program first"],
    ["[backends.gopls]\ncommand = [\n 'a', # it's\n 3]\n", ":4:2: backends.gopls.command.1: expected a word"],
    ['[backends."a.b"]\nrole = "x"\n', ':2:1: backends.a.b.role: expected one of "general", "addon"'],
    ["[backends.gopls.env]\nA = 1\n", ":2:1: backends.gopls.env.A: expected a text"],
    [
      "[backends.gopls.settings]\nx = 1979-05-27\n",
      ":2:1: backends.gopls.settings.x: expected a value that JSON has: no date, no inf, no nan",
    ],
    [
      "[backends.gopls]\ninitializationOptions = [inf]\n",
      ":2:1: backends.gopls.initializationOptions: expected a value that JSON has: no date, no inf, no nan",
    ],
    [
      "[indx]\n",
      ":1:2: indx: unknown key; expected one of backends, languages, index, limits, shared, log (did you mean index?)",
    ],
    ["[[backends]]\nx = 1\n", ":1:3: backends: expected a table"],
    [
      "[index]\nexclude = 'x'\nmaxFileBytes = -1\n",
      ":2:1: index.exclude: expected a list of globs",
      ":3:1: index.maxFileBytes: expected a whole number of bytes, 0 or more",
    ],
    [
      "commandPrefix = 'x'\n",
      ":1:1: commandPrefix: unknown key; expected one of backends, languages, index, limits, shared, log",
    ],
    [
      "[languages.go.features.gopls]\nonlyy = ['x']\n",
      ":2:1: languages.go.features.gopls.onlyy: unknown key; expected one of only, except (did you mean only?)",
    ],
    [
      "[languages.go.features.gopls]\nonly = ['textDocument/hover', 'hover']\n",
      ":2:31: languages.go.features.gopls.only.1: expected the name of a method, such as textDocument/hover",
    ],
    [
      "[backends.goplz]\nenabled = false\n",
      ":1:2: backends.goplz: expected command and languages, since we know no server of this name (did you mean gopls?)",
    ],
    [
      "[languages.go]\nbackends = ['gopls',\n  'goplz']\n",
      ":3:3: languages.go.backends.1: expected a backend that is defined; `goplz` is not (did you mean gopls?)",
    ],
    [
      "[languages.go.features.goplz]\nonly = []\n",
      ":1:2: languages.go.features.goplz: expected a backend that is defined; `goplz` is not (did you mean gopls?)",
    ],
    [Uint8Array.of(0x61, 0xff), ": it is not UTF-8"],
  ];
  for (const [text, ...messages] of rows) assert.deepEqual(faults(text), messages, String(text));
  assert.match(faults("a = \n").join(), /^:1:\d+: /);
  assert.match(faults("__proto__ = 1\n").join(), /^:1:\d+: /);
  assert.throws(() => load({ files: [join(scratch, "none.toml")] }), /none\.toml: there is no such file/);
  assert.throws(() => load({ files: [scratch] }), /it is not a file/);
  const big = write("#".repeat((1 << 20) + 1));
  assert.throws(() => load({ files: [big] }), /more than 1048576 bytes/);
});

test("places of keys agree with what the parser understood", () => {
  const text = [
    'a.b = "x = [1" # c = 2',
    "[t.'q.r']",
    'k = """',
    'no = 1 """" ',
    "l = '''",
    "no = [ '''",
    "m = [{ x = 1, 'y z' = [2, { w = { } }] }, 7] # end",
    "[[list]]",
    "one = 1",
    "[[list]]",
    "one = 2 # again",
  ].join("\n");
  const toml = parseToml(text);
  assert.ok(toml.ok);
  const rows: readonly (readonly [string, number, number])[] = [
    ["a.b", 1, 1],
    ["t", 1, 1],
    ["t.q/r", 2, 2],
    ["t.q/r.k", 3, 1],
    ["t.q/r.l", 5, 1],
    ["t.q/r.m", 7, 1],
    ["t.q/r.m.0.x", 7, 8],
    ["t.q/r.m.0.y z", 7, 15],
    ["t.q/r.m.0.y z.1.w", 7, 29],
    ["t.q/r.m.1", 7, 43],
    ["list.0.one", 9, 1],
    ["list.1.one", 11, 1],
    ["list.1.other", 10, 3],
    ["no", 1, 1],
  ];
  for (const [path, line, column] of rows) {
    assert.deepEqual(toml.placeOf(path.split(".").map((key) => key.replace("/", "."))), { line, column }, path);
  }
});

test("any text is values with places, or an error with one", () => {
  const piece = fc.constantFrom(..."[|]|[[|]]|{|}|=|\"|'|\"\"\"|'''|#|\n|,|.|a|b|1| |\\|\r".split("|"));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const toml = parseToml(pieces.join(""));
      const place = toml.ok ? toml.placeOf(["a", "b"]) : toml.place;
      assert.ok(place.line >= 1 && place.column >= 0);
    }),
    { numRuns: 400 },
  );
});

test("later layers win, tables key by key, lists as a whole", () => {
  const user = write(
    "[backends.gopls]\ncommand = ['gopls', '-u']\n[backends.gopls.settings.gopls]\na = 1\nb = [1]\n[limits]\nsoftMs = 1\nstartMs = 1\n",
    userConfigFile(machine),
  );
  const first = write(
    "[backends.gopls]\nenv = { A = '1' }\n[backends.gopls.settings.gopls]\nb = [2]\n[limits]\nsoftMs = 2\n",
  );
  const second = write("[backends.gopls]\nenv = { B = '2' }\n[limits]\nsoftMs = 3\nhardMs = 4\n");
  const loaded = load({ files: [first, second], client: { limits: { hardMs: 5 }, commandPrefix: "p." } });
  rmSync(user);
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(loaded.config.backends.gopls, {
    command: ["gopls", "-u"],
    settings: { gopls: { a: 1, b: [2] } },
    env: { A: "1", B: "2" },
  });
  assert.deepEqual(loaded.config.limits, { ...builtIn.limits, startMs: 1, softMs: 3, hardMs: 5 });
  assert.equal(loaded.config.commandPrefix, "p.");
  assert.deepEqual(
    loaded.sources.map(({ from }) => from),
    ["user", "--config", "--config", "client"],
  );
});

test("nothing is used of a wrong file, and the other layers hold", () => {
  const user = write("[limits]\nsoftMs = 1\nwrong = 2\n", userConfigFile(machine));
  const loaded = load({ client: { limits: { hardMs: 7, softMs: "x" } } });
  const options = load({ client: 3 });
  rmSync(user);
  assert.deepEqual(loaded.config, builtIn);
  assert.deepEqual(
    loaded.problems.map(({ file, line, column, key }) => [file, line, column, key]),
    [
      [user, 3, 1, "limits.wrong"],
      ["initializationOptions.switchboard", undefined, undefined, "limits.softMs"],
    ],
  );
  assert.equal(
    messagesOf(loaded)[1],
    "initializationOptions.switchboard: limits.softMs: expected a whole number of ms, 0 or more",
  );
  assert.equal(options.problems[1]?.message, "initializationOptions.switchboard: expected a table");
  assert.deepEqual(load({}).sources, []);
});

test("a list that names nobody is told, and the rest of its layer holds", () => {
  const later = write("[backends.mine]\ncommand = ['m']\nlanguages = ['zig']\n");
  const user = write("[languages.zig]\nbackends = ['mine', 'nobody']\n", userConfigFile(machine));
  const loaded = load({ files: [later] });
  rmSync(user);
  assert.deepEqual(
    loaded.problems.map(({ line, key }) => [line, key]),
    [[2, "languages.zig.backends.1"]],
  );
  assert.deepEqual(loaded.config.languages.zig?.backends, ["mine", "nobody"]);
});

test("a deep or odd client option is refused or kept, and never runs wild", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 5_000; i++) deep = { deep };
  assert.equal(load({ client: { backends: { gopls: { settings: { deep } } } } }).problems.length, 1);
  const odd: unknown = JSON.parse(
    '{"backends":{"gopls":{"settings":{"__proto__":{"polluted":1},"x":{"__proto__":{"y":2}}}}}}',
  );
  load({ client: odd });
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

// ---- Backends -------------------------------------------------------------------------------------------------------

function adapter(name: string, languages: readonly string[], more: Partial<Adapter> = {}): Adapter {
  return defineAdapter({
    name,
    languages,
    roots: [[".git"]],
    command: [name],
    ready: { on: "open" },
    warmUp: "open",
    publishes: "open",
    role: "general",
    quirks: [],
    ...more,
  });
}

const adapters = [
  adapter("tsgo", ["typescript", "typescriptreact", "javascript", "javascriptreact"], {
    command: { embedded: "typescript", bin: "tsc", args: ["--lsp"] },
  }),
  adapter("gopls", ["go"], { settings: { gopls: { a: 1, b: { c: 2 } } }, initializationOptions: { x: 1 } }),
  adapter("clangd", ["cpp", "c"]),
];
const host: Host = {
  env: {},
  which: (command) => (command === "gone" ? null : `/bin/${command}`),
  packageBin: ({ bin, args }, from = "/modules") => (from === "/none" ? null : ["/node", `${from}/${bin}`, ...args]),
  packageBeside: (name, program) =>
    program === "/bin/lonely" ? null : { folder: `/beside/${name}`, version: "6.0.3", trusted: true },
  recorded: (name) => (name === "gopls" ? { capabilities: {} } : undefined),
};
const config = (layer: Parameters<typeof withLayer>[1]): Config => withLayer(builtIn, layer);

test("what a server heeds of its user's environment makes another backend of it", () => {
  const heeding = adapter("gopls", ["go"], { heeds: { env: ["GOFLAGS", "GOOS"], programs: ["go", "gone"] } });
  const own = config({ backends: { mine: { command: ["mine"], languages: ["x"] } } });
  const env = { GOFLAGS: "-tags=x", PATH: "/bin", OTHER: "1" };
  const specs = resolveBackends(own, [heeding], { ...host, env });
  assert.deepEqual(
    specs.map(({ name, heeds }) => [name, heeds]),
    [
      ["mine", { PATH: "/bin" }],
      ["gopls", { GOFLAGS: "-tags=x", go: "/bin/go", gone: null }],
    ],
  );
});

test("adapters become backends as they are", () => {
  const specs = resolveBackends(builtIn, adapters, host);
  assert.deepEqual(
    specs.map(({ name, launch, configured, rank, recorded }) => [name, launch, configured, rank, recorded]),
    [
      ["tsgo", ["/node", "/modules/tsc", "--lsp"], false, 0, null],
      ["gopls", ["/bin/gopls"], false, 1, { capabilities: {} }],
      ["clangd", ["/bin/clangd"], false, 2, null],
    ],
  );
  assert.deepEqual(specs[1]?.adapter, adapters[1]);
});

test("the configuration extends an adapter, and adds servers of the user's own before ours", () => {
  const specs = resolveBackends(
    config({
      backends: {
        gopls: {
          command: ["gone", "-v"],
          settings: { gopls: { b: { d: 3 } } },
          initializationOptions: { y: 2 },
          roots: ["go.work", ["go.mod", "go.sum"]],
          extensions: ["gox", ".TMPL"],
          env: { GOFLAGS: "-mod=mod" },
          encoding: "utf-32",
          role: "addon",
        },
        clangd: { enabled: false },
        mine: { command: ["my-server", "--stdio"], languages: ["py", "zig"] },
      },
    }),
    adapters,
    host,
  );
  assert.deepEqual(
    specs.map(({ name, rank }) => [name, rank]),
    [
      ["mine", 0],
      ["tsgo", 1],
      ["gopls", 2],
    ],
  );
  const [mine, , gopls] = specs;
  assert.ok(mine && gopls);
  assert.deepEqual(
    [mine.launch, mine.configured, mine.adapter.languages, mine.adapter.ready],
    [["/bin/my-server", "--stdio"], true, ["python", "zig"], { on: "initialized" }],
  );
  assert.equal(gopls.launch, null);
  assert.deepEqual(gopls.adapter.settings, { gopls: { a: 1, b: { c: 2, d: 3 } } });
  assert.deepEqual(gopls.adapter.initializationOptions, { x: 1, y: 2 });
  assert.deepEqual(gopls.adapter.roots, [["go.work"], ["go.mod", "go.sum"]]);
  assert.deepEqual([gopls.extensions, gopls.env], [[".gox", ".tmpl"], { GOFLAGS: "-mod=mod" }]);
  assert.deepEqual(
    [gopls.adapter.encoding, gopls.adapter.role, gopls.adapter.ready],
    ["utf-32", "addon", { on: "open" }],
  );
});

test("settings are laid over each other setting by setting, however their keys are written", () => {
  const lower: Parameters<typeof withLayer>[1] = {
    backends: { gopls: { settings: { "gopls.b.c": "lower", "gopls.b.e": 1 } } },
  };
  const higher: typeof lower = { backends: { gopls: { settings: { gopls: { b: { c: "higher" } } } } } };
  const [, gopls] = resolveBackends(withLayer(config(lower), higher), adapters, host);
  assert.deepEqual(gopls?.adapter.settings, { gopls: { a: 1, b: { c: "higher", e: 1 } } });
});

test("the project's own version of what servers run chooses among them, and is run where the folder is trusted", () => {
  const seeker = {
    name: "tool",
    majors: [5, 6],
    run: (folder: string) => ({ initializationOptions: { path: folder } }),
  };
  const some = [
    adapter("go", ["go"]),
    adapter("new", ["typescript"], {
      command: { embedded: "tool", bin: "t", args: [] },
      project: { name: "tool", majors: [7] },
    }),
    adapter("old", ["typescript"], { initializationOptions: { more: 1 }, project: { ...seeker, seeks: true } }),
    adapter("mild", ["typescript"], { project: seeker }),
    adapter("lonely", ["typescript"], { project: { ...seeker, seeks: true } }),
  ];
  const started = (version: string | null, trusted: boolean): readonly string[] =>
    resolveBackends(builtIn, some, host, (name) =>
      version === null ? null : { folder: `/p/${name}`, version, trusted },
    ).map((spec) =>
      [spec.name, spec.launch?.[1] ?? spec.launch?.[0], JSON.stringify(spec.adapter.initializationOptions)].join(" "),
    );
  const beside = 'old /bin/old {"more":1,"path":"/beside/tool"}';
  assert.deepEqual(started(null, true), ["go /bin/go ", "new /modules/t ", beside, "mild /bin/mild ", "lonely  "]);
  assert.deepEqual(started("5.9.3", false), [beside, "mild /bin/mild ", "lonely  ", "go /bin/go ", "new /modules/t "]);
  assert.deepEqual(started("5.9.3", true), [
    'old /bin/old {"more":1,"path":"/p/tool"}',
    'mild /bin/mild {"path":"/p/tool"}',
    'lonely /bin/lonely {"path":"/p/tool"}',
    "go /bin/go ",
    "new /modules/t ",
  ]);
  assert.deepEqual(started("7.0.2", true).slice(0, 2), ["new /p/tool/t ", "go /bin/go "]);
  assert.deepEqual(started("7.0.2", false).slice(0, 2), ["new /modules/t ", "go /bin/go "]);
});

test("a project's own package is found from the folder upward; a folder without trust is only read", () => {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "own-")));
  const inner = join(root, "packages", "a");
  mkdirSync(join(inner, "src"), { recursive: true });
  const put = (folder: string, manifest: string): void => {
    mkdirSync(join(folder, "node_modules", "tool"), { recursive: true });
    writeFileSync(join(folder, "node_modules", "tool", "package.json"), manifest);
  };
  const trusted = (folder: string): boolean => folder === root;
  try {
    assert.equal(ownPackage("no-such-tool", [inner], trusted), null);
    put(root, '{ "version": "5.4.0" }');
    const outer = { folder: join(root, "node_modules", "tool"), version: "5.4.0", trusted: true };
    assert.deepEqual(ownPackage("tool", [inner], trusted), outer);
    for (const wrong of ["{", "7", '{ "version": 7 }']) {
      put(inner, wrong);
      assert.deepEqual(ownPackage("tool", [inner], trusted), outer);
    }
    put(inner, '{ "version": "7.0.2" }');
    const own = { folder: join(inner, "node_modules", "tool"), version: "7.0.2", trusted: false };
    assert.deepEqual(ownPackage("tool", [inner], trusted), own);
    assert.deepEqual(packageBeside("tool", join(inner, "src")), { ...own, trusted: true });
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("who serves a language, in what order", () => {
  const mine = { command: ["m"], languages: ["typescript"] };
  const rows: readonly (readonly [layer: Parameters<typeof withLayer>[1], language: string, names: string])[] = [
    [{}, "go", "gopls"],
    [{}, "golang", "gopls"],
    [{}, "c", "clangd"],
    [{}, "rust", ""],
    [{ backends: { mine } }, "typescript", "mine tsgo"],
    [{ backends: { mine } }, "javascriptreact", "mine tsgo"],
    [{ backends: { mine, other: { command: ["o"], languages: ["javascript"] } } }, "javascript", "other tsgo"],
    [{ backends: { mine }, languages: { javascript: { features: {} } } }, "javascript", "tsgo"],
    [{ backends: { mine: { command: ["m"], languages: ["cpp"] } } }, "c", "mine clangd"],
    [{ languages: { typescript: { backends: ["clangd", "tsgo"] } } }, "typescriptreact", "clangd tsgo"],
    [{ languages: { typescript: { backends: ["clangd"] }, tsx: { backends: ["tsgo"] } } }, "typescriptreact", "tsgo"],
    [{ languages: { cpp: { backends: [] } } }, "c", ""],
    [{ languages: { c: { backends: [] } } }, "cpp", "clangd"],
    [{ languages: { go: { backends: ["nobody", "gopls"] } } }, "go", "gopls"],
    [{ backends: { gopls: { enabled: false } }, languages: { go: { backends: ["gopls"] } } }, "go", ""],
  ];
  for (const [layer, language, names] of rows) {
    const whole = config(layer);
    const found = ranked(resolveBackends(whole, adapters, host), whole, language);
    assert.equal(found.map(({ name }) => name).join(" "), names, `${language} with ${JSON.stringify(layer)}`);
  }
});

test("features that a backend is or is not asked for", () => {
  const whole = config({
    languages: {
      typescript: { features: { tsgo: { except: ["textDocument/hover"] }, b: { only: ["textDocument/hover"] } } },
    },
  });
  const asked = (language: string, name: string) =>
    ["textDocument/hover", "textDocument/definition"].filter((method) => allows(whole, language, name, method)).length;
  assert.deepEqual(
    [asked("typescript", "tsgo"), asked("tsx", "tsgo"), asked("tsx", "b"), asked("tsx", "c"), asked("go", "b")],
    [1, 1, 1, 2, 2],
  );
  assert.ok(!allows(whole, "typescript", "tsgo", "textDocument/hover"));
});

test("a feature: a method, all that is registered under its name, diagnostics by either way", () => {
  const feature = {
    only: ["textDocument/rename", "textDocument/publishDiagnostics", "textDocument/semanticTokens/range"],
  };
  const config = withLayer(builtIn, {
    languages: { go: { features: { only: feature, except: { except: feature.only } } } },
  });
  const methods = ["rename", "prepareRename", "diagnostic", "publishDiagnostics", "semanticTokens/range"];
  for (const method of methods.map((name) => `textDocument/${name}`))
    assert.deepEqual(
      [allows(config, "go", "only", method), allows(config, "go", "except", method)],
      [true, false],
      method,
    );
  for (const method of ["textDocument/semanticTokens/full", "textDocument/hover", "workspace/symbol"])
    assert.deepEqual(
      [allows(config, "go", "only", method), allows(config, "go", "except", method)],
      [false, true],
      method,
    );
});

// ---- Commands on this machine ---------------------------------------------------------------------------------------

test("a command is what a shell would find, and no rustup proxy without its component", (t) => {
  if (process.platform === "win32") return t.skip("links and modes are those of POSIX");
  const bin = (folder: string, name: string) => {
    const path = write("#!/bin/sh\n", join(scratch, folder, name));
    chmodSync(path, 0o755);
    return path;
  };
  const tool = bin("b1", "tool");
  const later = bin("b2", "tool");
  write("", join(scratch, "b0", "tool"));
  mkdirSync(join(scratch, "b0", "folder"));
  const real = bin("b2", "rust-analyzer");
  const rustup = bin("cargo", "rustup");
  symlinkSync("rustup", join(scratch, "cargo", "rust-analyzer"));
  linkSync(rustup, join(scratch, "cargo", "rustfmt"));
  const on = (folders: readonly string[], env: Record<string, string> = {}): Machine => ({
    ...machine,
    env: {
      PATH: folders.map((name) => join(scratch, name)).join(delimiter),
      RUSTUP_HOME: join(scratch, "rustup"),
      ...env,
    },
  });
  assert.equal(which("tool", on(["b0", "b1", "b2"])), tool);
  assert.equal(which("tool", on(["b2", "b1"])), later);
  assert.equal(which(tool, on([])), tool);
  assert.equal(which("folder", on(["b0"])), null);
  assert.equal(which("none", on(["b0", "b1"])), null);
  assert.equal(which("", on(["b1"])), null);
  assert.equal(which("tool", { ...machine, env: { PATH: "" } }), null);

  assert.equal(which("rust-analyzer", on(["cargo", "b2"])), real, "rustup has no toolchain at all");
  write('version = "12"\ndefault_toolchain = "stable"\n', join(scratch, "rustup", "settings.toml"));
  bin("rustup/toolchains/stable-x86_64/bin", "rustfmt");
  bin("rustup/toolchains/nightly-x86_64/bin", "rust-analyzer");
  assert.equal(which("rust-analyzer", on(["cargo"])), null);
  assert.equal(which("rust-analyzer", on(["cargo", "b2"])), real);
  const proxy = join(scratch, "cargo", "rust-analyzer");
  assert.equal(which("rust-analyzer", on(["cargo"], { RUSTUP_TOOLCHAIN: "nightly" })), proxy);
  assert.equal(
    which("rustfmt", on(["cargo"])),
    join(scratch, "cargo", "rustfmt"),
    "a hard link whose component is there",
  );
  assert.equal(which("rustfmt", on(["cargo"], { RUSTUP_TOOLCHAIN: "nightly" })), null);
  assert.equal(which("rustup", on(["cargo"])), rustup);
});

test("places of the user's file", () => {
  const rows: readonly (readonly [Machine["env"], NodeJS.Platform, string])[] = [
    [{ XDG_CONFIG_HOME: "/x" }, "linux", "/x/switchboard/config.toml"],
    [{}, "linux", "/h/.config/switchboard/config.toml"],
    [{ XDG_CONFIG_HOME: "relative" }, "darwin", "/h/.config/switchboard/config.toml"],
    [{ APPDATA: "C:\\a" }, "win32", "C:\\a\\switchboard\\config.toml"],
  ];
  for (const [env, platform, place] of rows) assert.equal(userConfigFile({ env, platform, home: "/h" }), place);
});

test("did you mean", () => {
  const words = ["symbol", "search", "source", "refs", "rename"];
  const rows: readonly (readonly [string, string | null])[] = [
    ["symbl", "symbol"],
    ["sybmol", "symbol"],
    ["Refs", "refs"],
    ["ref", "refs"],
    ["renmae", "rename"],
    ["completely", null],
    ["x", null],
  ];
  for (const [wrong, right] of rows) assert.equal(nearest(wrong, words), right, wrong);
});
