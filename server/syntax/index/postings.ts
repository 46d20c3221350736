/**
 * In which files a name is written, and how often there. What has been sorted by name lies in three arrays; what has come
 * since hangs on chains. A file that changes gets a new version, and its old one is passed over until the next sorting: no
 * change costs more than the names of its file.
 */
import type { NameId } from "./name-table.ts";

export type FileId = number;

export interface Posting {
  readonly file: FileId;
  /** At most MAX_COUNT. */
  readonly count: number;
}

export const MAX_COUNT = 0xffff;

/** What is sorted: the versions and counts of a name stand from its start to that of the next. */
export interface Sorted {
  readonly starts: Uint32Array;
  readonly versions: Uint32Array;
  readonly counts: Uint16Array;
}

const NOTHING: Sorted = { starts: new Uint32Array(1), versions: new Uint32Array(0), counts: new Uint16Array(0) };
const GONE = -1;
/** Chains and files passed over may be so many, and a share of what is sorted, before all is sorted anew. */
const LEAST_LOOSE = 1 << 16;
const LOOSE_SHARE = 4;

export class Postings {
  #sorted: Sorted;
  /** Version to file, or GONE. */
  #fileOf: Int32Array;
  #versions: number;
  /** File to its version. */
  readonly #versionOf = new Map<FileId, number>();
  /** How many postings a version has: what is passed over when it is gone. */
  #sizes: Uint32Array;
  /** By name: the number of its latest link and one. A link is a version, a count and the link before. */
  #heads = new Uint32Array(1 << 12);
  #linkVersions = new Uint32Array(1 << 12);
  #linkCounts = new Uint16Array(1 << 12);
  #linkBefore = new Uint32Array(1 << 12);
  #links = 0;
  #passedOver = 0;

  /** @param files of the versions in `sorted`: version n is of file n, if n is among them */
  constructor(sorted: Sorted = NOTHING, files: readonly FileId[] = []) {
    this.#sorted = sorted;
    this.#versions = files.reduce((most, file) => Math.max(most, file + 1), 0);
    this.#fileOf = new Int32Array(Math.max(1 << 10, this.#versions)).fill(GONE);
    for (const file of files) {
      this.#fileOf[file] = file;
      this.#versionOf.set(file, file);
    }
    this.#sizes = new Uint32Array(this.#fileOf.length);
    for (let i = 0; i < sorted.versions.length; i++) {
      const version = sorted.versions[i] ?? 0;
      this.#sizes[version] = (this.#sizes[version] ?? 0) + 1;
    }
  }

  /** Postings that are good. */
  get size(): number {
    return this.#sorted.versions.length + this.#links - this.#passedOver;
  }

