/**
 * Readers of single params of our own requests: a value in, what it means or `Wrong` (-32602) out. Pure; which params a
 * request takes is its own file's.
 */
import { isObject } from "../core/settings.ts";
import { canonicalLanguage } from "../languages.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import { kindNumber } from "../protocol/extensions.ts";
import { type Filter, filterOf } from "./paths.ts";

/** A fault in the params; `at` is an offset into the name. */
export class Wrong extends Error {
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** What was read, or the error that a wrong param is. Never throws `Wrong`. */
export function reading<T>(read: () => T): { readonly value: T } | { readonly error: ResponseError } {
  try {
    return { value: read() };
  } catch (fault) {
    if (fault instanceof Wrong) return { error: errors.invalidParams(fault.message, fault.at) };
    throw fault;
  }
}

/** The params by name; none where they are no object. A null is what many clients write for a param that they leave out. */
export function given(params: unknown): Readonly<Record<string, unknown>> {
  return isObject(params) ? Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) : {};
}

/** Class, interface, struct, enum; type aliases are what servers call a type parameter when it stands alone. */
const typeKinds = ["class", "interface", "struct", "enum", "typeParameter"];

export function insideOf(value: unknown): Filter & { readonly patterns: readonly string[] } {
  const patterns = value === undefined ? [] : typeof value === "string" ? [value] : texts(value, "in");
  const filter = filterOf(patterns);
  if ("wrong" in filter) throw new Wrong(`\`in\`: \`${filter.wrong}\` is no pattern.`);
  return { ...filter, patterns };
}

/** Of a list of none, as of `in: []`, nothing is asked. */
export function languagesOf(value: unknown): readonly string[] | null {
  const languages = value === undefined ? [] : texts(value, "languages").map(canonicalLanguage);
  return languages.length === 0 ? null : languages;
}

export function kindsOf(value: unknown): ReadonlySet<number> | null {
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

export function oneOf<const T extends string>(value: unknown, allowed: readonly [T, ...T[]], name: string): T {
  if (value === undefined) return allowed[0];
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new Wrong(`\`${name}\` is one of ${allowed.join(", ")}.`);
  return found;
}

export function texts(value: unknown, name: string): string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    throw new Wrong(`\`${name}\` must be a list of texts.`);
  return value;
}

export function flag(value: unknown, name: string): boolean {
  if (value !== undefined && typeof value !== "boolean") throw new Wrong(`\`${name}\` must be true or false.`);
  return value === true;
}

export function whole(value: unknown, name: string, most: number, least = 0): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw new Wrong(
      `\`${name}\` must be a whole number${most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`}.`,
    );
  return value;
}
