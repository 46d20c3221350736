/**
 * What a client asks by name, checked: params in, a question or an error (-32602) out. Pure; how it is answered is
 * `lookup.ts`'s. Unknown keys are ignored (contract section 1).
 */
import { isObject } from "../core/settings.ts";
import type { ResponseError } from "../protocol/errors.ts";
import type { Include, SymbolByNameParams } from "../protocol/extensions.ts";
import { rowOf } from "../protocol/methods.ts";
import { type Address, parseAddress } from "./address.ts";
import { type KeyParts, readKey } from "./key.ts";
import { flag, given, insideOf, kindsOf, languagesOf, oneOf, reading, texts, Wrong, whole } from "./params.ts";
import type { Filter } from "./paths.ts";

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
  const read = reading(() => question(params));
  return "error" in read ? read : { question: read.value };
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

function question(asked: unknown): Question {
  if (!isObject(asked)) throw new Wrong("Params are needed: { name }.");
  const params = given(asked);
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
