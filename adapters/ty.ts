/** ty, a type checker for Python by Ruff's makers. Measured on 0.0.108, a preview. */
import { type Ask, defineAdapter } from "./adapter.ts";
import { field, list } from "./params.ts";
import { projectMarkers, pythonOf } from "./python.ts";

export const ty = defineAdapter({
  name: "ty",
  languages: ["python"],
  roots: [["ty.toml"], projectMarkers, [".git"]],
  multiRoot: true,
  command: ["ty", "server"],
  install: "pip install ty",
  version: ["--version"],
  // Whole with nothing open at the first question, 15 ms after it was asked.
  ready: { on: "initialized" },
  // Registered dynamically its pulls are not announced before it runs.
  capabilities: { textDocument: { diagnostic: { dynamicRegistration: false } } },
  warmUp: "none",
  publishes: "open",
  symbol: { separator: ".", container: "nearest" },
  role: "general",
  // It runs no interpreter: it reads the files of an environment. `.venv` and an active one it finds, `venv` it does not.
  environment: (around) => {
    const folder = pythonOf(around)?.folder;
    return folder === undefined ? {} : { settings: { ty: { configuration: { environment: { python: folder } } } } };
  },
  quirks: [
    {
      id: "symbols-without-names",
      why: "Its search gives the range of whole definitions and no container: nothing can be asked at such a place.",
      link: "https://github.com/astral-sh/ty/issues/3941",
      affects: "*",
      on: "workspace/symbol",
      // Both stand in the outlines of the files.
      response: (result, _, ask, done) => named(list(result), ask, done),
    },
  ],
});

/** Files whose outlines are asked for; symbols in further ones stay as they are. */
const FILES = 50;

function named(symbols: readonly unknown[], ask: Ask, done: (result: unknown) => void): void {
  const uris = [...new Set(symbols.map((symbol) => field(field(symbol, "location"), "uri")))].slice(0, FILES);
  const known = new Map<string, object>();
  let open = uris.length;
  // The search may be of a text from just before that of the outline.
  const finish = (): void =>
    done(symbols.map((symbol) => known.get(keyOf(symbol)) ?? nearest(symbol, known) ?? symbol));
  if (open === 0) return finish();
  for (const uri of uris)
    ask("textDocument/documentSymbol", { textDocument: { uri } }, (answer) => {
      for (const [key, symbol] of "result" in answer ? outlined(uri, list(answer.result)) : []) known.set(key, symbol);
      open--;
      if (open === 0) finish();
    });
}

/** The symbols of an outline in the form of the search, by what the search says of them. */
function* outlined(uri: unknown, symbols: readonly unknown[], containerName?: unknown): Generator<[string, object]> {
  for (const symbol of symbols) {
    const [name, kind, range] = [field(symbol, "name"), field(symbol, "kind"), field(symbol, "range")];
    const location = { uri, range: field(symbol, "selectionRange") };
    yield [
      keyOf({ name, location: { uri, range } }),
      { name, kind, location, ...(containerName !== undefined && { containerName }) },
    ];
    yield* outlined(uri, list(field(symbol, "children")), name);
  }
}

/** Of one file and name the one that stands nearest. */
function nearest(symbol: unknown, known: ReadonlyMap<string, object>): object | undefined {
  const uri = field(field(symbol, "location"), "uri");
  const distance = (one: object): number => Math.abs(lineOf(one) - lineOf(symbol));
  return [...known.values()]
    .filter((one) => field(one, "name") === field(symbol, "name") && field(field(one, "location"), "uri") === uri)
    .sort((a, b) => distance(a) - distance(b))[0];
}

function lineOf(symbol: unknown): number {
  return Number(field(field(field(field(symbol, "location"), "range"), "start"), "line"));
}

function keyOf(symbol: unknown): string {
  const location = field(symbol, "location");
  const { start, end } = Object(field(location, "range"));
  return JSON.stringify([
    field(symbol, "name"),
    field(location, "uri"),
    start?.line,
    start?.character,
    end?.line,
    end?.character,
  ]);
}
