/**
 * Reads what the files of indexed folders declare while nobody asks for anything, so that a question need not read those
 * that only use a name. One file after the other, kept with the index: a file is read once for each of its texts.
 */
import type { FolderIndex } from "./folder-index.ts";
import { Failure } from "./jobs.ts";
import type { Parsing } from "./parse.ts";

/** After a question nothing is read for so long, ms. */
const QUIET_MS = 1000;
/** Of one folder no more is read ahead, bytes. */
const MAX_BYTES = 256 << 20;

export class ReadingAhead {
  readonly #parsing: Parsing;
  readonly #waiting = new Set<FolderIndex>();
  readonly #read = new Map<FolderIndex, number>();
  #lastAsked = 0;
  #isReading = false;
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
    if (this.#isReading || this.#closed) return;
    this.#isReading = true;
    void this.#begin();
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
        if (this.#closed) return;
        this.#read.set(index, read);
        index.tell(path, await this.#declares(path, language));
      }
    }
    this.#isReading = false;
  }

  async #quiet(): Promise<void> {
    for (;;) {
      const left = this.#lastAsked + QUIET_MS - performance.now();
      if (left <= 0 || this.#closed) return;
      await new Promise((resolve) => setTimeout(resolve, left).unref());
    }
  }

  async #declares(path: string, language: string): Promise<Uint32Array | null> {
    try {
      return await this.#parsing.run({ language, source: { path } }, { what: "declares" }, false);
    } catch (fault) {
      if (fault instanceof Failure) return null;
      throw fault;
    }
  }
}
