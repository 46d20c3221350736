/**
 * What is known about a language server, as plain data. One file a server beside this one; the core imports only these
 * types and never a server's name.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * When a server's answers about the whole project can be trusted. Times in ms.
 * The gate (in the core) waits for this within its cap and opens for good after a process's first ready.
 */
export type Ready =
  /** At once after `initialized`: the server itself blocks until it knows the answer, or needs no load. */
  | { readonly on: "initialized" }
  /** As soon as one of its files is open. */
  | { readonly on: "open" }
  /** On a notification whose params satisfy `when`. */
  | { readonly on: "notification"; readonly method: string; readonly when: (params: unknown) => boolean }
  /**
   * On the end of work-done progress: ready when a progress whose title or token matches `match` has ended and none such
   * runs. `settle`: ready as well when that long after the first file was opened no such progress has begun
   * (a warm cache has nothing to report).
   */
  | { readonly on: "progress"; readonly match: RegExp; readonly settle: number };

/** How a server spells symbols in `workspace/symbol` and `documentSymbol`. */
export interface NameRules {
  /** Printed between segments: "." or "::". */
  readonly separator: string;
  /** Whether `containerName` of workspace/symbol is the whole container path, only the nearest one, or missing. */
  readonly container: "path" | "nearest" | "none";
  /** Further queries asked beside the leaf itself, so that nothing is hidden (rust-analyzer: `name#`). */
  readonly queries?: (leaf: string) => readonly string[];
  /** A query for names that end so, to be asked where the list is cut: what only resembles the leaf is not in the way then. */
  readonly narrowed?: (leaf: string) => string;
  /** Where outlines list what a file imports: the text that stands before such a name. */
  readonly importBefore?: RegExp;
  /** Known cap of the list; at or above it an answer may be cut. */
  readonly cap?: number;
  /** Its lists keep places of an older text for a while after an edit, or for good once a file was closed or changed on disk. */
  readonly stale?: boolean;
  /** What is born in the body of a macro is listed where the macro is defined, instead of where it is used. */
  readonly macros?: boolean;
}

/** A self call on the same backend, in its own terms (positions too); the original stays open meanwhile. */
export type Ask = (
  method: string,
  params: unknown,
  then: (answer: { result: unknown } | { error: unknown }) => void,
) => void;

/** A document as the server has it open, else as it is on disk; null where it cannot be read. */
export type Read = (uri: string, then: (text: string | null) => void) => void;

/** A correction of one known fault of one server. */
export interface Quirk {
  readonly id: string;
  /** The fault, in a sentence. */
  readonly why: string;
  readonly link: string;
  /** Versions of the server it holds for: "*", "<=22", ">=14 <20", "<3 || >=7" (`core/backends/affects.ts`). */
  readonly affects: string;
  /** LSP method it is about. */
  readonly on: string;
  /** Changes the params before they are sent. */
  readonly request?: (params: unknown) => unknown;
  /** Changes the answer; `params` are those sent, all in the server's terms. Calls `done` exactly once with the new result. */
  readonly response?: (result: unknown, params: unknown, ask: Ask, done: (result: unknown) => void, read: Read) => void;
}

/** Where the executable comes from. */
export type Command =
  /** argv; the first is looked up on PATH. */
  | readonly string[]
  /**
   * A file of a package that we depend on; one that ends in `.js` is run by our own node. `{platform}`, `{arch}` and
   * `{exe}` (".exe" on Windows, else "") are filled in; `through` names the package whose own dependency it is.
   */
  | { readonly embedded: string; readonly through?: string; readonly bin: string; readonly args: readonly string[] };

/** A package that a server runs or is, of which projects have their own copies. */
export interface ProjectPackage {
  readonly name: string;
  /** Major versions that it runs or is: where the project's is one of them, this server goes before others. */
  readonly majors: readonly number[];
  /**
   * What makes it run the copy in a folder. Without it the server itself comes out of the project's copy. A copy of the
   * project is run only where its folder is trusted.
   */
  readonly run?: (folder: string) => Pick<Adapter, "settings" | "initializationOptions">;
  /**
   * Left alone it would look for a copy in the project. So it is always told of one: where none of the project's may be
   * run, that which lies beside its own files, and without that it cannot be started.
   */
  readonly seeks?: true;
}

