/**
 * What servers' lists hide: code under build tags, files that are part of no project, names that a list leaves out, servers
 * without a list. The outlines of the files that hold the name tell it.
 */
import type { Backend } from "../core/backends.ts";
import type { Source } from "../protocol/extensions.ts";
import { declared, writtenParameters } from "./candidates.ts";
import { isImport } from "./imports.ts";
import { type Inquiry, outlineOf, type Seen, serverOf, whereIs } from "./inquiry.ts";
import {
  add,
  fitsLeaf,
  inPackage,
  isHidden,
  type Known,
  knownOf,
  type Listed,
  NO_LIST,
  pooled,
  stateOf,
} from "./lists.ts";
import { isHinted } from "./paths.ts";
import { qualifiedName } from "./rank.ts";
import { repeated } from "./repeated.ts";
import type { Written } from "./scope.ts";

/** Of files that hold a name so many are read for it. */
const MAX_READ = 256;
/** How long that may take where something was found already, ms. */
const READ_MS = 1500;

/** What outlines of files that hold the name added. */
export interface Unlisted {
  /** All symbols, those of the lists first. */
  readonly found: readonly Known[];
  /** Files that hold the name and that no server has read. */
  readonly unread: readonly Seen[];
  /** Servers that read some, with the language of it. */
  readonly readers: ReadonlyMap<Backend, string>;
}

/**
 * The symbols of the name in files that hold it and that no list named: code under build tags, files that are part of no
 * project, names that a list leaves out, servers without a list. Without this, absence could not be told from silence.
 * @param known what the lists gave; a declaration of one of these is no symbol of its own
 */
export async function unlisted(
  inquiry: Inquiry,
  written: Written,
  known: readonly Known[],
  hasMatch: boolean,
): Promise<Unlisted> {
  const { mux } = inquiry;
  const soon = hasMatch ? Math.min(inquiry.until, mux.ports.now() + READ_MS) : inquiry.until;
  const found = new Map<string, Known>();
  const readers = new Map<Backend, string>();
  const { hinted, others } = byHint(inquiry, written.files);
  const ordered = [...hinted, ...others];
  const files = ordered.slice(0, MAX_READ);
  const unread = new Set(ordered.slice(MAX_READ));
  const told = new Map<string, readonly { readonly isMeant: boolean; readonly known: Known }[]>();
  await pooled(files, async (text) => {
    const backend = serverOf(inquiry, text.uri, text.key);
    // What was found elsewhere says nothing about the file that is meant.
    const until = hinted.includes(text) ? inquiry.until : soon;
    const isLate = mux.ports.now() >= until && !inquiry.outlines.has(text.key);
    const outline = isLate || backend === undefined ? null : await outlineOf(inquiry, text.uri, until);
    if (outline === null || backend === undefined) {
      unread.add(text);
      return;
    }
    readers.set(backend, mux.languageOf(text.uri, undefined, inquiry.client) ?? backend.name);
    const { encoding } = inquiry.client;
    const entries = outline.filter(({ name }) => fitsLeaf(inquiry, name.leaf, text.uri));
    const all = entries.map((entry) => {
      const one = declared(entry, inPackage(inquiry, text, entry.name), text.text, encoding);
      const isMeant = !isHidden(inquiry, entry) && !isImport(backend, text, one, inquiry);
      return { isMeant, known: knownOf(inquiry, backend, text, one, outline) };
    });
    told.set(text.key, all);
  });
  // What was only listed is what the outline says it is.
  for (const one of known)
    if (one.outlined || !(told.get(one.seen.key) ?? []).some((other) => isSamePlace(other.known, one))) add(found, one);
  // In the order of the files, whichever server was the first.
  for (const { key } of files)
    for (const one of told.get(key) ?? []) if (one.isMeant && !isDeclared(one.known, known)) add(found, one.known);
  for (const one of [...found.values()]) for (const other of beside(inquiry, one)) add(found, other);
  return { found: [...found.values()], unread: ordered.filter((text) => unread.has(text)), readers };
}

/** Further declarations of a symbol's name in its scope. */
function beside({ client }: Inquiry, known: Known): readonly Known[] {
  const { language, seen, where, location } = known;
  if (where.path === null) return [];
  const others = repeated(language, seen.text, location.selectionRange, client.encoding);
  return others.map((ranges) => {
    const parameters = writtenParameters(seen.text, ranges.selectionRange, client.encoding);
    return { ...known, parameters, detail: null, location: { uri: location.uri, ...ranges } };
  });
}

/** The files that the question hints at, and the others, each in their order. */
function byHint(inquiry: Inquiry, files: readonly Seen[]): { hinted: readonly Seen[]; others: readonly Seen[] } {
  const { path } = inquiry.question;
  const isMeant = ({ uri }: Seen): boolean => path !== null && isHinted(path, whereIs(inquiry, uri));
  return { hinted: files.filter(isMeant), others: files.filter((file) => !isMeant(file)) };
}

/** Servers whose outlines were read because they have no list, as sources. */
export function withoutList(lists: readonly Listed[], readers: Unlisted["readers"]): readonly Listed[] {
  const others = [...readers].filter(([backend]) => !lists.some((list) => list.backend === backend));
  return others.map(([backend, language]) => {
    // What it knows of the whole project does not matter to an outline.
    const state = backend.runs ? "ready" : stateOf(backend, null);
    const source: Source = { backend: backend.name, language, state, ms: 0, reason: NO_LIST };
    return { backend, hits: [], source, cut: false };
  });
}

function isSamePlace(a: Known, b: Known): boolean {
  const [at, other] = [a.location.selectionRange.start, b.location.selectionRange.start];
  return at.line === other.line && at.character === other.character;
}

function isDeclared(one: Known, known: readonly Known[]): boolean {
  if (one.role === "definition") return false;
  return known.some((other) => other.role === "definition" && qualifiedName(other) === qualifiedName(one));
}
