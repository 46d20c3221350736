/**
 * The rule "codeActions": the actions of all servers in one list (LSP 3.18, CodeActionContext): only of the kinds that were
 * asked for, what shows and does the same once, and of each kind one that is preferred, the first, for an editor applies that
 * one without asking.
 */

import { isObject } from "../settings.ts";
import { wholeOf, withoutEquals } from "./same.ts";

/**
 * @param only kinds that are wanted, each with all below it; absent or empty: all
 * @returns null where no server has answered with a list
 */
export function codeActions(
  answers: readonly { readonly result: unknown }[],
  only: readonly string[] = [],
): readonly unknown[] | null {
  const lists = answers.map(({ result }) => result).filter((result) => Array.isArray(result));
  if (lists.length === 0) return null;
  const wanted = lists.flat().filter((action) => isObject(action) && isWanted(action, only));
  const preferred = new Set<unknown>();
  return withoutEquals(wanted, wholeOf).map((action) => {
    if (!isObject(action) || action.isPreferred !== true) return action;
    const isFirst = !preferred.has(action.kind);
    preferred.add(action.kind);
    const { isPreferred: _, ...other } = action;
    return isFirst ? action : other;
  });
}

/** Kinds are a hierarchy (`source.fixAll` holds `source.fixAll.own`); what says no kind is none that was asked for. */
function isWanted({ kind }: { readonly [key: string]: unknown }, only: readonly string[]): boolean {
  if (only.length === 0) return true;
  return only.some(
    (wanted) => wanted === "" || kind === wanted || (typeof kind === "string" && kind.startsWith(`${wanted}.`)),
  );
}