  /** Of the arrays, in bytes. */
  get bytes(): number {
    const { starts, versions, counts } = this.#sorted;
    const arrays = [
      starts,
      versions,
      counts,
      this.#fileOf,
      this.#heads,
      this.#linkVersions,
      this.#linkCounts,
      this.#linkBefore,
    ];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The names of a file from now on, each once, with the counts at the same places. */
  replace(file: FileId, names: Uint32Array, counts: Uint32Array, length: number): void {
    this.remove(file);
    const version = this.#versions++;
    if (version >= this.#fileOf.length) {
      this.#fileOf = grown(this.#fileOf, new Int32Array(version * 2), GONE);
      this.#sizes = grown(this.#sizes, new Uint32Array(version * 2));
    }
    this.#fileOf[version] = file;
    this.#versionOf.set(file, version);
    this.#sizes[version] = length;
    this.#makeRoom(length);
    for (let i = 0; i < length; i++) {
      const name = names[i] ?? 0;
      if (name >= this.#heads.length)
        this.#heads = grown(this.#heads, new Uint32Array(Math.max(name + 1, this.#heads.length * 2)));
      const link = this.#links++;
      this.#linkVersions[link] = version;
      this.#linkCounts[link] = Math.min(counts[i] ?? 0, MAX_COUNT);
      this.#linkBefore[link] = this.#heads[name] ?? 0;
      this.#heads[name] = link + 1;
    }
  }

  remove(file: FileId): void {
    const version = this.#versionOf.get(file);
    if (version === undefined) return;
    this.#versionOf.delete(file);
    this.#fileOf[version] = GONE;
    this.#passedOver += this.#sizes[version] ?? 0;
  }

  of(name: NameId): readonly Posting[] {
    const found: Posting[] = [];
    this.each(name, (file, count) => found.push({ file, count }));
    return found;
  }

  /** Whether a name is in any file. */
  has(name: NameId): boolean {
    const { starts, versions } = this.#sorted;
    const end = starts[name + 1] ?? 0;
    for (let i = starts[name] ?? 0; i < end; i++) if (this.#isGood(versions[i] ?? 0)) return true;
    for (let link = this.#heads[name] ?? 0; link > 0; link = this.#linkBefore[link - 1] ?? 0)
      if (this.#isGood(this.#linkVersions[link - 1] ?? 0)) return true;
    return false;
  }

  /** In no particular order. */
  each(name: NameId, use: (file: FileId, count: number) => void): void {
    const { starts, versions, counts } = this.#sorted;
    const end = starts[name + 1] ?? 0;
    for (let i = starts[name] ?? 0; i < end; i++) {
      const file = this.#fileOf[versions[i] ?? 0] ?? GONE;
      if (file !== GONE) use(file, counts[i] ?? 0);
    }
    for (let link = this.#heads[name] ?? 0; link > 0; link = this.#linkBefore[link - 1] ?? 0) {
      const file = this.#fileOf[this.#linkVersions[link - 1] ?? 0] ?? GONE;
      if (file !== GONE) use(file, this.#linkCounts[link - 1] ?? 0);
    }
  }

  get isLoose(): boolean {
    return this.#links + this.#passedOver > Math.max(LEAST_LOOSE, this.#sorted.versions.length / LOOSE_SHARE);
  }

  /** All that is good, by name, with each file as its own version. */
  sort(names: number): Sorted {
    const { size } = this;
    const fileOf = this.#fileOf;
    const old = this.#sorted;
    const starts = new Uint32Array(names + 1);
    const versions = new Uint32Array(size);
    const counts = new Uint16Array(size);
    let at = 0;
    for (let name = 0; name < names; name++) {
      starts[name] = at;
      const end = old.starts[name + 1] ?? 0;
      for (let i = old.starts[name] ?? 0; i < end; i++) {
        const file = fileOf[old.versions[i] ?? 0] ?? GONE;
        if (file === GONE) continue;
        versions[at] = file;
        counts[at++] = old.counts[i] ?? 0;
      }
      for (let link = this.#heads[name] ?? 0; link > 0; link = this.#linkBefore[link - 1] ?? 0) {
        const file = fileOf[this.#linkVersions[link - 1] ?? 0] ?? GONE;
        if (file === GONE) continue;
        versions[at] = file;
        counts[at++] = this.#linkCounts[link - 1] ?? 0;
      }
    }
    starts[names] = at;
    return { starts, versions, counts };
  }

  files(): readonly FileId[] {
    return [...this.#versionOf.keys()];
  }

  #isGood(version: number): boolean {
    return this.#fileOf[version] !== GONE;
  }

  #makeRoom(links: number): void {
    const needed = this.#links + links;
    if (needed <= this.#linkVersions.length) return;
    const capacity = Math.max(needed, this.#linkVersions.length * 2);
    this.#linkVersions = grown(this.#linkVersions, new Uint32Array(capacity));
    this.#linkCounts = grown(this.#linkCounts, new Uint16Array(capacity));
    this.#linkBefore = grown(this.#linkBefore, new Uint32Array(capacity));
  }
}

function grown<A extends Uint16Array | Uint32Array | Int32Array>(from: A, to: A, rest = 0): A {
  to.set(from);
  if (rest !== 0) to.fill(rest, from.length);
  return to;
}
