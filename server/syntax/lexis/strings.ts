/**
 * How strings are read: to their closer, with escapes, fences that make opener and closer longer, and the holes of templates,
 * which hold code.
 */
import { type Lexer, latin, type Until } from "../lexis.ts";
import type { Hole, Odd, StringForm } from "./rules.ts";

const LINE_FEED = 10;

/** The rule that reads a string of a form. */
export function string(form: StringForm): Odd {
  const { open, prefixes } = form;
  const read = reader(form);
  return {
    open: form.fence === "hashes" ? open.slice(0, 1) : open,
    ...(prefixes !== undefined && { prefixes }),
    run: read,
  };
}

function reader(form: StringForm): (lexer: Lexer, at: number) => number {
  const { open, close = open, fence, where } = form;
  const opener = Buffer.from(open);
  const plain = textOf(form, Buffer.from(close), 0);
  // A text for each length of fence that was met.
  const texts = new Map<string, Text>();
  const text = (closer: string, hashes: number): Text => {
    const known = texts.get(closer) ?? textOf(form, Buffer.from(closer), hashes);
    texts.set(closer, known);
    return known;
  };
  return (lexer, at) => {
    if (where === "expression" && !lexer.beginsExpression(at)) return -1;
    if (where === "character" && !isCharacter(lexer, at)) return -1;
    if (fence === undefined) return literal(lexer, at + opener.length, plain);
    const fenced = fences[fence](lexer, at, open, close);
    if (fenced === null) return -1;
    return literal(lexer, fenced.from, text(fenced.close, fenced.hashes));
  };
}

interface Fenced {
  readonly from: number;
  readonly close: string;
  readonly hashes: number;
}

const HASH = 35;

const fences: Readonly<
  Record<NonNullable<StringForm["fence"]>, (lexer: Lexer, at: number, open: string, close: string) => Fenced | null>
> = {
  hashes(lexer, at, open, close) {
    const { bytes } = lexer;
    let i = at;
    while (bytes[i] === HASH) i++;
    const hashes = i - at;
    const quote = Buffer.from(open.replaceAll("#", ""));
    if (!lexer.stands(quote, i)) return null;
    return { from: i + quote.length, close: close.replaceAll("#", "") + "#".repeat(hashes), hashes };
  },
  quotes({ bytes }, at, open, close) {
    let from = at + open.length;
    const quote = open.charCodeAt(open.length - 1);
    while (bytes[from] === quote) from++;
    return { from, close: close + String.fromCharCode(quote).repeat(from - at - open.length), hashes: 0 };
  },
  equals({ bytes }, at, open, close) {
    let from = at + open.length;
    while (bytes[from] === 61) from++;
    if (bytes[from] !== 91) return null;
    return { from: from + 1, close: `${close}${"=".repeat(from - at - open.length)}]`, hashes: 0 };
  },
  tag(lexer, at, open, close) {
    let from = at + open.length;
    let tag = "";
    for (; from < lexer.end && lexer.bytes[from] !== 40; from++) {
      // At most 16 characters, C++ [lex.string].
      if (tag.length > 16) return null;
      tag += String.fromCharCode(lexer.bytes[from] ?? 0);
    }
    return { from: from + 1, close: `)${tag}${close}`, hashes: 0 };
  },
};

/** The inside of a literal. */
interface Text {
  readonly form: StringForm;
  readonly close: Buffer;
  readonly escaping: number;
  readonly holes: readonly OpenHole[];
  /** 1 for bytes that need a look. */
  readonly stops: Uint8Array;
  /** An escape needs so many `#` behind it (Swift). */
  readonly hashes: number;
}

interface OpenHole {
  readonly open: Buffer;
  readonly holds: Hole["holds"];
  readonly doubled: boolean;
}

function textOf(form: StringForm, close: Buffer, hashes: number): Text {
  const escaping = form.escape === "" ? -1 : (form.escape ?? "\\").charCodeAt(0);
  const holes = (form.holes ?? []).map(({ open, holds, doubled }) => ({
    // `\#(` in a Swift string with one `#`.
    open: Buffer.from(open.startsWith("\\") ? `\\${"#".repeat(hashes)}${open.slice(1)}` : open),
    holds,
    doubled: doubled === true,
  }));
  const stops = new Uint8Array(256);
  for (const byte of [close[0], escaping, ...holes.map((hole) => hole.open[0])])
    if (byte !== undefined && byte >= 0) stops[byte] = 1;
  if (form.lines !== true) stops[LINE_FEED] = 1;
  return { form, close, escaping, holes, stops, hashes };
}

