/**
 * The files of the folders in which a name can be, as they are on disk: by the index of names. Where there is none (the user
 * has disabled syntax, its process is down, a folder is nobody's project), and of files that it does not cover, by reading
 * the folders.
 */
import { isWithin, spelledIn } from "../core/clients.ts";
import { added, type Covered, type FileQuery, NOTHING_COVERED } from "../core/ports.ts";
import { isTexts } from "../core/registrations.ts";
import { isObject } from "../core/settings.ts";
import { languages as facts, filesOf } from "../languages.ts";
import { type CandidatesAnswer, type CandidatesQuestion, S, type SuggestionsQuestion } from "../syntax/questions.ts";
import { wordOf } from "./candidates.ts";
import { findFiles, type Reading, seen } from "./inquiry.ts";
import { makersOf } from "./made.ts";
import { askSyntax, syntaxBackend } from "./syntactic.ts";

export interface Sought extends Omit<CandidatesQuestion, "folders"> {
  /** Endings of further files, of which nothing tells the language. */
  readonly endings: readonly string[];
}

export interface Holding {
  /** The client's spelling, the best first. */
  readonly uris: readonly string[];
  /** Of these the ones that were not looked at as the language compares names: their bytes hold a word of it. */
  readonly unsure: ReadonlySet<string>;
  /** Whether there are no others. */
  readonly whole: boolean;
  /** Beside these so many files hold the name, and are known to declare nothing of it. */
  readonly silent: number;
  /** Whether something can make names that are written nowhere (macros); only told where there are no files. */
  readonly makeable: boolean;
  readonly covered: Covered;
}

export async function filesHolding(reading: Reading, sought: Sought): Promise<Holding> {
  const indexed = await byIndex(reading, sought);
  if (indexed === null) return byReading(reading, sought);
  const uris = indexed.uris.map((key) => spelled(reading, key));
  const { unindexed, whole, silent, makeable, covered } = indexed;
  const found = { uris, unsure: new Set<string>(), whole, silent, makeable, covered };
  if (unindexed.length + sought.endings.length === 0) return found;
  const others = await byReading(reading, { ...sought, languages: unindexed });
  return {
    uris: [...new Set([...uris, ...others.uris])],
    unsure: others.unsure,
    whole: whole && others.whole,
    silent,
    makeable: makeable || others.makeable,
    covered: added(covered, others.covered),
  };
}

/** What is known of a folder that could not be looked through in time comes so much later at most, ms. */
const LATE_MS = 500;
/** And so much later where its process has to start first: to read the folder instead would take longer, ms. */
const START_MS = 4000;

/** null where there is no index. */
async function byIndex(reading: Reading, sought: Sought): Promise<CandidatesAnswer | null> {
  const { endings: _, ...rest } = sought;
  const backend = reading.folders.length === 0 ? undefined : syntaxBackend(reading);
  if (backend === undefined) return null;
  const question: CandidatesQuestion = { ...rest, folders: reading.folders.map(({ key }) => key) };
  const until = reading.mux.ports.now() + sought.waitMs + (backend.runs ? LATE_MS : START_MS);
  const reply = await askSyntax({ ...reading, until }, backend, S.candidates, question);
  if ("error" in reply || !isAnswer(reply.result)) return null;
  return reply.result.state === "none" ? null : reply.result;
}

function isAnswer(value: unknown): value is CandidatesAnswer {
  return isObject(value) && Array.isArray(value.uris) && Array.isArray(value.unindexed);
}

/** Names that are written in the folders and resemble one that is not, the likeliest first; none where there is no index. */
export async function namesLike(reading: Reading, name: string, most: number): Promise<readonly string[]> {
  const backend = reading.folders.length === 0 ? undefined : syntaxBackend(reading);
  if (backend === undefined) return [];
  const question: SuggestionsQuestion = { folders: reading.folders.map(({ key }) => key), name, most };
  const reply = await askSyntax(reading, backend, S.suggestions, question);
  return "result" in reply && isTexts(reply.result) ? reply.result : [];
}

async function byReading(reading: Reading, sought: Sought): Promise<Holding> {
  const { folders } = reading;
  const { name, match, languages, endings, path, limit } = sought;
  const { extensions, fileNames } = filesOf(languages);
  const word = name === null ? null : (wordOf(name) ?? name);
  const anyCase = match === "ignoreCase" || languages.some((language) => facts.get(language)?.caseless === true);
  const query: FileQuery = {
    extensions: [...extensions, ...endings],
    fileNames,
    limit,
    ...(word !== null && { holds: word, anyCase }),
    ...(path !== null && { first: path }),
  };
  const found = await Promise.all(folders.map((folder) => findFiles(reading, folder, query)));
  const uris = found.flatMap((one) => one.uris);
  return {
    uris,
    unsure: new Set(uris),
    whole: folders.length > 0 && found.every(({ whole }) => whole) && (word === null || isPlain(word)),
    silent: 0,
    makeable: uris.length === 0 && (await canMake(reading, languages)),
    covered: found.reduce((sum, one) => added(sum, one.covered), NOTHING_COVERED),
  };
}

/** Whether the bytes of a file tell for sure that a name is not written in it. */
function isPlain(word: string): boolean {
  // Beyond ASCII one name has several spellings (Unicode normalisation).
  return /^[\x21-\x7e]+$/.test(word);
}

/** So many files with what could make names are looked at more closely. */
const MAX_MAKERS = 256;

/** Whether a file of the folders holds what makes names in its language. */
async function canMake(reading: Reading, languages: readonly string[]): Promise<boolean> {
  for (const language of languages)
    for (const { holds, pattern } of makersOf([language])) {
      const query: FileQuery = { ...filesOf([language]), holds, limit: MAX_MAKERS };
      for (const folder of reading.folders)
        for (const uri of (await findFiles(reading, folder, query)).uris)
          if (pattern.test((await seen(reading, uri))?.text.string ?? "")) return true;
    }
  return false;
}

/** A canonical URI as the client spells it, or the folder around it. */
export function spelled({ folders, mux, client }: Reading, key: string): string {
  const view = mux.documents.viewByKey(client, key);
  if (view !== undefined) return view.uri;
  const folder = folders.find((one) => one.uri !== one.key && isWithin(key, one.key));
  return folder === undefined ? key : spelledIn(folder, key, key);
}
