/**
 * What servers call symbols, brought into the segments of an address, and the comparison of the two with its score.
 * Pure; knows spellings, not servers. Places, kinds and order are `lookup.ts`'s.
 */
import { type Language, languages } from "../languages.ts";
import { normalForm } from "../syntax/lexis/table.ts";
import { type Address, anonymous, closing, parseAddress, splitParameters } from "./address.ts";

/** A symbol's own name and what stands around it, outermost first, as the source declares it. */
export interface SymbolName {
  readonly leaf: string;
  readonly containers: readonly string[];
  /** Accepted before `containers` but no part of the declared path: the folders of a Go package, Rust's `crate`. */
  readonly front: readonly string[];
  /** Parameter list where the name shows one. `()` shows none: some servers print it for every function. */
  readonly parameters?: readonly string[];
  readonly arity?: number;
}

/**
 * Takes apart a name and its container as a server prints them (`(*Store[K, V]).Get`, `record()`, `(get) size`,
 * `area(int) const`, `impl Foo for Bar`, `example.com/fx/signal`). Text that is no address stays whole, so that nothing
 * matches it by accident. `container` may be the chain of enclosing names, outermost first.
 */
export function normalise(name: string, container: string | readonly string[]): SymbolName {
  const around = (typeof container === "string" ? [container] : container).map(containerPath);
  const containers: string[] = [];
  const front: string[] = [];
  for (const { path, outside } of around) {
    if (containers.length === 0) front.push(...outside);
    containers.push(...path);
  }
  const own = parsedName(name);
  if (own === null) return { leaf: name, containers, front };
  const segments = [...own.segments];
  const leaf = segments.pop() ?? name;
  // gopls repeats the package for a dotted query: `signal.Metrics.Record` in `example.com/fx/signal`.
  if (around.at(-1)?.isPackage && segments[0] === containers.at(-1)) segments.shift();
  return {
    leaf,
    containers: [...containers, ...segments],
    front,
    ...(own.overload !== undefined && own.overload.length > 0 && { parameters: own.overload }),
    ...(own.arity !== undefined && { arity: own.arity }),
  };
}

/** How the last segment was met, and with what containers. */
export interface Match {
  readonly kind: "whole" | "tail" | "none given";
  readonly name: "exact" | "ignoreCase" | "prefix";
  /** The part of the score that the name and its containers give. */
  readonly score: number;
}

export interface MatchOptions {
  /** Default exact. How the last segment may differ; containers are as exact as the language is. */
  readonly match?: "exact" | "ignoreCase" | "prefix";
  /** Segments accepted before the candidate's own path: the module that follows from its file's place. */
  readonly front?: readonly string[];
  /** Number of the candidate's parameters, where known. */
  readonly arity?: number;
  /** How the candidate's language compares names. */
  readonly spelling?: Spelling;
}

/** By a language without cases names are met in any case, which scores as `ignoreCase` does. */
export interface Spelling extends Pick<Language, "caseless" | "mark"> {
  /** The Unicode form in which names are compared. */
  readonly normal?: ReturnType<typeof normalForm>;
}

export function spellingOf(language: string): Spelling {
  const { caseless, mark } = languages.get(language) ?? {};
  return { normal: normalForm(language), ...(caseless && { caseless }), ...(mark !== undefined && { mark }) };
}

/** A name as it is compared in a language of that spelling, but for its case. */
export function formed(name: string, { normal }: Spelling): string {
  return normal ? name.normalize(normal) : name;
}

/** Contract section 1, "Match and score". */
const nameScores = { exact: 100, ignoreCase: 80, prefix: 60 } as const;
const containerScores = { whole: 50, tail: 30, "none given": 0 } as const;

/**
 * Whether an address means the candidate whose path is its containers and its own name, or null. Overloads are told
 * apart by `narrow`, once all candidates are known.
 */
export function matches(address: Address, path: readonly string[], options: MatchOptions = {}): Match | null {
  const wanted = address.segments.at(-1);
  const leaf = path.at(-1);
  if (wanted === undefined || leaf === undefined) return null;
  if (address.arity !== undefined && options.arity !== undefined && address.arity !== options.arity) return null;
  const { match = "exact", front = [], spelling = {} } = options;
  const name = nameMatch(wanted, leaf, match, spelling);
  if (name === null) return null;
  const kind = containerMatch(address, path.slice(0, -1), front, spelling);
  if (kind === null) return null;
  return { kind, name, score: nameScores[name] + containerScores[kind] };
}

