/**
 * The index of one folder: its files as they were read, and the names in them. Is told what may have changed, and looks at
 * the files itself; what it is never told is found when a file is asked about.
 */
import { closeSync, readSync, type Stats } from "node:fs";
import { TICK_MS } from "../host/listing.ts";
import { languageOf } from "../languages.ts";
import { Crawl, type CrawlRules, type Found, lstat, openPlain, type PassedOver } from "./crawl.ts";
import { decode } from "./decode.ts";
import { IGNORE_FILES } from "./ignore.ts";
import { Lexer, type Lexis } from "./lexis.ts";
import { lexisOf } from "./lexis-table.ts";
import { type FileId, NameIndex } from "./name-index.ts";
import { holding, type Match, spelled } from "./spelled.ts";
import type { Kept, KeptFile } from "./store.ts";

export interface Coverage {
  readonly files: number;
  readonly ignored: number;
  readonly tooLarge: number;
  readonly binary: number;
  /** Of the files covered: read as Latin-1, since they are neither UTF-8 nor marked as UTF-16. */
  readonly undecodable: number;
  readonly unreadable: number;
}

interface FileRecord extends KeptFile {
  readonly id: FileId;
  /** What a client has open instead of the file. */
  readonly isBuffer: boolean;
}

export interface Candidate {
  readonly path: string;
  readonly language: string;
  /** How often the name is written there; of several spellings all. */
  readonly count: number;
}

/** A size that no file has: it is looked at again. */
const UNKNOWN = -1;
/** A file that changes while it is asked about is read so often. */
const MAX_ROUNDS = 3;

export class FolderIndex {
  readonly root: string;
  readonly #rules: CrawlRules;
  #index = new NameIndex();
  readonly #files = new Map<string, FileRecord>();
  /** How many files there are in each language. */
  readonly #languages = new Map<string, number>();
  readonly #byId: (FileRecord | undefined)[] = [];
  readonly #passedOver = new Map<string, PassedOver | "binary">();
  readonly #buffers = new Map<string, string>();
  readonly #lexers = new Map<Lexis, Lexer>();
  #crawl: Crawl;
  /** Files that the walk has met. */
  #met: Set<string> | null = new Set();
  #bytes = Buffer.allocUnsafe(1 << 18);
  /** Grows with every change. */
  generation = 0;
  /** Files that were read, ever. */
  reads = 0;

  constructor(root: string, rules: CrawlRules, kept: Kept | null) {
    this.root = root;
    this.#rules = rules;
    this.#crawl = this.#newCrawl();
    if (kept === null) return;
    this.#index = new NameIndex(kept.parts);
    for (const [i, file] of kept.files.entries())
      this.#record({ ...file, id: kept.parts.files[i] ?? 0, isBuffer: false });
  }

