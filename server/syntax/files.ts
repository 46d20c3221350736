/**
 * The files in which a name can be, from the index of the folders; where a folder has none (it is nobody's project), looked
 * for on the disk.
 */
import { pathOf, uriOfPath } from "../core/documents/uris.ts";
import { find } from "../host/files.ts";
import { filesOf } from "../languages.ts";
import { isHinted, isTest, isVendored } from "../symbols/paths.ts";
import { declaresNone } from "./index/declares.ts";
import type { Candidate, Indexed } from "./index/folder-index.ts";
import type { Keeper, Kept } from "./index/keeper.ts";
import { isIndexed } from "./lexis/table.ts";
import type { CandidatesAnswer, CandidatesQuestion } from "./questions.ts";
import type { Files } from "./requests.ts";

/** So many files of a folder without an index are named. */
const MAX_FILES = 1000;
/** So long the index is waited for, ms. */
const WAIT_MS = 5000;

/** @param folders URIs, asked for with every question */
export function filesIn(keeper: () => Keeper, folders: () => readonly string[]): Files {
  return {
    holding: async (name, { loose, languages }) => {
      const paths = folders().flatMap((folder) => pathOf(folder) ?? []);
      const indexes = keeper().of(paths);
      await indexes.ready(WAIT_MS);
      if (indexes.state === "none") return onDisk(paths, name, loose, languages);
      if (name === "") return urisOf(inOrder(indexes.files(languages).files));
      if (loose) return urisOf(inOrder(indexes.containing(name, languages).files));
      return urisOf(inOrder(indexes.candidates(name, { languages }).files, (file) => (onlyUses(file, name) ? 1 : 0)));
    },
  };
}

/** A folder by its real path, and as the client spells it. */
export interface Place {
  readonly path: string;
  readonly spelled: string;
}

/** @param folders canonical URIs, and as the client spells them */
export function foldersOf(folders: readonly { readonly key: string; readonly uri: string }[]): readonly Place[] {
  return folders.flatMap(({ key, uri }) => {
    const path = pathOf(key);
    return path === null ? [] : [{ path, spelled: pathOf(uri) ?? path }];
  });
}

function urisOf(files: readonly Indexed[]): readonly string[] {
  return files.map(({ path }) => uriOfPath(path));
}

async function onDisk(
  folders: readonly string[],
  name: string,
  anyCase: boolean,
  languages: Iterable<string>,
): Promise<readonly string[]> {
  const query = { ...filesOf(languages), limit: MAX_FILES, ...(name !== "" && { holds: name, anyCase }) };
  const found = await Promise.all(folders.map((folder) => find(folder, query)));
  return [...new Set(found.flatMap(({ paths }) => paths.map(uriOfPath)))];
}

/** For the core: which files can matter, the best first. Those of which syntax knows that they only use the name come last. */
export async function candidatesFor(keeper: Keeper, question: CandidatesQuestion): Promise<CandidatesAnswer> {
  const { folders, name, match, languages, served, path: hint, limit, waitMs } = question;
  const paths = folders.flatMap((folder) => pathOf(folder) ?? []);
  const indexes = keeper.of(paths);
  await indexes.ready(waitMs);
  const { files, whole }: Kept =
    name === null ? indexes.files(languages) : indexes.candidates(name, { match, languages });
  const isUse = (file: Candidate): boolean => name !== null && match === "exact" && onlyUses(file, name);
  const wanted = files.filter((file) => !isUse(file));
  const uses = files.filter((file) => isUse(file) && served.includes(file.language));
  const rank = ranker(paths, hint);
  const ordered = [...inOrder(wanted, rank), ...inOrder(uses, rank)].slice(0, limit);
  return {
    state: indexes.state,
    uris: urisOf(ordered),
    whole: whole && wanted.length <= limit,
    silent: files.length - Math.max(wanted.length, ordered.length),
    unindexed: languages.filter((language) => !isIndexed(language)),
    makeable: files.length === 0 && indexes.makesNames(languages),
    covered: indexes.coverage(languages),
  };
}

/** Whether a file is known to declare nothing by the name. */
function onlyUses({ declares, language }: Candidate, name: string): boolean {
  return declaresNone(declares, language, name);
}

/** What is hinted at, then the project's own sources, its tests, and what others made. */
function ranker(folders: readonly string[], hint: string | null): (file: Indexed) => number {
  return ({ path }) => {
    const folder = folders.find((one) => path.startsWith(`${one}/`));
    const inside = folder === undefined ? path : path.slice(folder.length + 1);
    if (hint !== null && isHinted(hint, { path: inside, absolute: path })) return 0;
    return isVendored(inside) ? 3 : isTest(inside) ? 2 : 1;
  };
}

function inOrder<File extends Indexed>(
  files: readonly File[],
  rank: (file: File) => number = () => 0,
): readonly File[] {
  if (files.length <= 1) return files;
  return files
    .map((file) => ({ file, rank: rank(file) }))
    .sort((a, b) => a.rank - b.rank || byPlace(a.file, b.file))
    .map(({ file }) => file);
}

function byPlace(a: Indexed, b: Indexed): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
