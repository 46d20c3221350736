/**
 * Runs the tests: the fast part first (nothing but this code), then the rest (real processes, servers, editors) two files
 * at a time. `node dist/test/run.js fast` stops after the first part. Ends with the summary of node's test runner, and its
 * exit code.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

const fast = filesIn("unit", "core");
const slow = filesIn("faults", "real", "editors");

const only = process.argv[2];
process.exitCode = run(fast, 4);
if (process.exitCode === 0 && only !== "fast") process.exitCode = run(slow, 2);

function run(files: readonly string[], together: number): number {
  const argv = ["--test", `--test-concurrency=${together}`, "--test-reporter=spec", ...files];
  return spawnSync(process.execPath, argv, { stdio: "inherit" }).status ?? 1;
}

function filesIn(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => list(join(here, folder)));
}

function list(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".test.js")).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
