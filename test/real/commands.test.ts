/**
 * The command line as it is shipped, on the embedded TypeScript server: lines, JSON and exit codes of every command that
 * takes a name, and `doctor`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixture } from "../fixture.ts";
import { isolated, planted } from "../planted.ts";
import { program } from "../program.ts";

const own = planted();
after(() => own.remove());

/** A command's exit code and output, in a folder. */
function command(cwd: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...isolated(own.root) },
    timeout: 60_000,
  });
  return { status, stdout: stdout.replaceAll("\\", "/"), stderr };
}

test("the README's first command answers about this repository, and nothing else", () => {
  const here = fileURLToPath(new URL("../../../", import.meta.url));
  const { status, stdout, stderr } = command(here, "symbol", "Mux.receive");
  assert.match(stdout, /^server\/core\/mux\.ts:\d+:\d+: \[Method\] Mux\.receive\n$/, stderr);
  assert.equal(status, 0);
});

test("symbol and refs: lines, JSON and exit codes", () => {
  const workspace = fixture("typescript");
  try {
    const at = (name: string) => {
      const { path, position } = workspace.mark(name);
      const file = path.slice(workspace.root.length + 1).replaceAll("\\", "/");
      return `${file}:${position.line + 1}:${position.character + 1}:`;
    };
    const run = (...args: readonly string[]) => command(workspace.root, ...args);
    assert.deepEqual(run("symbol", "record"), {
      status: 0,
      stdout: `${at("def:Metrics.record")} [Method] Metrics.record\n${at("def:Tape.record")} [Method] Tape.record\n`,
      stderr: "",
    });
    const json = run("symbol", "Metrics.record", "--json", "--root", workspace.root);
    const { matches } = JSON.parse(json.stdout) as { matches: { line: number; column: number }[] };
    const { line, character } = workspace.mark("def:Metrics.record").position;
    assert.deepEqual(
      matches.map((match) => [match.line, match.column]),
      [[line + 1, character + 1]],
    );

    const refs = run("refs", "Metrics.record");
    assert.equal(refs.status, 0, refs.stderr);
    const [use, definition, ...more] = refs.stdout.trimEnd().split("\n");
    assert.equal(definition, `${at("def:Metrics.record")} record(value: number): void {`);
    assert.ok(use?.startsWith(`${at("use:Metrics.record")} const face`), use);
    assert.deepEqual(more, []);
    const first = run("refs", "Metrics.record", "--limit", "1");
    assert.deepEqual([first.status, first.stdout], [0, `${use}\n`]);
    assert.match(first.stderr, /1 of 2 are shown/);

    assert.deepEqual([run("symbol", "LateFn").status, run("refs", "LateFn").status], [1, 1]);
    const ambiguous = run("refs", "record");
    assert.deepEqual([ambiguous.status, ambiguous.stdout], [3, ""]);
    assert.match(ambiguous.stderr, /Metrics\.record.*\n.*Metrics\.record {2}Metrics\.record\n/);
    assert.equal(run("symbol", "a..b").status, 2);
    assert.equal(run("symbol", "record", "--root", "no-such-folder").status, 2);
    // No server is waited for: what syntax knows, which is said.
    const now = run("symbol", "record", "--wait", "0");
    assert.equal(now.status, 0, now.stderr);
    assert.match(now.stderr, /syntax alone/);
  } finally {
    workspace.remove();
  }
});

