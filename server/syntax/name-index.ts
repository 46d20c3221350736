/**
 * Identifier to files with counts, in memory. Files are numbers here; which file a number is, what it was when it was read,
 * and whether it still is that, is known to the keeper (`keeper.ts`). Lines are not kept: they are read when they are shown.
 */

import { type NameId, NameTable } from "./index/name-table.ts";
import { type FileId, type Posting, Postings, type Sorted } from "./index/postings.ts";
import type { Sink } from "./lexis.ts";
import { fitting, near } from "./resemblance.ts";

export type { FileId, Posting } from "./index/postings.ts";

/** Names that are in no file any more are forgotten when they are such a share of all. */
const WASTE = 1 / 4;

export interface IndexStats {
  readonly files: number;
  /** Names that were ever met. */
  readonly names: number;
  /** Pairs of a file and a name in it. */
  readonly pairs: number;
  /** Of memory. */
  readonly bytes: number;
}

/** What an index consists of, for keeping it on disk. */
export interface IndexParts extends Sorted {
  readonly arena: Uint8Array;
  readonly lengths: Uint16Array;
  readonly files: readonly FileId[];
}

export class NameIndex {
  #names: NameTable;
  #postings: Postings;
  readonly #gathering = new Gathering();

  constructor(parts?: IndexParts) {
    this.#names = parts === undefined ? new NameTable() : new NameTable(parts.arena, parts.lengths);
    this.#postings = parts === undefined ? new Postings() : new Postings(parts, parts.files);
  }

  /** The names of a file from now on: those that `read` puts into the sink. */
  replace(file: FileId, read: (sink: Sink) => void): void {
    const gathering = this.#gathering;
    gathering.begin(this.#names);
    read(gathering);
    this.#postings.replace(file, gathering.names, gathering.counts(), gathering.length);
  }

  remove(file: FileId): void {
    this.#postings.remove(file);
  }

  /** The files in which a name stands as it is spelled. */
  exact(name: string): readonly Posting[] {
    const id = this.#names.find(name);
    return id < 0 ? [] : this.#postings.of(id);
  }

  /** Names in files of the index that differ from one at most in case. */
  ignoreCase(name: string): readonly string[] {
    return this.#texts(this.#names.spellings(name));
  }

  /** Names that begin with a text, in no particular order. */
  prefix(prefix: string, how: "exact" | "ignoreCase" = "exact"): readonly string[] {
    const names = this.#texts(this.#names.beginningWith(prefix));
    return how === "ignoreCase" ? names : names.filter((name) => name.startsWith(prefix));
  }

  /** Names that a function takes; goes through all of them. */
  where(takes: (name: string) => boolean): readonly string[] {
    const all = Array.from({ length: this.#names.size }, (_, id) => this.#names.text(id));
    return all.filter((name, id) => takes(name) && this.#postings.has(id));
  }

  /** Names that fit a pattern of `*` and `?` (a backslash takes their meaning away) as a whole, without regard to case. */
  wildcard(pattern: string): readonly string[] {
    return this.#texts(fitting(this.#names, pattern));
  }

  /** Up to `most` names that could have been meant, the likeliest first. */
  suggestions(name: string, most: number): readonly string[] {
    const found = near(this.#names, name).filter(({ id }) => this.#postings.has(id));
    const ranked = found.map(({ id, distance }) => ({
      text: this.#names.text(id),
      distance,
      files: this.#postings.of(id).length,
    }));
    ranked.sort((a, b) => a.distance - b.distance || b.files - a.files || (a.text < b.text ? -1 : 1));
    return ranked
      .filter(({ text }) => text !== name)
      .slice(0, most)
      .map(({ text }) => text);
  }

  get stats(): IndexStats {
    return {
      files: this.#postings.files().length,
      names: this.#names.size,
      pairs: this.#postings.size,
      bytes: this.#names.bytes + this.#postings.bytes + this.#gathering.bytes,
    };
  }

  /** Whether so much has changed that sorting it anew pays. */
  get isLoose(): boolean {
    return this.#postings.isLoose;
  }

  /** Sorts all, and forgets names and versions of files that are gone. @returns what can be kept on disk */
  settle(): IndexParts {
    const sorted = this.#postings.sort(this.#names.size);
    const files = this.#postings.files();
    const { starts } = sorted;
    const used = starts.filter((start, id) => id < this.#names.size && start < (starts[id + 1] ?? 0));
    const isWasteful = used.length < this.#names.size * (1 - WASTE);
    if (isWasteful) this.#names = this.#names.kept((id) => (starts[id] ?? 0) < (starts[id + 1] ?? 0));
    // A name without postings begins where the next one does: the others stand as they stood.
    const parts = isWasteful ? { ...sorted, starts: withEnd(used, sorted.versions.length) } : sorted;
    this.#postings = new Postings(parts, files);
    return { ...this.#names.parts(), ...parts, files };
  }

  #texts(ids: readonly NameId[]): readonly string[] {
    return ids.filter((id) => this.#postings.has(id)).map((id) => this.#names.text(id));
  }
}

function withEnd(starts: Uint32Array, end: number): Uint32Array {
  const all = new Uint32Array(starts.length + 1);
  all.set(starts);
  all[starts.length] = end;
  return all;
}

/** The names of one file with their counts, while it is read. */
class Gathering implements Sink {
  names = new Uint32Array(1 << 10);
  length = 0;
  #table: NameTable = new NameTable();
  /** By name: the file in which it was last met, and how often there. */
  #met = new Uint32Array(1 << 12);
  #often = new Uint32Array(1 << 12);
  #counts = new Uint32Array(1 << 10);
  #file = 0;

  get bytes(): number {
    return this.names.byteLength + this.#met.byteLength + this.#often.byteLength;
  }

  begin(table: NameTable): void {
    if (table !== this.#table) this.#met.fill(0);
    this.#table = table;
    this.#file++;
    this.length = 0;
  }

  word(bytes: Uint8Array, start: number, end: number, hash: number): void {
    const id: NameId = this.#table.intern(bytes, start, end, hash);
    if (this.#met[id] === this.#file) this.#often[id] = (this.#often[id] ?? 0) + 1;
    else this.#first(id);
  }

  #first(id: NameId): void {
    if (id >= this.#met.length) {
      this.#met = doubled(this.#met, id);
      this.#often = doubled(this.#often, id);
    }
    if (this.length === this.names.length) this.names = doubled(this.names, this.length);
    this.#met[id] = this.#file;
    this.#often[id] = 1;
    this.names[this.length++] = id;
  }

  /** At the places of `names`. */
  counts(): Uint32Array {
    if (this.#counts.length < this.length) this.#counts = new Uint32Array(this.names.length);
    for (let i = 0; i < this.length; i++) this.#counts[i] = this.#often[this.names[i] ?? 0] ?? 0;
    return this.#counts;
  }
}

function doubled(from: Uint32Array, until: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(Math.max(until + 1, from.length * 2));
  to.set(from);
  return to;
}
