/**
 * The address grammar: how a person or a program names a symbol. Text in, plain segments or an error with its place out;
 * never throws, knows no language, looks at no file. `names.ts` compares addresses with what servers call things.
 *
 *   address  := [separator] segment (separator segment)* [parameters] [index]
 *   segment  := decoration* name type-arguments*      one of the special names below, or anything between backticks
 */

/** A symbol's name with its containers, outermost first. */
export interface Address {
  /** At least one; the last is the symbol's own name, without decoration, type arguments and quotes. */
  readonly segments: readonly string[];
  /** A leading separator: nothing stands before the first segment. */
  readonly absolute: boolean;
  /** Parameters as written between `(` and `)` after the last segment; empty for `()`. */
  readonly overload?: readonly string[];
  /** `name[1]`: 0-based place in the order of (path, line). */
  readonly index?: number;
  /** `name/2`. */
  readonly arity?: number;
}

/** `at` is a UTF-16 offset into the text; `reason` completes "the address is wrong: ...". */
export type Parsed =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** Parses an address, spaces around it ignored. */
export function parseAddress(text: string): Parsed {
  return parse(text, 0);
}

/** How the segment of an unnamed scope begins, in an address as in what clangd prints. */
export const anonymous = "(anonymous";

/** Parameters of a list as written between its parentheses: commas inside brackets part nothing. `""` has none. */
export function splitParameters(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at === text.length || text[at] === ",") {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    } else if (isOpening(text[at])) {
      const end = closing(text, at);
      if (typeof end === "number") at = end - 1;
    }
  }
  return parts.length === 1 && parts[0] === "" ? [] : parts;
}

/**
 * The offset just past the bracket that closes the one at `open`, or where the balance breaks.
 * `->` and `=>` close nothing; what stands between backticks is not looked at.
 */
export function closing(text: string, open: number): number | Wrong {
  const stack: { readonly close: string; readonly at: number }[] = [];
  for (let at = open; at < text.length; at++) {
    const char = text[at] ?? "";
    const close = brackets[char];
    if (close !== undefined) stack.push({ close, at });
    else if (char === "`") {
      const end = text.indexOf("`", at + 1);
      if (end < 0) return { at, reason: "a backtick is not closed" };
      at = end;
    } else if (closers.has(char) && !(char === ">" && (text[at - 1] === "-" || text[at - 1] === "="))) {
      if (stack.pop()?.close !== char) return { at, reason: `\`${char}\` closes nothing` };
      if (stack.length === 0) return at + 1;
    }
  }
  const unclosed = stack.at(-1)?.at ?? open;
  return { at: unclosed, reason: `\`${text[unclosed]}\` is not closed` };
}

export interface Wrong {
  readonly at: number;
  readonly reason: string;
}

const brackets: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const closers = new Set(Object.values(brackets));

function isOpening(char: string | undefined): boolean {
  return char !== undefined && char in brackets;
}

/** Decorations nest (`((*T))`); more than this is nobody's address. */
const deepest = 8;

function parse(text: string, depth: number): Parsed {
  const segments: string[] = [];
  let overload: readonly string[] | undefined;
  let index: number | undefined;
  let arity: number | undefined;
  const wrong = (at: number, reason: string): Parsed => ({ ok: false, at, reason });

  let at = spaces(text, 0);
  if (at === text.length) return wrong(0, "it is empty");
  if (text[at] === "/") return wrong(at, "it begins with `/`");
  const begin = isPrivate(text, at) ? at : separator(text, at);
  const absolute = begin > at;
  at = spaces(text, begin);

  for (;;) {
    const segment = readSegment(text, at, depth);
    if ("reason" in segment) return wrong(segment.at, segment.reason);
    segments.push(...segment.names);
    at = segment.end;

    const tail = readTail(text, at);
    if ("reason" in tail) return wrong(tail.at, tail.reason);
    at = tail.end;
    if (at === text.length) {
      ({ overload, index } = tail);
      break;
    }
    const count = /^\/\s*(\d+)\s*(?:\[\s*(\d+)\s*\]\s*)?$/.exec(text.slice(at));
    if (count !== null) {
      arity = Number(count[1]);
      ({ overload, index } = tail);
      if (count[2] !== undefined) index = Number(count[2]);
      break;
    }
    const next = text[at] === "/" ? at + 1 : separator(text, at);
    if (next === at) return wrong(at, "a separator is missing");
    at = spaces(text, next);
  }
  return {
    ok: true,
    address: {
      segments,
      absolute,
      ...(overload !== undefined && { overload }),
      ...(index !== undefined && { index }),
      ...(arity !== undefined && { arity }),
    },
  };
}

