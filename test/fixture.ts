/**
 * Small workspaces to test on: copies `fixtures/<language>/` to a temporary folder and finds the places that its comments
 * name. A marker is a comment line with carets, each pointing at the column above it in the nearest line that is neither
 * a marker nor empty:
 *
 *     void record(int value);
 *     //   ^decl:Metrics.record
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** One program in each language. Servers of those that are quick to start are tested one by one on every matter. */
export const quickNames = ["typescript", "python", "go", "cpp", "rust"] as const;
export const fixtureNames = [...quickNames, "java"] as const;
/** `mixed` has a file of each of the languages that are no programs, and a script. */
export type FixtureName = (typeof fixtureNames)[number] | "mixed";

/**
 * What to start a server with on its fixture, as initializationOptions. rust-analyzer would fetch the sources of the
 * standard library where they are missing, index them (ten seconds on two cores), and leave a `cargo check` behind.
 */
export const startWith: { readonly [Name in FixtureName]?: object } = {
  rust: { cargo: { sysroot: null }, checkOnSave: false },
};

/** A named place: 0-based line, 0-based UTF-16 column. */
export interface Mark {
  readonly uri: string;
  readonly path: string;
  readonly position: { readonly line: number; readonly character: number };
}

export interface Fixture {
  /** Real path of the copy, and its URI (no slash at the end). */
  readonly root: string;
  readonly uri: string;
  /** All markers by name (`def:Metrics.record`); names are unique within a fixture. */
  readonly marks: ReadonlyMap<string, Mark>;
  /** The marker of that name; throws with the names there are. */
  mark(name: string): Mark;
  /** From a path relative to the root, with `/`. */
  pathOf(file: string): string;
  uriOf(file: string): string;
  textOf(file: string): string;
  /** Deletes the copy. */
  remove(): void;
}

/** Copies a fixture. C++ gets a `compile_commands.json`, whose folders must be absolute and so cannot be kept in it. */
export function fixture(name: FixtureName): Fixture {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), `fixture-${name}-`)));
  cpSync(fileURLToPath(new URL(`../../fixtures/${name}/`, import.meta.url)), root, { recursive: true });
  if (name === "cpp") writeCompileCommands(root);
  const marks = marksIn(root);
  const pathOf = (file: string) => join(root, file);
  return {
    root,
    uri: pathToFileURL(root).href,
    marks,
    mark(wanted) {
      const mark = marks.get(wanted);
      if (mark === undefined) throw new Error(`no marker ${wanted} in ${name}: ${[...marks.keys()].join(", ")}`);
      return mark;
    },
    pathOf,
    uriOf: (file) => pathToFileURL(pathOf(file)).href,
    textOf: (file) => readFileSync(pathOf(file), "utf8"),
    // Retried: on Windows a server that has just ended may hold a file for a moment.
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Writes the compilation database of the `.cpp` files directly in a folder. */
export function writeCompileCommands(root: string): void {
  const sources = readdirSync(root).filter((file) => extname(file) === ".cpp");
  const database = sources.map((file) => ({ directory: root, file, arguments: ["clang++", "-std=c++17", "-c", file] }));
  writeFileSync(join(root, "compile_commands.json"), JSON.stringify(database, null, 2));
}

function marksIn(root: string): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const uri = pathToFileURL(path).href;
    for (const [name, position] of marksOf(readFileSync(path, "utf8"))) {
      if (marks.has(name)) throw new Error(`marker ${name} stands twice, the second time in ${relative(root, path)}`);
      marks.set(name, { uri, path, position });
    }
  }
  return marks;
}

function* marksOf(text: string): Generator<[string, Mark["position"]]> {
  let pointedAt = 0;
  for (const [number, line] of text.split(/\r?\n/).entries()) {
    if (!/^\s*(?:\/\/|#)\s*\^/.test(line)) {
      if (line.trim() !== "") pointedAt = number;
      continue;
    }
    for (const caret of line.matchAll(/\^(\S+)/g)) {
      yield [caret[1] ?? "", { line: pointedAt, character: caret.index }];
    }
  }
}
