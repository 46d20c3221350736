/** The files of the folders that a question about names is about, as the client sees them. */
import type { Reply } from "../core/calls.ts";
import type { Covered } from "../core/ports.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import type { KeeperState } from "../syntax/index/folder-keeper.ts";
import type { FileAsked } from "../syntax/questions.ts";
import { grammarNames } from "../syntax/served.ts";
import { filesHolding } from "./holding.ts";
import { type Reading, whereIs } from "./inquiry.ts";
import type { Where } from "./paths.ts";
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
  const { client, mux, until } = reading;
  const waitMs = until - mux.ports.now();
  const sought = {
    name,
    match: "exact",
    languages,
    served: [],
    endings: [],
    path: null,
    limit: MAX_FILES,
    waitMs,
  } as const;
  const found = await filesHolding(reading, sought);
  // A buffer may hold what the disk does not.
  const open = [...client.views.values()].filter(({ text }) => name === null || text.string.includes(name));
  const uris = new Map<string, string>();
  for (const uri of [...found.uris, ...open.map((view) => view.uri)]) uris.set(mux.documents.keyOf(uri), uri);
  return { files: filesOf(reading, uris.values(), languages), whole: found.whole, covered: found.covered };
}

/** What syntax says of all files of the folders. */
interface OfFolders {
  readonly state: KeeperState;
  readonly whole: boolean;
  readonly covered: Covered;
}

/**
 * Asks syntax about all files of the folders: by its index and with what the client has open; where a folder has no index,
 * with every file by itself.
 * @param name as of `coveredFiles`
 */
export async function ofFolders<Answer extends OfFolders>(
  reading: Reading,
  name: string | null,
  languages: readonly string[] | undefined,
  ask: (byIndex: boolean, files: readonly CoveredFile[]) => Promise<Reply>,
  isAnswer: (value: unknown) => value is Answer,
): Promise<Answer | { readonly error: ResponseError }> {
  const reply = await ask(true, openFiles(reading, languages ?? [...grammarNames.keys()]));
  if ("error" in reply) return reply;
  if (!isAnswer(reply.result)) return { error: errors.internal("not the answer that was asked for") };
  if (reply.result.state !== "none") return reply.result;
  const { files, whole, covered } = await coveredFiles(reading, name, languages);
  const other = await ask(false, files);
  if ("error" in other) return other;
  if (!isAnswer(other.result)) return { error: errors.internal("not the answer that was asked for") };
  return { ...other.result, whole, covered };
}

/** What the client has open of the folders. */
function openFiles(reading: Reading, languages: readonly string[]): readonly CoveredFile[] {
  const uris = [...reading.client.views.values()].map(({ uri }) => uri);
  return filesOf(reading, uris, languages);
}

function filesOf(reading: Reading, uris: Iterable<string>, languages: readonly string[]): readonly CoveredFile[] {
  return [...uris].flatMap((uri): CoveredFile[] => {
    const asked = fileAsked(reading, uri);
    const where = whereIs(reading, uri);
    if (asked === null || where.path === null || !languages.includes(asked.language)) return [];
    return [{ asked, uri, where }];
  });
}
