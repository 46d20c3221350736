/**
 * What servers know of a name: their lists of it (`workspace/symbol`), each brought against the outline and the text of its
 * file. What lists hide is `unlisted.ts`'s.
 */
import type { Backend } from "../core/backends.ts";
import { isForeign } from "../core/clients/foreign.ts";
import { type Range, textIn } from "../core/positions.ts";
import { separatorOf } from "../languages.ts";
import { kindName, type Source } from "../protocol/extensions.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { type Confirmed, confirm, type Hit, hitsOf, roleOf } from "./candidates.ts";
import { isMacro } from "./conditional.ts";
import { isPlainImport } from "./imports.ts";
import { ask, type Inquiry, outlineOf, type Seen, seen, whereIs } from "./inquiry.ts";
import { atUses } from "./macros.ts";
import { isMacroUse } from "./made.ts";
import { moduleOf, packageOf } from "./modules.ts";
import { matches, type SymbolName, spellingOf } from "./names.ts";
import { type Declared, isTestCode } from "./outline.ts";
import { isHinted, isTest } from "./paths.ts";
import type { Placed } from "./rank.ts";
import type { Scope } from "./scope.ts";

/** A symbol that a server vouches for. */
export interface Known extends Placed {
  readonly backend: Backend;
  readonly seen: Seen;
  readonly detail: string | null;
  /** Whether an outline of its file was at hand: else what is around it is what the list says. */
  readonly outlined: boolean;
}

/** One server's list. */
export interface Listed {
  readonly backend: Backend;
  readonly hits: readonly Hit[];
  readonly source: Source;
  /** At the server's cap, so that something may be missing. */
  readonly cut: boolean;
}

/** What a server lists under the name, asked in each of the ways that it needs. */
export async function listOf(inquiry: Inquiry, backend: Backend, language: string): Promise<Listed> {
  const { mux, question } = inquiry;
  const { symbol: rules } = backend.spec.adapter;
  const { leaf, address } = question;
  const asked = mux.ports.now();
  // Many servers take capitals at their word, and small letters for any.
  const spelled = question.match === "ignoreCase" ? leaf.toLowerCase() : leaf;
  const queries = [spelled, ...(rules?.queries?.(spelled) ?? [])];
  const lists = await Promise.all(queries.map((query) => list(inquiry, backend, query)));
  const cap = rules?.cap ?? Number.POSITIVE_INFINITY;
  let cut = lists.some(({ length }) => length >= cap);
  const shorter: string[] = [];
  // With a container the list is shorter.
  if (address.segments.length > 1) shorter.push(address.segments.slice(-2).join(rules?.separator ?? "."));
  if (rules?.narrowed !== undefined && question.match !== "prefix") shorter.push(rules.narrowed(spelled));
  for (const query of shorter) {
    if (!cut) break;
    const fewer = await list(inquiry, backend, query);
    cut = fewer.failure !== null || fewer.length >= cap;
    lists.push(fewer);
  }
  const failure = lists.find((one) => one.failure !== null)?.failure ?? (listsSymbols(backend) ? null : NO_LIST);
  const source: Source = {
    backend: backend.name,
    language,
    state: failure === NO_LIST ? "ready" : stateOf(backend, failure),
    ms: Math.round(mux.ports.now() - asked),
    ...(failure !== null && { reason: failure }),
  };
  return { backend, hits: lists.flatMap(({ hits }) => hits), source, cut };
}

export const NO_LIST = "it has no list of symbols: outlines of the files that hold the name were read";

/** False once it runs and turns out not to. */
function listsSymbols(backend: Backend): boolean {
  const row = rowOf(M.workspaceSymbol);
  return !backend.runs || row === undefined || backend.abilities.can(row);
}

async function list(
  inquiry: Inquiry,
  backend: Backend,
  query: string,
): Promise<{ hits: readonly Hit[]; length: number; failure: string | null }> {
  const { mux, client, until } = inquiry;
  const reply = await ask(inquiry, backend, M.workspaceSymbol, { query }, until, { uncut: true });
  if ("error" in reply) return { hits: [], length: 0, failure: reply.error.message };
  const all = hitsOf(reply.result);
  // What other clients have in their folders is left out here: it counts towards the server's cap.
  return { hits: all.filter(({ uri }) => !isForeign(mux, backend, client, uri)), length: all.length, failure: null };
}

