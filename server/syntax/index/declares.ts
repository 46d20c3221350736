/**
 * What a file declares, as sorted numbers: enough to say that it declares no such name, or how often it does, without its
 * outline. Two names of four thousand million have the same number: then a file is read for nothing.
 */
import { languages } from "../../languages.ts";
import { flat } from "../declared.ts";
import type { FileOutline } from "../outline.ts";
import { type Packed, pack } from "./packed.ts";

/** What is kept of a file that was read. */
export interface Told {
  readonly declares: Declares;
  readonly outline: Packed;
}

export function toldOf(outline: FileOutline): Told {
  return { declares: declaresOf(outline), outline: pack(outline) };
}

/** A name as often as it is declared; of `~Widget` also its word, marked as such. */
export type Declares = Uint32Array;

export function declaresOf(outline: FileOutline): Declares {
  const places = new Set<string>();
  const numbers: number[] = [];
  for (const { name, selectionRange } of flat(outline)) {
    const { line, character } = selectionRange.start;
    const place = `${line} ${character} ${name}`;
    if (places.has(place)) continue;
    places.add(place);
    numbers.push(numberOf(name));
    const word = wordIn(name);
    if (word !== name) numbers.push(marked(word));
  }
  return Uint32Array.from(numbers).sort();
}

/** How often just this name is declared. */
export function timesDeclared(declares: Declares, name: string): number {
  const number = numberOf(name);
  let at = firstOf(declares, number);
  const from = at;
  while (declares[at] === number) at++;
  return at - from;
}

/** Whether something may be declared that is asked for by this name, as `~Widget` is by `Widget`. */
export function mayDeclare(declares: Declares, name: string): boolean {
  const word = wordIn(name);
  const sign = marked(word);
  return [name, word].some((one) => timesDeclared(declares, one) > 0) || declares[firstOf(declares, sign)] === sign;
}

/** Whether a file in a language that tells cases apart is known to declare nothing by the name. */
export function declaresNone(declares: Declares | null | undefined, language: string, name: string): boolean {
  return declares != null && languages.get(language)?.caseless !== true && !mayDeclare(declares, name);
}

/** Without signs before it. */
function wordIn(name: string): string {
  return name.replace(/^[^\p{L}\p{N}_$]+/u, "");
}

function marked(word: string): number {
  return (numberOf(word) ^ 0x9e3779b9) >>> 0;
}

/** FNV-1a over UTF-16 units. */
function numberOf(name: string): number {
  let number = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) number = Math.imul(number ^ name.charCodeAt(i), 0x01000193);
  return number >>> 0;
}

/** Where a number stands, or would. */
function firstOf(sorted: Declares, number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