  /** Walks on for so many ms, reading what is new or has changed. @returns whether it is through */
  step(ms: number): boolean {
    if (this.#met === null) return true;
    if (!this.#crawl.step(ms)) return false;
    for (const path of this.#files.keys()) if (!this.#met.has(path) && !this.#buffers.has(path)) this.#remove(path);
    this.#met = null;
    return true;
  }

  /** Entries of folders that the walk has seen. */
  get entries(): number {
    return this.#crawl.entries;
  }

  /** From the beginning, knowing what is known. */
  again(): void {
    this.#passedOver.clear();
    this.#met = new Set();
    this.#crawl = this.#newCrawl();
  }

  /** Something may have happened to a file or folder. @returns whether the whole folder has to be walked through again */
  touch(path: string): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (IGNORE_FILES.includes(name)) return true;
    if (this.#buffers.has(path)) return false;
    this.#passedOver.delete(path);
    const before = this.#files.get(path);
    const stats = lstat(path);
    if (stats === undefined) this.#removeBelow(path);
    else if (before === undefined || !isSame(before, stats)) {
      this.#crawl.look(path);
      // It is covered no longer, as when it has become too large.
      if (this.#files.get(path) === before && before !== undefined) this.#remove(path);
      // While the folder is walked through, that walk takes what was met here as well.
      if (this.#met === null) this.#crawl.step(Number.POSITIVE_INFINITY);
    }
    return false;
  }

  /** What a client has open instead of a file; null: it has not any more. */
  setBuffer(path: string, text: string | null, languageId?: string): void {
    if (text === null) {
      if (!this.#buffers.delete(path)) return;
      this.#remove(path);
      this.touch(path);
      return;
    }
    const language = languageOf(path, languageId, () => text) ?? null;
    const lexis = language === null ? null : lexisOf(language);
    if (language === null || lexis === null) return;
    this.#buffers.set(path, text);
    const bytes = Buffer.from(text);
    const id = this.#files.get(path)?.id ?? this.#byId.length;
    this.#replace(id, lexis, bytes, bytes.length);
    this.#record({ id, path, language, size: UNKNOWN, mtimeMs: 0, ctimeMs: 0, ino: 0, guessed: false, isBuffer: true });
  }

  /** Files in which a name is written, as they are at this moment. null: it is no name in any of the languages asked for. */
  candidates(name: string, match: Match, wanted: ReadonlySet<string> | null): readonly Candidate[] | null {
    let found = this.#find(name, match, wanted);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const changed = (found ?? []).filter(({ path }) => this.#isStale(path));
      if (changed.length === 0) break;
      for (const { path } of changed) this.touch(path);
      found = this.#find(name, match, wanted);
    }
    return found;
  }

  get names(): NameIndex {
    return this.#index;
  }

  get coverage(): Coverage {
    const counts = { files: this.#files.size, ignored: 0, tooLarge: 0, binary: 0, undecodable: 0, unreadable: 0 };
    for (const why of this.#passedOver.values()) counts[why]++;
    for (const { guessed } of this.#files.values()) if (guessed) counts.undecodable++;
    return counts;
  }

  /** For keeping it. What is a client's is read anew. */
  snapshot(): Kept {
    const parts = this.#index.settle();
    const files = parts.files.map((id) => {
      const record = this.#byId[id];
      if (record === undefined) throw new Error(`file ${id} has no record`);
      return record;
    });
    return { parts, files };
  }

  #newCrawl(): Crawl {
    return new Crawl(this.root, this.#rules, {
      found: (file) => this.#found(file),
      passedOver: (path, why) => void this.#passedOver.set(path, why),
    });
  }

  #found({ path, stats, language }: Found): void {
    this.#met?.add(path);
    if (this.#buffers.has(path)) return;
    const before = this.#files.get(path);
    if (before !== undefined && isSame(before, stats) && (language === null || before.language === language)) return;
    this.#read(path, stats, language);
  }

  #read(path: string, seen: Stats, named: string | null): void {
    const length = this.#fill(path, seen.size);
    if (length === null) return this.#passOver(path, "unreadable");
    this.reads++;
    const decoded = decode(this.#bytes, length);
    const first = (): string => this.#bytes.toString("latin1", 0, Math.min(length, 256));
    const language = named ?? languageOf(path, undefined, first) ?? null;
    if (language === null) return this.#met === null ? undefined : void this.#met.delete(path);
    const lexis = lexisOf(language);
    if (lexis === null) return;
    if (decoded === null) return this.#passOver(path, "binary");
    const id = this.#files.get(path)?.id ?? this.#byId.length;
    this.#replace(id, lexis, decoded.bytes, decoded.length);
    // A file that was written a moment ago can be written again within the same tick of the clock: it is never taken for read.
    const isNew = seen.ctimeMs >= Date.now() - 2 * TICK_MS;
    const { size, mtimeMs, ino } = seen;
    const ctimeMs = isNew || length !== size ? Number.NaN : seen.ctimeMs;
    this.#record({ id, path, language, size, mtimeMs, ctimeMs, ino, guessed: decoded.guessed, isBuffer: false });
  }

  /** Into the buffer, which then has room for one byte more. @returns null where it cannot be read */
  #fill(path: string, size: number): number | null {
    let file: number;
    try {
      file = openPlain(path);
    } catch {
      return null;
    }
    try {
      if (this.#bytes.length < size + 2) this.#bytes = Buffer.allocUnsafe(size * 2);
      let length = 0;
      for (;;) {
        const read = readSync(file, this.#bytes, length, this.#bytes.length - 1 - length, null);
        length += read;
        // One call in most cases: all of it, as the size said.
        if (read === 0 || length === size) return length;
        if (length > this.#rules.maxFileBytes) return null;
        if (length === this.#bytes.length - 1)
          this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)]);
      }
    } catch {
      return null;
    } finally {
      closeSync(file);
    }
  }

  #replace(id: FileId, lexis: Lexis, bytes: Buffer, length: number): void {
    const lexer = this.#lexers.get(lexis) ?? new Lexer(lexis);
    this.#lexers.set(lexis, lexer);
    this.#index.replace(id, (sink) => lexer.scan(bytes, length, sink));
    if (this.#index.isLoose && this.#met === null) this.#index.settle();
    this.generation++;
  }

  #record(record: FileRecord): void {
    this.#forget(this.#files.get(record.path));
    this.#files.set(record.path, record);
    this.#languages.set(record.language, (this.#languages.get(record.language) ?? 0) + 1);
    this.#byId[record.id] = record;
    this.#passedOver.delete(record.path);
  }

  #passOver(path: string, why: "binary" | "unreadable"): void {
    this.#remove(path);
    this.#passedOver.set(path, why);
  }

  #remove(path: string): void {
    const record = this.#files.get(path);
    if (record === undefined) return;
    this.#files.delete(path);
    this.#forget(record);
    this.#byId[record.id] = undefined;
    this.#index.remove(record.id);
    this.generation++;
  }

  #forget(record: FileRecord | undefined): void {
    if (record === undefined) return;
    const left = (this.#languages.get(record.language) ?? 1) - 1;
    if (left === 0) this.#languages.delete(record.language);
    else this.#languages.set(record.language, left);
  }

  /** A file that is gone, or a folder with all that was in it. */
  #removeBelow(path: string): void {
    if (this.#files.has(path)) return this.#remove(path);
    for (const one of this.#files.keys()) if (one.startsWith(`${path}/`) && !this.#buffers.has(one)) this.#remove(one);
    for (const one of this.#passedOver.keys()) if (one.startsWith(`${path}/`)) this.#passedOver.delete(one);
  }

  #isStale(path: string): boolean {
    const record = this.#files.get(path);
    if (record === undefined || record.isBuffer) return false;
    const stats = lstat(path);
    return stats === undefined || !isSame(record, stats);
  }

  #find(name: string, match: Match, wanted: ReadonlySet<string> | null): readonly Candidate[] | null {
    const languages = [...this.#languages.keys()].filter((language) => wanted === null || wanted.has(language));
    const groups = spelled(name, match, languages);
    // Nothing is there in which it could be a name.
    if (groups.length === 0) return languages.length === 0 ? [] : null;
    const found: Candidate[] = [];
    for (const { pieces, how, languages: own } of groups)
      for (const [id, count] of holding(this.#index, pieces, how)) {
        const record = this.#byId[id];
        if (record !== undefined && own.has(record.language))
          found.push({ path: record.path, language: record.language, count });
      }
    return found;
  }
}

/** A time that is not a number is never the same. */
function isSame(record: KeptFile, { size, mtimeMs, ctimeMs, ino }: Stats): boolean {
  return record.size === size && record.mtimeMs === mtimeMs && record.ctimeMs === ctimeMs && record.ino === ino;
}