test("callers, callees, impls, hover and source: what is asked about one symbol, and all overloads of one name", () => {
  const text = `export interface Shape { area(): number }
export class Square implements Shape {
  /** How much it covers. */
  area(): number { return side(2); }
}
export function side(n: number): number;
export function side(n: string): number;
export function side(n: number | string): number { return Number(n); }
export function total(shape: Shape): number { return shape.area() + side(1) + side("2"); }
`;
  const tree = planted({ "tsconfig.json": '{ "include": ["src"] }', "src/shape.ts": text });
  const { root } = tree;
  try {
    const run = (...args: readonly string[]) => {
      const { status, stdout, stderr } = command(root, ...args);
      return { status, lines: stdout.trimEnd().split("\n"), stderr };
    };
    const callers = run("callers", "side");
    assert.equal(callers.status, 0, callers.stderr);
    const line9 = text.split("\n")[8] ?? "";
    assert.deepEqual(callers.lines, [
      "src/shape.ts:4:27: [Method] Square.area: area(): number { return side(2); }",
      `src/shape.ts:9:${line9.indexOf("side(1)") + 1}: [Function] total: ${line9}`,
      `src/shape.ts:9:${line9.indexOf('side("2")') + 1}: [Function] total: ${line9}`,
    ]);
    const callees = run("callees", "Square.area");
    assert.equal(callees.status, 0, callees.stderr);
    assert.ok(callees.lines.some((line) => /^src\/shape\.ts:\d:17: \[Function\] side \(called at 4:27/.test(line)));
    assert.deepEqual(run("callees", "Shape").status, 0);
    const impls = run("impls", "Shape.area");
    assert.deepEqual([impls.status, impls.lines], [0, ["src/shape.ts:4:3: area(): number { return side(2); }"]]);
    const hover = run("hover", "Square.area");
    assert.equal(hover.status, 0);
    assert.match(hover.lines.join("\n"), /Square\.area\(\): number[\s\S]*How much it covers\./);
    const source = run("source", "total");
    assert.deepEqual([source.status, source.lines], [0, [line9]]);
    for (const name of ["callers", "callees", "impls", "hover", "source"]) {
      assert.deepEqual(run(name, "LateFn").status, 1, name);
      const ambiguous = run(name, "area");
      assert.deepEqual([ambiguous.status, ambiguous.lines], [3, [""]], name);
      assert.match(ambiguous.stderr, /Shape\.area {2}Shape\.area\n/);
    }
    const json = JSON.parse(command(root, "callers", "side", "--json").stdout) as { matches: { callers: unknown }[] };
    assert.ok(json.matches.length > 0 && json.matches.every(({ callers: found }) => found !== undefined));
  } finally {
    tree.remove();
  }
});

test("diagnostics: of a folder or of files, as text, JSON and SARIF; 1 only for errors", () => {
  const workspace = fixture("typescript");
  try {
    const run = (...args: readonly string[]) => command(workspace.root, "diagnostics", ...args);
    const all = run();
    assert.equal(all.status, 1, all.stderr);
    const { line, character } = workspace.mark("error").position;
    const place = `src/broken.ts:${line + 1}:${character + 1}:`;
    assert.match(all.stdout, new RegExp(`^${place} \\[Error\\] .* is not assignable .*2322\\)\n$`));
    assert.deepEqual(run("src/signal.ts"), { status: 0, stdout: "", stderr: "" });
    const { files } = JSON.parse(run("src", "--json").stdout) as {
      files: { uri: string; diagnostics: { line: number; column: number }[] }[];
    };
    assert.equal(files.length, 3);
    assert.deepEqual(
      files.flatMap(({ diagnostics }) => diagnostics.map((item) => [item.line, item.column])),
      [[line + 1, character + 1]],
    );
    const { runs } = JSON.parse(run("--sarif").stdout) as { runs: { results: { level: string; ruleId: string }[] }[] };
    assert.deepEqual(
      runs[0]?.results.map(({ level, ruleId }) => `${level} ${ruleId}`),
      ["error 2322"],
    );
    assert.equal(run("no-such-file.ts").status, 2);
    writeFileSync(workspace.pathOf("a.unknown-kind"), "");
    const unserved = run("a.unknown-kind");
    assert.deepEqual([unserved.status, unserved.stdout], [4, ""]);
    assert.match(unserved.stderr, /a\.unknown-kind: no server is there for it/);
    // Syntax stands in for names, and finds nothing wrong with anything.
    writeFileSync(workspace.pathOf("a.rb"), "def a; end\n");
    const named = run("a.rb");
    assert.deepEqual([named.status, named.stdout], [4, ""]);
    assert.match(named.stderr, /a\.rb: no server is there for it/);
  } finally {
    workspace.remove();
  }
});

test("doctor: what is found, what is missing and how to get it; 1 only when a configured server fails", () => {
  const tree = planted();
  try {
    const config = tree.pathOf("config.toml");
    const doctor = (...args: readonly string[]) => command(tree.root, "doctor", "--config", config, ...args);
    writeFileSync(
      config,
      '[backends.gopls]\nenabled = false\n[backends.own]\ncommand = ["no-such-server"]\nlanguages = ["lua"]\n',
    );
    const broken = doctor();
    assert.equal(broken.status, 1, broken.stderr);
    assert.match(broken.stdout, /^own +missing +no-such-server is not found$/m);
    assert.match(broken.stdout, /^tsgo +ready +7\.0\.2 +starts in \d+ ms +\S+/m);
    assert.doesNotMatch(broken.stdout, /^gopls/m);
    writeFileSync(
      config,
      '[backends.own]\ncommand = ["node", "-e", "process.exit(3)"]\nlanguages = ["lua"]\n[limits]\nstarts = 1\n',
    );
    const dead = doctor();
    assert.equal(dead.status, 1);
    assert.match(dead.stdout, /^own +failed +.*exit code 3/m);
    writeFileSync(config, "[backends.pyright]\nenabled = true\n");
    const json = doctor("--json");
    assert.equal(json.status, 0, json.stderr);
    const { backends } = JSON.parse(json.stdout) as { backends: { name: string; state: string; startMs: number }[] };
    const pyright = backends.find(({ name }) => name === "pyright");
    assert.equal(pyright?.state, "ready");
    assert.ok(pyright.startMs > 0);
  } finally {
    tree.remove();
  }
});

test("symbol without servers: found by syntax, which is said, or asked for", () => {
  const tree = planted({ "a.rb": "module Geo\n  class Shape\n    def area; end\n  end\nend\n# Ghost\n" });
  const { root } = tree;
  try {
    const [found, alone] = [command(root, "symbol", "Shape"), command(root, "symbol", "Geo::Shape", "--no-backends")];
    const stdout = "a.rb:2:9: [Class] Geo::Shape\n";
    assert.deepEqual([found.status, found.stdout], [0, stdout], found.stderr);
    assert.equal(found.stderr, "switchboard: from syntax alone: no server of ruby tells of it\n");
    assert.deepEqual(alone, { status: 0, stdout, stderr: "" });
    assert.equal(command(root, "symbol", "Ghost", "--no-backends").status, 1);
    const search = command(root, "search", "*::shape");
    assert.deepEqual(search, {
      status: 0,
      stdout: "a.rb:2:9: [Class] Geo::Shape\n",
      stderr: "",
    });
    const { matches } = JSON.parse(command(root, "search", "area", "--kind", "method", "--json").stdout) as {
      matches: { qualifiedName: string; line: number; column: number }[];
    };
    assert.deepEqual(
      matches.map(({ qualifiedName, line, column }) => [qualifiedName, line, column]),
      [["Geo::Shape::area", 3, 9]],
    );
    assert.deepEqual(command(root, "search", "Ghost").stderr, 'switchboard: no symbol fits "Ghost"\n');
    assert.equal(command(root, "search", "a", "--kind", "thing").status, 2);
    const mentions = command(root, "mentions", "Shape");
    assert.deepEqual(mentions, { status: 0, stdout: "a.rb:2:9: class Shape\n", stderr: "" });
    assert.deepEqual([command(root, "mentions", "Ghost").status, command(root, "mentions", "a b").status], [1, 2]);
    assert.equal(command(root, "symbol", "Ghost", "--no-backends", "--quiet").stderr, "");
  } finally {
    tree.remove();
  }
});

test("outline: what a file declares, from syntax alone", () => {
  const workspace = fixture("go");
  try {
    const run = (...args: readonly string[]) => command(workspace.root, "outline", ...args);
    const { position } = workspace.mark("def:Metrics.Record");
    const found = run("signal/signal.go");
    assert.equal(found.status, 0, found.stderr);
    const place = `signal/signal.go:${position.line + 1}:${position.character + 1}:`;
    assert.ok(found.stdout.split("\n").includes(`${place} [Method] signal.Metrics.Record`), found.stdout);
    const symbols = JSON.parse(run("signal/signal.go", "--json").stdout) as { name: string; line: number }[];
    assert.ok(symbols.some(({ name, line }) => name === "Metrics.Record" && line === position.line + 1));
    writeFileSync(workspace.pathOf("a.unknown-kind"), "");
    const unread = run("a.unknown-kind");
    assert.deepEqual([unread.status, unread.stdout], [2, ""]);
    assert.match(unread.stderr, /No grammar reads .*a\.unknown-kind/);
    assert.equal(run("gone.go").status, 2);
  } finally {
    workspace.remove();
  }
});