/**
 * Those of the found that the address's parameter list picks: the ones with these types; else the ones whose
 * parameters nobody told; and for `()`, which is also how a call is written, else all.
 */
export function narrow<T>(
  address: Address,
  found: readonly T[],
  parametersOf: (candidate: T) => readonly string[] | undefined,
): readonly T[] {
  const { overload } = address;
  if (overload === undefined) return found;
  const same = found.filter((candidate) => {
    const parameters = parametersOf(candidate);
    return parameters !== undefined && sameParameters(overload, parameters);
  });
  if (same.length > 0) return same;
  const untold = found.filter((candidate) => parametersOf(candidate) === undefined);
  return untold.length > 0 || overload.length > 0 ? untold : found;
}

/**
 * Whether two lists name the same types, in any language's way to write a parameter: `int x`, `x: int`, `x int`,
 * `const int &`. Type arguments count only where both sides write them.
 */
export function sameParameters(a: readonly string[], b: readonly string[]): boolean {
  return (
    a.length === b.length &&
    a.every((parameter, i) => {
      const others = possibleTypes(b[i] ?? "");
      return possibleTypes(parameter).some((type) => others.some((other) => sameType(type, other)));
    })
  );
}

/** Parameters of a signature as servers show it in `detail`: `int (int) const`, `func(k K) V`, `fn(&self, x: u8)`. */
export function parametersOf(detail: string): readonly string[] | undefined {
  const open = detail.indexOf("(");
  if (open < 0) return undefined;
  const end = closing(detail, open);
  if (typeof end !== "number") return undefined;
  const inside = splitParameters(detail.slice(open + 1, end - 1));
  const receiver = /^(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:self|cls)\b/;
  const own = inside.filter((parameter, i) => i > 0 || !receiver.test(parameter));
  return own.length === 1 && own[0] === "void" ? [] : own;
}

/** A container as printed, in segments; `outside` is what is accepted before it. */
function containerPath(text: string): { path: readonly string[]; outside: readonly string[]; isPackage: boolean } {
  if (text.trim() === "") return { path: [], outside: [], isPackage: false };
  const block = implemented(text);
  if (block !== null) return { path: [block], outside: [], isPackage: false };
  // The import path of a Go package. The package's name is its last element but for a major version.
  if (/^[\w.~-]+(?:\/[\w.~-]+)+$/.test(text)) {
    const parts = text.split("/");
    if (parts.length > 1 && /^v\d+$/.test(parts.at(-1) ?? "")) parts.pop();
    const last = (parts.pop() ?? text).replace(/\.v\d+$/, "");
    return { path: [last], outside: parts.flatMap((part) => part.split(".")), isPackage: true };
  }
  const own = parsedName(text);
  if (own === null) return { path: [text], outside: [], isPackage: false };
  const [head, ...rest] = own.segments;
  if (head === "crate") return { path: rest, outside: ["crate"], isPackage: false };
  return { path: own.segments, outside: [], isPackage: false };
}

/** The address that a server's name is, or null where it is a title, a callback's stand-in and the like. */
function parsedName(name: string): Address | null {
  if (implemented(name) !== null) return null;
  const parsed = parseAddress(name);
  return parsed.ok ? parsed.address : null;
}

