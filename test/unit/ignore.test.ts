/** What `.gitignore` leaves out, compared with what git itself says where it is installed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ignores } from "../../server/syntax/index/ignore.ts";

/** Rules, then paths; a folder ends with a slash. */
const cases: readonly (readonly [rules: string, leftOut: readonly string[], covered: readonly string[]])[] = [
  ["*.o\n!keep.o\n", ["a.o", "x/a.o"], ["keep.o", "x/keep.o", "a.oo", "a.c"]],
  ["/build\nout/\n", ["build", "build/", "out/", "x/out/"], ["x/build", "outs/"]],
  ["a/b\n/c/*.x\n", ["a/b", "c/1.x"], ["x/a/b", "c/d/1.x", "d/c/1.x"]],
  ["**/logs\nsrc/**/gen\nall/**\n", ["logs", "a/logs", "src/gen", "src/a/b/gen", "all/x", "all/x/y"], ["all/", "gen"]],
  ["file?\n[ab].t\n[!x]y\n[[:digit:]]z\n", ["file1", "a.t", "ay", "3z"], ["file", "c.t", "xy", "az", "file12"]],
  ["# a\n\\#b\n\\!c\nd\\ \ne  \n", ["#b", "!c", "e"], ["a", "b", "c", "# a", "d"]],
  ["foo/*\n!foo/bar\n", ["foo/a"], ["foo/", "foo/bar"]],
  ["*\n!*/\n!*.go\n", ["a", "x/b"], ["a.go", "x/", "x/a.go"]],
  ["a**b\n", ["ab", "axb"], ["a/b"]],
  ["x*/y\n", ["x1/y", "x/y"], ["x/z/y", "w/x1/y"]],
  ["(a)+{b}.^$\n", ["(a)+{b}.^$"], ["aab"]],
  ["x-*\n-?.t\n[ab]-c\n*-out/y\n", ["x-1", "-a.t", "a-c", "1-out/y"], ["x1", "a.t", "c-c", "out/y"]],
  ["[a\\-c]x\n", ["ax", "-x", "cx"], ["bx"]],
  ["\n/\n//\n", [], ["a", "a/"]],
];

for (const [rules, leftOut, covered] of cases)
  test(`ignored by ${JSON.stringify(rules)}`, () => {
    const ignores = new Ignores("/w", [rules], null);
    const isLeftOut = (path: string): boolean => ignores.leavesOut(`/w/${path.replace(/\/$/, "")}`, path.endsWith("/"));
    assert.deepEqual(
      leftOut.filter((path) => !isLeftOut(path)),
      [],
      "left out",
    );
    assert.deepEqual(covered.filter(isLeftOut), [], "covered");
  });

test("git says the same", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "switchboard-ignore-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (input: string, ...argv: string[]) => spawnSync("git", argv, { cwd: folder, input, encoding: "utf8" });
  if (git("", "init", "-q").status !== 0) return t.skip("git is not installed");
  for (const [i, [rules, leftOut, covered]] of cases.entries()) {
    mkdirSync(join(folder, `${i}`));
    writeFileSync(join(folder, `${i}/.gitignore`), rules);
    // Folders have to be there for git to know them as such.
    for (const path of [...leftOut, ...covered].filter((one) => one.endsWith("/"))) {
      const made = join(folder, `${i}`, path);
      mkdirSync(dirname(made), { recursive: true });
      mkdirSync(made, { recursive: true });
    }
  }
  const paths = cases.flatMap(([, leftOut, covered], i) =>
    [...leftOut.map((path) => [path, true] as const), ...covered.map((path) => [path, false] as const)].map(
      ([path, isOut]) => ({ path: `${i}/${path.replace(/\/$/, "")}`, isOut }),
    ),
  );
  const { stdout } = git(paths.map(({ path }) => `${path}\0`).join(""), "check-ignore", "-z", "--no-index", "--stdin");
  const said = new Set(stdout.split("\0"));
  for (const { path, isOut } of paths) assert.equal(said.has(path), isOut, path);
});

test("what a folder's own rules say holds before what those above say", () => {
  const above = new Ignores("/w", ["*.gen\n/a/b.x\nsame"], null);
  const own = new Ignores("/w/a", ["!ok.gen\n/c", "!same"], above);
  assert.equal(own.leavesOut("/w/a/no.gen", false), true);
  assert.equal(own.leavesOut("/w/a/ok.gen", false), false);
  assert.equal(own.leavesOut("/w/a/b.x", false), true);
  assert.equal(own.leavesOut("/w/a/c", false), true);
  assert.equal(own.leavesOut("/w/a/d/c", false), false);
  assert.equal(own.leavesOut("/w/a/same", false), false, ".ignore has the last word");
});
