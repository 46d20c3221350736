/**
 * A TOML text as plain values, with the place of every key: what smol-toml does not tell. The places are found by a
 * second walk over a text that is known to be valid, so it looks only at what can hide or hold a key.
 */
import { parse, TomlError } from "smol-toml";

/** 1-based; the column counts UTF-16 code units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export type Toml =
  | { readonly ok: true; readonly value: unknown; placeOf(path: readonly string[]): TextPlace }
  | { readonly ok: false; readonly place: TextPlace; readonly reason: string };

export function parseToml(text: string): Toml {
  try {
    const value = parse(text, { unsafeKeyBehaviour: "throw" });
    let places: ReadonlyMap<string, number> | null = null;
    const placeOf = (path: readonly string[]): TextPlace => {
      places ??= keyPlaces(text);
      for (let length = path.length; length > 0; length--) {
        const at = places.get(pathKey(path.slice(0, length)));
        if (at !== undefined) return placeAt(text, at);
      }
      return { line: 1, column: 1 };
    };
    return { ok: true, value, placeOf };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0] ?? error.message;
    return { ok: false, place: { line: error.line, column: error.column }, reason };
  }
}

/** Offsets of the keys by their path; the first where a table is opened several times. */
export function keyPlaces(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const counts = new Map<string, number>();
  let table: readonly string[] = [];
  let at = 0;
  while (at < text.length) {
    at = blanks(text, at);
    if (at >= text.length) break;
    if (text[at] === "[") {
      const many = text[at + 1] === "[";
      const header = keys(text, at + (many ? 2 : 1), "]");
      table = header.path;
      at = header.end + (many ? 2 : 1);
      note(places, table, header.start);
      if (many) {
        const nth = counts.get(pathKey(table)) ?? 0;
        counts.set(pathKey(table), nth + 1);
        table = [...table, String(nth)];
        note(places, table, header.start);
      }
    } else at = pair(text, at, table, places);
  }
  return places;
}

/** `key = value`; returns the offset past it. */
function pair(text: string, at: number, table: readonly string[], places: Map<string, number>): number {
  const { path, start, end } = keys(text, at, "=");
  const full = [...table, ...path];
  for (let length = table.length + 1; length <= full.length; length++) note(places, full.slice(0, length), start);
  return value(text, blanks(text, end + 1), full, places);
}

function value(text: string, start: number, path: readonly string[], places: Map<string, number>): number {
  const char = text[start];
  if (char === '"' || char === "'") return stringEnd(text, start);
  if (char !== "[" && char !== "{") {
    let end = start + 1;
    while (end < text.length && !/[,\]}#\n]/.test(text[end] ?? "")) end++;
    return end;
  }
  let at = start + 1;
  for (let nth = 0; ; nth++) {
    at = blanks(text, at);
    if (at >= text.length) return at;
    if (text[at] === "]" || text[at] === "}") return at + 1;
    if (char === "{") at = pair(text, at, path, places);
    else {
      const item = [...path, String(nth)];
      note(places, item, at);
      at = value(text, at, item, places);
    }
    at = blanks(text, at);
    if (text[at] === ",") at++;
  }
}

/** Dotted keys up to `until`; `end` is its offset. */
function keys(text: string, from: number, until: string): { path: string[]; start: number; end: number } {
  const path: string[] = [];
  const start = blanks(text, from);
  let at = start;
  while (at < text.length && text[at] !== until) {
    const char = text[at] ?? "";
    if (char === '"' || char === "'") {
      const end = stringEnd(text, at);
      path.push(char === '"' ? unquoted(text.slice(at, end)) : text.slice(at + 1, end - 1));
      at = end;
    } else if (/[\s.]/.test(char)) at++;
    else {
      const end = at + (/^[\w-]+/.exec(text.slice(at, at + 512))?.[0].length ?? 1);
      path.push(text.slice(at, end));
      at = end;
    }
  }
  return { path, start, end: at };
}

/** The key of a basic string: JSON's escapes are nearly TOML's, and one that is not costs only a place. */
function unquoted(quoted: string): string {
  try {
    const key: unknown = JSON.parse(quoted);
    return String(key);
  } catch {
    return quoted.slice(1, -1);
  }
}

/** The offset past a string of any of the four kinds. */
function stringEnd(text: string, start: number): number {
  const quote = text[start] ?? "";
  const long = text.startsWith(quote.repeat(3), start);
  const close = long ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  at += close.length;
  // A long string may end with quotes of its own.
  while (long && text[at] === quote) at++;
  return at;
}

/** Past white space and comments. */
function blanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < text.length && /\s/.test(text[at] ?? "")) at++;
    if (text[at] !== "#") return at;
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end;
  }
}

function note(places: Map<string, number>, path: readonly string[], at: number): void {
  const key = pathKey(path);
  if (!places.has(key)) places.set(key, at);
}

function pathKey(path: readonly string[]): string {
  return path.join("\0");
}

function placeAt(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}
