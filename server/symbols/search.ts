/**
 * `$/symbolSearch` (contract section 2): the question to the syntax backend, which knows the files of the folders and keeps
 * what they declare (`syntax/index/catalogue.ts`), and its page in the client's terms.
 */
import type { Reply } from "../core/calls.ts";
import type { Extension } from "../core/mux.ts";
import { NOTHING_COVERED } from "../core/ports.ts";
import { isObject } from "../core/settings.ts";
import { kindNumber, type SearchMatch, type Source, type SymbolSearchResult } from "../protocol/extensions.ts";
import { type FoundSymbol, S, type SearchAnswer, type SearchQuestion } from "../syntax/questions.ts";
import { fromSyntax } from "./answers.ts";
import { type CoveredFile, ofFolders } from "./covered.ts";
import { spelled } from "./holding.ts";
import { type Reading, seen, whereIs } from "./inquiry.ts";
import { flag, given, insideOf, kindsOf, languagesOf, oneOf, Wrong, whole } from "./params.ts";
import { askSyntax, rangesFor, readersOf } from "./syntactic.ts";

/** The request as the core takes it: a page or an error. */
export const symbolSearch: Extension = fromSyntax("search", wantedOf, searchFor);

type Style = "relative" | "uri" | "absolute";

interface Wanted {
  readonly query: Omit<SearchQuestion, "folders" | "byIndex" | "files" | "languages" | "in" | "path" | "timeoutMs">;
  readonly languages: readonly string[] | null;
  readonly inside: ReturnType<typeof insideOf>;
  /** Hint, ranks only. */
  readonly path: string | null;
  readonly pathStyle: Style;
  /** As the client says it: whatever is not ours is another one. Undefined: of none. */
  readonly generation: unknown;
}

const TAKE = 200;
const MAX_TAKE = 1000;
/** So long files are read for one page; the rest is read all the same and told to the next, ms. */
const READ_MS = 30_000;

function wantedOf(params: unknown): Wanted {
  const all = given(params);
  const { query, namespace = "", path, access, generation, sourceOnly = true } = all;
  if (typeof query !== "string") throw new Wrong("`query` must be a text.");
  if (typeof namespace !== "string") throw new Wrong("`namespace` must be a text.");
  if (path !== undefined && typeof path !== "string") throw new Wrong("`path` must be a text.");
  const sortBy = oneOf(all.sortBy, ["score", "name", "kind", "path", "container"], "sortBy");
  const kinds = kindsOf(all.kinds);
  return {
    query: {
      query,
      kinds: kinds === null ? null : [...kinds],
      namespace,
      access: access === undefined ? null : oneOf(access, ["public", "protected", "internal", "private"], "access"),
      sourceOnly: flag(sourceOnly, "sourceOnly"),
      sortBy,
      // The best first, else as in a dictionary.
      descending:
        all.sortOrder === undefined
          ? sortBy === "score"
          : oneOf(all.sortOrder, ["ascending", "descending", "asc", "desc"], "sortOrder").startsWith("desc"),
      skip: whole(all.skip ?? 0, "skip", Number.MAX_SAFE_INTEGER),
      take: whole(all.take ?? TAKE, "take", MAX_TAKE),
    },
    languages: languagesOf(all.languages),
    inside: insideOf(all.in),
    path: path === undefined || path === "" ? null : path,
    pathStyle: oneOf(all.pathStyle, ["relative", "uri", "absolute"], "pathStyle"),
    generation,
  };
}

async function searchFor(asking: Reading, wanted: Wanted): Promise<Reply> {
  const { mux } = asking;
  const { languages, inside, path, query, generation } = wanted;
  const readers = readersOf(asking, languages);
  if ("error" in readers) return readers;
  const { backend, unread } = readers;
  const start = mux.ports.now();
  const until = Math.min(start + READ_MS, asking.until);
  const ask = (byIndex: boolean, files: readonly CoveredFile[]): Promise<Reply> => {
    const question: SearchQuestion = {
      ...{ ...query, byIndex, languages, path, in: inside.patterns },
      folders: asking.folders.map(({ key, uri }) => ({ key, uri })),
      files: files.map(({ asked }) => asked),
      timeoutMs: Math.max(0, until - mux.ports.now()),
    };
    return backend === undefined
      ? Promise.resolve({ result: NOTHING })
      : askSyntax(asking, backend, S.search, question);
  };
  const answer = await ofFolders(asking, null, undefined, ask, isAnswer);
  if ("error" in answer) return answer;
  const matches: SearchMatch[] = [];
  for (const one of answer.matches) matches.push(await matchOf(asking, one, wanted.pathStyle));
  const { skip, take } = query;
  const { total, truncatedForSize } = answer;
  const returned = matches.length;
  const hasMore = returned > 0 && skip + returned < total;
  const unparsed = answer.failed + answer.left;
  const ms = Math.round(mux.ports.now() - start);
  const language = matches[0]?.language ?? languages?.[0] ?? "";
  const sources: Source[] = backend === undefined ? [] : [{ backend: backend.name, language, state: "ready", ms }];
  const result: SymbolSearchResult = {
    query: query.query,
    total,
    paging: { skip, take, returned, total, hasMore, truncatedForSize, nextSkip: hasMore ? skip + returned : null },
    matches,
    generation: answer.generation,
    ...(generation !== undefined && generation !== answer.generation && { changed: true }),
    complete: answer.whole && unparsed === 0 && unread.length === 0,
    coverage: { ...answer.covered, unparsed, asOf: new Date().toISOString() },
    sources,
  };
  return { result };
}

const NOTHING: SearchAnswer = {
  ...{ state: "none", total: 0, matches: [], truncatedForSize: false, generation: 0, failed: 0, left: 0 },
  ...{ whole: false, covered: NOTHING_COVERED },
};

function isAnswer(value: unknown): value is SearchAnswer {
  return isObject(value) && Array.isArray(value.matches);
}

async function matchOf(
  asking: Reading,
  { uri: key, line, column, kind, ...one }: FoundSymbol,
  style: Style,
): Promise<SearchMatch> {
  const uri = spelled(asking, key);
  const where = whereIs(asking, key);
  return {
    ...one,
    kind: kindNumber(kind) ?? 13,
    kindName: kind,
    path: style === "uri" ? uri : style === "absolute" ? where.absolute : (where.path ?? where.absolute),
    folder: where.folder ?? "",
    line,
    column: await columnOf(asking, uri, line, column),
    external: false,
  };
}

async function columnOf(asking: Reading, uri: string, line: number, character: number): Promise<number> {
  if (asking.client.encoding === "utf-16") return character;
  const text = await seen(asking, uri);
  if (text === null) return character;
  const at = { line, character };
  return rangesFor(asking, text.text)({ start: at, end: at }).start.character;
}