export function stateOf(backend: Backend, failure: string | null): Source["state"] {
  if (!backend.lives) return "failed";
  if (!backend.runs) return "starting";
  if (!backend.gate.open) return "indexing";
  return failure === null ? "ready" : "failed";
}

/** So many outlines are asked for to bear out lists, so many at a time. */
const MAX_OUTLINES = 24;
const AT_A_TIME = 4;
/** How long outlines are waited for that only add detail, ms. */
const SPARE_MS = 1000;

/** The listed symbols of the name that stand in the text as it is now, first in rank first, each once. */
export async function confirmed(inquiry: Inquiry, lists: readonly Listed[]): Promise<Known[]> {
  const meant = { word: inquiry.question.leaf, fits: (leaf: string, uri: string) => fitsLeaf(inquiry, leaf, uri) };
  const placed = await Promise.all(
    lists.map(async (listed) => {
      const hits = listed.hits.filter((hit) => meant.fits(hit.name.leaf, hit.uri));
      return { ...listed, hits: await atUses(inquiry, listed.backend, hits, meant) };
    }),
  );
  const groups = placed.flatMap((listed) => byFile(inquiry, listed));
  const soon = Math.min(inquiry.until, inquiry.mux.ports.now() + SPARE_MS);
  const ordered = groups.toSorted((a, b) => urgency(inquiry, b) - urgency(inquiry, a));
  const outlined = new Map<Group, readonly Declared[] | null>();
  await pooled(ordered.slice(0, MAX_OUTLINES), async (group) => {
    if (group.outside) return;
    const until = needsOutline(inquiry, group) ? inquiry.until : soon;
    outlined.set(group, await outlineOf(inquiry, group.uri, until));
  });
  const known = new Map<string, Known>();
  for (const group of groups) {
    const text = await seen(inquiry, group.uri);
    if (text === null) continue;
    const hits = group.hits.map((hit) => underItsName(inquiry, text, hit));
    const { encoding } = inquiry.client;
    const isMade = (range: Range): boolean => isMacroUse(languageOf(inquiry, text) ?? "", text.text, range, encoding);
    const outline = outlined.get(group) ?? null;
    for (const one of confirm(hits, outline, text.text, encoding, isMade)) {
      if (isHidden(inquiry, one) || isPlainImport(group.backend, text, one, inquiry)) continue;
      const name = inPackage(inquiry, text, one.name);
      add(known, knownOf(inquiry, group.backend, text, { ...one, name }, outline));
    }
  }
  return [...known.values()];
}

/** A list's hits in one file. */
interface Group {
  readonly backend: Backend;
  readonly uri: string;
  readonly hits: readonly Hit[];
  readonly outside: boolean;
}

function byFile(inquiry: Inquiry, { backend, hits }: Listed): Group[] {
  const files = new Map<string, { uri: string; hits: Hit[] }>();
  for (const hit of hits) {
    const key = inquiry.mux.documents.keyOf(hit.uri);
    const file = files.get(key) ?? { uri: hit.uri, hits: [] };
    files.set(key, file);
    // Several queries bring one symbol several times.
    if (!file.hits.some((other) => isSame(other, hit))) file.hits.push(hit);
  }
  return [...files.values()].map((file) => ({ ...file, backend, outside: whereIs(inquiry, file.uri).path === null }));
}

function isSame(a: Hit, b: Hit): boolean {
  const [at, other] = [a.range?.start, b.range?.start];
  return a.name.leaf === b.name.leaf && at?.line === other?.line && at?.character === other?.character;
}

function needsOutline({ question }: Inquiry, { backend, hits }: Group): boolean {
  const { container, stale } = backend.spec.adapter.symbol ?? {};
  if (container !== "path" || stale === true || hits.some((hit) => hit.range === null)) return true;
  return question.address.overload !== undefined || question.address.arity !== undefined;
}

