/**
 * Walks over the parsed params and results of LSP and replaces their positions, URIs or versions. One walk serves every
 * method, since LSP names alike what is alike; what the names mean stands in the tables at the end. How a position, URI
 * or version is replaced is the caller's (`positions.ts`, `uris.ts`).
 *
 * All walks: what did not change is returned as the same object; the input is never written to; what belongs to the
 * backend alone (`data`, a command's `arguments`, settings) is not entered.
 */

import { advance, measure } from "../documents/units.ts";
import {
  type Encoding,
  isPosition,
  isRange,
  type Lines,
  lineEnd,
  type Position,
  type Range,
  type Side,
} from "../positions.ts";

/** Replaces a position of the document `uri`; `side` tells which end of a range it is. Returns it as it is or anew. */
export type PositionMap = (uri: string, position: Position, side: Side) => Position;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Maps every position with the document that it belongs to: the nearest enclosing `uri`, `textDocument.uri`,
 * `targetUri` or key of a map by URI, else `base`, the document that was asked about (of an outgoing call: the item's).
 * Not for didChange: the ranges of its changes count in texts that come to be one after the other.
 */
export function convertPositions<T>(value: T, base: string, map: PositionMap): T {
  function walk(value: unknown, outer: string): unknown {
    if (Array.isArray(value)) return mappedList(value, (item) => walk(item, outer));
    if (!isFields(value)) return value;
    if (isPosition(value)) return movedPosition(value, outer, "start");
    if (isRange(value)) return movedRange(value, outer);
    if (isFold(value)) return movedFold(value, outer);
    const uri = textAt(value, "uri") ?? textAt(value.textDocument, "uri") ?? outer;
    return mappedFields(value, (item, key) => {
      if (BY_URI.has(key) && isFields(item)) return mappedFields(item, (inner, innerUri) => walk(inner, innerUri));
      return walk(item, NEIGHBOURS.get(key)?.(value) ?? uri);
    });
  }

  function movedPosition<P extends Position>(position: P, uri: string, side: Side): P {
    const { line, character } = map(uri, position, side);
    return line === position.line && character === position.character ? position : { ...position, line, character };
  }

  /** An empty range is one place: mapped as two, an insertion just there would turn it inside out. */
  function movedRange(range: Range, uri: string): Range {
    const start = movedPosition(range.start, uri, "start");
    const empty = range.start.line === range.end.line && range.start.character === range.end.character;
    const end = empty ? movedPosition(range.end, uri, "start") : movedPosition(range.end, uri, "end");
    return start === range.start && end === range.end ? range : { ...range, start, end };
  }

  /** Without a character a fold starts and ends at the end of its line: then only the line is mapped. */
  function movedFold(fold: Fold, uri: string): Fold {
    const { startLine, startCharacter, endLine, endCharacter } = fold;
    const start = map(uri, { line: startLine, character: startCharacter ?? 0 }, "start");
    const end = map(
      uri,
      { line: endLine, character: endCharacter ?? 0 },
      typeof endCharacter === "number" ? "end" : "start",
    );
    const next = {
      startLine: start.line,
      endLine: end.line,
      ...(typeof startCharacter !== "number" ? {} : { startCharacter: start.character }),
      ...(typeof endCharacter !== "number" ? {} : { endCharacter: end.character }),
    };
    const moved: Fold = { ...fold, ...next };
    return FOLD.every((key) => moved[key] === fold[key]) ? fold : moved;
  }

  return walk(value, base) as T;
}

/**
 * Counts the columns and lengths of semantic tokens anew (LSP 3.18, "Integer Encoding for Tokens": five numbers a
 * token, line and column relative to the token before). Only for a whole result: the edits of a delta cannot be counted
 * without the result before. What points past the text is clamped.
 */
export function convertTokens(
  data: readonly number[],
  text: string,
  lines: Lines,
  from: Encoding,
  to: Encoding,
): readonly number[] {
  if (from === to) return data;
  const converted: number[] = [];
  let line = 0;
  let column = 0; // of the last token, counted in `from`
  let at: Cursor = { offset: 0, from: 0, to: 0 };
  for (let i = 0; i + 4 < data.length; i += 5) {
    const deltaLine = data[i] ?? 0;
    const deltaColumn = data[i + 1] ?? 0;
    line += deltaLine;
    column = deltaLine === 0 ? column + deltaColumn : deltaColumn;
    const before = at.to;
    if (deltaLine !== 0) at = { offset: lines[line] ?? text.length, from: 0, to: 0 };
    const end = line < lines.length ? lineEnd(text, lines, line) : text.length;
    at = moved(at, end, column - at.from);
    // A token may go over several lines, its length then counts the terminators too.
    const tokenEnd = moved(at, text.length, data[i + 2] ?? 0);
    const toColumn = deltaLine === 0 ? at.to - before : at.to;
    converted.push(deltaLine, toColumn, tokenEnd.to - at.to, data[i + 3] ?? 0, data[i + 4] ?? 0);
  }
  return converted;

  function moved(cursor: Cursor, end: number, units: number): Cursor {
    const offset = advance(text, cursor.offset, end, units, from);
    return {
      offset,
      from: cursor.from + measure(text, cursor.offset, offset, from),
      to: cursor.to + measure(text, cursor.offset, offset, to),
    };
  }
}

/** A place on a line, and its column in both encodings. */
interface Cursor {
  readonly offset: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Maps every URI of a document, file or folder, those that are keys included; also a link's `target`, which may be a web
 * page. Lists whose keys become equal are joined.
 */
export function mapUris<T>(value: T, map: (uri: string) => string): T {
  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return mappedList(value, walk);
    if (!isFields(value)) return value;
    return mappedFields(value, (item, key) => {
      if (typeof item === "string") return URIS.has(key) || (key === "target" && "range" in value) ? map(item) : item;
      return BY_URI.has(key) && isFields(item) ? rekeyed(mappedFields(item, walk)) : walk(item);
    });
  }

  function rekeyed(byUri: Fields): Fields {
    const keys = Object.keys(byUri);
    if (keys.every((key) => map(key) === key)) return byUri;
    const next = new Map<string, unknown>();
    for (const key of keys) {
      const to = map(key);
      const known = next.get(to);
      const item = byUri[key];
      next.set(to, Array.isArray(known) && Array.isArray(item) ? [...known, ...item] : item);
    }
    return Object.fromEntries(next);
  }

  return walk(value) as T;
}

/**
 * Maps the versions that stand beside a `uri`: of the documents of a WorkspaceEdit, of published diagnostics and of
 * workspace diagnostic reports. Null means "unknown"; publishDiagnostics says that by leaving the version out.
 */
export function mapVersions<T>(value: T, map: (uri: string, version: number | null) => number | null): T {
  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return mappedList(value, walk);
    if (!isFields(value)) return value;
    const uri = textAt(value, "uri");
    const version = value.version;
    if (uri === undefined || (typeof version !== "number" && version !== null)) return mappedFields(value, walk);
    const next = map(uri, version);
    if (next === null && "diagnostics" in value) {
      const { version: _, ...unversioned } = value;
      return mappedFields(unversioned, walk);
    }
    return mappedFields(value, (item, key) => (key === "version" ? next : walk(item)));
  }

  return walk(value) as T;
}