/** One segment's name, or several where a decoration holds a path: `(*kv.Box)`. */
function readSegment(text: string, start: number, depth: number): { names: readonly string[]; end: number } | Wrong {
  let at = start;
  while (text[at] === "(") {
    const end = closing(text, at);
    if (typeof end !== "number") return end;
    const after = spaces(text, end);
    if (after === text.length || separator(text, after) > after || text[after] === "/") {
      const inside = insideOf(text.slice(at + 1, end - 1), at + 1, depth);
      return "reason" in inside ? inside : { names: inside, end: after };
    }
    at = after; // `(get) size`: something follows, so this was decoration only
  }
  if (text[at] === "<") {
    // Rust's `<Bar as Trait>::name`.
    const end = closing(text, at);
    if (typeof end !== "number") return end;
    const as = text.slice(at, end).indexOf(" as ");
    if (as > 0) {
      const inside = insideOf(text.slice(at + 1, at + as), at + 1, depth);
      return "reason" in inside ? inside : { names: inside, end: spaces(text, end) };
    }
  }
  const operator = readOperator(text, at);
  if (operator !== null) return { names: [operator.name], end: operator.end };
  const name = readName(text, at);
  if ("reason" in name) return name;
  return { names: [name.name], end: name.end };
}

/** What a decoration that is itself the segment names: `*T`, `Store[K, V]`, `anonymous namespace`. */
function insideOf(inner: string, offset: number, depth: number): readonly string[] | Wrong {
  if (/^\s*anonymous\b/.test(inner)) return [`(${inner.trim()})`];
  const decoration = /^[\s*&]*/.exec(inner)?.[0].length ?? 0;
  if (depth === deepest) return { at: offset, reason: "brackets are nested too deep" };
  const parsed = parse(inner.slice(decoration), depth + 1);
  if (parsed.ok) return parsed.address.segments;
  return { at: offset + decoration + parsed.at, reason: parsed.reason };
}

/** Overloadable operators of C++, longest first so that `operator<<` is not `operator<` with something behind it. */
const operators =
  "<=> <<= >>= ->* () [] -> ++ -- << >> <= >= == != && || += -= *= /= %= ^= &= |= + - * / % ^ & | ~ ! = < > ,".split(
    " ",
  );

/** `operator` with a symbol, a suffix (`""_km`), `new` and `delete`, or the type that it converts to. */
function readOperator(text: string, start: number): { name: string; end: number } | null {
  const word = "operator";
  if (!text.startsWith(word, start)) return null;
  const at = spaces(text, start + word.length);
  for (const symbol of operators) {
    if (!text.startsWith(symbol, at)) continue;
    const end = spaces(text, at + symbol.length);
    const next = text[end];
    if (next === undefined || isOpening(next) || separator(text, end) > end) return { name: word + symbol, end };
  }
  const special = /^(""\s*\w+|\w+(?:\s*\[\s*\])?)/u.exec(text.slice(at))?.[0];
  if (special?.startsWith('"'))
    return { name: word + special.replace(/\s+/g, ""), end: spaces(text, at + special.length) };
  if (at === start + word.length) return null; // an identifier that only begins so, or Python's module `operator`
  if (special === undefined) return null;
  if (/^(new|delete|co_await)\b/.test(special)) {
    return { name: `${word} ${special.replace(/\s+/g, "")}`, end: spaces(text, at + special.length) };
  }
  // A conversion: nothing is declared inside one, so that the type may hold `::` and runs to the parameters.
  let end = at;
  while (end < text.length && text[end] !== "(") {
    const close = text[end] === "<" ? closing(text, end) : end + 1;
    if (typeof close !== "number") return null;
    end = close;
  }
  const type = text
    .slice(at, end)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/ ?([*&<>]) ?/g, "$1")
    .replace(/ ?, ?/g, ", ");
  return { name: `${word} ${type}`, end };
}

