/**
 * What the commands that need one symbol have in common: asking for it with something about it, answering for all
 * overloads of one name, and what to print of the answer. What a command prints of a match is its own file's.
 */
import { isObject } from "../core/settings.ts";
import type { ResponseError } from "../protocol/errors.ts";
import type { Include, List, SymbolByNameResult, SymbolMatch } from "../protocol/extensions.ts";
import type { Location } from "../protocol/messages.ts";
import type { Options } from "./args.ts";
import { askByName, type Found, failed, printingOf, verdict } from "./named.ts";
import { exits, json, type Printing, placeOf, textLine } from "./print.ts";
import { inSession, type Session } from "./session.ts";
import type { Run } from "./table.ts";

/** What a command shows of one match: text to print, or why there is none. */
export type Shown = { readonly lines: readonly string[] } | { readonly failure: string; readonly late: boolean };

/**
 * A command about one symbol.
 * @param include what is asked beside its place
 * @param show what is printed of a match; equal lines of several matches are printed once
 */
export function aboutOne(include: Include, show: (match: SymbolMatch, printing: Printing) => Shown): Run {
  return ([name = ""], options) =>
    inSession(options, async (session) => {
      const printing = printingOf(options);
      const reply = await oneSymbol(session, options, name, include);
      if ("error" in reply) return failed(reply.error, printing);
      const { result } = reply;
      const shown = result.matches.map((match) => show(match, printing));
      const lines = [...new Set(shown.flatMap((one) => ("lines" in one ? one.lines : [])))];
      if (options.json) process.stdout.write(`${json(result, printing)}\n`);
      else print(lines, options);
      const failures = shown.filter((one) => "failure" in one);
      for (const failure of new Set(failures.map((one) => one.failure)))
        process.stderr.write(`switchboard: ${failure}\n`);
      if (failures.length > 0) return failures.every(({ late }) => late) ? exits.incomplete : exits.wrong;
      if (lines.length === 0 && !result.complete) return exits.incomplete;
      return verdict(name, result, options);
    });
}

/** As many lines as are wanted; that there are more is said. */
function print(lines: readonly string[], { limit = lines.length, quiet }: Options): void {
  for (const line of lines.slice(0, limit)) process.stdout.write(`${line}\n`);
  if (limit < lines.length && !quiet)
    process.stderr.write(`switchboard: ${limit} of ${lines.length} are shown, see --limit\n`);
}

/** The items of a list that came with a match, or why there are none. */
export function listed<T>(list: List<T> | undefined, lines: (items: readonly T[]) => readonly string[]): Shown {
  if (list === undefined) return { lines: [] };
  if ("error" in list) return { failure: list.error.message, late: list.error.code === "TimedOut" };
  return { lines: lines(list.items) };
}

/** Places with the line that stands there, in the order of files and lines. */
export function placeLines(locations: readonly Location[], printing: Printing): readonly string[] {
  return [...locations].sort(byPlace).map(({ uri, range }) => {
    const line = printing.lineOf(uri, range.start.line)?.trim() ?? "";
    return textLine(placeOf(uri, range.start, printing), line);
  });
}

/** The order of files, then of places in them. */
export function byPlace(a: Location, b: Location): number {
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

async function oneSymbol(session: Session, options: Options, name: string, include: Include): Promise<Found> {
  const asked = { name, unique: true, include: [include] };
  // The limit is one of what is printed about the symbol.
  const { limit: _, ...filters } = options;
  const reply = await askByName(session, filters, asked);
  if (!("error" in reply)) return reply;
  const overloads = overloadsIn(reply.error);
  if (overloads === null) return reply;
  const results: SymbolByNameResult[] = [];
  for (const hint of overloads) {
    const each = await askByName(session, filters, { ...asked, name: hint });
    if ("error" in each) return each;
    results.push(each.result);
  }
  const [first] = results;
  if (first === undefined) return reply;
  const matches = results.flatMap((result) => result.matches);
  const complete = results.every((result) => result.complete);
  return { result: { ...first, matches, total: matches.length, complete } };
}

/**
 * Addresses of the candidates where all are one symbol to a reader: one qualified name, in one file or told apart by their
 * parameters. Two programs' `main` are two.
 */
function overloadsIn({ data }: ResponseError): readonly string[] | null {
  if (!isObject(data) || !Array.isArray(data.candidates)) return null;
  const names = new Set<unknown>();
  const files = new Set<unknown>();
  const hints: string[] = [];
  for (const candidate of data.candidates) {
    if (!isObject(candidate) || !isObject(candidate.location) || typeof candidate.hint !== "string") return null;
    names.add(candidate.qualifiedName);
    files.add(candidate.location.uri);
    hints.push(candidate.hint);
  }
  const isOverloaded = files.size === 1 || hints.every((hint) => hint.endsWith(")"));
  return names.size === 1 && isOverloaded ? hints : null;
}
