/**
 * The index of one folder: its files as they were read, and the names in them. Is told what may have changed, and looks at
 * the files itself; what it is never told is found when a file is asked about.
 */
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import type { IndexConfig } from "../../config/config.ts";
import { type Covered, NOTHING_COVERED } from "../../core/ports.ts";
import { isBelow, TICK_MS } from "../../host/listing.ts";
import { languageOf } from "../../languages.ts";
import { makersOf } from "../../symbols/made.ts";
import { decode } from "../decode.ts";
import { FileReader } from "../file-reader.ts";
import { lexisOf } from "../lexis/table.ts";
import { Lexer, type Lexis } from "../lexis.ts";
import { type FileId, NameIndex } from "../name-index.ts";
import { grammarNames } from "../served.ts";
import { holding, type Match, spelled } from "../spelled.ts";
import { Crawl, type Found, lstat, type PassedOver } from "./crawl.ts";
import type { Declares, Told } from "./declares.ts";
import { IGNORE_FILES } from "./ignore.ts";
import type { Kept, KeptFile } from "./store.ts";

interface FileRecord extends KeptFile {
  readonly id: FileId;
  told: KeptFile["told"];
}

/** A file of the index. */
export interface Indexed {
  readonly path: string;
  /** An LSP id. */
  readonly language: string;
}

export interface Candidate extends Indexed {
  /** What it declares; null: that cannot be told; undefined: nobody has. */
  readonly declares: Declares | null | undefined;
  /** How often the name is written there; of several spellings all. */
  readonly count: number;
}

/** A file that changes while it is asked about is read so often. */
const MAX_ROUNDS = 3;

/** A folder of at most so many entries is looked through at each question, which takes some ms. */
const SMALL_ENTRIES = 500;

export class FolderIndex {
  readonly root: string;
  readonly #rules: IndexConfig;
  readonly #smallEntries: number;
  #index = new NameIndex();
  readonly #files = new Map<string, FileRecord>();
  /** How many files there are in each language, and how many of them make names, or were guessed at. */
  readonly #languages = new Map<
    string,
    { readonly files: number; readonly makers: number; readonly guessed: number }
  >();
  readonly #byId: (FileRecord | undefined)[] = [];
  readonly #passedOver = new Map<string, PassedOver | "binary">();
  readonly #lexers = new Map<Lexis, Lexer>();
  #crawl: Crawl;
  /** Files that the walk has met. */
  #met: Set<string> | null = new Set();
  readonly #reader = new FileReader();
  /** Grows with every change. */
  generation = 0;
  /** Files that were read, ever. */
  reads = 0;

  constructor(root: string, rules: IndexConfig, kept: Kept | null, smallEntries = SMALL_ENTRIES) {
    this.root = root;
    this.#smallEntries = smallEntries;
    this.#rules = rules;
    this.#crawl = this.#newCrawl();
    if (kept === null) return;
    this.#index = new NameIndex(kept.parts);
    for (const [i, file] of kept.files.entries()) this.#record({ ...file, id: kept.parts.files[i] ?? 0 });
  }