/** Plain characters and quoted text up to a bracket or separator. */
function readName(text: string, start: number): { name: string; end: number } | Wrong {
  let name = "";
  let kept = 0; // length up to which the end of `name` must not be trimmed
  // Rust's raw identifiers, `r#match`.
  let at = text.startsWith("r#", start) && isIdentifier(text[start + 2]) ? start + 2 : start;
  if (isPrivate(text, at)) {
    name = "#";
    at++;
  }
  while (at < text.length && !isOpening(text[at]) && text[at] !== "/" && separator(text, at) === at) {
    const char = text[at] ?? "";
    if (closers.has(char)) return { at, reason: `\`${char}\` closes nothing` };
    if (char === "`") {
      const end = text.indexOf("`", at + 1);
      if (end < 0) return { at, reason: "a backtick is not closed" };
      name += text.slice(at + 1, end);
      kept = name.length;
      at = end + 1;
    } else {
      name += char;
      at++;
    }
  }
  name = name.slice(0, kept) + name.slice(kept).trimEnd();
  if (name === "") return { at: start, reason: "a segment is empty" };
  return { name, end: at };
}

/** Words of C++ and return types that may follow a parameter list. */
const afterParameters = /^(?:\s*(?:const|volatile|noexcept|override|final|&&?)(?![\w$]))*\s*(?:(?:->|:(?!:)).*$)?/s;

/** Type arguments, parameters and index behind a name; the caller keeps the last two of the last segment only. */
function readTail(
  text: string,
  start: number,
): { end: number; overload: readonly string[] | undefined; index: number | undefined } | Wrong {
  let overload: readonly string[] | undefined;
  let index: number | undefined;
  let at = start;
  for (;;) {
    // Rust's turbofish, `Vec::<T>::new`: the separator in front of type arguments parts nothing.
    if (text.startsWith("::", at) && text[spaces(text, at + 2)] === "<") {
      const open = spaces(text, at + 2);
      const end = closing(text, open);
      if (typeof end !== "number") return end;
      if (text.slice(open, end).includes(" as ")) return { end: at, overload, index };
      at = open;
    }
    if (!isOpening(text[at])) return { end: at, overload, index };
    const end = closing(text, at);
    if (typeof end !== "number") return end;
    const inside = text.slice(at + 1, end - 1);
    index = undefined;
    if (text[at] === "(") {
      // C's way to write that there are none.
      overload ??= inside.trim() === "void" ? [] : splitParameters(inside);
      at = end + (afterParameters.exec(text.slice(end))?.[0].length ?? 0);
    } else {
      if (text[at] === "[" && /^\s*\d+\s*$/.test(inside)) index = Number(inside);
      at = spaces(text, end);
    }
  }
}

/** The offset past the separator at `at`, or `at` when there is none. `/` is the caller's: it may not come first. */
function separator(text: string, at: number): number {
  if (text.startsWith("::", at)) return at + 2;
  if (text[at] === ".") return at + 1;
  if (text[at] === "#") return at + 1;
  // PHP's namespaces.
  if (text[at] === "\\" && isIdentifier(text[at + 1])) return at + 1;
  return at;
}

/** Whether a segment that begins at `at` is a private name of JavaScript, `#x`. */
function isPrivate(text: string, at: number): boolean {
  return text[at] === "#" && isIdentifier(text[at + 1]);
}

function spaces(text: string, at: number): number {
  let end = at;
  while (end < text.length && /\s/.test(text[end] ?? "")) end++;
  return end;
}

function isIdentifier(char: string | undefined): boolean {
  return char !== undefined && /[\p{ID_Start}$_]/u.test(char);
}
