/**
 * What is right in the fixtures, one entry a server: places by marker, and plain forms of what servers answer, so that
 * two answers that mean the same are equal.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Fixture, FixtureName } from "../fixture.ts";

export interface Expected {
  readonly fixture: FixtureName;
  readonly server: string;
  readonly language: string;
  /** The method that is asked about, by its bare name; `use:Metrics.<name>` is where. */
  readonly method: string;
  /** Where workspace/symbol finds that name: no more, no fewer. */
  readonly symbols: readonly string[];
  /** What workspace/symbol points at, where not at the name. */
  readonly pointsAt?: "declaration";
  readonly definition: string;
  /** With the declaration. A rename changes the same places. */
  readonly references: readonly string[];
  readonly hover: RegExp;
  readonly newName: string;
  /** Where a fault is, and where the file itself will not do, a text that has one; null: it looks for none. */
  readonly error: { readonly marker: string; readonly text: string | null; readonly character?: number } | null;
  /** Whether it tells of faults in files that no client has opened. */
  readonly publishes: "open" | "project";
  /** Whether it answers pulls of diagnostics, for a client that pulls; else it publishes them. */
  readonly pulls: boolean;
  /** Whether it sees changes on disk by itself, whatever it is told. */
  readonly watches?: "itself";
  /** A file that says the same as before, but two lines lower. */
  readonly blank: string;
  /** A new declaration: its file, the text, and the name with its place. */
  readonly fresh: {
    readonly file: string;
    readonly text: string;
    readonly name: string;
    readonly character: number;
    /** A log message of the server's that says it has taken note, where that is not at once. */
    readonly noted?: RegExp;
    /** What another file must say for it to count. */
    readonly also?: { readonly file: string; readonly text: string };
  };
}

/** In the Python fixture every server sees the same, and says it in its own way. */
const onPython = {
  fixture: "python",
  language: "python",
  method: "record",
  symbols: ["def:Metrics.record", "def:Tape.record"],
  definition: "def:Metrics.record",
  references: ["def:Metrics.record", "use:Metrics.record"],
  hover: /def record\(value: int\) -> None/,
  // Shares no letter with the old one: jedi leaves letters that stay where they are.
  newName: "stash",
  error: { marker: "error", text: null },
  publishes: "open",
  pulls: true,
  blank: "\n\n",
  fresh: { file: "fx/fresh.py", text: "def novelty() -> None: ...\n", name: "novelty", character: 4 },
} as const satisfies Omit<Expected, "server">;

const noted = { ...onPython.fresh, noted: /^Found 5 source files/ };

/** Those that look for faults of syntax alone. */
const parsersOnly = { marker: "error", text: "broken: int = )\n", character: 0 };

const python: readonly Expected[] = [
  { ...onPython, server: "pyright", fresh: noted },
  { ...onPython, server: "basedpyright", fresh: noted },
  { ...onPython, server: "pylsp", watches: "itself", hover: /record\(value: int\) -> None/, error: null, pulls: false },
  { ...onPython, server: "jedi", watches: "itself", error: parsersOnly, pulls: false },
  { ...onPython, server: "ty", hover: /Metrics\.record\(value: int\) -> None/ },
];

const tsgo: Expected = {
  fixture: "typescript",
  server: "tsgo",
  language: "typescript",
  method: "record",
  symbols: ["def:Metrics.record", "def:Tape.record"],
  definition: "def:Metrics.record",
  references: ["def:Metrics.record", "use:Metrics.record"],
  hover: /Metrics\.record\(value: number\): void/,
  newName: "noted",
  error: { marker: "error", text: null },
  publishes: "open",
  pulls: true,
  blank: "\n\n",
  fresh: { file: "src/fresh.ts", text: "export function novelty() {}\n", name: "novelty", character: 16 },
};

const typescript: readonly Expected[] = [
  tsgo,
  { ...tsgo, server: "vtsls", pointsAt: "declaration", watches: "itself", pulls: false },
  { ...tsgo, server: "typescript-language-server", pointsAt: "declaration", pulls: false },
];

export const expected: readonly Expected[] = [
  ...typescript,
  ...python,
  {
    fixture: "go",
    server: "gopls",
    language: "go",
    method: "Record",
    symbols: ["def:Metrics.Record", "def:Tape.Record"],
    definition: "def:Metrics.Record",
    references: ["def:Metrics.Record", "use:Metrics.Record"],
    hover: /func \(m \*signal\.Metrics\) Record\(value int\)/,
    newName: "Noted",
    error: { marker: "error", text: null },
    publishes: "project",
    pulls: false,
    blank: "\n\n",
    fresh: { file: "signal/fresh.go", text: "package signal; func Novelty() {}\n", name: "Novelty", character: 21 },
  },
  {
    fixture: "cpp",
    server: "clangd",
    language: "cpp",
    method: "record",
    symbols: ["def:Metrics.record", "def:Tape.record"],
    definition: "def:Metrics.record",
    references: ["def:Metrics.record", "decl:Metrics.record", "use:Metrics.record"],
    hover: /void record\(int value\)/,
    newName: "noted",
    error: { marker: "error", text: null },
    publishes: "open",
    pulls: false,
    blank: "\n\n",
    fresh: { file: "fresh.h", text: "inline void novelty() {}\n", name: "novelty", character: 12 },
  },
  {
    fixture: "rust",
    server: "rust-analyzer",
    language: "rust",
    method: "record",
    symbols: ["def:Metrics.record", "def:Tape.record"],
    definition: "def:Metrics.record",
    references: ["def:Metrics.record", "use:Metrics.record"],
    hover: /pub fn record\(&mut self, value: u32\)/,
    newName: "noted",
    error: { marker: "error", text: null },
    publishes: "project",
    pulls: true,
    blank: "\n\n",
    fresh: {
      file: "src/fresh.rs",
      text: "pub fn novelty() {}\n",
      name: "novelty",
      character: 7,
      also: { file: "src/lib.rs", text: "pub mod fresh;\n" },
    },
  },
];

