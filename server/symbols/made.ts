/**
 * Names that a macro makes: written nowhere, or not where they are declared. What languages have of that, as data; where
 * C's macros with whole declarations in their bodies are used is `macros.ts`'s.
 */
import { type Encoding, offsetAt, type Range, type TextLike } from "../core/positions.ts";
import { cFamily } from "../languages.ts";
import { lineText } from "./candidates.ts";

/** What a file holds that can make names which are not written anywhere. */
export interface Maker {
  /** Bytes that such a file holds. */
  readonly holds: string;
  readonly pattern: RegExp;
}

/** C's `##`. */
const pasting: readonly Maker[] = [{ holds: "##", pattern: /##/ }];

/** Derives of Rust that are known to add no names but those of their traits. */
const harmless =
  "Clone|Copy|Debug|Default|Eq|Hash|Ord|PartialEq|PartialOrd|Serialize|Deserialize|serde::Serialize|serde::Deserialize";

const makers: Readonly<Record<string, readonly Maker[]>> = {
  ...Object.fromEntries([...cFamily].map((language) => [language, pasting])),
  rust: [
    { holds: "paste", pattern: /\bpaste(?:_item)?!\s*[({[]/ },
    { holds: "concat_idents", pattern: /\bconcat_idents!/ },
    {
      holds: "derive",
      pattern: new RegExp(String.raw`\bderive\s*\((?!(?:\s*(?:${harmless})\s*,?)*\s*\))`),
    },
  ],
};

/** By language; none where every name of the source is written in it. */
export function makersOf(languages: readonly string[]): readonly Maker[] {
  return [...new Set(languages.flatMap((language) => makers[language] ?? []))];
}

/** Whether the text from a place on, and the line around it, are the use of a macro, by language. */
const uses: Readonly<Record<string, (from: string, line: string) => boolean>> = {
  rust: (from, line) => /^[\p{L}\p{N}_]+(?:::[\p{L}\p{N}_]+)*\s*!/u.test(from) || /^\s*#!?\[/.test(line),
};

/** So much of the text tells, in UTF-16 units. */
const MAX_LENGTH = 200;

/** Whether a place is the use of a macro, so that what is declared there need not be written there. */
export function isMacroUse(language: string, text: TextLike, { start }: Range, encoding: Encoding): boolean {
  const at = offsetAt(text.string, text.lines, start, encoding);
  const line = lineText(text, start.line) ?? "";
  return uses[language]?.(text.string.slice(at, at + MAX_LENGTH), line) ?? false;
}
