/** Reads what servers send, for the predicates of adapters. */

/** The value of a key of an object; undefined for anything that is none. */
export function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