export function expectedOf(name: FixtureName): Expected {
  const found = expected.find(({ fixture }) => fixture === name);
  if (found === undefined) throw new Error(`nothing is expected of ${name}`);
  return found;
}

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A folder of files. */
export type Tree = Pick<Fixture, "root" | "uri" | "uriOf">;

/** `src/page.ts 8:36-8:42`, the path relative to the fixture. */
export type Place = string;

/** Places of markers whose name is `length` long, sorted; `lower` tells of URIs how much lower their lines stand now. */
export function placesOf(
  workspace: Fixture,
  markers: readonly string[],
  length: number,
  lower: ReadonlyMap<string, number> = new Map(),
): readonly Place[] {
  return markers
    .map((marker) => {
      const { uri, position } = workspace.mark(marker);
      const line = position.line + (lower.get(uri) ?? 0);
      const end = { line, character: position.character + length };
      return place(workspace, uri, { start: { line, character: position.character }, end });
    })
    .sort();
}

export function place(workspace: Tree, uri: string, { start, end }: Range): Place {
  // Servers escape as they like.
  const plain = pathToFileURL(fileURLToPath(uri)).href;
  const path = plain.startsWith(`${workspace.uri}/`) ? plain.slice(workspace.uri.length + 1) : plain;
  return `${path} ${start.line}:${start.character}-${end.line}:${end.character}`;
}

export interface Location {
  readonly uri: string;
  readonly range: Range;
}

/** Locations of an answer, sorted. They must be plain: these clients announce no links. */
export function locations(workspace: Tree, answer: Location | readonly Location[] | null): readonly Place[] {
  const list = answer === null ? [] : [answer].flat();
  return list.map(({ uri, range }) => place(workspace, uri, range)).sort();
}

export interface SymbolFound {
  readonly name: string;
  readonly containerName?: string;
  readonly location: Location;
}

/** Symbols of an answer, sorted: where their names stand. */
export function symbols(
  workspace: Tree,
  answer: readonly SymbolFound[],
  pointsAt?: Expected["pointsAt"],
): readonly Place[] {
  if (!Array.isArray(answer)) throw new Error(`not a list of symbols: ${JSON.stringify(answer)}`);
  return locations(
    workspace,
    answer.map((symbol: SymbolFound) => (pointsAt === undefined ? symbol.location : nameIn(symbol))),
  );
}

/** Where the name stands in a location that is the whole declaration: its first mention in the first line. */
function nameIn({ name, location: { uri, range } }: SymbolFound): Location {
  const leaf = /[\w$]+(?=\(\)$|$)/.exec(name)?.[0] ?? name;
  // Columns are those of the text without its BOM.
  const text = readFileSync(new URL(uri), "utf8").replace(/^\ufeff/, "");
  const character = (text.split("\n")[range.start.line] ?? "").indexOf(leaf, range.start.character);
  if (character < 0) return { uri, range };
  const start = { line: range.start.line, character };
  return { uri, range: { start, end: { ...start, character: character + leaf.length } } };
}

interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface WorkspaceEdit {
  readonly changes?: Readonly<Record<string, readonly TextEdit[]>>;
  readonly documentChanges?: readonly {
    readonly textDocument: { readonly uri: string; readonly version: number | null };
    readonly edits: readonly TextEdit[];
  }[];
}

/** The places that an edit changes to `newText`, sorted; one with another text says so. */
export function edits(workspace: Tree, edit: WorkspaceEdit, newText: string): readonly Place[] {
  const lists: readonly (readonly [string, readonly TextEdit[]])[] =
    edit.documentChanges?.map(({ textDocument, edits }) => [textDocument.uri, edits] as const) ??
    Object.entries(edit.changes ?? {});
  return lists
    .flatMap(([uri, list]) =>
      list.map((each) => place(workspace, uri, each.range) + (each.newText === newText ? "" : ` ${each.newText}`)),
    )
    .sort();
}

/** The text of a hover, whatever form it has. */
export function hoverText(answer: { readonly contents: unknown } | null): string {
  return JSON.stringify(answer?.contents ?? null);
}