function urgency(inquiry: Inquiry, group: Group): number {
  if (group.outside) return -1;
  const { path } = inquiry.question;
  const hinted = path !== null && isHinted(path, whereIs(inquiry, group.uri));
  return (hinted ? 2 : 0) + (needsOutline(inquiry, group) ? 1 : 0);
}

/** Whether a name is one that is asked for, as the language of its file compares names. */
export function fitsLeaf({ mux, client, question }: Inquiry, leaf: string, uri: string): boolean {
  const address = { segments: [question.leaf], absolute: false };
  const spelling = spellingOf(mux.languageOf(uri, undefined, client) ?? "");
  return matches(address, [leaf], { match: question.match, spelling }) !== null;
}

/** A local is addressed through its function; in a callback at the top level, through nothing. */
export function isHidden({ question }: Inquiry, { local = false, name }: Pick<Confirmed, "local" | "name">): boolean {
  return local && question.address.segments.length === 1 && name.containers.length > 0;
}

export function add(known: Map<string, Known>, one: Known): void {
  const { line, character } = one.location.selectionRange.start;
  const place = `${one.seen.key} ${line} ${character}`;
  if (!known.has(place)) known.set(place, one);
}

/** A name with the package that its file declares before it: an outline does not repeat it. */
export function inPackage(inquiry: Inquiry, text: Seen, name: SymbolName): SymbolName {
  const around = packageIn(inquiry, text);
  const has = around.every((segment, i) => name.containers[i] === segment);
  return has ? name : { ...name, containers: [...around, ...name.containers] };
}

/** Of a Go package a list tells the path, whose last part need not be the name that its files declare (`main`). */
function underItsName(inquiry: Inquiry, text: Seen, { name, ...hit }: Hit): Hit {
  const [declared] = packageIn(inquiry, text);
  const [listed, ...inside] = name.containers;
  if (languageOf(inquiry, text) !== "go" || declared === undefined || listed === undefined || listed === declared)
    return { ...hit, name };
  return { ...hit, name: { ...name, containers: [declared, ...inside], front: [...name.front, listed] } };
}

function packageIn(inquiry: Inquiry, text: Seen): readonly string[] {
  return packageOf(languageOf(inquiry, text) ?? "", text.text.string);
}

function languageOf({ mux, client }: Inquiry, { uri }: Seen): string | undefined {
  return mux.languageOf(uri, undefined, client);
}

/**
 * A confirmed symbol with all that ranking and telling need.
 * @param outline of its file, where one was read
 */
export function knownOf(
  inquiry: Inquiry,
  backend: Backend,
  text: Seen,
  one: Confirmed,
  outline: readonly Declared[] | null,
): Known {
  const { mux, client } = inquiry;
  const { name, kind, detail, local = false, range, selectionRange } = one;
  const language = mux.languageOf(text.uri, undefined, client) ?? backend.spec.adapter.languages[0] ?? backend.name;
  const where = whereIs(inquiry, text.uri);
  const front = name.front.length > 0 || where.path === null ? name.front : moduleOf(language, where.path);
  const macro = isMacro(language, text.text, selectionRange.start.line);
  return {
    backend,
    seen: text,
    leaf: name.leaf,
    containers: macro ? [] : name.containers,
    front,
    parameters: name.parameters,
    arity: name.arity,
    separator: backend.spec.adapter.symbol?.separator ?? separatorOf(language),
    kind,
    kindName: kindName(kind) ?? "variable",
    detail,
    role: macro ? "definition" : roleOf(language, kind, textIn(text.text, range, client.encoding)),
    language,
    where,
    local,
    outlined: outline !== null,
    test:
      isTest(where.path ?? where.absolute) || isTestCode(language, text.text, outline ?? [], range, client.encoding),
    location: { uri: text.uri, range, selectionRange },
  };
}

/** Does the work for each, a few at a time. */
export async function pooled<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}

/** What the asked servers and the missing ones had to say. */
export function sourcesOf(lists: readonly Listed[], { idle, missing }: Scope, syntax: Source | null): Source[] {
  return [...lists.map(({ source }) => source), ...idle, ...(syntax === null ? [] : [syntax]), ...missing];
}
