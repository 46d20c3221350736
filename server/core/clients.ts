/**
 * What we know of one client: its life, abilities, folders and open documents. Plain state and small questions about it;
 * the conversation itself is in `lifecycle.ts` and `mux.ts`.
 */
import type { Limits } from "../config/config.ts";
import type { BackendSpec } from "../config/resolve.ts";
import type { ClientCapabilities } from "../protocol/messages.ts";
import type { Backend } from "./backends.ts";
import type { View } from "./documents.ts";
import type { Completions } from "./merge/completions.ts";
import type { Accepted } from "./merge/renaming.ts";
import type { ToldTokens } from "./merge/token-deltas.ts";
import type { ClientId, Env, LogLevel, Peer, Timer } from "./ports.ts";
import type { Encoding } from "./positions.ts";
import type { Settings } from "./settings.ts";
import type { Legend } from "./tokens.ts";

export interface Folder {
  /** The client's spelling. */
  readonly uri: string;
  /** Identity: see `uris.ts`. */
  readonly key: string;
  readonly name: string;
}

/** The configuration that holds for one client: ours, its folders' and its own (contract section 7). */
export interface Setup {
  /** Equal where the same was configured. */
  readonly said: string;
  /** Every enabled backend, in rank order. */
  readonly backends: readonly BackendSpec[];
  /** Those that serve a language, in rank order. */
  ranked(language: string): readonly BackendSpec[];
  /** Whether the user lets a backend be asked a method for a language (`[languages.LANG.features.NAME]`). */
  allows(language: string, backend: string, method: string): boolean;
  /** Whether the user has trusted a folder or one around it (a path): what lies in it may be run. */
  trusts(folder: string): boolean;
  readonly limits: Limits;
  readonly log: { readonly level: LogLevel; readonly file?: string };
  /** Put before the command ids that we announce (`initializationOptions.switchboard.commandPrefix`). */
  readonly commandPrefix: string;
  /** Things to tell the user once, such as a wrong key in a file. */
  readonly messages: readonly string[];
}

/** Where a client comes from: what a Switchboard of its own would find around itself. */
export interface Origin {
  /** The configuration for these folders (paths) and these `initializationOptions.switchboard`. */
  readonly setup: (folders: readonly string[], options: unknown) => Setup;
  /** Environment variables, which the backends that it starts inherit. */
  readonly env: Env;
  /** URI of the folder that counts as its own where it names none. */
  readonly workingFolder?: string;
}

export class Client {
  readonly id: ClientId;
  readonly peer: Peer;
  readonly origin: Origin;
  state: "new" | "open" | "shutdown" | "gone" = "new";
  /** `initialized` has come, or is awaited no longer: before it nothing but the answer to `initialize` is sent. */
  initialized = false;
  /** It has sent something before it. */
  begins = false;
  capabilities: ClientCapabilities = {};
  encoding: Encoding = "utf-16";
  folders: Folder[] = [];
  /** They have changed since it came. */
  moved = false;
  /** It named no folder: its one folder is where we were started. */
  guessed = false;
  setup: Setup;
  /** Its `initializationOptions.switchboard`. */
  options: unknown = null;
  legend: Legend | null = null;
  /** Watches the process that it says has started us. */
  parent: Timer | null = null;
  /** Settings of the last didChangeConfiguration, else null. */
  settings: unknown = null;
  pulled = noneAsked();
  /** Methods that it was told of at initialize: never registered dynamically as well. */
  announced: ReadonlySet<string> = new Set();
  /** Characters that it was told to ask at, by method. */
  triggers: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** What was registered with it since: method to our id (`relay.ts`). */
  readonly registered = new Map<string, string>();
  /** Open documents by the client's own spelling of the URI. */
  readonly views = new Map<string, View>();
  /** Open documents whose URI is not plain; while there is one, answers that carry URIs are rewritten. */
  oddUris = 0;
  readonly backends = new Set<Backend>();
  /** Where its open documents outside of all folders were put, by document and server: they stay there. */
  readonly outside = new Map<string, Map<string, { readonly backend: Backend; readonly root: Folder }>>();
  /** Of these, those whose folder it no longer has; they are left once it has closed their documents. */
  readonly homeless = new Set<Backend>();
  /** The backend that answered a row last, where it was one only: its items may have no `data`. By method of the row. */
  readonly bareOwners = new Map<string, Backend>();
  /** The document whose items it asked for last. By method of the row. */
  readonly itemsOf = new Map<string, string>();
  /** The process whose `data` went without envelopes, while it was the client's only one. By method of the row. */
  readonly bareData = new Map<string, { readonly backend: Backend; readonly generation: number }>();
  /** Incomplete lists of completions that may be asked for again, with the complete ones beside them. */
  completions: Completions | null = null;
  /** The place that a backend has accepted to rename last. */
  accepted: Accepted | null = null;
  /** The semantic tokens that it has, by key of the document, and the number of the last result id. */
  readonly tokens = new Map<string, ToldTokens>();
  lastTokens = 0;
  /** Our result id of its last report of pulled diagnostics, by key of the document, and the number of the last one. */
  readonly reports = new Map<string, string>();
  /** Likewise of reports of the whole workspace. */
  readonly workspaceReports = new Map<string, string>();
  lastReport = 0;
  /** Texts shown already by window/showMessage. */
  readonly shown = new Set<string>();
  /** What waits to be said until `initialized`. */
  readonly unsaid: Buffer[] = [];
  inFlight = 0;

