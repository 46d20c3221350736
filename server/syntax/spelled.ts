/**
 * How a name that is asked for is written in the files of a language: `~Widget` as `Widget`, `empty?` as `empty`, in the
 * language's normal form, in any case where it cares for none. What is found is at least every file that holds the name.
 */
import { languages as facts } from "../languages.ts";
import { lexisOf } from "./lexis/table.ts";
import { Lexer } from "./lexis.ts";
import type { FileId, NameIndex } from "./name-index.ts";

/** Of the name that is asked for (contract section 1, `match`). "ordinal": as it is written, whatever the language says. */
export type Match = "exact" | "ignoreCase" | "prefix" | "ordinal";

/** `style`: underscores do not count either, but the case of the first letter does. */
type How = Exclude<Match, "ordinal"> | "prefixIgnoreCase" | "style";

export interface Spelled {
  /** Each has to be in a file; of a beginning the last is one. */
  readonly pieces: readonly string[];
  readonly how: How;
  readonly languages: ReadonlySet<string>;
}

const styled: ReadonlySet<string> = new Set(["nim"]);

/** By language; languages in which it is no name are in none of them. */
export function spelled(name: string, match: Match, languages: Iterable<string>): readonly Spelled[] {
  const groups = new Map<string, { pieces: readonly string[]; how: How; languages: Set<string> }>();
  for (const language of languages) {
    const pieces = piecesOf(name, language);
    if (pieces.length === 0) continue;
    const how = howIn(language, match);
    const key = [how, ...pieces].join(" ");
    const group = groups.get(key) ?? { pieces, how, languages: new Set() };
    groups.set(key, group);
    group.languages.add(language);
  }
  return [...groups.values()];
}

function howIn(language: string, match: Match): How {
  if (match === "ordinal") return "exact";
  if (styled.has(language) && match !== "prefix") return "style";
  if (facts.get(language)?.caseless !== true) return match;
  return match === "prefix" ? "prefixIgnoreCase" : "ignoreCase";
}

/** The words of a name as the language's files have them; none where it is no name there. */
export function piecesOf(name: string, language: string): readonly string[] {
  const lexis = lexisOf(language);
  if (lexis === null) return [];
  const pieces: string[] = [];
  const bytes = Buffer.from(name);
  new Lexer(lexis).words(bytes, bytes.length, {
    word: (some, start, end) => void pieces.push(Buffer.from(some.subarray(start, end)).toString()),
  });
  return pieces;
}

/** The files that hold all pieces, with the count of the rarest. */
export function holding(index: NameIndex, pieces: readonly string[], how: How): ReadonlyMap<FileId, number> {
  const each = pieces.map((piece, i) => {
    const isLast = i === pieces.length - 1;
    const counts = new Map<FileId, number>();
    for (const name of namesFor(index, piece, isLast ? how : withoutPrefix[how]))
      for (const { file, count } of index.exact(name)) counts.set(file, (counts.get(file) ?? 0) + count);
    return counts;
  });
  const [first = new Map<FileId, number>(), ...others] = each;
  if (others.length === 0) return first;
  const all = new Map<FileId, number>();
  for (const [file, count] of first)
    if (others.every((counts) => counts.has(file)))
      all.set(file, Math.min(count, ...others.map((counts) => counts.get(file) ?? 0)));
  return all;
}

const withoutPrefix: Readonly<Record<How, How>> = {
  exact: "exact",
  ignoreCase: "ignoreCase",
  prefix: "exact",
  prefixIgnoreCase: "ignoreCase",
  style: "style",
};

function namesFor(index: NameIndex, piece: string, how: How): readonly string[] {
  if (how === "exact") return [piece];
  if (how === "ignoreCase") return index.ignoreCase(piece);
  if (how === "prefix") return index.prefix(piece);
  if (how === "prefixIgnoreCase") return index.prefix(piece, "ignoreCase");
  const wanted = plain(piece);
  return index.where((name) => plain(name) === wanted);
}

/** Nim's manual, "Identifier equality". */
function plain(name: string): string {
  return name.slice(0, 1) + name.slice(1).replaceAll("_", "").toLowerCase();
}