/** Fields that are not LSP's to read. `__proto__` is no name that a copy could be given. */
const OPAQUE: ReadonlySet<string> = new Set(["data", "arguments", "initializationOptions", "settings", "__proto__"]);

/** Fields whose text is the URI of a document, file or folder. */
const URIS: ReadonlySet<string> = new Set(["uri", "targetUri", "oldUri", "newUri", "rootUri", "scopeUri", "baseUri"]);

/** Fields that hold a map by URI: of a WorkspaceEdit, of a diagnostic report. (`changes` may be a list elsewhere.) */
const BY_URI: ReadonlySet<string> = new Set(["changes", "relatedDocuments"]);

/** Fields whose positions belong to the document that a field beside them names. */
const NEIGHBOURS: ReadonlyMap<string, (fields: Fields) => string | undefined> = new Map([
  ["targetRange", (link: Fields) => textAt(link, "targetUri")],
  ["targetSelectionRange", (link: Fields) => textAt(link, "targetUri")],
  ["fromRanges", (call: Fields) => textAt(call.from, "uri")],
]);

interface Fold {
  readonly startLine: number;
  readonly startCharacter?: number;
  readonly endLine: number;
  readonly endCharacter?: number;
}

const FOLD = ["startLine", "startCharacter", "endLine", "endCharacter"] as const;

function isFold(value: Fields): value is Fields & Fold {
  return typeof value.startLine === "number" && typeof value.endLine === "number";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textAt(value: unknown, key: string): string | undefined {
  const text = isFields(value) ? value[key] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** A list with `f` of its items; the same one while no item changed. */
function mappedList(list: readonly unknown[], f: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [i, item] of list.entries()) {
    const next = f(item);
    if (next === item) continue;
    copy ??= [...list];
    copy[i] = next;
  }
  return copy ?? list;
}

/** An object with `f` of its fields, but for the opaque ones; the same one while no field changed. */
function mappedFields(fields: Fields, f: (item: unknown, key: string) => unknown): Fields {
  let copy: Record<string, unknown> | null = null;
  for (const key of Object.keys(fields)) {
    if (OPAQUE.has(key)) continue;
    const next = f(fields[key], key);
    if (next === fields[key]) continue;
    copy ??= { ...fields };
    copy[key] = next;
  }
  return copy ?? fields;
}
