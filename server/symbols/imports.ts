/** Names that a file only imports, or hands on: servers list some of them as if they were declared there. */
import type { Backend } from "../core/backends.ts";
import { offsetAt } from "../core/positions.ts";
import type { Confirmed } from "./candidates.ts";
import type { Reading, Seen } from "./inquiry.ts";

/** So much of the text before a name tells whether it is one of an import, in UTF-16 units. */
const IMPORT_LENGTH = 4000;

/** Whether an outline lists a name that its file only imports. */
export function isImport(
  backend: Backend,
  text: Seen,
  one: Pick<Confirmed, "selectionRange">,
  reading: Reading,
): boolean {
  return importBefore(backend, text, one, reading) !== null;
}

/** Whether a list tells one that is imported under the name that it has anyway; `as` gives it a new one. */
export function isPlainImport(
  backend: Backend,
  text: Seen,
  one: Pick<Confirmed, "selectionRange">,
  reading: Reading,
): boolean {
  const before = importBefore(backend, text, one, reading);
  return before !== null && !/\bas\s+$/.test(before);
}

/** The text before a name, if the name is one of an import. */
function importBefore(
  backend: Backend,
  { text }: Seen,
  { selectionRange }: Pick<Confirmed, "selectionRange">,
  { client }: Reading,
): string | null {
  const rule = backend.spec.adapter.symbol?.importBefore;
  if (rule === undefined) return null;
  const at = offsetAt(text.string, text.lines, selectionRange.start, client.encoding);
  const before = text.string.slice(Math.max(0, at - IMPORT_LENGTH), at);
  return rule.test(before) ? before : null;
}
