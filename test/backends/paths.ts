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
import { siteFor } from "../../server/host/site.ts";

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

/** How a test starts a server by itself. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly initializationOptions: object;
}

/** As the core would start it at a root, with its folders in `cache`; else why it cannot be started here. */
export function launchOf(adapter: Adapter, root: string, cache: string): Launch | string {
  const argv = argvOf(adapter);
  if (argv === null) return `${adapter.name} is not installed (test/backends/install)`;
  const here = adapter.start?.(root, siteFor("test", cache)) ?? {};
  if ("missing" in here) return `${adapter.name}: ${here.missing}`;
  return {
    argv: [...argv, ...(here.args ?? [])],
    env: here.env ?? {},
    initializationOptions: { ...here.initializationOptions, ...Object(adapter.initializationOptions ?? {}) },
  };
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