/** A root, and what can be known of it without running anything. */
export interface Surroundings {
  /** Path of the root. */
  readonly root: string;
  /** The user has trusted it (`switchboard trust`): what lies in it may be run. */
  readonly trusted: boolean;
  readonly exists: (path: string) => boolean;
  /** Our own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Given to a server for one root, below what the user has configured. Roots with different ones have processes of their own. */
export interface Environment {
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: { readonly [section: string]: Json };
  readonly initializationOptions?: { readonly [key: string]: Json };
  /** What is left undone because the user has not trusted the root, to be told once; begins in the middle of a sentence. */
  readonly withheld?: string;
}

/** What the start of a server may depend on besides: the machine, and a folder of ours. Synchronous: it is asked once a start. */
export interface Site {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's home folder. */
  readonly home: string;
  exists(path: string): boolean;
  /** The real path of a path, itself when it does not exist. */
  real(path: string): string;
  /** What is in a folder: none where it cannot be read. Folders by themselves, not links to them. */
  list(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[];
  /** The first 16 KiB of a file as text; "" where it cannot be read. */
  read(path: string): string;
  /** Our folder for what can be made again; it may not exist yet. */
  readonly cache: string;
  /**
   * A folder in our cache that this start has for itself: the same for the same two texts, unless a process that still
   * lives has that one. It may not exist yet.
   */
  folder(purpose: string, of: string): string;
}

/** How to start a server at one root. */
export type Start =
  | {
      /** Behind the arguments of its command. */
      readonly args?: readonly string[];
      /** Added to our own environment, below the user's. */
      readonly env?: Readonly<Record<string, string>>;
      /** Below those of the adapter and the user. */
      readonly initializationOptions?: { readonly [key: string]: Json };
    }
  /** It cannot run here: why, and what to install. */
  | { readonly missing: string };

export interface Adapter {
  readonly name: string;
  /** LSP language ids, the one it is best at first. */
  readonly languages: readonly string[];
  /** Groups of marker file names; a folder that holds any name of the earliest group found is a root. */
  readonly roots: readonly (readonly string[])[];
  /** One process can serve several folders (workspaceFolders). */
  readonly multiRoot?: boolean;
  readonly command: Command;
  readonly project?: ProjectPackage;
  /** What a user runs or reads to get it; missing where it comes with us. */
  readonly install?: string;
  /** Arguments that make it print its version; missing where nothing does. */
  readonly version?: readonly string[];
  /** Answers to workspace/configuration and didChangeConfiguration, below the user's own. */
  readonly settings?: { readonly [section: string]: Json };
  readonly initializationOptions?: Json;
  /** Further client capabilities that we announce to it because we handle them, merged over the client's. */
  readonly capabilities?: { readonly [key: string]: Json };
  /** Capabilities (`workspaceSymbolProvider`) that it announces and that are as good as absent: it is not asked. */
  readonly withholds?: readonly string[];
  /** What it is told of a root because of what lies there (virtual environments and the like). Pure. */
  readonly environment?: (around: Surroundings) => Environment;
  /**
   * What of its user's environment changes its answers: variables, and the programs that it runs by name. Clients that differ
   * in them have processes of their own.
   */
  readonly heeds?: { readonly env?: readonly string[]; readonly programs?: readonly string[] };
  /** How it is started at a root (a path) on this machine. Unlike `environment` it may take things for that start alone. */
  readonly start?: (root: string, on: Site) => Start;
  /** Set where the server counts otherwise than the encoding it announces. */
  readonly encoding?: "utf-8" | "utf-16" | "utf-32";
  /** Characters that it takes for an end of a line beside \n, \r\n and \r: a text that holds such is sent to it whole, for it misplaces edits. */
  readonly linesEndAt?: string;
  readonly ready: Ready;
  /**
   * Whether questions about a project need files open. "open": one, once. `each`: one of each project, all the time, for
   * a project is forgotten with its last open file, and what is not loaded is missing from references and renames;
   * a folder that holds one of these file names is a project.
   */
  readonly warmUp: "none" | "open" | { readonly each: readonly string[] };
  /** Endings of file names that a warm-up by one file looks for first. */
  readonly warmUpBy?: readonly string[];
  /**
   * "opened": its index knows a file as it was when it was last open in it, whatever it is told of the disk; it publishes
   * diagnostics of each version of an open document once it has taken it in.
   */
  readonly index?: "opened";
  /** How long its start may take, where that is longer than the default (`limits.startMs`), ms, with the reason beside it. */
  readonly startMs?: number;
  /** Gates longer than the defaults, in ms from the backend's `initialized`, with the reason beside them. */
  readonly gates?: Partial<Readonly<Record<"definition" | "references" | "symbol" | "rename", number>>>;
  /** Whether diagnostics of files that no client opened are meant for the user. */
  readonly publishes: "open" | "project";
  readonly symbol?: NameRules;
  /** Two general servers: the first in rank that can. General and addon: answers combined. */
  readonly role: "general" | "addon";
  /** It serves a language only where no other general server of it is installed, and its symbols are confirmed by none. */
  readonly lastResort?: true;
  readonly quirks: readonly Quirk[];
}

/** Checks at the type level and returns its argument. */
export function defineAdapter(adapter: Adapter): Adapter {
  return adapter;
}