  /** @param setup what holds until it has named its folders */
  constructor(id: ClientId, setup: Setup, origin: Origin = { setup: () => setup, env: {} }) {
    this.id = id;
    this.peer = { client: id };
    this.origin = origin;
    this.setup = setup;
  }

  /** Whether a dotted path of its capabilities is set to something true or an object. */
  can(path: string): boolean {
    let at: unknown = this.capabilities;
    for (const key of path.split(".")) {
      if (typeof at !== "object" || at === null) return false;
      at = (at as Record<string, unknown>)[key];
    }
    return at !== undefined && at !== null && at !== false;
  }

  /** Whether it may be another backend's than before: it lies outside of all folders, or these have changed. */
  mayMove(key: string): boolean {
    return this.moved || this.folderOf(key) === undefined;
  }

  /** Whether it asks for the differences between semantic tokens. */
  get takesDeltas(): boolean {
    return this.can("textDocument.semanticTokens.requests.full.delta");
  }

  /** It has closed a document: nothing that it was told of it holds any more. */
  forget(key: string): void {
    this.tokens.delete(key);
    this.reports.delete(key);
  }

  /** The folder that holds the document, the innermost where several do. */
  folderOf(key: string): Folder | undefined {
    let best: Folder | undefined;
    for (const folder of this.folders)
      if (isWithin(key, folder.key) && (best === undefined || folder.key.length > best.key.length)) best = folder;
    return best;
  }
}

/** Whether somebody may spell the folder in another way: a link leads to it, or its name has to be escaped. */
export function isOdd({ uri, key }: Folder): boolean {
  return uri !== key || uri.includes("%");
}

/** The URI of what lies in a folder, as one who knows the folder by its `uri` spells it. */
export function spelledIn(folder: Folder, key: string, uri: string): string {
  const base = folder.uri.endsWith("/") ? folder.uri : `${folder.uri}/`;
  return uri === folder.uri || uri.startsWith(base) ? uri : folder.uri + key.slice(folder.key.length);
}

/** Whether the document `key` lies in the folder `folder` (both canonical URIs). */
export function isWithin(key: string, folder: string): boolean {
  const base = folder.endsWith("/") ? folder : `${folder}/`;
  return key === folder || key.startsWith(base);
}

/** A client's answers to workspace/configuration: what it was asked, and a tree of settings per scope ("" is none). */
export interface Pulled {
  readonly asked: Set<string>;
  readonly scopes: Map<string, Settings>;
  /** It did not answer, or with an error: it is not asked again, since each time would keep a backend waiting. */
  refused: boolean;
}

/** Before a client was asked for settings, and again when they changed. */
export function noneAsked(): Pulled {
  return { asked: new Set(), scopes: new Map(), refused: false };
}
