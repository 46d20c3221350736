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
import { crc32 } from "node:zlib";
import { version } from "../version.ts";
import type { Declares } from "./declares.ts";
import type { IndexParts } from "./name-index.ts";

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
  readonly declares: Declares | null | undefined;
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
const FORMAT = 3;
/** Magic, format, checksum of all behind it, lengths of the sections in bytes. */
const SECTIONS = 10;
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
  const declared = files.map(({ declares }) => declares ?? new Uint32Array(0));
  const meta = Buffer.from(JSON.stringify({ maker: maker(), folder, files: names }));
  const sections = [
    meta,
    numbers,
    Uint32Array.from(parts.files),
    parts.starts,
    parts.versions,
    parts.counts,
    parts.lengths,
    parts.arena,
    Uint32Array.from(declared, ({ length }) => length),
    joined(declared),
  ].map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const head = Buffer.alloc(HEAD);
  MAGIC.copy(head);
  head.writeUInt32LE(FORMAT, 8);
  for (const [i, section] of sections.entries()) head.writeUInt32LE(section.length, 16 + i * 4);
  // Of nothing the checksum is 0, whatever went before (zlib's crc32).
  const chunks = [head, ...sections.flatMap((section) => [section, new Uint8Array(padding(section.length))])].filter(
    ({ length }) => length > 0,
  );
  head.writeUInt32LE(
    chunks.reduce((sum, chunk, i) => crc32(i === 0 ? head.subarray(16) : chunk, sum), 0),
    12,
  );
  return chunks;
}

function parse(bytes: Buffer, folder: string): Kept | null {
  if (bytes.length < HEAD || !bytes.subarray(0, 8).equals(MAGIC) || bytes.readUInt32LE(8) !== FORMAT) return null;
  if (crc32(bytes.subarray(16)) !== bytes.readUInt32LE(12)) return null;
  // Arrays of numbers must begin at a place that their size divides; a small file's buffer is a part of a larger one.
  const own = bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
  const places: { at: number; length: number }[] = [];
  let at = HEAD;
  for (let i = 0; i < SECTIONS; i++) {
    const length = own.readUInt32LE(16 + i * 4);
    places.push({ at, length });
    at += length + padding(length);
  }
  if (at !== own.length) return null;
  const slice = (i: number): [ArrayBufferLike, number, number] => {
    const place = places[i];
    return [own.buffer, own.byteOffset + (place?.at ?? 0), place?.length ?? 0];
  };
  const words = (i: number): Uint32Array => {
    const [buffer, offset, length] = slice(i);
    return new Uint32Array(buffer, offset, length / 4);
  };
  const shorts = (i: number): Uint16Array => {
    const [buffer, offset, length] = slice(i);
    return new Uint16Array(buffer, offset, length / 2);
  };
  const meta: unknown = JSON.parse(Buffer.from(...slice(0)).toString("utf8"));
  const [buffer, offset, length] = slice(1);
  const files = filesOf(meta, new Float64Array(buffer, offset, length / 8), parted(words(8), words(9)), folder);
  const parts = {
    files: [...words(2)],
    starts: words(3),
    versions: words(4),
    counts: shorts(5),
    lengths: shorts(6),
    arena: new Uint8Array(...slice(7)),
  };
  return files === null || files.length !== parts.files.length ? null : { parts, files };
}

function filesOf(
  meta: unknown,
  numbers: Float64Array,
  declared: readonly Declares[],
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
    const told = (bits & TOLD) === 0 ? undefined : (declared[i] ?? null);
    const declares = (bits & GIVEN_UP) === 0 ? told : null;
    return { path: String(path), language: String(language), size, mtimeMs, ctimeMs, ino, guessed, makes, declares };
  });
}

function flagsOf({ guessed, makes, declares }: Pick<KeptFile, "guessed" | "makes" | "declares">): number {
  const told = declares === undefined ? 0 : declares === null ? GIVEN_UP : TOLD;
  return (guessed ? GUESSED : 0) | (makes ? MAKES : 0) | told;
}

function joined(arrays: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

function parted(lengths: Uint32Array, all: Uint32Array): readonly Uint32Array[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    at += length;
    return all.subarray(at - length, at);
  });
}

/** To multiples of 8 bytes. */
function padding(length: number): number {
  return -length & 7;
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
