/** Corrections that look at the text an answer points to; servers count in UTF-16 where these are used. */
import type { Ask, Quirk, Read } from "./adapter.ts";
import { field, list } from "./params.ts";

type Response = NonNullable<Quirk["response"]>;

/**
 * Definitions of the name asked about that stand in an older text of their file: asked once more after the server has read
 * the file, then looked up in its outline. A place where no such name is declared (a keyword, an operator, an included
 * file) stays as it is.
 */
export function definedNow(method: string): Response {
  return (result, params, ask, done, read) => {
    const uri = field(field(params, "textDocument"), "uri");
    if (typeof uri !== "string") return done(result);
    read(uri, (text) => {
      const name = text === null ? null : nameAt(text, field(params, "position"));
      if (name === null) return done(result);
      astray(result, name, read, (first) => {
        if (first === null) return done(result);
        outline(ask, first, (entries) => {
          if (!entries.some((entry) => leafOf(entry) === name)) return done(result);
          ask(method, params, (answer) => {
            const again = "result" in answer ? answer.result : result;
            astray(again, name, read, (second) => done(second === null ? again : moved(again, second, entries, name)));
          });
        });
      });
    });
  };
}

/** The first place of an answer where the name does not stand, by its URI; null where it stands at all. */
function astray(result: unknown, name: string, read: Read, then: (uri: string | null) => void): void {
  const [place, ...others] = [result].flat();
  const uri = uriOf(place);
  if (uri === null) return then(null);
  read(uri, (text) => {
    const found = text === null ? name : nameAt(text, field(rangeOf(place), "start"));
    if (found === name) astray(others, name, read, then);
    else then(uri);
  });
}

/** All entries of a file's outline, in no order. */
function outline(ask: Ask, uri: string, then: (entries: readonly unknown[]) => void): void {
  ask("textDocument/documentSymbol", { textDocument: { uri } }, (answer) =>
    then("result" in answer ? list(answer.result).flatMap(flattened) : []),
  );
}

function flattened(entry: unknown): readonly unknown[] {
  return [entry, ...list(field(entry, "children")).flatMap(flattened)];
}

/** Places in a file go to the nearest entry of the name, each to another one. */
function moved(result: unknown, uri: string, entries: readonly unknown[], name: string): unknown {
  const left = entries.filter((entry) => leafOf(entry) === name);
  return [result].flat().map((place) => {
    if (uriOf(place) !== uri || left.length === 0) return place;
    const line = lineOf(rangeOf(place));
    const by = (entry: unknown): number => Math.abs(lineOf(nameRangeOf(entry)) - line);
    const nearest = left.reduce((best, entry) => (by(entry) < by(best) ? entry : best));
    left.splice(left.indexOf(nearest), 1);
    return placedAt(place, uri, nearest);
  });
}

/** A place in the form of another one: that of an outline's entry. */
export function placedAt(place: unknown, uri: string, entry: unknown): unknown {
  const range = nameRangeOf(entry);
  if (field(place, "targetUri") === undefined) return { uri, range };
  const targetRange = field(entry, "range") ?? range;
  return { ...Object(place), targetUri: uri, targetRange, targetSelectionRange: range };
}

export function uriOf(place: unknown): string | null {
  const uri = field(place, "targetUri") ?? field(place, "uri");
  return typeof uri === "string" ? uri : null;
}

export function rangeOf(place: unknown): unknown {
  return field(place, "targetSelectionRange") ?? field(place, "range");
}

export function nameRangeOf(entry: unknown): unknown {
  return field(entry, "selectionRange") ?? field(field(entry, "location"), "range");
}

export function lineOf(range: unknown): number {
  const line = field(field(range, "start"), "line");
  return typeof line === "number" ? line : 0;
}

/** `area` of `geo::Shape::area`. */
function leafOf(entry: unknown): string | undefined {
  const name = field(entry, "name");
  return typeof name === "string" ? /[\p{L}\p{N}_]+$/u.exec(name)?.[0] : undefined;
}

/** The identifier around a place. */
export function nameAt(text: string, position: unknown): string | null {
  const line = lineIn(text, field(position, "line"));
  const character = field(position, "character");
  if (line === null || typeof character !== "number") return null;
  const before = /[\p{L}\p{N}_]*$/u.exec(line.slice(0, character))?.[0] ?? "";
  const after = /^[\p{L}\p{N}_]*/u.exec(line.slice(character))?.[0] ?? "";
  return before + after === "" ? null : before + after;
}

export function lineIn(text: string, line: unknown): string | null {
  return typeof line === "number" ? (text.split(/\r\n|\r|\n/)[line] ?? null) : null;
}

/** Links whose end was counted in another text end with the word that they begin at. */
export const linksOnTheirLine: Response = (result, params, _ask, done, read) => {
  const uri = field(field(params, "textDocument"), "uri");
  if (!Array.isArray(result) || typeof uri !== "string") return done(result);
  read(uri, (text) => {
    if (text === null) return done(result);
    done(
      result.map((link: unknown) => {
        const start = field(field(link, "range"), "start");
        const line = lineIn(text, field(start, "line"));
        const character = field(start, "character");
        if (line === null || typeof character !== "number") return link;
        // A name in quotes or brackets is measured right.
        const macro = /^[A-Za-z_]\w*/.exec(line.slice(character))?.[0];
        if (macro === undefined) return link;
        const end = { line: field(start, "line"), character: character + macro.length };
        return { ...Object(link), range: { start, end } };
      }),
    );
  });
};
