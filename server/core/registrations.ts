/**
 * What one backend process is able of: the capabilities of its `initialize` answer below a stack of dynamic registrations.
 * The latest registration that fits a document decides; taking it back reveals the one before. Registration ids are the
 * backend's own and mean nothing beyond it. What is announced to clients is `abilities.ts`'s business, matching of globs
 * `globs.ts`'s.
 */
import type { Registration, ServerCapabilities, Unregistration } from "../protocol/messages.ts";
import { M, type Row, rows } from "../protocol/methods.ts";
import { fitsAnywhere, fitsBelow, type Glob } from "./backends/globs.ts";
import { isObject, lookUp } from "./settings.ts";
import type { Legend } from "./tokens.ts";

/** The document asked about: its URI, and its language as it is named to this backend. */
export interface Subject {
  readonly uri: string;
  readonly language: string;
}

export type Options = { readonly [name: string]: unknown };

/** LSP's TextDocumentSyncKind: none, full, incremental. */
export type SyncKind = 0 | 1 | 2;

export interface Watcher {
  readonly glob: Glob;
  /** Bits: 1 create, 2 change, 4 delete. */
  readonly kind: number;
}

interface Entry {
  readonly id: string;
  readonly options: Options;
}

const NONE: readonly Entry[] = [];

export class Registrations {
  readonly #static: Options;
  readonly #announced = new Map<Row, Options | null>();
  /** By registered method, the latest last. */
  readonly #stacks = new Map<string, Entry[]>();
  /** Ids of static registrations (LSP 3.18, StaticRegistrationOptions) that were taken back. */
  readonly #withdrawn = new Set<string>();
  /** Of all registrations; null when they changed since. */
  #watchers: readonly Watcher[] | null = null;
  #commands: ReadonlySet<string> | null = null;

  constructor(capabilities: ServerCapabilities | Options) {
    this.#static = { ...capabilities, textDocumentSync: syncOptions(capabilities.textDocumentSync) };
  }

  /** Whether the backend serves a row: for the document, or where none is given, for any. */
  can(row: Row, document?: Subject): boolean {
    return row.capability === null || this.options(row, document) !== null;
  }

  /**
   * The options in force for a row, `{}` where it was announced without any; null when the backend cannot.
   * For a resolve row they are those of the method whose items it resolves.
   */
  options(row: Row, document?: Subject): Options | null {
    const stack = this.#stacks.get(row.registration ?? row.method) ?? NONE;
    if (stack.length > 0) {
      const { flag } = providerOf(row);
      for (const { options } of stack.toReversed()) {
        if (!selects(options, document)) continue;
        const able = flag === "" || isSet(lookUp(options, flag));
        if (able) return options;
        if (document) return null;
      }
    }
    const announced = this.#announcedOf(row);
    return announced !== null && !this.#isWithdrawn(announced) && selects(announced, document) ? announced : null;
  }

  /** The options of the `initialize` answer, looked up once a row: each question asks for them. */
  #announcedOf(row: Row): Options | null {
    let known = this.#announced.get(row);
    if (known === undefined) {
      known = announcedIn(this.#static, row);
      this.#announced.set(row, known);
    }
    return known;
  }

  /** The legend of its semantic tokens, null when it has none. */
  legend(document?: Subject): Legend | null {
    for (const row of tokenRows) {
      const legend = this.options(row, document)?.legend;
      if (isLegend(legend)) return legend;
    }
    return null;
  }