  /** Walks on for so many ms, reading what is new or has changed. @returns whether it is through */
  step(ms: number): boolean {
    if (this.#met === null) return true;
    if (!this.#crawl.step(ms)) return false;
    for (const path of this.#files.keys()) if (!this.#met.has(path)) this.#remove(path);
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

  /** Files in which a name is written, as they are at this moment. null: it is no name in any of the languages asked for. */
  candidates(name: string, match: Match, wanted: ReadonlySet<string> | null): readonly Candidate[] | null {
    this.#refresh();
    return this.#asTheyAre(() => this.#find(name, match, wanted));
  }

  /** Files in which a name with this text in it is written, in any case. */
  containing(text: string, wanted: ReadonlySet<string>): readonly Candidate[] {
    this.#refresh();
    const pattern = `*${text.replace(/[*?\\]/g, "\\$&")}*`;
    return this.#asTheyAre(() => this.#holding(this.#index.wildcard(pattern), wanted)) ?? [];
  }

  /** All files in some languages. */
  files(wanted: ReadonlySet<string>): readonly Candidate[] {
    this.#refresh();
    const files = [...this.#files.values()].filter(({ language }) => wanted.has(language));
    return files.map((file) => candidate(file, 0));
  }

  /** Whether a file in some of the languages holds what makes names that are not written (macros). */
  makesNames(wanted: ReadonlySet<string>): boolean {
    return [...wanted].some((language) => (this.#languages.get(language)?.makers ?? 0) > 0);
  }

  /** Files that a grammar reads and of which nobody has told yet what they declare, with their sizes in bytes. */
  get untold(): readonly (Indexed & { readonly size: number })[] {
    return [...this.#files.values()].filter(({ told, language }) => told === undefined && grammarNames.has(language));
  }

  /**
   * What a file declares that was read just now; null: that cannot be told.
   * @returns whether it counts: the file is what it was when it was indexed, as far as its times tell
   */
  tell(path: string, told: Told | null): boolean {
    const record = this.#files.get(path);
    if (record === undefined || this.#isStale(path)) return false;
    record.told = told;
    this.generation++;
    return true;
  }

  /** What a file in a language declares as it is now; undefined where nobody has told, null where that cannot be told. */
  told(path: string, language: string): KeptFile["told"] {
    const record = this.#files.get(path);
    return record?.told === undefined || record.language !== language || this.#isStale(path) ? undefined : record.told;
  }

  get names(): NameIndex {
    return this.#index;
  }

  /** @param wanted files in these languages count; null: all */
  coverage(wanted: ReadonlySet<string> | null): Covered {
    const counts = { ...NOTHING_COVERED };
    for (const why of this.#passedOver.values()) counts[why]++;
    for (const [language, { files, guessed }] of this.#languages) {
      if (wanted !== null && !wanted.has(language)) continue;
      counts.files += files;
      counts.undecodable += guessed;
    }
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
    const before = this.#files.get(path);
    if (before !== undefined && isSame(before, stats) && (language === null || before.language === language)) return;
    this.#read(path, stats, language);
  }

  #read(path: string, seen: Stats, named: string | null): void {
    const read = this.#reader.read(path, seen.size, this.#rules.maxFileBytes);
    if (read === null) return this.#passOver(path, "unreadable");
    this.reads++;
    const { bytes, length } = read;
    const decoded = decode(bytes, length);
    const first = (): string => bytes.toString("latin1", 0, Math.min(length, 256));
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
    const { guessed } = decoded;
    const makes = makesNames(language, decoded.bytes, decoded.length);
    this.#record({ id, path, language, size, mtimeMs, ctimeMs, ino, guessed, makes, told: undefined });
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
    this.#count(record, 1);
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
    if (record !== undefined) this.#count(record, -1);
  }

  #count({ language, makes, guessed }: FileRecord, by: 1 | -1): void {
    const before = this.#languages.get(language) ?? { files: 0, makers: 0, guessed: 0 };
    const counts = {
      files: before.files + by,
      makers: before.makers + (makes ? by : 0),
      guessed: before.guessed + (guessed ? by : 0),
    };
    if (counts.files === 0) this.#languages.delete(language);
    else this.#languages.set(language, counts);
  }

  /** A file that is gone, or a folder with all that was in it. */
  #removeBelow(path: string): void {
    this.#crawl.left(path);
    if (this.#files.has(path)) return this.#remove(path);
    for (const one of this.#files.keys()) if (one.startsWith(`${path}/`)) this.#remove(one);
    for (const one of this.#passedOver.keys()) if (one.startsWith(`${path}/`)) this.#passedOver.delete(one);
  }

  /** In a small folder nothing is missed, told or not. */
  #refresh(): void {
    if (this.#met !== null || this.entries > this.#smallEntries) return;
    this.again();
    this.step(Number.POSITIVE_INFINITY);
  }

  #asTheyAre(find: () => readonly Candidate[] | null): readonly Candidate[] | null {
    let found = find();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const changed = (found ?? []).filter(({ path }) => this.#isStale(path));
      if (changed.length === 0) break;
      for (const { path } of changed) {
        this.touch(path);
        if (!this.#files.has(path)) this.#lookAround(path);
      }
      found = find();
    }
    return found;
  }

  /** A file that is gone may have gone to somewhere near, or with the folder around it. */
  #lookAround(path: string): void {
    let folder = dirname(path);
    while (folder.length > this.root.length && lstat(folder)?.isDirectory() !== true) folder = dirname(folder);
    if (!isBelow(folder, this.root)) return;
    this.#crawl.revisit(folder);
    if (this.#met === null) this.#crawl.step(Number.POSITIVE_INFINITY);
  }

  #isStale(path: string): boolean {
    const record = this.#files.get(path);
    const stats = lstat(path);
    return record === undefined || stats === undefined || !isSame(record, stats);
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
        if (record !== undefined && own.has(record.language)) found.push(candidate(record, count));
      }
    return found;
  }

  #holding(names: readonly string[], wanted: ReadonlySet<string>): readonly Candidate[] {
    const counts = new Map<FileId, number>();
    for (const name of names)
      for (const { file, count } of this.#index.exact(name)) counts.set(file, (counts.get(file) ?? 0) + count);
    return [...counts].flatMap(([id, count]) => {
      const record = this.#byId[id];
      return record === undefined || !wanted.has(record.language) ? [] : [candidate(record, count)];
    });
  }
}

function candidate({ path, language, told }: FileRecord, count: number): Candidate {
  return { path, language, declares: told === null ? null : told?.declares, count };
}

/** A time that is not a number is never the same. */
function isSame(record: KeptFile, { size, mtimeMs, ctimeMs, ino }: Stats): boolean {
  return record.size === size && record.mtimeMs === mtimeMs && record.ctimeMs === ctimeMs && record.ino === ino;
}

/** Whether a text holds what makes names that are not written in it. */
function makesNames(language: string, bytes: Buffer, length: number): boolean {
  const makers = makersOf([language]).filter(({ holds }) => bytes.subarray(0, length).includes(holds));
  if (makers.length === 0) return false;
  const text = bytes.toString("utf8", 0, length);
  return makers.some(({ pattern }) => pattern.test(text));
}
