/**
 * Runs the tests: the fast part first (nothing but this code, a process for each of its two folders), then the rest (real
 * processes, servers, editors) two files at a time. `node dist/test/run.js fast` stops after the first part. Ends with the
 * summary of node's test runner, and its exit code.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { filesIn } from "./files.ts";

const fast = ["unit", "core"].map((folder) => fileURLToPath(new URL(`fast/${folder}.js`, import.meta.url)));
const slow = ["faults", "real", "editors"].flatMap(filesIn);

process.exitCode = run(fast);
if (process.exitCode === 0 && process.argv[2] !== "fast") process.exitCode = run(slow);

function run(files: readonly string[]): number {
  const argv = ["--test", "--test-concurrency=2", "--test-reporter=spec", ...files];
  return spawnSync(process.execPath, argv, { stdio: "inherit" }).status ?? 1;
}
