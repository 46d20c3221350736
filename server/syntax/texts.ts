/** The texts that the syntax backend works on: what its client has open, else the files themselves. Outlines are kept. */
import { createHash } from "node:crypto";
import { promises, statSync } from "node:fs";
import { pathOf } from "../core/documents/uris.ts";
import { applySteps, type Change } from "../core/positions.ts";
import { languageOf } from "../languages.ts";
import { type Declared, flat } from "./declared.ts";
import { decoded } from "./decoded.ts";
import { entriesOf } from "./entries.ts";
import type { Told } from "./index/declares.ts";
import { type Packed, unpack, wantedIn } from "./index/packed.ts";
import { type Answers, type Entries, Failure, type Task } from "./jobs.ts";
import type { FileOutline } from "./outline.ts";
import type { Parsing } from "./parse.ts";
import type { FileAsked } from "./questions.ts";
import { grammarNames } from "./served.ts";

export interface Document {
  readonly uri: string;
  readonly language: string;
  readonly text: string;
}

/** So many outlines are kept, the last used. */
const MAX_KEPT = 2000;

interface Kept {
  /** A hash of the buffer's text, or size and times of the file. */
  readonly state: string;
  readonly outline: Promise<FileOutline>;
}

/** What is known of files without reading them: by paths. */
export interface Known {
  /** As the file is now. */
  told(path: string, language: string): Told | null | undefined;
  /** What a file declares that was read just now. */
  tell(path: string, told: Told): void;
}

const NOTHING: Known = { told: () => undefined, tell: () => {} };

export class Texts {
  readonly #parsing: Parsing;
  readonly #known: Known;
  readonly #open = new Map<string, Document>();
  readonly #kept = new Map<string, Kept>();

  constructor(parsing: Parsing, known: Known = NOTHING) {
    this.#parsing = parsing;
    this.#known = known;
  }

  open(uri: string, languageId: string, text: string): void {
    const language = languageOf(pathOf(uri) ?? uri, languageId, () => text) ?? languageId;
    this.#open.set(uri, { uri, language, text });
  }

  change(uri: string, changes: readonly Change[]): void {
    const before = this.#open.get(uri);
    if (before === undefined) return;
    const text = applySteps(before.text, [{ changes, encoding: "utf-16" }]);
    this.#open.set(uri, { ...before, text });
  }

  close(uri: string): void {
    this.#open.delete(uri);
    this.#kept.delete(uri);
  }

  opened(uri: string): Document | undefined {
    return this.#open.get(uri);
  }

  get documents(): Iterable<Document> {
    return this.#open.values();
  }

  /** "" where nothing tells. Of files that are not open by their name alone. */
  languageOf(uri: string): string {
    return this.#open.get(uri)?.language ?? languageOf(pathOf(uri) ?? uri, undefined, () => "") ?? "";
  }

  /** A document as its client has it, else the file. */
  asked(uri: string): FileAsked {
    const open = this.#open.get(uri);
    return { uri, language: this.languageOf(uri), ...(open !== undefined && { text: open.text }) };
  }

  text(uri: string): Promise<string> {
    return this.textOf(this.asked(uri));
  }

  /** For few files: the thread reads its files by itself. @throws Failure "unreadable" */
  async textOf({ uri, text }: FileAsked): Promise<string> {
    if (text !== undefined) return text;
    try {
      return decoded(await promises.readFile(pathOf(uri) ?? uri));
    } catch (fault) {
      throw new Failure("unreadable", fault instanceof Error ? fault.message : String(fault));
    }
  }

  /** @throws Failure */
  ask<T extends Task>(uri: string, task: T, urgent: boolean): Promise<Answers[T["what"]]> {
    return this.askOf(this.asked(uri), task, urgent);
  }

  /** @throws Failure */
  async askOf<T extends Task>(file: FileAsked, task: T, urgent: boolean): Promise<Answers[T["what"]]> {
    const { uri, language, text } = file;
    const source = text === undefined ? { path: pathOf(uri) ?? uri } : { text };
    return this.#parsing.run({ language, source }, task, urgent);
  }

  /** @throws Failure */
  outline(uri: string, urgent: boolean): Promise<FileOutline> {
    return this.outlineOf(this.asked(uri), urgent);
  }

  /** From what is kept, if the text is what it was. @throws Failure */
  async outlineOf(file: FileAsked, urgent: boolean): Promise<FileOutline> {
    const { uri, language } = file;
    if (!grammarNames.has(language)) throw new Failure("noGrammar", `no grammar reads ${language}`);
    const state = `${language} ${stateOf(file)}`;
    const kept = this.#kept.get(uri);
    this.#kept.delete(uri);
    if (kept !== undefined && kept.state === state) {
      this.#kept.set(uri, kept);
      return kept.outline;
    }
    const known = this.#packed(file);
    const outline =
      known === undefined ? this.askOf(file, { what: "outline" }, urgent) : Promise.resolve(unpack(known));
    this.#kept.set(uri, { state, outline });
    outline.catch(() => this.#kept.delete(uri));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return outline;
  }

  /** Those of a file's declarations whose names are wanted, in the order of the text. @throws Failure */
  async declaredOf(file: FileAsked, isWanted: (name: string) => boolean): Promise<readonly Declared[]> {
    const known = this.#packed(file);
    if (known !== undefined) return wantedIn(known, isWanted).declared;
    return flat(await this.outlineOf(file, true)).filter(({ name }) => isWanted(name));
  }

  /** What a search is to know of a file; null: it has to be read. */
  knownEntries(file: FileAsked): Entries | null {
    const known = this.#packed(file);
    if (known === undefined) return null;
    const { declared, generated } = wantedIn(known, () => true);
    return entriesOf(declared, generated);
  }

  /** The same of a file that has to be read; what is on disk is then known to all. @throws Failure */
  async readEntries(file: FileAsked): Promise<Entries> {
    if (file.text !== undefined) return this.askOf(file, { what: "entries" }, false);
    const told = await this.askOf(file, { what: "told" }, false);
    this.#known.tell(pathOf(file.uri) ?? file.uri, told);
    const { declared, generated } = wantedIn(told.outline, () => true);
    return entriesOf(declared, generated);
  }

  #packed({ uri, language, text }: FileAsked): Packed | undefined {
    return text === undefined ? this.#known.told(pathOf(uri) ?? uri, language)?.outline : undefined;
  }
}

/** Tells a text from what it was. @throws Failure "unreadable" */
export function stateOf({ uri, text }: FileAsked): string {
  if (text !== undefined) return createHash("sha1").update(text).digest("base64");
  try {
    const { size, mtimeMs, ctimeMs, ino } = statSync(pathOf(uri) ?? uri);
    return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
  } catch (fault) {
    throw new Failure("unreadable", fault instanceof Error ? fault.message : String(fault));
  }
}
