/**
 * What the Java server lists of types (`workspace/symbol`), put right: each once, in containers as the source spells them.
 * Measured on 1.59.0: beside the name, a class or interface is listed at the start of its declaration (a modifier, `class`, or
 * its comment), there with the package alone as its container; an enum or a record is not.
 */
import type { Ask } from "./adapter.ts";
import { field } from "./params.ts";

/** So many files are asked for their outlines to tell a class from its repetition; in more of them both stay. */
const MAX_OUTLINES = 16;

/** Each type once: on one line, and in one container, the later place is the name; else the file's outline decides. */
export function once(items: readonly unknown[], ask: Ask, done: (items: readonly unknown[]) => void): void {
  const listed = items.filter((item, i) => !items.some((other, j) => i !== j && repeats(item, other)));
  const doubtful = listed.filter((item) => listed.some((other) => other !== item && isSameName(item, other)));
  const uris = [...new Set(doubtful.map(uriOf))].slice(0, MAX_OUTLINES);
  const wrong = new Set<unknown>();
  let open = uris.length;
  const finish = () => done(listed.filter((item) => !wrong.has(item)));
  if (open === 0) return finish();
  for (const uri of uris)
    ask("textDocument/documentSymbol", { textDocument: { uri } }, (answer) => {
      const names = "result" in answer ? placesIn(answer.result) : null;
      for (const item of doubtful)
        if (names !== null && uriOf(item) === uri && !names.has(JSON.stringify(startOf(item)))) wrong.add(item);
      open--;
      if (open === 0) finish();
    });
}

function repeats(item: unknown, other: unknown): boolean {
  if (!isSameName(item, other)) return false;
  const [a, b] = [startOf(item), startOf(other)];
  if (a.line === b.line) return a.character < b.character;
  return a.line < b.line && field(item, "containerName") === field(other, "containerName");
}

function isSameName(item: unknown, other: unknown): boolean {
  return isType(item) && isType(other) && field(item, "name") === field(other, "name") && uriOf(item) === uriOf(other);
}

function isType(item: unknown): boolean {
  return types.has(field(item, "kind"));
}

/** LSP's class and interface. */
const types: ReadonlySet<unknown> = new Set([5, 11]);

function uriOf(item: unknown): unknown {
  return field(field(item, "location"), "uri");
}

interface Place {
  readonly line: number;
  readonly character: number;
}

function startOf(item: unknown): Place {
  return placeOf(field(field(field(item, "location"), "range"), "start"));
}

function placeOf(position: unknown): Place {
  return { line: Number(field(position, "line")), character: Number(field(position, "character")) };
}

/** Where names stand in an outline, however deep; null where it is none. */
function placesIn(outline: unknown): ReadonlySet<string> | null {
  if (!Array.isArray(outline)) return null;
  const places = new Set<string>();
  const entries: unknown[] = [...outline];
  for (const entry of entries) {
    places.add(JSON.stringify(placeOf(field(field(entry, "selectionRange"), "start"))));
    const children = field(entry, "children");
    if (Array.isArray(children)) entries.push(...children);
  }
  return places;
}

/** `fx.Tape$Reel` -> `fx.Tape.Reel`. A dollar sign that a source itself has in a name is taken for a separator as well. */
export function plainContainer(item: unknown): unknown {
  const container = field(item, "containerName");
  if (typeof item !== "object" || typeof container !== "string" || !container.includes("$")) return item;
  return { ...item, containerName: container.replaceAll("$", ".") };
}