/** From the inside of a literal to the place behind it. */
function literal(lexer: Lexer, from: number, text: Text): number {
  const { form, close, escaping, holes, stops } = text;
  const { bytes } = lexer;
  let at = from;
  let read = from;
  let hasHoles = false;
  next: while (at < lexer.end) {
    const byte = bytes[at] ?? 0;
    if (stops[byte] === 0) {
      at++;
      continue;
    }
    for (const hole of holes) {
      if (!lexer.stands(hole.open, at)) continue;
      const inside = at + hole.open.length;
      if (hole.doubled && lexer.stands(hole.open, inside)) at = inside + hole.open.length;
      else {
        at = inHole(lexer, inside, hole.holds);
        hasHoles = true;
      }
      continue next;
    }
    if (byte === escaping && (text.hashes === 0 || bytes[at + 1] === HASH)) {
      if (form.names === true) lexer.names(read, at);
      at += 2 + text.hashes;
      read = at;
    } else if (byte === close[0] && lexer.stands(close, at)) {
      const behind = at + close.length;
      if (form.doubled && lexer.stands(close, behind)) at = behind + close.length;
      else {
        if (form.names === true || (form.names === "key" && isKey(lexer, from - 1, behind))) lexer.names(read, at);
        return form.run ? behindRun(bytes, behind) : behind;
      }
    } else if (byte === LINE_FEED && form.lines !== true) break;
    else at++;
  }
  if (close.length === 0) return lexer.end;
  // What was read in holes is read again: not without bound.
  return form.lines === true || hasHoles ? lexer.runaway() : -1;
}

/** Before a literal that names no member, whatever follows it: `x ? "a" : "b"`, `f("a")`, `x = "a"`. */
const beforeValues: ReadonlySet<string> = new Set("?:(=");

/** Whether the literal between two places names a member: `{ "a-b": 1 }`, `"a b"() {}`, `["c"] = 2`, `"d"?: string`. */
function isKey({ bytes, end }: Lexer, start: number, behind: number): boolean {
  if (!besideKeys.has(bytes[behind] ?? 0)) return false;
  let before = start - 1;
  while (isBlank(bytes[before])) before--;
  const first = String.fromCharCode(bytes[before] ?? 0);
  if (beforeValues.has(first) || (first === "e" && latin(bytes, before - 3, before + 1) === "case")) return false;
  let next = latin(bytes, behind, Math.min(end, behind + MAX_BEHIND)).trimStart();
  if (first === "[") {
    if (!next.startsWith("]")) return false;
    next = next.slice(1).trimStart();
  }
  return /^(?:[:({]|[?!][:(]|=(?![=>]))/.test(next);
}

/** What can stand right behind a key. */
const besideKeys: ReadonlySet<number> = new Set(Buffer.from(" \t:({?!=]"));

/** So far behind a literal is looked for what makes a key of it. */
const MAX_BEHIND = 16;

function isBlank(byte: number | undefined): boolean {
  return byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);
}

function behindRun(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === bytes[from - 1]) at++;
  return at;
}

const untils: Readonly<Record<"code" | "format", Until>> = { code: "bracket", format: "bracket or format" };

function inHole(lexer: Lexer, from: number, holds: Hole["holds"]): number {
  if (holds !== "name") return lexer.code(from, untils[holds]);
  const { bytes } = lexer;
  let at = lexer.name(from);
  // `$x->y`; what stands in brackets behind the name is read as text.
  if (at > from && bytes[at] === 45 && bytes[at + 1] === 62) at = lexer.name(at + 2);
  return at;
}

/** The text between two places with its holes: for what knows its end before it is read (heredocs, regular expressions). */
export function holesBetween(lexer: Lexer, from: number, to: number, holes: readonly Hole[]): void {
  const { end } = lexer;
  lexer.end = to;
  const text = textOf({ open: "", holes, lines: true }, Buffer.alloc(0), 0);
  literal(lexer, from, text);
  lexer.end = end;
}

/** `'x'`, `'\n'`: of a character in quotes, not of what else begins with a quote. */
export function isCharacter({ bytes }: Lexer, at: number): boolean {
  const byte = bytes[at + 1] ?? 0;
  if (byte === 92) return true;
  const size = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return byte !== LINE_FEED && bytes[at + 1 + size] === 39;
}
