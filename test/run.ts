/**
 * Runs the tests: the fast part first (no server, no editor; a process for each of its two folders), then chaos and the
 * model of documents at length, then the rest (real processes, servers, editors) two files at a time.
 * `node dist/test/run.js fast` stops after the first part. Ends with the summary of node's test runner, and its exit code.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { filesIn } from "./files.ts";

/** A test, or a file of them, that takes so long waits for what will never come. */
const STUCK_MS = 900_000;

const fast = ["unit", "core"].map((folder) => fileURLToPath(new URL(`fast/${folder}.js`, import.meta.url)));
const random = filesIn("core").filter((file) => /(chaos|documents-model)\.test\.js$/.test(file));
const atLength = { SWITCHBOARD_CHAOS: "100000", SWITCHBOARD_RUNS: "600" };
const slow = ["faults", "real", "editors"].flatMap(filesIn);

const parts: readonly (() => number)[] = [() => run(fast), () => run(random, atLength), () => run(slow)];
const wanted = process.argv[2] === "fast" ? parts.slice(0, 1) : parts;
process.exitCode = wanted.reduce((code, part) => (code === 0 ? part() : code), 0);

function run(files: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const argv = ["--test", "--test-concurrency=2", "--test-reporter=spec", `--test-timeout=${STUCK_MS}`, ...files];
  return spawnSync(process.execPath, argv, { stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;
}
