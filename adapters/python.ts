/**
 * Python environments: found by their files alone, and what a server may be told of one. An interpreter inside a folder
 * that the user has not trusted is never run: a program of that name can be anything. Its packages are named instead, which
 * takes reading only (what `.pth` files would add is then missing).
 */
import { mergeTables } from "../server/config/config.ts";
import type { Environment, NameRules, Surroundings } from "./adapter.ts";

/** What marks the root of a Python project for every tool. */
export const projectMarkers: readonly string[] = [
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
  "Pipfile",
];

/** Where Python's `str.splitlines` ends a line and LSP does not: servers that keep texts by it misplace edits behind one. */
export const pythonLineEnds = "\v\f\u001c\u001d\u001e\u0085\u2028\u2029";

/** Of every Python tool that looks for an interpreter. */
export const pythonHeeds = {
  env: ["CONDA_PREFIX", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"],
  programs: ["python3", "python"],
};

/** Of servers that stand on jedi: outlines are flat, and list what a file imports. */
export const jediNames: NameRules = {
  separator: ".",
  container: "none",
  // Up to the end of the line, of a line that goes on, or of the parentheses.
  importBefore:
    /(?:^|[\n;])[ \t]*(?:from\b[^\n#;]*\bimport\b[ \t]*(?:\([^)]*|(?:[^\n#;()\\]|\\\r?\n)*)|import\b(?:[^\n#;\\]|\\\r?\n)*)$/,
};

/** A virtual environment. */
export interface Python {
  /** Path of the environment. */
  readonly folder: string;
  /** Path of its interpreter. */
  readonly interpreter: string;
  /** Paths of its `site-packages`. */
  readonly packages: readonly string[];
}

/** What a server is told: of an environment whose interpreter it may run, and of one of which it may only read the packages. */
export interface Telling {
  readonly run: (python: Python) => Environment;
  readonly read: (python: Python) => Environment;
  /** In a folder without trust, with or without an environment: keeps the server from running what it finds there itself. */
  readonly untrusted?: (around: Surroundings) => Environment;
}

/** The environment of a root, told in a server's own way. */
export function pythonEnvironment(telling: Telling): (around: Surroundings) => Environment {
  return (around) => {
    const python = pythonOf(around);
    const mayRun = python !== null && (around.trusted || !isInside(python.folder, around));
    const told = python === null ? {} : mayRun ? telling.run(python) : telling.read(python);
    if (around.trusted) return told;
    const { settings } = mayRun ? {} : (telling.untrusted?.(around) ?? {});
    return { ...told, settings: mergeTables(settings ?? {}, told.settings ?? {}), env: outside(around) };
  };
}

/** The first of `.venv`, `venv` in the root, and `$VIRTUAL_ENV`, that is one. */
export function pythonOf({ root, exists, env }: Surroundings): Python | null {
  const folders = [`${root}/.venv`, `${root}/venv`, ...(env.VIRTUAL_ENV ? [env.VIRTUAL_ENV] : [])];
  const folder = folders.find((each) => exists(`${each}/pyvenv.cfg`));
  if (folder === undefined) return null;
  const windows = `${folder}/Scripts/python.exe`;
  const libraries = [`${folder}/Lib`, ...minors.map((minor) => `${folder}/lib/python3.${minor}`)];
  return {
    folder,
    interpreter: exists(windows) ? windows : `${folder}/bin/python`,
    packages: libraries.map((library) => `${library}/site-packages`).filter(exists),
  };
}

const minors = Array.from({ length: 30 }, (_, i) => i + 6);

/** Our environment without what would lead a server to programs inside the root: an active environment, parts of PATH. */
function outside(around: Surroundings): Readonly<Record<string, string>> {
  const { PATH = "", VIRTUAL_ENV = "" } = around.env;
  const separator = around.root.startsWith("/") ? ":" : ";";
  const parts = PATH.split(separator);
  // Relative ones mean the working folder, which is the root.
  const kept = parts.filter((part) => isAbsolute(part) && !isInside(part, around));
  return {
    ...(kept.length < parts.length && { PATH: kept.join(separator) }),
    ...(VIRTUAL_ENV !== "" && isInside(VIRTUAL_ENV, around) && { VIRTUAL_ENV: "" }),
  };
}

function isAbsolute(path: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]/.test(path);
}

function isInside(path: string, { root }: Surroundings): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`) || path.split(/[\\/]/).includes("..");
}
