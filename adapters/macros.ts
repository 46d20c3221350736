/**
 * Definitions of what the body of a macro of C declares, where the macro is used: nothing is declared at the `#define`. The
 * server has the other way round in its outlines, which tell what each use has made.
 */
import { macroUses } from "../server/protocol/extensions.ts";
import type { Ask, Quirk } from "./adapter.ts";
import { field, list } from "./params.ts";
import { lineIn, lineOf, nameAt, nameRangeOf, placedAt, rangeOf, uriOf } from "./placed.ts";

/** So many files that use a macro are looked at. */
const MAX_FILES = 16;

/** For clangd, which tells what a symbol is in by its own request `textDocument/symbolInfo`. */
export const atTheUse: NonNullable<Quirk["response"]> = (result, params, ask, done, read) => {
  const places = [result].flat();
  const first = places.find((place) => uriOf(place) !== null);
  const uri = first === undefined ? null : uriOf(first);
  if (uri === null) return done(result);
  read(uri, (text) => {
    const macro = text === null ? null : macroAround(text, lineOf(rangeOf(first)));
    if (text === null || macro === null || nameAt(text, field(rangeOf(first), "start")) === macro.name)
      return done(result);
    ask("textDocument/symbolInfo", params, (answer) => {
      const [symbol] = "result" in answer ? list(answer.result) : [];
      const name = field(symbol, "name");
      if (typeof name !== "string") return done(result);
      const container = field(symbol, "containerName");
      const path = segmentsOf(`${typeof container === "string" ? container : ""}${name}`);
      usesOf(uri, macro, ask, (uses) =>
        born(uses, path, ask, (made) =>
          done(made.length === 0 ? result : made.map((one) => placedAt(first, one.uri, one.entry))),
        ),
      );
    });
  });
};

interface Macro {
  readonly name: string;
  readonly position: { readonly line: number; readonly character: number };
}

/** The macro in whose definition a line lies, with its name's place. */
function macroAround(text: string, at: number): Macro | null {
  let line = at;
  while (line > 0 && /\\\s*$/.test(lineIn(text, line - 1) ?? "")) line--;
  const [, before, name] = /^(\s*#\s*define\s+)([\p{L}_][\p{L}\p{N}_]*)/u.exec(lineIn(text, line) ?? "") ?? [];
  return before === undefined || name === undefined ? null : { name, position: { line, character: before.length } };
}

/** Lines on which a macro is used, by URI. */
type Uses = ReadonlyMap<string, ReadonlySet<number>>;

function usesOf(uri: string, { position }: Macro, ask: Ask, then: (uses: Uses) => void): void {
  const params = { textDocument: { uri }, position, context: { includeDeclaration: false } };
  ask("textDocument/references", params, (answer) => {
    const uses = new Map<string, Set<number>>();
    for (const use of "result" in answer ? list(answer.result) : []) {
      const where = uriOf(use);
      if (where !== null) uses.set(where, (uses.get(where) ?? new Set()).add(lineOf(rangeOf(use))));
    }
    then(uses);
  });
}

interface Made {
  readonly uri: string;
  readonly entry: unknown;
}

/** What the uses have made under a whole name, each place once. */
function born(uses: Uses, path: string, ask: Ask, then: (made: readonly Made[]) => void): void {
  const files = [...uses].slice(0, MAX_FILES);
  const made = new Map<string, Made>();
  const next = (): void => {
    const [uri, lines] = files.shift() ?? [];
    if (uri === undefined || lines === undefined) return then([...made.values()]);
    ask("textDocument/documentSymbol", { textDocument: { uri } }, (answer) => {
      // Of a declaration and its definition at one place the later one is the definition.
      for (const entry of "result" in answer ? entriesOf(list(answer.result), path, "") : []) {
        const range = nameRangeOf(entry);
        if (lines.has(lineOf(range))) made.set(uri + JSON.stringify(range), { uri, entry });
      }
      next();
    });
  };
  next();
}

/** The entries of an outline, however deep, that have a name. */
function entriesOf(outline: readonly unknown[], path: string, around: string): readonly unknown[] {
  return outline.flatMap((entry) => {
    const own = macroUses.includes(field(entry, "kind")) ? around : `${around}::${field(entry, "name")}`;
    const found = segmentsOf(own) === path ? [entry] : [];
    return [...found, ...entriesOf(list(field(entry, "children")), path, own)];
  });
}

/** `::geo::(anonymous namespace)::area` -> `geo::area`: one without a name is not called the same everywhere. */
function segmentsOf(path: string): string {
  const segments = path.split("::").filter((segment) => segment !== "" && !segment.startsWith("("));
  return segments.join("::");
}
