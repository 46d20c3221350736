/**
 * Where a name stands in all files of some folders (contract section 3), by the index: it has the counts, and of files that
 * were read ahead also how many of the places are declarations, so that only the files that are told have to be read.
 */

import { uriOfPath } from "../core/documents/uris.ts";
import { NOTHING_COVERED } from "../core/ports.ts";
import { linesOf, type Position, positionAt } from "../core/positions.ts";
import { filterOf, whereIn } from "../symbols/paths.ts";
import { foldersOf } from "./files.ts";
import { type Declares, timesDeclared } from "./index/declares.ts";
import { Indexes, type Keeper } from "./index/keeper.ts";
import { Failure } from "./jobs.ts";
import type { FileAsked, MentionsAnswer, MentionsQuestion, Uses } from "./questions.ts";
import { isPlainIn, placesOf } from "./standing.ts";
import type { Texts } from "./texts.ts";
import { uses } from "./uses.ts";

/** A file with how often the name stands in it; null: it has to be read for that. */
interface Counted {
  readonly file: FileAsked;
  readonly hits: number | null;
}

type Read = Uses & { readonly uri: string };

export async function mentionsIn(texts: Texts, keeper: Keeper, question: MentionsQuestion): Promise<MentionsAnswer> {
  const { name, limit, timeoutMs } = question;
  const until = performance.now() + timeoutMs;
  const folders = foldersOf(question.folders);
  const indexes = folders.length === 0 ? new Indexes([]) : keeper.of(folders.map(({ path }) => path));
  await indexes.ready(timeoutMs);
  const { files, whole } = indexes.candidates(name, { languages: question.languages, match: "ordinal" });
  const filter = filterOf(question.in);
  const open = new Set(question.files.map(({ uri }) => uri));
  const indexed = files
    .filter(({ path }) => "wrong" in filter || filter.lets(whereIn(folders, path)))
    .map(({ path, ...rest }) => ({ ...rest, uri: uriOfPath(path) }))
    .filter(({ uri }) => !open.has(uri));
  const known = indexed.filter(({ declares }) => declares !== null);
  const counted: readonly Counted[] = [
    ...question.files.map((file) => ({ file, hits: null })),
    ...known.map(({ uri, language, count, declares }) => ({
      file: { uri, language },
      hits: isPlainIn(language, name) ? hitsOf(count, declares, question) : null,
    })),
  ];
  const reader = new Reader(texts, question, until);
  for (const { file, hits } of counted) if (hits === null) await reader.read(file);
  // Those that may be among the first, until they are.
  const others = counted.flatMap(({ file, hits }) => (hits === null || hits === 0 ? [] : [{ file, hits }]));
  others.sort((a, b) => b.hits - a.hits || (a.file.uri < b.file.uri ? -1 : 1));
  const shown = others.slice(0, limit);
  for (const { file } of shown) await reader.read(file);
  const rest = others.slice(limit);
  const used = reader.used.toSorted((a, b) => b.hits - a.hits || (a.uri < b.uri ? -1 : 1));
  return {
    state: indexes.state,
    total: [...used, ...rest].reduce((sum, { hits }) => sum + hits, 0),
    fileCount: used.length + rest.length,
    used: used.slice(0, limit),
    failed: reader.failed + indexed.length - known.length,
    left: reader.left,
    whole,
    covered: folders.length === 0 ? NOTHING_COVERED : indexes.coverage(question.languages),
  };
}

/** null: nobody knows which of the places are declarations. */
function hitsOf(
  count: number,
  declares: Declares | null | undefined,
  { name, declarations }: MentionsQuestion,
): number | null {
  if (declarations) return count;
  return declares == null ? null : Math.max(0, count - timesDeclared(declares, name));
}

/** Reads files for a question until the time is over. */
class Reader {
  readonly used: Read[] = [];
  failed = 0;
  left = 0;
  readonly #texts: Texts;
  readonly #question: MentionsQuestion;
  readonly #until: number;

  constructor(texts: Texts, question: MentionsQuestion, until: number) {
    this.#texts = texts;
    this.#question = question;
    this.#until = until;
  }

  async read(file: FileAsked): Promise<void> {
    if (performance.now() >= this.#until) {
      this.left++;
      return;
    }
    const { declarations, perFile: most } = this.#question;
    try {
      const text = await this.#texts.textOf(file);
      const places = await this.#places(file, text);
      if (places.length === 0) return;
      const outline = await this.#texts.outlineOf(file, true);
      const found = uses(places, text, outline, { language: file.language, declarations, most });
      if (found.hits > 0) this.used.push({ uri: file.uri, ...found });
    } catch (fault) {
      if (!(fault instanceof Failure)) throw fault;
      this.failed++;
    }
  }

  async #places({ language, uri }: FileAsked, text: string): Promise<readonly Position[]> {
    const { name } = this.#question;
    if (!isPlainIn(language, name)) {
      const ranges = await this.#texts.askOf({ uri, language, text }, { what: "mentions", name }, true);
      return ranges.map(({ start }) => start);
    }
    const lines = linesOf(text);
    return placesOf(language, name, text).map((offset) => positionAt(text, lines, offset, "utf-16"));
  }
}
