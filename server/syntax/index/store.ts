/**
 * Keeps an index on disk: one file for a folder, read at once, its arrays used where they lie. A file that is not whole, of
 * another version of this program, or in any other way doubtful is as good as none: all in it can be found anew. It is
 * replaced as a whole, so that who reads it, and who dies while writing, leaves it whole.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { version } from "../../version.ts";
import type { IndexParts } from "../name-index.ts";
import type { Told } from "./declares.ts";

/** A file as it was when it was read. Times in ms. */
export interface KeptFile {
  readonly path: string;
  readonly language: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly guessed: boolean;
  /** It holds what makes names that are not written. */
  readonly makes: boolean;
  /** What it declares; null: it cannot be told; undefined: nobody has. */
  readonly told: Told | null | undefined;
}

export interface Kept {
  readonly parts: IndexParts;
  /** At the places of `parts.files`. */
  readonly files: readonly KeptFile[];
}

/** What writes; tests give one whose disk is full. */
export interface Writer {
  write(path: string, chunks: readonly Uint8Array[]): void;
}

const MAGIC = Buffer.from("SWBNAMES");
const FORMAT = 4;
/** Magic, format, checksum of all behind it, lengths of the sections in bytes. */
const SECTIONS = 12;
const HEAD = 16 + SECTIONS * 4;
/** Numbers of a file: size, two times, inode. */
const NUMBERS = 4;
/** Of a file's flags. */
const GUESSED = 1;
const MAKES = 2;
const TOLD = 4;
const GIVEN_UP = 8;

/** Where the index of a folder (its real path) is kept. */
export function placeOf(cacheFolder: string, folder: string): string {
  return join(cacheFolder, "names", `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.index`);
}

/** @returns null where there is none that can be trusted */
export function load(cacheFolder: string, folder: string): Kept | null {
  try {
    return parse(readFileSync(placeOf(cacheFolder, folder)), folder);
  } catch {
    return null;
  }
}

/** @throws where it cannot be written; then the old one is still there */
export function save(cacheFolder: string, folder: string, kept: Kept, writer: Writer = toDisk): void {
  writer.write(placeOf(cacheFolder, folder), compose(kept, folder));
}

function compose({ parts, files }: Kept, folder: string): readonly Uint8Array[] {
  const numbers = new Float64Array(files.length * NUMBERS);
  for (const [i, { size, mtimeMs, ctimeMs, ino }] of files.entries())
    numbers.set([size, mtimeMs, ctimeMs, ino], i * NUMBERS);
  const names = files.map(({ path, language, ...file }) => [path, language, flagsOf(file)]);
  const declared = files.map(({ told }) => told?.declares ?? new Uint32Array(0));
  const outlines = files.map(({ told }) => told?.outline ?? new Uint8Array(0));
  const sections = [
    Buffer.from(JSON.stringify({ maker: maker(), folder, files: names })),
    numbers,
    Uint32Array.from(parts.files),
    parts.starts,
    parts.versions,
    parts.counts,
    parts.lengths,
    parts.arena,
    Uint32Array.from(declared, ({ length }) => length),
    joined(declared, (length) => new Uint32Array(length)),
    Uint32Array.from(outlines, ({ length }) => length),
  ].map((array): Uint8Array => deflateRawSync(array, { level: 1 }));
  // These are compressed already, each by itself.
  sections.push(joined(outlines, (length) => new Uint8Array(length)));
  const head = Buffer.alloc(HEAD);
  MAGIC.copy(head);
  head.writeUInt32LE(FORMAT, 8);
  for (const [i, section] of sections.entries()) head.writeUInt32LE(section.length, 16 + i * 4);
  // Of nothing the checksum is 0, whatever went before (zlib's crc32).
  const chunks = [head, ...sections].filter(({ length }) => length > 0);
  head.writeUInt32LE(
    chunks.reduce((sum, chunk, i) => crc32(i === 0 ? head.subarray(16) : chunk, sum), 0),
    12,
  );
  return chunks;
}

