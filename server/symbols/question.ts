/**
 * What a client asks by name, checked: params in, a question or an error (-32602) out. Pure; how it is answered is
 * `lookup.ts`'s. Unknown keys are ignored (contract section 1).
 */
import { isObject } from "../core/settings.ts";
import { canonicalLanguage } from "../languages.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import { type Include, kindNumber, type SymbolByNameParams } from "../protocol/extensions.ts";
import { rowOf } from "../protocol/methods.ts";
import { type Address, parseAddress } from "./address.ts";
import { type KeyParts, readKey } from "./key.ts";
import { type Filter, filterOf } from "./paths.ts";

export interface Question {
  /** As it was asked. */
  readonly name: string;
  readonly address: Address;
  /** The last segment. */
  readonly leaf: string;
  /** Set where a symbolKey was asked: then file and whole path must be the key's. */
  readonly key: KeyParts | null;
  readonly match: NonNullable<SymbolByNameParams["match"]>;
  readonly path: string | null;
  readonly inside: Filter;
  /** LSP's numbers; null: all. */
  readonly kinds: ReadonlySet<number> | null;
  /** Canonical ids; null: those that occur. */
  readonly languages: readonly string[] | null;
  readonly unique: boolean;
  readonly include: ReadonlySet<Include>;
  /** `then` of the params; named so that nothing takes a question for a promise. */
  readonly follow: { readonly method: string; readonly params: object } | null;
  readonly limit: number;
  readonly wait: "none" | "ready";
  readonly timeoutMs: number;
}

export type Read = { readonly question: Question } | { readonly error: ResponseError };

/** Never throws. */
export function readQuestion(params: unknown): Read {
  try {
    return { question: question(params) };
  } catch (fault) {
    if (fault instanceof Wrong) return { error: errors.invalidParams(fault.message, fault.at) };
    throw fault;
  }
}

const LIMIT = 50;
const MAX_LIMIT = 1000;
const TIMEOUT_MS = 20_000;

const includes: ReadonlySet<string> = new Set<Include>([
  "body",
  "hover",
  "signature",
  "references",
  "callers",
  "callees",
  "implementations",
  "typeDefinition",
  "diagnostics",
]);

/** Class, interface, struct, enum; type aliases are what servers call a type parameter when it stands alone. */
const typeKinds = ["class", "interface", "struct", "enum", "typeParameter"];

function question(params: unknown): Question {
  if (!isObject(params)) throw new Wrong("Params are needed: { name }.");
  const { name, path } = params;
  if (typeof name !== "string") throw new Wrong("`name` must be a text.");
  if (path !== undefined && typeof path !== "string") throw new Wrong("`path` must be a text.");
  const key = readKey(name);
  const address = key === null ? addressOf(name) : { segments: key.segments, absolute: false };
  return {
    name,
    address,
    leaf: address.segments.at(-1) ?? name,
    key,
    match: oneOf(params.match, ["exact", "ignoreCase", "prefix"], "match"),
    path: path === undefined || path === "" ? null : path,
    inside: insideOf(params.in),
    kinds: kindsOf(params.kinds),
    languages: languagesOf(params.languages),
    unique: flag(params.unique, "unique"),
    include: new Set(texts(params.include ?? [], "include").map(includeOf)),
    follow: thenOf(params.then),
    limit: whole(params.limit ?? LIMIT, "limit", MAX_LIMIT),
    wait: oneOf(params.wait, ["ready", "none"], "wait"),
    timeoutMs: whole(params.timeoutMs ?? TIMEOUT_MS, "timeoutMs", Number.MAX_SAFE_INTEGER),
  };
}

function addressOf(name: string): Address {
  const parsed = parseAddress(name);
  if (!parsed.ok) throw new Wrong(`\`name\` is no address: ${parsed.reason}.`, parsed.at);
  return parsed.address;
}

function insideOf(value: unknown): Filter {
  const patterns = value === undefined ? [] : typeof value === "string" ? [value] : texts(value, "in");
  const filter = filterOf(patterns);
  if ("wrong" in filter) throw new Wrong(`\`in\`: \`${filter.wrong}\` is no pattern.`);
  return filter;
}

/** Of a list of none, as of `in: []`, nothing is asked. */
function languagesOf(value: unknown): readonly string[] | null {
  const languages = value === undefined ? [] : texts(value, "languages").map(canonicalLanguage);
  return languages.length === 0 ? null : languages;
}

function kindsOf(value: unknown): ReadonlySet<number> | null {
  if (value === undefined) return null;
  if (!Array.isArray(value)) throw new Wrong("`kinds` must be a list.");
  if (value.length === 0) return null;
  const kinds = new Set<number>();
  for (const kind of value) {
    if (typeof kind === "number" && Number.isInteger(kind) && kind >= 1 && kind <= 26) kinds.add(kind);
    else if (typeof kind !== "string") throw new Wrong(`\`kinds\`: ${JSON.stringify(kind)} is no kind of symbol.`);
    else
      for (const one of kind.toLowerCase() === "type" ? typeKinds : [kind]) {
        const number = kindNumber(one);
        if (number === undefined) throw new Wrong(`\`kinds\`: "${kind}" is no kind of symbol.`);
        kinds.add(number);
      }
  }
  return kinds;
}

function includeOf(text: string): Include {
  if (!isInclude(text)) throw new Wrong(`\`include\`: "${text}" is unknown.`);
  return text;
}

function isInclude(text: string): text is Include {
  return includes.has(text);
}

function thenOf(value: unknown): Question["follow"] {
  if (value === undefined) return null;
  if (!isObject(value) || typeof value.method !== "string") throw new Wrong("`then` needs a `method`.");
  const { method, params = {} } = value;
  if (!isObject(params)) throw new Wrong("`then.params` must be an object.");
  return { method, params };
}

/** Whether a method can be run at a place: it asks about a position, of whoever serves the document. */
export function takesPosition(method: string): boolean {
  const row = rowOf(method);
  return row !== undefined && row.route === "capable" && row.asks.includes("position");
}

function oneOf<const T extends string>(value: unknown, allowed: readonly [T, ...T[]], name: string): T {
  if (value === undefined) return allowed[0];
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new Wrong(`\`${name}\` is one of ${allowed.join(", ")}.`);
  return found;
}

function texts(value: unknown, name: string): string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    throw new Wrong(`\`${name}\` must be a list of texts.`);
  return value;
}

function flag(value: unknown, name: string): boolean {
  if (value !== undefined && typeof value !== "boolean") throw new Wrong(`\`${name}\` must be true or false.`);
  return value === true;
}

function whole(value: unknown, name: string, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > most)
    throw new Wrong(`\`${name}\` must be a whole number from 0 to ${most}.`);
  return value;
}

/** A fault in the params; `at` is an offset into the name. */
class Wrong extends Error {
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}
