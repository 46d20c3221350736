/** The launcher runs the program that lies beside it, whatever has become of the bytecode kept of that. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { program as launcher } from "../program.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const copy = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-launch-")));
const bin = join(copy, "dist", "bin");
const program = join(bin, "program.js");
const bytecode = `${program}.v8`;
cpSync(dirname(launcher), bin, { recursive: true });
cpSync(join(root, "package.json"), join(copy, "package.json"));
const source = readFileSync(program);
const kept = readFileSync(bytecode);
after(() => {
  chmodSync(bin, 0o755);
  rmSync(copy, { recursive: true, force: true });
});

function help(...flags: string[]): string {
  return execFileSync(process.execPath, [...flags, join(bin, "main.js"), "--help"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const expected = help();

test("the build keeps bytecode of what it has made, and this V8 takes it", () => {
  assert.ok(kept.subarray(0, source.length).equals(source));
  // The launcher's flags, of which its bytecode knows.
  const [, flags = ""] = /setFlagsFromString\("([^"]*)"\)/.exec(readFileSync(launcher, "utf8")) ?? [];
  setFlagsFromString(flags);
  const script = new Script(source.toString("latin1"), {
    filename: program,
    cachedData: kept.subarray(source.length),
  });
  assert.equal(script.cachedDataRejected, false);
  assert.match(expected, /^switchboard /);
});

test("bytecode of another program of the same length is not run", () => {
  const changed = source
    .toString("latin1")
    .replaceAll("one language server in front of many", "ONE LANGUAGE SERVER IN FRONT OF MANY");
  assert.equal(changed.length, source.length);
  writeFileSync(program, changed, "latin1");
  assert.match(help(), /ONE LANGUAGE SERVER/);
  writeFileSync(program, source);
  assert.equal(help(), expected);
});

test("bytecode cut short, of another V8, or none: the program is compiled", () => {
  for (const length of [0, 10, source.length, source.length + 10, kept.length - 100]) {
    writeFileSync(bytecode, kept.subarray(0, length));
    assert.equal(help(), expected, `${length} bytes`);
  }
  const other = Buffer.from(kept);
  // V8's version and flags are in the header, which begins with a magic number.
  other.fill(0x55, source.length + 4, source.length + 12);
  writeFileSync(bytecode, other);
  assert.equal(help(), expected);
  rmSync(bytecode);
  assert.equal(help(), expected);
  writeFileSync(bytecode, kept);
  assert.equal(help("--no-opt"), expected, "other flags");
});

test("a start writes nothing where it lies", () => {
  chmodSync(bin, 0o555);
  assert.equal(help(), expected);
  assert.ok(readFileSync(bytecode).equals(kept));
});
