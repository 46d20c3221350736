/** Where our files lie on this machine: the XDG base directories, their like on Windows. Makes nothing, reads nothing. */
import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/** What decides about places: a machine, as a client sees it. Tests give their own. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Where relative paths start; our own working folder if not said otherwise. */
  readonly cwd?: string;
}

export function thisMachine(): Machine {
  return { env: process.env, platform: process.platform, home: homedir() };
}

/** The user's configuration. */
export function userConfigFile(machine: Machine): string {
  return place(machine, "XDG_CONFIG_HOME", "APPDATA", ".config", "config.toml");
}

/** What the user has trusted. */
export function trustFile(machine: Machine): string {
  return place(machine, "XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "trust.json");
}

/** Things that can be made again, such as what servers were found to be able of. */
export function cacheFolder(machine: Machine): string {
  return place(machine, "XDG_CACHE_HOME", "LOCALAPPDATA", ".cache", "cache");
}

/** Where running processes of one user meet; null where the system has no such place. */
export function runtimeFolder({ env, platform }: Machine): string | null {
  const base = env.XDG_RUNTIME_DIR;
  return platform !== "win32" && base !== undefined && posix.isAbsolute(base) ? posix.join(base, "switchboard") : null;
}

/** The base directory specification: a relative path in a variable is to be ignored. */
function place({ env, platform, home }: Machine, xdg: string, windows: string, fallback: string, name: string): string {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  const named = [env[xdg], platform === "win32" ? env[windows] : undefined];
  const base = named.find((path) => path !== undefined && isAbsolute(path)) ?? join(home, fallback);
  return join(base, "switchboard", name);
}
