/**
 * Which files of a folder an index covers: a walk that reads no file but those that say what is to be left out, follows no
 * link, and opens nothing but plain files. Counts what it passes over.
 */
import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { IndexConfig } from "../../config/config.ts";
import { IGNORED, isBelow, leadsOn } from "../../host/listing.ts";
import { languageOf } from "../../languages.ts";
import { filterOf } from "../../symbols/paths.ts";
import { isIndexed } from "../lexis/table.ts";
import { IGNORE_FILES, Ignores } from "./ignore.ts";

/** Folders that nobody means, beside those that are not watched either. */
const NEVER: ReadonlySet<string> = new Set([...IGNORED, ".hg", ".svn", ".jj"]);
/** A folder that holds one of these was made by a program: a cache (the Cache Directory Tagging Specification), a Python environment. */
const MARKS: readonly string[] = ["CACHEDIR.TAG", "pyvenv.cfg"];

export interface Found {
  readonly path: string;
  readonly stats: Stats;
  /** An LSP id; null where only the text can tell. */
  readonly language: string | null;
}

export type PassedOver = "ignored" | "tooLarge" | "unreadable";

export interface Crawler {
  found(file: Found): void;
  passedOver(path: string, why: PassedOver): void;
}

export class Crawl {
  readonly #root: string;
  readonly #rules: IndexConfig;
  readonly #crawler: Crawler;
  readonly #include: (path: string) => boolean;
  readonly #exclude: (path: string) => boolean;
  readonly #waiting: { readonly folder: string; readonly above: Ignores | null; readonly onlyIncluded: boolean }[] = [];
  /** What holds in each folder that was entered; null: only what is included counts there. */
  readonly #entered = new Map<string, { readonly ignores: Ignores; readonly onlyIncluded: boolean }>();
  entries = 0;

  constructor(root: string, rules: IndexConfig, crawler: Crawler) {
    this.#root = root;
    this.#rules = rules;
    this.#crawler = crawler;
    this.#include = this.#globs(rules.include);
    this.#exclude = this.#globs(rules.exclude);
    this.#waiting.push({ folder: root, above: rulesAbove(root), onlyIncluded: false });
  }