  /** Adds registrations (client/registerCapability); one with the id of an earlier one of its method replaces it. */
  register(registrations: readonly Registration[]): void {
    this.#watchers = null;
    this.#commands = null;
    for (const { id, method, registerOptions } of registrations) {
      const kept = (this.#stacks.get(method) ?? []).filter((entry) => entry.id !== id);
      this.#stacks.set(method, [...kept, { id, options: isObject(registerOptions) ? registerOptions : {} }]);
    }
  }

  /** Takes registrations back (client/unregisterCapability); unknown ones are ignored. */
  unregister(unregistrations: readonly Pick<Unregistration, "id" | "method">[]): void {
    this.#watchers = null;
    this.#commands = null;
    for (const { id, method } of unregistrations) {
      const stack = this.#stacks.get(method) ?? [];
      const kept = stack.filter((entry) => entry.id !== id);
      if (kept.length === stack.length) this.#withdrawn.add(id);
      this.#stacks.set(method, kept);
    }
  }

  /** The ids of its commands: unlike for other methods all registrations count, each brings commands of its own. */
  commands(): ReadonlySet<string> {
    if (this.#commands !== null) return this.#commands;
    const announced = this.#static.executeCommandProvider;
    const registered = this.#stacks.get(M.executeCommand)?.map(({ options }) => options) ?? [];
    const all = isObject(announced) && !this.#isWithdrawn(announced) ? [announced, ...registered] : registered;
    const ids = all.flatMap(({ commands }): readonly unknown[] => (Array.isArray(commands) ? commands : []));
    this.#commands = new Set(ids.filter((id) => typeof id === "string"));
    return this.#commands;
  }

  /** The methods that are registered now, each with the options of its latest registration. */
  registered(): ReadonlyMap<string, Options> {
    const latest = new Map<string, Options>();
    for (const [method, stack] of this.#stacks) {
      const last = stack.at(-1);
      if (last !== undefined) latest.set(method, last.options);
    }
    return latest;
  }

  /** How changes of a document are sent. */
  syncKind(document: Subject): SyncKind {
    const registered = this.#latest(M.didChange, document)?.syncKind;
    return syncKindOf(registered ?? lookUp(this.#static, "textDocumentSync.change"));
  }

  /** Whether the backend hears of saves, and whether with the text. */
  saves(document: Subject): false | { readonly includeText: boolean } {
    const save = this.#latest(M.didSave, document) ?? lookUp(this.#static, "textDocumentSync.save");
    return isSet(save) && { includeText: isObject(save) && save.includeText === true };
  }

  /** What it wants to be told of by workspace/didChangeWatchedFiles. */
  watchers(): readonly Watcher[] {
    this.#watchers ??= (this.#stacks.get(M.didChangeWatchedFiles) ?? []).flatMap(({ options }) =>
      Array.isArray(options.watchers) ? options.watchers.flatMap(watcherOf) : [],
    );
    return this.#watchers;
  }

  /**
   * Whether it wants to be told of an event.
   * @param root URI of the folder that relative patterns start from
   */
  watches(event: { readonly uri: string; readonly type: 1 | 2 | 3 }, root: string | null): boolean {
    const bit = 1 << (event.type - 1);
    return this.watchers().some(({ glob, kind }) => (kind & bit) !== 0 && fitsBelow(glob, event.uri, root));
  }

  #latest(method: string, document: Subject): Options | undefined {
    return this.#stacks.get(method)?.findLast(({ options }) => selects(options, document))?.options;
  }

  #isWithdrawn(options: Options): boolean {
    return typeof options.id === "string" && this.#withdrawn.has(options.id);
  }
}

const tokenRows = rows.filter(({ carries }) => carries.includes("tokens"));

/** Whether a value has the shape of a SemanticTokensLegend. */
export function isLegend(value: unknown): value is Legend {
  return isObject(value) && isTexts(value.tokenTypes) && isTexts(value.tokenModifiers);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether a value of a capability announces it: `true`, options, or a number that is not 0. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0;
}

/** A row that shares another's registration is a flag among its options ("resolveProvider", "full"). */
function providerOf({ capability, registration }: Row): { readonly provider: string; readonly flag: string } {
  const [provider = "", ...rest] = capability?.split(".") ?? [];
  return { provider, flag: registration === null ? "" : rest.join(".") };
}

function announcedIn(capabilities: Options, row: Row): Options | null {
  if (row.capability === null) return null;
  const { provider, flag } = providerOf(row);
  const announced = lookUp(capabilities, row.capability);
  if (!isSet(announced)) return null;
  const whole = flag === "" ? announced : lookUp(capabilities, provider);
  return isObject(whole) ? whole : {};
}

/** The long form of `textDocumentSync`; a bare number stands for opening, closing and saving as well. */
function syncOptions(sync: unknown): Options | undefined {
  if (typeof sync !== "number") return isObject(sync) ? sync : undefined;
  return sync === 0 ? undefined : { openClose: true, change: sync, save: true };
}

function syncKindOf(value: unknown): SyncKind {
  return value === 1 || value === 2 ? value : 0;
}

/** Whether options hold for the document: their selector fits it, or they have none, or no document is asked about. */
function selects(options: Options, document: Subject | undefined): boolean {
  const selector = options.documentSelector;
  if (!document || selector === undefined || selector === null) return true;
  const filters: readonly unknown[] = Array.isArray(selector) ? selector : [selector];
  return filters.some((filter) => fits(filter, document));
}

/** LSP 3.18, DocumentFilter: every part that is given must fit. Notebook cells are no documents of ours yet. */
function fits(filter: unknown, { uri, language }: Subject): boolean {
  if (typeof filter === "string") return filter === "*" || filter === language;
  if (!isObject(filter) || "notebook" in filter) return false;
  if (typeof filter.language === "string" && filter.language !== "*" && filter.language !== language) return false;
  if (typeof filter.scheme === "string" && filter.scheme !== uri.slice(0, uri.indexOf(":"))) return false;
  return (
    filter.pattern === undefined ||
    filter.pattern === null ||
    (isGlob(filter.pattern) && fitsAnywhere(filter.pattern, uri))
  );
}

function watcherOf(watcher: unknown): readonly Watcher[] {
  if (!isObject(watcher) || !isGlob(watcher.globPattern)) return [];
  return [{ glob: watcher.globPattern, kind: typeof watcher.kind === "number" ? watcher.kind : 7 }];
}

function isGlob(value: unknown): value is Glob {
  if (typeof value === "string") return true;
  if (!isObject(value) || typeof value.pattern !== "string") return false;
  return typeof value.baseUri === "string" || (isObject(value.baseUri) && typeof value.baseUri.uri === "string");
}
