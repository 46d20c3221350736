/**
 * A file's outline in few bytes, for keeping many of them in memory and on disk: texts and numbers of its declarations, one
 * after the other, compressed. What is unpacked is the outline again, to the last field. Pure.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { isTexts } from "../../core/registrations.ts";
import { kindName, kindNumber } from "../../protocol/extensions.ts";
import type { Declared } from "../declared.ts";
import type { FileOutline, Outlined } from "../outline.ts";
import type { Access } from "../outlining.ts";

export type Packed = Uint8Array;

/** In the order in which they are counted. */
const accesses: readonly Access[] = ["public", "protected", "internal", "private"];

/** Flags of a declaration; above them, so many bits up, its access. */
const BLOCK = 1;
const LOCAL = 2;
const TEST = 4;
const PARAMETERS = 8;
const ACCESS = 4;
/** So many numbers stand for a declaration. */
const ROW = 13;

export function pack({ package: around, generic, generated, symbols }: FileOutline): Packed {
  const texts: string[] = [];
  const numbers: number[] = [];
  let line = 0;
  const visit = (some: readonly Outlined[]): void => {
    for (const { name, kind, block, scope, range, selectionRange, detail, parameters, access, ...one } of some) {
      const flags = (block ? BLOCK : 0) | (one.local ? LOCAL : 0) | (one.test ? TEST : 0);
      const own = selectionRange.start;
      texts.push(name, detail, ...scope, ...(parameters ?? []));
      numbers.push(
        kindNumber(kind) ?? 0,
        flags | (parameters === null ? 0 : PARAMETERS) | (accesses.indexOf(access) << ACCESS),
        scope.length,
        parameters?.length ?? 0,
        one.children.length,
        own.line - line,
        own.character,
        selectionRange.end.line - own.line,
        selectionRange.end.character - own.character,
        range.start.line - own.line,
        range.start.character,
        range.end.line - own.line,
        range.end.character,
      );
      line = own.line;
      visit(one.children);
    }
  };
  visit(symbols);
  const all = [around, generic ? 1 : 0, generated ? 1 : 0, symbols.length, texts, numbers];
  // In memory of its own: what zlib gives may lie among other things, and all of that would cross threads.
  return new Uint8Array(deflateRawSync(JSON.stringify(all)));
}

/** @throws where the bytes are not what `pack` made */
export function unpack(packed: Packed): FileOutline {
  const { rows, count, ...rest } = opened(packed);
  const list = (length: number): readonly Outlined[] =>
    Array.from({ length }, () => {
      const { children } = rows;
      return { ...rows.read(), children: list(children) };
    });
  return { ...rest, symbols: list(count) };
}

/**
 * Those of the declarations whose names are wanted, in the order of the text; the others are only passed.
 * @throws where the bytes are not what `pack` made
 */
export function wantedIn(
  packed: Packed,
  isWanted: (name: string) => boolean,
): { readonly declared: readonly Declared[]; readonly generated: boolean } {
  const { rows, count, package: around, generated } = opened(packed);
  const found: Declared[] = [];
  const visit = (length: number, outer: readonly string[]): void => {
    for (let i = 0; i < length; i++) {
      const { name, children, isBlock } = rows;
      const scope = children > 0 || rows.scopes > 0 ? [...outer, ...rows.scope] : outer;
      if (isBlock || !isWanted(name)) rows.pass();
      else {
        const { block: _, scope: __, ...one } = rows.read();
        found.push({ ...one, containers: scope });
      }
      if (children > 0) visit(children, isBlock ? scope : [...scope, name]);
    }
  };
  visit(count, around);
  return { declared: found, generated };
}

function opened(packed: Packed): Omit<FileOutline, "symbols"> & { readonly rows: Rows; readonly count: number } {
  const all: unknown = JSON.parse(inflateRawSync(packed).toString("utf8"));
  const [around, generic, generated, count, texts, numbers]: readonly unknown[] = Array.isArray(all) ? all : [];
  if (!isTexts(around) || !isTexts(texts) || !isNumbers(numbers) || typeof count !== "number")
    throw new Error("no packed outline");
  return { package: around, generic: generic === 1, generated: generated === 1, count, rows: new Rows(texts, numbers) };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

/** The declarations one after the other, outer before inner; what is asked is of the next one until it is read or passed. */
class Rows {
  readonly #texts: readonly string[];
  readonly #numbers: readonly number[];
  #text = 0;
  #number = 0;
  /** Of the last one's name. */
  #line = 0;

  constructor(texts: readonly string[], numbers: readonly number[]) {
    this.#texts = texts;
    this.#numbers = numbers;
  }

  get name(): string {
    return this.#texts[this.#text] ?? "";
  }

  get isBlock(): boolean {
    return (this.#at(1) & BLOCK) !== 0;
  }

  get scopes(): number {
    return this.#at(2);
  }

  get scope(): readonly string[] {
    return this.#texts.slice(this.#text + 2, this.#text + 2 + this.scopes);
  }

  /** How many of those that follow are in it, without what is in these. */
  get children(): number {
    return this.#at(4);
  }

  read(): Omit<Outlined, "children"> {
    const { name, scope } = this;
    const flags = this.#at(1);
    const line = this.#line + this.#at(5);
    const start = { line, character: this.#at(6) };
    const from = this.#text + 2 + scope.length;
    const one = {
      ...{ name, kind: kindName(this.#at(0)) ?? "variable", block: (flags & BLOCK) !== 0, scope },
      range: {
        start: { line: line + this.#at(9), character: this.#at(10) },
        end: { line: line + this.#at(11), character: this.#at(12) },
      },
      selectionRange: { start, end: { line: line + this.#at(7), character: start.character + this.#at(8) } },
      detail: this.#texts[this.#text + 1] ?? "",
      parameters: (flags & PARAMETERS) === 0 ? null : this.#texts.slice(from, from + this.#at(3)),
      access: accesses[flags >> ACCESS] ?? "public",
      ...{ local: (flags & LOCAL) !== 0, test: (flags & TEST) !== 0 },
    };
    this.pass();
    return one;
  }

  pass(): void {
    this.#line += this.#at(5);
    this.#text += 2 + this.scopes + this.#at(3);
    this.#number += ROW;
  }

  #at(field: number): number {
    return this.#numbers[this.#number + field] ?? 0;
  }
}
