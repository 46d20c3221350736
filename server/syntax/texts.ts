/** The texts that the syntax backend works on: what its client has open, else the files themselves. Outlines are kept. */
import { promises } from "node:fs";
import { applySteps, type Change, type TextLike } from "../core/positions.ts";
import { pathOf } from "../core/uris.ts";
import { languageOf } from "../languages.ts";
import { type Answers, Failure, type Task } from "./jobs.ts";
import type { FileOutline } from "./outline.ts";
import type { Parsing } from "./parse.ts";
import { grammarNames } from "./served.ts";

export interface Document {
  readonly uri: string;
  readonly language: string;
  readonly version: number;
  readonly text: string;
}

/** So many outlines are kept, the last used. */
const MAX_KEPT = 2000;

interface Kept {
  /** Version of the buffer, or size and times of the file. */
  readonly state: string;
  readonly outline: Promise<FileOutline>;
}

export class Texts {
  readonly #parsing: Parsing;
  readonly #open = new Map<string, Document>();
  readonly #kept = new Map<string, Kept>();

  constructor(parsing: Parsing) {
    this.#parsing = parsing;
  }

  open(uri: string, languageId: string, version: number, text: string): void {
    const language = languageOf(pathOf(uri) ?? uri, languageId, () => text) ?? languageId;
    this.#open.set(uri, { uri, language, version, text });
  }

  change(uri: string, version: number, changes: readonly Change[]): void {
    const before = this.#open.get(uri);
    if (before === undefined) return;
    const text = applySteps(before.text, [{ changes, encoding: "utf-16" }]);
    this.#open.set(uri, { ...before, version, text });
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

  /** The whole text and its lines, for few files. @throws Failure "unreadable" */
  async text(uri: string): Promise<TextLike["string"]> {
    const open = this.#open.get(uri);
    if (open !== undefined) return open.text;
    try {
      return await promises.readFile(pathOf(uri) ?? uri, "utf8");
    } catch (fault) {
      throw new Failure("unreadable", fault instanceof Error ? fault.message : String(fault));
    }
  }

  /** @throws Failure */
  async ask<T extends Task>(uri: string, task: T, urgent: boolean): Promise<Answers[T["what"]]> {
    const language = this.languageOf(uri);
    const open = this.#open.get(uri);
    const source = open === undefined ? { path: pathOf(uri) ?? uri } : { text: open.text };
    return this.#parsing.run({ language, source }, task, urgent);
  }

  /** From what is kept, if the text is what it was. @throws Failure */
  async outline(uri: string, urgent: boolean): Promise<FileOutline> {
    const language = this.languageOf(uri);
    if (!grammarNames.has(language)) throw new Failure("noGrammar", `no grammar reads ${language}`);
    const state = await this.#state(uri);
    const kept = this.#kept.get(uri);
    this.#kept.delete(uri);
    if (kept !== undefined && kept.state === state) {
      this.#kept.set(uri, kept);
      return kept.outline;
    }
    const outline = this.ask(uri, { what: "outline" }, urgent);
    this.#kept.set(uri, { state, outline });
    outline.catch(() => this.#kept.delete(uri));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return outline;
  }

  async #state(uri: string): Promise<string> {
    const open = this.#open.get(uri);
    if (open !== undefined) return `version ${open.version}`;
    try {
      const { size, mtimeMs, ctimeMs, ino } = await promises.stat(pathOf(uri) ?? uri);
      return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
    } catch (fault) {
      throw new Failure("unreadable", fault instanceof Error ? fault.message : String(fault));
    }
  }
}
