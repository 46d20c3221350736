/**
 * The files of the folders that a question about names is about, as the client sees them. Which of them hold a name is found
 * by reading them all; an index can stand behind the same function.
 */
import { type Covered, type FileQuery, NOTHING_COVERED } from "../core/ports.ts";
import { filesOf } from "../languages.ts";
import type { FileAsked } from "../syntax/questions.ts";
import { grammarNames } from "../syntax/served.ts";
import { findFiles, type Reading, whereIs } from "./inquiry.ts";
import type { Where } from "./paths.ts";
import { added } from "./scope.ts";
import { fileAsked } from "./syntactic.ts";

export interface CoveredFile {
  /** As syntax is asked about it. */
  readonly asked: FileAsked;
  /** The client's spelling. */
  readonly uri: string;
  readonly where: Where;
}

export interface CoveredFiles {
  readonly files: readonly CoveredFile[];
  /** Whether there are no others. */
  readonly whole: boolean;
  readonly covered: Covered;
}

/** More are not looked at. */
const MAX_FILES = 50_000;

/**
 * The files in which a name is written, in the languages that a grammar reads.
 * @param name null: all files
 * @param languages of these only
 */
export async function coveredFiles(
  reading: Reading,
  name: string | null,
  languages: readonly string[] = [...grammarNames.keys()],
): Promise<CoveredFiles> {
  const { client, folders, mux } = reading;
  const query: FileQuery = { ...filesOf(languages), limit: MAX_FILES, ...(name !== null && { holds: name }) };
  const found = await Promise.all(folders.map((folder) => findFiles(reading, folder, query)));
  // A buffer may hold what the disk does not.
  const open = [...client.views.values()].filter(({ text }) => name === null || text.string.includes(name));
  const uris = new Map<string, string>();
  for (const uri of [...found.flatMap(({ uris: some }) => some), ...open.map((view) => view.uri)])
    uris.set(mux.documents.keyOf(uri), uri);
  const files = [...uris.values()].flatMap((uri): CoveredFile[] => {
    const asked = fileAsked(reading, uri);
    const where = whereIs(reading, uri);
    if (asked === null || where.path === null || !languages.includes(asked.language)) return [];
    return [{ asked, uri, where }];
  });
  return {
    files,
    whole: folders.length > 0 && found.every(({ whole }) => whole),
    covered: found.reduce((sum, one) => added(sum, one.covered), NOTHING_COVERED),
  };
}
