/**
 * `switchboard refs NAME`: where it is used, and where it is declared. It needs one symbol; overloads, and declaration with
 * definition, of one name in one file count as one.
 */
import { isObject } from "../core/settings.ts";
import type { ResponseError } from "../protocol/errors.ts";
import type { SymbolByNameResult, SymbolMatch } from "../protocol/extensions.ts";
import type { Location } from "../protocol/messages.ts";
import type { Options } from "./args.ts";
import { askByName, type Found, failed, printingOf, verdict } from "./named.ts";
import { exits, json, type Printing, placeOf, textLine } from "./print.ts";
import { inSession, type Session } from "./session.ts";
import type { Run } from "./table.ts";

export const run: Run = ([name = ""], options) =>
  inSession(options, async (session) => {
    const printing = printingOf(options);
    const reply = await oneSymbol(session, options, name);
    if ("error" in reply) return failed(reply.error, printing);
    const { result } = reply;
    const { items, failures, late } = referencesOf(result.matches);
    if (options.json) process.stdout.write(`${json(result, printing)}\n`);
    else for (const item of items) process.stdout.write(`${lineOf(item, printing)}\n`);
    for (const message of failures) process.stderr.write(`switchboard: ${message}\n`);
    if (failures.length > 0) return late ? exits.incomplete : exits.wrong;
    if (items.length === 0 && !result.complete) return exits.incomplete;
    return verdict(name, result, options);
  });

async function oneSymbol(session: Session, options: Options, name: string): Promise<Found> {
  const asked = { name, unique: true, include: ["references" as const] };
  const reply = await askByName(session, options, asked);
  if (!("error" in reply)) return reply;
  const overloads = overloadsIn(reply.error);
  if (overloads === null) return reply;
  const results: SymbolByNameResult[] = [];
  for (const hint of overloads) {
    const each = await askByName(session, options, { ...asked, name: hint });
    if ("error" in each) return each;
    results.push(each.result);
  }
  const [first] = results;
  if (first === undefined) return reply;
  const matches = results.flatMap((result) => result.matches);
  const complete = results.every((result) => result.complete);
  return { result: { ...first, matches, total: matches.length, complete } };
}

/** Addresses of the candidates where all are one name in one file. */
function overloadsIn({ data }: ResponseError): readonly string[] | null {
  if (!isObject(data) || !Array.isArray(data.candidates)) return null;
  const names = new Set<unknown>();
  const hints: string[] = [];
  for (const candidate of data.candidates) {
    if (!isObject(candidate) || !isObject(candidate.location) || typeof candidate.hint !== "string") return null;
    names.add(`${candidate.qualifiedName} ${candidate.location.uri}`);
    hints.push(candidate.hint);
  }
  return names.size === 1 ? hints : null;
}

interface References {
  readonly items: readonly Location[];
  readonly failures: readonly string[];
  /** All that failed ran out of time: a later try may do. */
  readonly late: boolean;
}

/** Of all matches, each place once, in the order of files and lines. */
function referencesOf(matches: readonly SymbolMatch[]): References {
  const items = new Map<string, Location>();
  const failures: string[] = [];
  let late = true;
  for (const { references } of matches) {
    if (references === undefined) continue;
    if ("error" in references) {
      failures.push(references.error.message);
      late &&= references.error.code === "TimedOut";
    } else for (const item of references.items) items.set(JSON.stringify([item.uri, item.range.start]), item);
  }
  return { items: [...items.values()].sort(byPlace), failures, late };
}

function byPlace(a: Location, b: Location): number {
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

function lineOf({ uri, range }: Location, printing: Printing): string {
  return textLine(placeOf(uri, range.start, printing), printing.lineOf(uri, range.start.line)?.trim() ?? "");
}
