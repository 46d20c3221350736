/** Where a name stands in a text by the lexical rules of its language: as an identifier, not in comments and strings. */

import { lexisOf } from "./lexis/table.ts";
import { Lexer } from "./lexis.ts";
import { piecesOf } from "./spelled.ts";

/** Whether the lexical rules tell places of a name: in the language it is one word, spelled in one way. */
export function isPlainIn(language: string, name: string): boolean {
  const [word, ...others] = piecesOf(name, language);
  return word === name && others.length === 0 && /^[\x21-\x7e]+$/.test(name);
}

/** Offsets of a name in UTF-16 units, in order. The name must be plain in the language. */
export function placesOf(language: string, name: string, text: string): readonly number[] {
  const lexis = lexisOf(language);
  if (lexis === null || !text.includes(name)) return [];
  const bytes = Buffer.from(text);
  const wanted = Buffer.from(name);
  const [first, last] = [wanted[0], wanted.at(-1)];
  const found: number[] = [];
  new Lexer(lexis).scan(bytes, bytes.length, {
    word: (some, start, end) => {
      if (end - start !== wanted.length || some[start] !== first || some[end - 1] !== last) return;
      if (some === bytes && wanted.compare(bytes, start, end) === 0) found.push(start);
    },
  });
  return bytes.length === text.length ? found : unitsOf(bytes, found);
}

/** From offsets in bytes, in order. */
function unitsOf(bytes: Buffer, offsets: readonly number[]): readonly number[] {
  let [from, units] = [0, 0];
  return offsets.map((offset) => {
    units += bytes.toString("utf8", from, offset).length;
    from = offset;
    return units;
  });
}
