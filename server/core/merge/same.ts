/** When two items of answers are the same, in so far as anybody would see a difference. Pure. */
import { isObject } from "../settings.ts";

/** Items without the second of two that are equal by what `identity` makes of them; null is equal to none. */
export function withoutEquals(
  items: readonly unknown[],
  identity: (item: unknown) => string | null,
): readonly unknown[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const same = identity(item);
    if (same === null) return true;
    const isNew = !seen.has(same);
    seen.add(same);
    return isNew;
  });
}

/**
 * What an item shows: a fold its lines, anything else all but its `data`. null for one that is yet to be resolved: it is a
 * range, and what stands there only its server knows.
 */
export function shownOf(item: unknown): string | null {
  if (!isObject(item)) return JSON.stringify(item);
  if (typeof item.startLine === "number" && typeof item.endLine === "number")
    return `${item.startLine} ${item.endLine}`;
  const { data, ...shown } = item;
  if (data !== undefined && Object.keys(shown).every((key) => key === "range")) return null;
  return stable(shown);
}

/** An item with the `data` that its server gave it, if it did: with it the server knows more of the item than it shows. */
export function wholeOf(item: unknown): string {
  if (!isObject(item) || typeof item.data !== "string" || !MARK.test(item.data)) return stable(item);
  const { data: _, ...rest } = item;
  return stable(rest);
}

/** An envelope around nothing: whose the item is. */
const MARK = /^sb1:[^:]*:\d+:$/;

/** A list, or the edits of each document, without what comes twice, and a document in one place only. */
export function eachOnce(value: unknown): unknown {
  if (Array.isArray(value)) return withoutEquals(value, shownOf);
  if (!isObject(value)) return value;
  const { changes, documentChanges } = value;
  return {
    ...value,
    ...(isObject(changes) && {
      changes: Object.fromEntries(Object.entries(changes).map(([uri, edits]) => [uri, eachOnce(edits)])),
    }),
    ...(Array.isArray(documentChanges) && { documentChanges: joined(documentChanges) }),
  };
}

/** Edits of one document together, where they were first. */
function joined(changes: readonly unknown[]): readonly unknown[] {
  const byUri = new Map<unknown, { edits: unknown[] }>();
  const list = changes.flatMap((change) => {
    if (!isObject(change) || !isObject(change.textDocument) || !Array.isArray(change.edits)) return [change];
    const known = byUri.get(change.textDocument.uri);
    if (known !== undefined) {
      known.edits.push(...change.edits);
      return [];
    }
    const first = { ...change, edits: [...change.edits] };
    byUri.set(change.textDocument.uri, first);
    return [first];
  });
  for (const one of byUri.values()) one.edits = [...withoutEquals(one.edits, stable)];
  return list;
}

/** JSON with the keys in order: servers write them in any. */
export function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
