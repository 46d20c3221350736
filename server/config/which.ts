/**
 * Where a command lies, as a shell would find it: a look-up, nothing is run. One thing more than a shell does: a proxy of
 * rustup counts only where the toolchain has the component, for the proxy is there for every component, installed or not.
 */
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join, normalize, resolve, sep } from "node:path";
import { type Machine, thisMachine } from "./places.ts";

/** A look-up that remembers its answers, so that they are the same for a session. */
export function whichOn(machine: Machine = thisMachine()): (command: string) => string | null {
  const known = new Map<string, string | null>();
  return (command) => {
    const found = known.has(command) ? known.get(command) : which(command, machine);
    known.set(command, found ?? null);
    return found ?? null;
  };
}

/** The absolute path of a command by name (through PATH) or by path; null where there is nothing to run. */
export function which(command: string, machine: Machine): string | null {
  if (command === "") return null;
  const { env, platform } = machine;
  // Windows tells no file to be a program but by its extension.
  const endings =
    platform === "win32" && extname(command) === ""
      ? (variable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "")
      : [""];
  const isPath = isAbsolute(command) || command.includes("/") || (platform === "win32" && command.includes("\\"));
  // An empty entry means the working folder to a shell; a program must not come from wherever we happen to be.
  const folders = isPath ? [""] : new Set((variable(env, "PATH") ?? "").split(delimiter).filter(isAbsolute));
  for (const folder of folders) {
    for (const ending of endings) {
      // In its plain form only once found: for all that is not there, join() would take longer than the looks.
      const path = isPath ? resolve(machine.cwd ?? "", command + ending) : folder + sep + command + ending;
      if (isProgram(path) && !isEmptyProxy(path, machine)) return normalize(path);
    }
  }
  return null;
}

/** Names of environment variables have no case on Windows, where `process.env` is copied. */
function variable(env: Machine["env"], name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isProgram(path: string): boolean {
  try {
    // Mostly nothing is there; an error made for that costs more than the look.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a program is rustup under another name (a symbolic or hard link) and the toolchain in force has no such
 * binary. A folder's `rust-toolchain.toml` is not looked at: only the default and RUSTUP_TOOLCHAIN are.
 */
function isEmptyProxy(path: string, machine: Machine): boolean {
  const ending = path.toLowerCase().endsWith(".exe") ? path.slice(-4) : "";
  const name = basename(path, ending);
  if (name === "rustup" || !isRustup(path, ending)) return false;
  const home = machine.env.RUSTUP_HOME ?? join(machine.home, ".rustup");
  const toolchain = machine.env.RUSTUP_TOOLCHAIN ?? defaultToolchain(home);
  if (toolchain === undefined) return true;
  const bins = isAbsolute(toolchain) ? [toolchain] : toolchains(home, toolchain);
  return !bins.some((folder) => isProgram(join(folder, "bin", name + ending)));
}

function isRustup(path: string, ending: string): boolean {
  try {
    if (/^rustup(-init)?$/.test(basename(realpathSync(path), ending))) return true;
    const [own, rustup] = [statSync(path), statSync(join(dirname(path), `rustup${ending}`))];
    return own.ino !== 0 && own.ino === rustup.ino && own.dev === rustup.dev;
  } catch {
    return false;
  }
}

function defaultToolchain(home: string): string | undefined {
  try {
    return /^\s*default_toolchain\s*=\s*["']([^"']+)["']/m.exec(readFileSync(join(home, "settings.toml"), "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** `stable` stands for `stable-<this machine>`. */
function toolchains(home: string, toolchain: string): readonly string[] {
  try {
    const folder = join(home, "toolchains");
    return readdirSync(folder)
      .filter((name) => name === toolchain || name.startsWith(`${toolchain}-`))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
