/** Reads what servers send, for the predicates of adapters. */

/** The value of a key of an object; undefined for anything that is none. */
export function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** The items of a list; none for anything that is no list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list, equal ones once. */
export function once(items: readonly unknown[]): readonly unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
