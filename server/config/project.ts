/**
 * Packages that a project has of its own, where a server of ours runs or is one of them: found as Node finds them, from
 * the folder upward. Nothing is run here; whether a copy may be run is the folder's trust.
 */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** A project's own copy of a package. */
export interface OwnPackage {
  /** The folder with its package.json. */
  readonly folder: string;
  readonly version: string;
  /** Whether the user trusts the folder whose `node_modules` it lies in. */
  readonly trusted: boolean;
}

/** The copy in the first of the folders that has one, null where none has. */
export function ownPackage(
  name: string,
  folders: readonly string[],
  isTrusted: (folder: string) => boolean,
): OwnPackage | null {
  for (const start of folders)
    for (let at = start; ; at = dirname(at)) {
      const folder = join(at, "node_modules", name);
      const version = versionIn(folder);
      if (version !== null) return { folder, version, trusted: isTrusted(at) };
      if (at === dirname(at)) break;
    }
  return null;
}

/** The copy that a program would find from where its file really lies: what the user has installed, and so trusts. */
export function packageBeside(name: string, program: string): OwnPackage | null {
  try {
    return ownPackage(name, [dirname(realpathSync(program))], () => true);
  } catch {
    return null;
  }
}

function versionIn(folder: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) return null;
    return typeof manifest.version === "string" ? manifest.version : null;
  } catch {
    return null;
  }
}
