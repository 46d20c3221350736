/**
 * Where the tests look for real servers: our own `.cache/backends/bin`, filled by `test/backends/install`, then PATH.
 * A command that is there but does not work (rustup leaves a `rust-analyzer` that only says it is not installed) counts
 * as absent.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "../../adapters/adapter.ts";
import { embeddedArgv } from "../../adapters/index.ts";

/** The folder that `test/backends/install` fills. */
export const backendFolder = fileURLToPath(new URL("../../../.cache/backends/", import.meta.url));

/** The value of PATH to run tests with. */
export function backendPath(): string {
  return [join(backendFolder, "bin"), process.env.PATH ?? ""].join(delimiter);
}

/** Absolute path of the first working command of that name (it answers `versionArgs`, if any, with exit code 0), or null. */
export function have(command: string, versionArgs: readonly string[] = ["--version"]): string | null {
  return findings.get(command) ?? look(command, versionArgs);
}

/** argv of an adapter's server as installed here, or null. */
export function argvOf(adapter: Adapter): readonly [string, ...string[]] | null {
  if (!("embedded" in adapter.command)) {
    const [name, ...args] = adapter.command;
    const found = name === undefined ? null : have(name, adapter.version ?? []);
    return found === null ? null : [found, ...args];
  }
  return embeddedArgv(adapter.command);
}

const findings = new Map<string, string>();

function look(command: string, versionArgs: readonly string[]): string | null {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const folder of backendPath().split(delimiter)) {
    for (const ending of endings) {
      const file = join(folder, command + ending);
      if (!isProgram(file)) continue;
      if (versionArgs.length > 0 && spawnSync(file, versionArgs, { timeout: 20_000 }).status !== 0) continue;
      findings.set(command, file);
      return file;
    }
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
