/**
 * What all files of the folders declare, kept a file by its size and times, so that a question reads only what has changed, and
 * of that nothing that was read ahead.
 * Which of it is asked for is `search.ts`'s.
 */
import { type Entry, Failure } from "../jobs.ts";
import type { FileAsked } from "../questions.ts";
import { type Texts, stateOf as textState } from "../texts.ts";

/** What is kept of a file. */
interface Kept {
  readonly state: string;
  readonly entries: readonly Entry[];
  readonly generated: boolean;
  /** The parser gave up, or it cannot be read. */
  readonly failed: boolean;
}

/** A file that may be searched. */
export interface SearchFile extends FileAsked {
  /** Relative to its folder. */
  readonly path: string;
  /** Whether its declarations are asked for; the others are named, for those that are not are gone. */
  readonly wanted: boolean;
  /** Its declarations rank higher. */
  readonly hinted: boolean;
}

/** A file with what it declares. */
export interface Listed extends Omit<Kept, "state"> {
  readonly file: SearchFile;
}

/** The files that were asked for, as they are now. */
export interface Looked {
  readonly listed: readonly Listed[];
  /** Not read in time. */
  readonly left: number;
  /** Rises with every change that was seen. */
  readonly generation: number;
}

/** So long synchronous calls may hold up others, ms. */
const SLICE_MS = 8;

export class Catalogue {
  readonly #texts: Texts;
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<void>>();
  #generation = 1;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /**
   * @param files all of the folders; those that are gone from it are forgotten
   * @param until on the clock of performance.now(); what is not read by then is read all the same, for the next question
   */
  async look(files: readonly SearchFile[], until: number): Promise<Looked> {
    this.#forget(files);
    const stale: { readonly file: SearchFile; readonly state: string }[] = [];
    let since = performance.now();
    for (const file of files) {
      if (!file.wanted) continue;
      const state = stateOf(file);
      if (this.#kept.get(file.uri)?.state !== state) {
        const known = this.#texts.knownEntries(file);
        if (known === null) stale.push({ file, state });
        else this.#keep(file, { state, ...known, failed: false });
      }
      if (performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    const all = Promise.all(stale.map(({ file, state }) => this.#read(file, state)));
    if (stale.length > 0) await within(all, until - performance.now());
    const listed: Listed[] = [];
    let left = 0;
    for (const file of files) {
      if (!file.wanted) continue;
      const kept = this.#kept.get(file.uri);
      if (kept === undefined) left++;
      else listed.push({ file, entries: kept.entries, generated: kept.generated, failed: kept.failed });
      // What is kept of an older text is better than nothing, but not all.
      if (kept !== undefined && this.#reading.has(file.uri)) left++;
    }
    return { listed, left, generation: this.#generation };
  }

  #forget(files: readonly SearchFile[]): void {
    const there = new Set(files.map(({ uri }) => uri));
    for (const uri of this.#kept.keys()) {
      if (there.has(uri)) continue;
      this.#kept.delete(uri);
      this.#generation++;
    }
  }

  #keep({ uri }: SearchFile, kept: Kept): void {
    this.#kept.set(uri, kept);
    this.#generation++;
  }

  #read(file: SearchFile, state: string): Promise<void> {
    const known = this.#reading.get(file.uri);
    if (known !== undefined) return known;
    const reading = this.#texts
      .readEntries(file)
      .then((found) => this.#keep(file, { state, ...found, failed: false }))
      .catch((fault: unknown) => {
        if (!(fault instanceof Failure)) throw fault;
        this.#keep(file, { state, entries: [], generated: false, failed: true });
      })
      .finally(() => this.#reading.delete(file.uri));
    this.#reading.set(file.uri, reading);
    return reading;
  }
}

/** Of a file that cannot be looked at one of its own. */
function stateOf(file: SearchFile): string {
  try {
    return `${file.language} ${textState(file)}`;
  } catch {
    return "gone";
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
