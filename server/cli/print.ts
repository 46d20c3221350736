/**
 * What commands print, and how they end. Text lines are `path:line:col: [Kind] qualified.name`, 1-based, with the column
 * in the unit asked for; JSON is the wire result with line and column added. Pure: the caller writes.
 */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Position } from "../protocol/messages.ts";
import type { ColumnUnit } from "./args.ts";

/** Contract section 6. */
export const exits = { found: 0, absent: 1, wrong: 2, ambiguous: 3, incomplete: 4 } as const;

/** What places are printed against. */
export interface Printing {
  readonly cwd: string;
  readonly unit: ColumnUnit;
  /** A line of a document (0-based) without its end; undefined when it cannot be had. Asked only for other units. */
  readonly lineOf: (uri: string, line: number) => string | undefined;
}

/** A printed place: 1-based. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Where a position of a document is printed. */
export function placeOf(uri: string, { line, character }: Position, printing: Printing): Place {
  const text = printing.unit === "utf16" ? undefined : printing.lineOf(uri, line);
  const column = columnIn(printing.unit, text, character);
  return { path: pathOf(uri, printing.cwd), line: line + 1, column };
}

/**
 * One line of text.
 * @param what `[Kind] qualified.name`, or the trimmed line of the source; anything that would end or colour the line is
 * printed as a space
 */
export function textLine({ path, line, column }: Place, ...what: readonly string[]): string {
  return clean([`${path}:${line}:${column}:`, ...what].join(" ")).trimEnd();
}

/** `[Method] Mux.receive`. @param kind as `kindTitle` gives it */
export function symbolText(kind: string, qualifiedName: string): string {
  return `[${kind}] ${qualifiedName}`;
}

interface Located {
  readonly location: { readonly uri: string; readonly selectionRange: { readonly start: Position } };
}

/** A result with `line` and `column` of the name added to each match, as JSON. */
export function json<R extends { readonly matches: readonly Located[] }>(result: R, printing: Printing): string {
  const matches = result.matches.map((match) => {
    const { line, column } = placeOf(match.location.uri, match.location.selectionRange.start, printing);
    return { ...match, line, column };
  });
  return JSON.stringify({ ...result, matches }, null, 2);
}

/**
 * A 1-based column. A position past the end of its line is at the end (LSP 3.18, Position).
 * @param text the line; undefined: UTF-16 is the best that can be said
 */
export function columnIn(unit: ColumnUnit, text: string | undefined, character: number): number {
  if (unit === "utf16" || text === undefined) return character + 1;
  const before = text.slice(0, character);
  return 1 + (unit === "bytes" ? Buffer.byteLength(before) : [...before].length);
}

/** A path relative to a folder, with the system's separators; absolute where the two share nothing; other URIs as they are. */
export function pathOf(uri: string, cwd: string): string {
  if (!uri.startsWith("file:")) return uri;
  let path: string;
  try {
    path = fileURLToPath(uri);
  } catch {
    return uri;
  }
  const near = relative(cwd, path);
  const up = near.split(sep).filter((part) => part === "..").length;
  const depth = cwd.split(sep).filter((part) => part !== "").length;
  return near === "" || isAbsolute(near) || (up > 0 && up >= depth) ? path : near;
}

/** Names and lines come from files that anybody wrote: no control character reaches the terminal. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ");
}
