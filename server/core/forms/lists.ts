/** Lists of values whose shape is not known before they are looked at. */

/** A list (or one item) with each item changed; the same object when none was. */
export function mapped<T>(list: T[], change: (item: T) => T): T[];
export function mapped(list: unknown, change: (item: unknown) => unknown): unknown;
export function mapped(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return change(list);
  const items: readonly unknown[] = list;
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? list : changed;
}

/** Whether it is a list, not an empty one, of such values. */
export function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.length > 0 && value.every(is);
}
