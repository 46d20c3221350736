/**
 * What the core asks of the syntax backend beside LSP's methods: shapes and names, for both sides. Documents come along with
 * the question, as the client that asks sees them, so that nothing has to be opened for it.
 */

import type { Covered } from "../core/ports.ts";
import type { SymbolKindName } from "../protocol/extensions.ts";
import type { KeeperState } from "./index/folder-keeper.ts";
import type { Access } from "./outlining.ts";
import type { Found } from "./requests.ts";
import type { Match } from "./spelled.ts";

export const S = {
  /** The declarations of one file, nested. */
  outline: "$/syntax/outline",
  /** Declarations in many files, in the order of the files. */
  declarations: "$/syntax/declarations",
  /** Where a name stands in many files. */
  mentions: "$/syntax/mentions",
  /** A page of the declarations of all files. */
  search: "$/syntax/search",
  /** The files in which a name is written, by the index of names. */
  candidates: "$/syntax/candidates",
  /** Names like one that is not there. */
  suggestions: "$/syntax/suggestions",
  status: "$/syntax/status",
} as const;

/** A file that is to be read. */
export interface FileAsked {
  readonly uri: string;
  /** LSP id. */
  readonly language: string;
  /** As a client has it open; missing: as it is on disk. */
  readonly text?: string;
}

export interface CandidatesQuestion {
  /** Canonical URIs. */
  readonly folders: readonly string[];
  /** null: all files. */
  readonly name: string | null;
  readonly match: Match;
  /** LSP ids. */
  readonly languages: readonly string[];
  /** Of these a server says what they declare: files are told also where syntax knows that they only use the name. */
  readonly served: readonly string[];
  /** What it says ranks higher; see `SymbolByNameParams.path`. */
  readonly path: string | null;
  /** So many files are told, the best. */
  readonly limit: number;
  /** So long the index is waited for where it is still being made, ms. */
  readonly waitMs: number;
}

/** As the files are on disk now. */
export interface CandidatesAnswer {
  readonly state: KeeperState;
  /** Canonical URIs, the best first. */
  readonly uris: readonly string[];
  /** Whether there are no others, in the languages that are indexed. */
  readonly whole: boolean;
  /** Beside these so many files hold the name, and declare nothing of it. */
  readonly silent: number;
  /** Of the languages asked for those that are not. */
  readonly unindexed: readonly string[];
  /** Whether a file in these languages holds what makes names that are written nowhere (macros). */
  readonly makeable: boolean;
  readonly covered: Covered;
}

export interface SuggestionsQuestion {
  readonly folders: readonly string[];
  readonly name: string;
  readonly most: number;
}

export interface StatusAnswer {
  readonly index: {
    readonly files: number;
    readonly names: number;
    /** Of memory. */
    readonly bytes: number;
    readonly state: KeeperState;
    readonly coverage: Covered;
    /** Files of which it is not known yet what they declare. */
    readonly untold: number;
  };
}

export interface OutlineQuestion {
  readonly file: FileAsked;
  /** 1: top level; missing: all. */
  readonly depth?: number;
  /** With the text of each range. */
  readonly bodies: boolean;
}

export interface DeclarationsQuestion {
  /** Best first. */
  readonly files: readonly FileAsked[];
  /** Of which name; missing: all. */
  readonly name?: string;
  /** Of the name; default exact. */
  readonly match?: Match;
  /** Default 5000. */
  readonly timeoutMs?: number;
}

/**
 * Why a file tells nothing: no grammar for its language; it cannot be read, or is too large; the parser gave up, hung or died.
 */
export type Failing = "noGrammar" | "unreadable" | "tooLarge" | "unparsed";

/** The declarations of many files, in the order of the files. */
export interface DeclarationsAnswer {
  readonly found: readonly Found[];
  /** Files by what went wrong with them. */
  readonly failed: Readonly<Record<Failing, readonly string[]>>;
  /** Files that were not looked at: the time was over. */
  readonly left: number;
}

export interface MentionsQuestion {
  /** Those whose files are asked about, by the index: canonical URIs, and as the client spells them. */
  readonly folders: readonly { readonly key: string; readonly uri: string }[];
  /** Files that count as they are here: what the client has open, or all where there is no index. */
  readonly files: readonly FileAsked[];
  readonly name: string;
  /** LSP ids. */
  readonly languages: readonly string[];
  /** See `NameMentionsParams`. */
  readonly in: readonly string[];
  /** Places where the name is declared count as well. */
  readonly declarations: boolean;
  /** So many files are told, and so many lines of each. */
  readonly limit: number;
  readonly perFile: number;
  readonly timeoutMs: number;
}

/** A line, 0-based, with all of its text; columns in UTF-16 units. */
export interface UseLine {
  readonly line: number;
  readonly columns: readonly number[];
  readonly text: string;
  /** The declaration around it: its whole name, or "". */
  readonly owner: string;
  readonly isDeclaration: boolean;
}

/** What one file says of a name. */
export interface Uses {
  /** All places, also of lines that are not told. */
  readonly hits: number;
  readonly lines: readonly UseLine[];
}

export interface MentionsAnswer {
  readonly state: KeeperState;
  /** Of all files, also those that are not told. */
  readonly total: number;
  readonly fileCount: number;
  /** The files with the most places. */
  readonly used: readonly (Uses & { readonly uri: string })[];
  /** Files of which not all can be told, and those that were not looked at in time. */
  readonly failed: number;
  readonly left: number;
  /** Whether there are no other files. */
  readonly whole: boolean;
  readonly covered: Covered;
}

/** See `SymbolSearchParams`. */
export interface SearchQuestion {
  /** Those that are searched: canonical URIs, and as the client spells them. */
  readonly folders: readonly { readonly key: string; readonly uri: string }[];
  /** Whether their files are those of the index; else there are none but `files`. */
  readonly byIndex: boolean;
  /** Files that count as they are here: what the client has open, or all where there is no index. */
  readonly files: readonly FileAsked[];
  /** LSP ids; null: all. */
  readonly languages: readonly string[] | null;
  /** See `SymbolSearchParams`. */
  readonly in: readonly string[];
  /** What is declared in files that it names ranks higher; null: none. */
  readonly path: string | null;
  readonly query: string;
  /** LSP's numbers; null: all. */
  readonly kinds: readonly number[] | null;
  readonly namespace: string;
  readonly access: Access | null;
  /** Neither generated files nor code of tests. */
  readonly sourceOnly: boolean;
  readonly sortBy: "score" | "name" | "kind" | "path" | "container";
  readonly descending: boolean;
  readonly skip: number;
  readonly take: number;
  readonly timeoutMs: number;
}

/** 0-based, in UTF-16 units. */
export interface FoundSymbol {
  readonly language: string;
  readonly name: string;
  readonly qualifiedName: string;
  readonly kind: SymbolKindName;
  readonly container: string;
  readonly uri: string;
  readonly line: number;
  readonly column: number;
  readonly symbolKey: string;
  readonly access: Access;
}

export interface SearchAnswer {
  readonly state: KeeperState;
  readonly total: number;
  readonly matches: readonly FoundSymbol[];
  readonly truncatedForSize: boolean;
  /** Rises with every change that was seen. */
  readonly generation: number;
  /** Files of which nothing can be told, and those that were not read in time. */
  readonly failed: number;
  readonly left: number;
  /** Whether there are no other files. */
  readonly whole: boolean;
  readonly covered: Covered;
}