  /** Goes on for so many ms. @returns whether it is through */
  step(ms: number): boolean {
    const end = performance.now() + ms;
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#enter(next.folder, next.above, next.onlyIncluded);
      if (performance.now() > end) break;
    }
    return this.#waiting.length === 0;
  }

  /** A file or folder of which one has heard: looked at as the walk would, from the first folder above it that is new. */
  look(path: string): void {
    const slash = path.lastIndexOf("/");
    const parent = path.slice(0, slash);
    const folder = this.#entered.get(parent);
    if (folder === undefined) return parent.length > this.#root.length ? this.look(parent) : undefined;
    const stats = lstat(path);
    if (stats === undefined) return;
    this.#entry(path, path.slice(slash + 1), stats, folder.ignores, folder.onlyIncluded, stats);
  }

  /** A folder whose entries may be others now: its files are looked at, and the folders in it that are new. */
  revisit(folder: string): void {
    const known = this.#entered.get(folder);
    if (known === undefined) return;
    for (const entry of entriesOf(folder) ?? []) {
      const path = `${folder}/${entry.name}`;
      if (!this.#entered.has(path)) this.#entry(path, entry.name, entry, known.ignores, known.onlyIncluded);
    }
  }

  /** A folder is gone, with all that was in it. */
  left(folder: string): void {
    for (const one of this.#entered.keys()) if (isBelow(one, folder)) this.#entered.delete(one);
  }

  #enter(folder: string, above: Ignores | null, onlyIncluded: boolean): void {
    const entries = entriesOf(folder);
    if (entries === null) return this.#crawler.passedOver(folder, "unreadable");
    this.entries += entries.length;
    if (folder !== this.#root && !onlyIncluded && entries.some(({ name }) => MARKS.includes(name)))
      return this.#crawler.passedOver(folder, "ignored");
    const texts = IGNORE_FILES.filter((name) => entries.some((entry) => entry.name === name && entry.isFile())).map(
      (name) => textOf(join(folder, name)),
    );
    const ignores = texts.length === 0 && above !== null ? above : new Ignores(folder, texts, above);
    this.#entered.set(folder, { ignores, onlyIncluded });
    for (const entry of entries) this.#entry(`${folder}/${entry.name}`, entry.name, entry, ignores, onlyIncluded);
  }

  #entry(path: string, name: string, entry: Kind, ignores: Ignores, onlyIncluded: boolean, known?: Stats): void {
    const isFolder = entry.isDirectory();
    if (this.#exclude(path)) return this.#crawler.passedOver(path, "ignored");
    const isLeftOut = onlyIncluded || (isFolder && NEVER.has(name)) || ignores.leavesOut(path, isFolder);
    const isIncluded = isLeftOut && this.#rules.include.length > 0 && this.#include(path);
    if (isFolder) {
      // Something in it may be included.
      if (!isLeftOut || this.#rules.include.length > 0)
        this.#waiting.push({ folder: path, above: ignores, onlyIncluded: isLeftOut && !isIncluded });
      else this.#crawler.passedOver(path, "ignored");
      return;
    }
    if (isLeftOut && !isIncluded) return onlyIncluded ? undefined : this.#crawler.passedOver(path, "ignored");
    if (!entry.isFile()) return this.#crawler.passedOver(path, leadsOn(path) ? "ignored" : "unreadable");
    this.#file(path, name, known);
  }

  #file(path: string, name: string, known: Stats | undefined): void {
    const language = languageOf(name, undefined, () => "") ?? null;
    // A script without an ending says its language in its first line.
    if (language === null ? name.indexOf(".", 1) > 0 : !isIndexed(language)) return;
    const stats = known ?? lstat(path);
    if (stats === undefined) return this.#crawler.passedOver(path, "unreadable");
    if (language === null && (stats.mode & 0o111) === 0) return;
    if (stats.size > this.#rules.maxFileBytes) return this.#crawler.passedOver(path, "tooLarge");
    this.#crawler.found({ path, stats, language });
  }

  #globs(patterns: readonly string[]): (path: string) => boolean {
    if (patterns.length === 0) return () => false;
    const filter = filterOf(patterns);
    if ("wrong" in filter) return () => false;
    return (path) => filter.lets({ path: path.slice(this.#root.length + 1), absolute: path });
  }
}

/** null where it cannot be read. */
function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

interface Kind {
  isDirectory(): boolean;
  isFile(): boolean;
}

/** What the folders above say, up to the one that holds `.git`; nothing where there is none. */
function rulesAbove(root: string): Ignores | null {
  const folders = [root];
  for (;;) {
    const [folder = root] = folders;
    if (lstat(join(folder, ".git")) !== undefined) break;
    const above = folder.slice(0, folder.lastIndexOf("/"));
    if (above === "") return null;
    folders.unshift(above);
  }
  const [top = root] = folders;
  const own = new Ignores(top, [textOf(join(top, ".git/info/exclude"))], null);
  // The root's own rules are read as those of any folder.
  return folders.slice(0, -1).reduce((above, folder) => {
    return new Ignores(
      folder,
      IGNORE_FILES.map((name) => textOf(join(folder, name))),
      above,
    );
  }, own);
}

/** "" where there is none, or where it is something else than a file. */
function textOf(path: string): string {
  if (lstat(path)?.isFile() !== true) return "";
  let file: number | null = null;
  try {
    file = openPlain(path);
    return readFileSync(file, "utf8");
  } catch {
    return "";
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Never waits, as opening a FIFO would, and follows no link that has come since one looked. @throws as openSync */
export function openPlain(path: string): number {
  return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
}

/** undefined where it is gone, or cannot be looked at. */
export function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
