/**
 * Reads what the files of indexed folders declare while nobody asks for anything, so that a question need not read those
 * that only use a name. One file after the other, kept with the index: a file is read once for each of its texts.
 */
import { TICK_MS } from "../../host/listing.ts";
import { Failure } from "../jobs.ts";
import type { Parsing } from "../parse.ts";
import type { Told } from "./declares.ts";
import type { FolderIndex } from "./folder-index.ts";

/** After a question nothing is read for so long, ms. */
const QUIET_MS = 1000;
/** A file's times tell whether it is what it was so long after it was written, ms. */
const SETTLED_MS = 5 * TICK_MS;
/** Of one folder no more is read ahead, bytes. */
const MAX_BYTES = 256 << 20;

export class ReadingAhead {
  readonly #parsing: Parsing;
  readonly #waiting = new Set<FolderIndex>();
  readonly #read = new Map<FolderIndex, number>();
  #lastAsked = 0;
  #reading: Promise<void> | null = null;
  #closed = false;

  constructor(parsing: Parsing) {
    this.#parsing = parsing;
  }

  /** Somebody asks: that goes first. */
  giveWay(): void {
    this.#lastAsked = performance.now();
  }

  /** A folder has been looked through, or has changed. */
  add(index: FolderIndex): void {
    this.#waiting.add(index);
    if (this.#closed) return;
    this.#reading ??= this.#begin().finally(() => {
      this.#reading = null;
    });
  }

  /** Resolves when nothing is left to read. */
  async settled(): Promise<void> {
    while (this.#reading !== null) await this.#reading;
  }

  close(): void {
    this.#closed = true;
  }

  async #begin(): Promise<void> {
    for (const index of this.#waiting) {
      this.#waiting.delete(index);
      for (const { path, language, size } of index.untold) {
        const read = (this.#read.get(index) ?? 0) + size;
        if (read > MAX_BYTES) continue;
        await this.#quiet();
        if (this.#closed) break;
        this.#read.set(index, read);
        // Somebody may have asked for it meanwhile.
        if (index.told(path, language) !== undefined) continue;
        const told = await this.#told(path, language);
        // Not because the parsing has ended: that says nothing of the file.
        if (this.#closed) break;
        if (index.tell(path, told)) continue;
        // It was written a moment ago, so that its times told nothing.
        await pause(SETTLED_MS);
        index.touch(path);
        index.tell(path, await this.#told(path, language));
      }
    }
  }

  async #quiet(): Promise<void> {
    for (;;) {
      const left = this.#lastAsked + QUIET_MS - performance.now();
      if (left <= 0 || this.#closed) return;
      await pause(left);
    }
  }

  async #told(path: string, language: string): Promise<Told | null> {
    try {
      return await this.#parsing.run({ language, source: { path } }, { what: "told" }, false);
    } catch (fault) {
      if (fault instanceof Failure) return null;
      throw fault;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
