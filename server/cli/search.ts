/** `switchboard search PATTERN`: the symbols whose name fits a pattern, one line each; all of them unless `--limit` is given. */
import { join } from "node:path";
import { pathOf, uriOfPath } from "../core/documents/uris.ts";
import { isObject } from "../core/settings.ts";
import {
  kindTitle,
  type SearchMatch,
  type SymbolSearchParams,
  type SymbolSearchResult,
  X,
} from "../protocol/extensions.ts";
import type { Options } from "./args.ts";
import { failed, kindOf, printingOf } from "./named.ts";
import { exits, type Printing, placeOf, symbolText, textLine } from "./print.ts";
import { inSession, type Session, wrong } from "./session.ts";
import type { Run } from "./table.ts";

export const run: Run = ([query = ""], options) =>
  inSession(options, async (session) => {
    const printing = printingOf(options);
    const { json, quiet, kind } = options;
    const unknown = kind.find((one) => kindOf(one) === undefined);
    if (unknown !== undefined) return wrong(`\`${unknown}\` is no kind of symbol`);
    const found = await pages(session, query, options);
    if ("error" in found) return failed(found.error, printing);
    const { result } = found;
    const matches = result.matches.map((match) => ({ ...match, ...at(match, printing) }));
    if (json) process.stdout.write(`${JSON.stringify({ ...result, matches }, null, 2)}\n`);
    else
      for (const match of result.matches) {
        const text = symbolText(kindTitle(match.kindName), match.qualifiedName);
        process.stdout.write(`${textLine(placed(match, printing), text)}\n`);
      }
    const say = (text: string): void => {
      if (!quiet) process.stderr.write(`switchboard: ${text}\n`);
    };
    if (result.total > 0) {
      if (!result.complete) say(`there may be more: ${why(result)}`);
      else if (result.matches.length < result.total)
        say(`${result.matches.length} of ${result.total} are shown, see --limit`);
      return exits.found;
    }
    say(result.complete ? `no symbol fits "${query}"` : `nothing fits "${query}", but ${why(result)}`);
    return result.complete ? exits.absent : exits.incomplete;
  });

const TAKE = 1000;

/** As many pages as there are, or as are wanted, in one. */
async function pages(
  { request }: Session,
  query: string,
  { path, in: inside, kind, lang, limit }: Options,
): Promise<
  { readonly result: SymbolSearchResult } | Extract<Awaited<ReturnType<Session["request"]>>, { error: unknown }>
> {
  const matches: SearchMatch[] = [];
  for (;;) {
    const take = limit === undefined ? TAKE : limit - matches.length;
    const params: SymbolSearchParams = {
      query,
      skip: matches.length,
      take,
      ...(path !== undefined && { path }),
      ...(inside.length > 0 && { in: [...inside] }),
      ...(kind.length > 0 && { kinds: kind.flatMap((one) => kindOf(one) ?? []) }),
      ...(lang.length > 0 && { languages: [...lang] }),
    };
    const reply = await request(X.symbolSearch, params);
    if ("error" in reply) return reply;
    if (!isResult(reply.result)) return { error: { code: 0, message: "the answer has no matches" } };
    const { result } = reply;
    matches.push(...result.matches);
    if (!result.paging.hasMore || (limit !== undefined && matches.length >= limit))
      return { result: { ...result, paging: { ...result.paging, skip: 0, returned: matches.length }, matches } };
  }
}

function isResult(value: unknown): value is SymbolSearchResult {
  return isObject(value) && Array.isArray(value.matches) && isObject(value.paging);
}

function placed({ folder, path, line, column }: SearchMatch, printing: Printing): ReturnType<typeof placeOf> {
  return placeOf(uriOfPath(join(pathOf(folder) ?? "/", path)), { line, character: column }, printing);
}

/** 1-based. */
function at(match: SearchMatch, printing: Printing): { readonly line: number; readonly column: number } {
  const { line, column } = placed(match, printing);
  return { line, column };
}

function why({ coverage }: SymbolSearchResult): string {
  return coverage.unparsed > 0 ? `${coverage.unparsed} files were not read` : "not every file could be searched";
}
