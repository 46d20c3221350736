/**
 * `$/nameMentions` (contract section 3): every line where an identifier stands outside comments and strings. By the name
 * alone: two things of one name are not told apart, which the answer says.
 */
import type { Reply } from "../core/calls.ts";
import type { Extension } from "../core/mux.ts";
import { NOTHING_COVERED } from "../core/ports.ts";
import { linesOf, offsetAt, positionAt } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import type { MentionsFile, NameMentionsResult } from "../protocol/extensions.ts";
import { type MentionsAnswer, type MentionsQuestion, S, type UseLine } from "../syntax/questions.ts";
import { grammarNames } from "../syntax/served.ts";
import { fromSyntax, SPARE_MS } from "./answers.ts";
import { type CoveredFile, ofFolders } from "./covered.ts";
import { spelled } from "./holding.ts";
import { type Reading, whereIs } from "./inquiry.ts";
import { flag, given, insideOf, languagesOf, Wrong, whole } from "./params.ts";
import { askSyntax, readersOf } from "./syntactic.ts";

/** The request as the core takes it. */
export const nameMentions: Extension = fromSyntax("mentions", wantedOf, mentionsFor);

interface Wanted {
  readonly name: string;
  readonly inside: ReturnType<typeof insideOf>;
  readonly languages: readonly string[] | null;
  readonly declarations: boolean;
  /** Files. */
  readonly limit: number;
  /** Lines. */
  readonly perFile: number;
}

const LIMIT = 20;
const PER_FILE = 5;
const MOST = 100_000;

function wantedOf(params: unknown): Wanted {
  const { name, in: patterns, languages, includeDeclarations, limit, perFile } = given(params);
  if (typeof name !== "string" || !/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name))
    throw new Wrong("`name` must be an identifier.");
  return {
    name,
    inside: insideOf(patterns),
    languages: languagesOf(languages),
    declarations: flag(includeDeclarations, "includeDeclarations"),
    limit: whole(limit ?? LIMIT, "limit", MOST),
    perFile: whole(perFile ?? PER_FILE, "perFile", MOST),
  };
}

async function mentionsFor(asking: Reading, wanted: Wanted): Promise<Reply> {
  const { mux, until } = asking;
  const { name, inside, languages, declarations, limit, perFile } = wanted;
  const readers = readersOf(asking, languages);
  if ("error" in readers) return readers;
  const { backend, unread } = readers;
  const readable = languages ?? [...grammarNames.keys()];
  const ask = (byIndex: boolean, files: readonly CoveredFile[]): Promise<Reply> => {
    const question: MentionsQuestion = {
      ...{ name, declarations, limit, perFile, languages: readable, in: inside.patterns },
      folders: byIndex ? asking.folders.map(({ key, uri }) => ({ key, uri })) : [],
      files: files.filter(({ where }) => inside.lets(where)).map(({ asked }) => asked),
      timeoutMs: Math.max(0, until - mux.ports.now() - SPARE_MS),
    };
    return backend === undefined
      ? Promise.resolve({ result: NOTHING })
      : askSyntax(asking, backend, S.mentions, question);
  };
  const answer = await ofFolders(asking, name, readable, ask, isAnswer);
  if ("error" in answer) return answer;
  const { used, total, fileCount, failed, left, covered } = answer;
  const truncated = limit > 0 && fileCount > limit;
  const unparsed = failed + left;
  const result: NameMentionsResult = {
    name,
    total,
    fileCount,
    files: used.map((uses) => toldOf(asking, uses)),
    truncated,
    complete: answer.whole && unparsed === 0 && unread.length === 0 && !truncated,
    coverage: { ...covered, unparsed, asOf: new Date().toISOString() },
    basis: "name",
  };
  return { result };
}

const NOTHING: MentionsAnswer = {
  ...{ state: "none", total: 0, fileCount: 0, used: [], failed: 0, left: 0, whole: false, covered: NOTHING_COVERED },
};

function isAnswer(value: unknown): value is MentionsAnswer {
  return isObject(value) && Array.isArray(value.used);
}

function toldOf(asking: Reading, { hits, lines, uri: key }: MentionsAnswer["used"][number]): MentionsFile {
  const { client } = asking;
  const uri = spelled(asking, key);
  const where = whereIs(asking, key);
  const columnsOf = ({ text, columns }: UseLine): number[] => {
    if (client.encoding === "utf-16") return [...columns];
    const starts = linesOf(text);
    return columns.map((character) => {
      const offset = offsetAt(text, starts, { line: 0, character }, "utf-16");
      return positionAt(text, starts, offset, client.encoding).character;
    });
  };
  return {
    path: where.path ?? where.absolute,
    uri,
    hits,
    lines: lines.map((line) => ({
      line: line.line,
      columns: columnsOf(line),
      text: line.text.trim(),
      owner: line.owner,
      isDeclaration: line.isDeclaration,
    })),
  };
}
