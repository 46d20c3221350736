/** What a file's outline gives to a search: its declarations but for locals, in as few words as it takes. Pure. */
import { anonymous } from "../symbols/address.ts";
import type { Declared } from "./declared.ts";
import type { Entries, Entry } from "./jobs.ts";

/** @param generated the file says of itself that a program has made it */
export function entriesOf(declared: readonly Declared[], generated: boolean): Entries {
  const counts = new Map<string, number>();
  const entries: Entry[] = [];
  for (const { name, containers, kind, access, test, local, selectionRange } of declared) {
    // What has no name cannot be asked for by one.
    if (local || name.startsWith(anonymous)) continue;
    const path = [...containers, name].join("\0");
    const nth = counts.get(path) ?? 0;
    counts.set(path, nth + 1);
    const { line, character: column } = selectionRange.start;
    entries.push({ name, containers, kind, access, test, line, column, nth });
  }
  return { entries, generated };
}