/** The type that a Rust block `impl<T> Trait for Type<T>` is about. */
function implemented(text: string): string | null {
  if (!/^(?:unsafe )?impl\b[ <]/.test(text)) return null;
  const start = text.indexOf("impl") + "impl".length;
  const generics = text[start] === "<" ? closing(text, start) : start;
  if (typeof generics !== "number") return null;
  const head = text.slice(generics).split(/\bwhere\b/)[0] ?? "";
  const type = head.slice(head.lastIndexOf(" for ") + (head.includes(" for ") ? " for ".length : 1));
  const parsed = parseAddress(type.replace(/^[\s&*]*(?:'\w+\s+)?(?:mut\s+|dyn\s+)*/, ""));
  return parsed.ok ? (parsed.address.segments.at(-1) ?? null) : null;
}

function nameMatch(
  asked: string,
  declared: string,
  match: NonNullable<MatchOptions["match"]>,
  spelling: Spelling,
): Match["name"] | null {
  const { caseless, mark } = spelling;
  const [given, leaf] = [formed(asked, spelling), formed(declared, spelling)];
  const wanted = mark !== undefined && given.startsWith(mark) ? given.slice(mark.length) : given;
  if (leaf === given || leaf === wanted) return "exact";
  const anyCase = caseless === true || match === "ignoreCase";
  const [small, sought] = anyCase ? [leaf.toLowerCase(), wanted.toLowerCase()] : [leaf, wanted];
  if (small === sought) return "ignoreCase";
  return match === "prefix" && small.startsWith(sought) ? "prefix" : null;
}

/** Unnamed scopes in the candidate's path need not be given. */
function containerMatch(
  address: Address,
  path: readonly string[],
  front: readonly string[],
  spelling: Spelling,
): Match["kind"] | null {
  const compared = (name = ""): string =>
    spelling.caseless === true ? formed(name, spelling).toLowerCase() : formed(name, spelling);
  const isSame = (a: string | undefined, b: string | undefined): boolean => a === b || compared(a) === compared(b);
  const given = address.segments.slice(0, -1);
  if (given.length === 0 && !address.absolute) return "none given";
  let left = path.length;
  let asked = given.length;
  while (asked > 0 && left > 0) {
    if (isSame(path[left - 1], given[asked - 1])) asked--;
    else if (!isAnonymous(path[left - 1])) return null;
    left--;
  }
  const whole = path.slice(0, left).every(isAnonymous);
  if (asked > 0) {
    // Past the declared path: the rest must be the end of what is accepted before it, all of it when absolute.
    if (asked > front.length || (address.absolute && asked < front.length)) return null;
    if (!given.slice(0, asked).every((segment, i) => isSame(segment, front[front.length - asked + i]))) return null;
  } else if (address.absolute && !whole) return null;
  return whole ? "whole" : "tail";
}

function isAnonymous(segment: string | undefined): boolean {
  return segment?.startsWith(anonymous) ?? false;
}

/** Words that do not tell types apart. */
const qualifiers =
  /\b(?:const|volatile|restrict|final|mut|ref|readonly|in|out|inout|params|vararg|struct|class|enum|typename|dyn|this)\b(?!\s*[:=?])/g;
/** Words that together are one type. */
const builtin =
  /^(?:(?:unsigned|signed|long|short|int|char|double|float)\s)*(?:unsigned|signed|long|short|int|char|double|float)$/;

/** A parameter's type without qualifiers; more than one where a name may stand before or behind it. */
function possibleTypes(parameter: string): readonly string[] {
  const bare = withoutDefault(parameter)
    .replace(/@[\w.]+(?:\([^)]*\))?/g, " ")
    .replace(/'\w+\s/g, " ")
    .replace(qualifiers, " ")
    .replace(/[&?]/g, " ")
    .trim();
  const typed = /^[^\s:<([]*\s*:(?!:)\s*(.+)$/s.exec(bare)?.[1];
  if (typed !== undefined) return [squeeze(typed)];
  const words = bare
    .replace(/\s*\*/g, "* ")
    .trim()
    .split(/\s+(?![^<([]*[>)\]])/);
  if (words.length < 2 || builtin.test(words.join(" "))) return [squeeze(bare)];
  return [words.slice(0, -1), words.slice(1), words].map((some) => squeeze(some.join(" ")));
}

function withoutDefault(parameter: string): string {
  const at = parameter.search(/=(?!>)/);
  return at < 0 ? parameter : parameter.slice(0, at);
}

/** Without spaces except between words. */
function squeeze(type: string): string {
  return type
    .replace(/\s+/g, " ")
    .replace(/ ?([^\w$ ]) ?/gu, "$1")
    .trim();
}

/** `std::string` is `string`, `vector` is `vector<int>`. */
function sameType(a: string, b: string): boolean {
  if (a === b) return a !== "";
  if (a === "" || b === "") return false;
  if (a.includes("<") !== b.includes("<")) return sameType(withoutArguments(a), withoutArguments(b));
  const shorter = a.length < b.length ? a : b;
  const longer = shorter === a ? b : a;
  return /^[\p{L}\p{N}_$]/u.test(shorter) && (longer.endsWith(`::${shorter}`) || longer.endsWith(`.${shorter}`));
}

function withoutArguments(type: string): string {
  const open = type.indexOf("<");
  const end = open < 0 ? -1 : closing(type, open);
  return typeof end === "number" && open >= 0 ? type.slice(0, open) + type.slice(end) : type.replace(/<.*/, "");
}