function parse(bytes: Buffer, folder: string): Kept | null {
  if (bytes.length < HEAD || !bytes.subarray(0, 8).equals(MAGIC) || bytes.readUInt32LE(8) !== FORMAT) return null;
  if (crc32(bytes.subarray(16)) !== bytes.readUInt32LE(12)) return null;
  const sections: Uint8Array[] = [];
  let at = HEAD;
  for (let i = 0; i < SECTIONS; i++) {
    const end = at + bytes.readUInt32LE(16 + i * 4);
    sections.push(bytes.subarray(at, end));
    at = end;
  }
  if (at !== bytes.length) return null;
  // A copy: what else was read is not needed any longer.
  const outlines = new Uint8Array(sections.pop() ?? []);
  const whole = sections.map(inflated);
  const section = (i: number): ArrayBuffer => whole[i] ?? new ArrayBuffer(0);
  const words = (i: number): Uint32Array => new Uint32Array(section(i));
  const shorts = (i: number): Uint16Array => new Uint16Array(section(i));
  const told = { declares: parted(words(8), words(9)), outlines: parted(words(10), outlines) };
  const meta: unknown = JSON.parse(Buffer.from(section(0)).toString("utf8"));
  const files = filesOf(meta, new Float64Array(section(1)), told, folder);
  const parts = {
    files: [...words(2)],
    starts: words(3),
    versions: words(4),
    counts: shorts(5),
    lengths: shorts(6),
    arena: new Uint8Array(section(7)),
  };
  return files === null || files.length !== parts.files.length ? null : { parts, files };
}

/** In memory of its own: arrays of numbers must begin at a place that their size divides. */
function inflated(section: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, length } = inflateRawSync(section, { chunkSize: CHUNK_BYTES });
  return byteOffset === 0 && length === buffer.byteLength && buffer instanceof ArrayBuffer
    ? buffer
    : new Uint8Array(Buffer.from(buffer, byteOffset, length)).buffer;
}

/** What is compressed is read in pieces of so many bytes. */
const CHUNK_BYTES = 1 << 18;

function filesOf(
  meta: unknown,
  numbers: Float64Array,
  told: { readonly declares: readonly Uint32Array[]; readonly outlines: readonly Uint8Array[] },
  folder: string,
): readonly KeptFile[] | null {
  if (typeof meta !== "object" || meta === null || !("files" in meta) || !Array.isArray(meta.files)) return null;
  if (!("maker" in meta) || meta.maker !== maker() || !("folder" in meta) || meta.folder !== folder) return null;
  const names: readonly unknown[] = meta.files;
  return names.map((one, i) => {
    const [path, language, flags]: readonly unknown[] = Array.isArray(one) ? one : [];
    const bits = typeof flags === "number" ? flags : 0;
    const [size = 0, mtimeMs = 0, ctimeMs = 0, ino = 0] = numbers.subarray(i * NUMBERS, (i + 1) * NUMBERS);
    const [guessed, makes] = [(bits & GUESSED) !== 0, (bits & MAKES) !== 0];
    const [declares, outline] = [told.declares[i], told.outlines[i]];
    const isTold = (bits & TOLD) !== 0 && declares !== undefined && outline !== undefined;
    const known = (bits & GIVEN_UP) !== 0 ? null : isTold ? { declares, outline } : undefined;
    return { path: String(path), language: String(language), size, mtimeMs, ctimeMs, ino, guessed, makes, told: known };
  });
}

function flagsOf({ guessed, makes, told }: Pick<KeptFile, "guessed" | "makes" | "told">): number {
  const known = told === undefined ? 0 : told === null ? GIVEN_UP : TOLD;
  return (guessed ? GUESSED : 0) | (makes ? MAKES : 0) | known;
}

function joined<A extends Uint8Array | Uint32Array>(arrays: readonly A[], make: (length: number) => A): A {
  const all = make(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

/** Views: each keeps all of it in memory. */
function parted<A extends Uint8Array | Uint32Array>(lengths: Uint32Array, all: A): readonly A[];
function parted(lengths: Uint32Array, all: Uint8Array | Uint32Array): readonly (Uint8Array | Uint32Array)[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    at += length;
    return all.subarray(at - length, at);
  });
}

/** Another program may find other names: its version, and the file that this is in. */
function maker(): string {
  const { size, mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${version} ${size} ${mtimeMs}`;
}

export const toDisk: Writer = {
  write(path, chunks) {
    mkdirSync(dirname(path), { recursive: true });
    const making = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
    try {
      const file = openSync(making, "wx", 0o600);
      try {
        for (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(making, path);
      sweep(path);
    } catch (fault) {
      rmSync(making, { force: true });
      throw fault;
    }
  },
};

/** What others left behind who died while writing: nobody writes for so long, ms. */
const DEAD_MS = 3_600_000;

function sweep(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > DEAD_MS) rmSync(join(folder, name), { force: true });
  }
}
