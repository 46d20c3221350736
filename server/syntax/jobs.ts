/** What the syntax backend asks of its parsing thread (`worker.ts`), and what that answers: plain data for both sides. */
import type { Position, Range } from "../core/positions.ts";
import type { SymbolKindName } from "../protocol/extensions.ts";
import type { Told } from "./index/declares.ts";
import type { FileOutline } from "./outline.ts";
import type { Access } from "./outlining.ts";
import type { Failing } from "./questions.ts";

/** The text itself, or the file that the thread shall read. */
export type Source = { readonly text: string } | { readonly path: string };

/** What is to be read, in which language (an LSP id). */
export interface Subject {
  readonly language: string;
  readonly source: Source;
}

export interface Job {
  readonly subject: Subject;
  readonly task: Task;
}

export type Task =
  | { readonly what: "outline" }
  /** What a search is to know. */
  | { readonly what: "entries" }
  /** What is kept with the index. */
  | { readonly what: "told" }
  | { readonly what: "folds" }
  /** The nodes around each position, from the smallest. */
  | { readonly what: "around"; readonly positions: readonly Position[] }
  /** Where a name stands as an identifier: not in comments and strings. */
  | { readonly what: "mentions"; readonly name: string };

export interface Answers {
  readonly outline: FileOutline;
  readonly entries: Entries;
  readonly told: Told;
  readonly folds: readonly Fold[];
  readonly around: readonly (readonly Range[])[];
  readonly mentions: readonly Range[];
}

/** A declaration that is no local, as a search needs it. */
export interface Entry {
  readonly name: string;
  readonly containers: readonly string[];
  readonly kind: SymbolKindName;
  readonly access: Access;
  readonly test: boolean;
  /** Of the name: 0-based, in UTF-16 units. */
  readonly line: number;
  readonly column: number;
  /** Of those of just this name in the file, 0-based. */
  readonly nth: number;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** The file says of itself that a program has made it. */
  readonly generated: boolean;
}

/** Lines, 0-based, the last one included. */
export interface Fold {
  readonly startLine: number;
  readonly endLine: number;
  readonly comment: boolean;
}

export class Failure extends Error {
  readonly code: Failing;

  constructor(code: Failing, message: string) {
    super(message);
    this.code = code;
  }
}

/** From the thread. `heap`: the parsers' memory, bytes; `broken`: the thread must not be used again. */
export type Message = { readonly id: number; readonly heap: number; readonly broken: boolean } & (
  | { readonly answer: Answers[keyof Answers] }
  | { readonly code: Failing; readonly message: string }
);
