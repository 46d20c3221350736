/**
 * `workspace/symbol` for clients: what the servers list, each place as it is now, in the order of the contract. A qualified
 * query is a question by name. Languages whose server has no such list are served from outlines of the files that hold the
 * query, and so is the empty query where a server answers it with nothing: the policy is one, whoever stands behind.
 */
import type { BackendSpec } from "../config/resolve.ts";
import type { Backend } from "../core/backends.ts";
import type { Reply } from "../core/calls.ts";
import { filesOfSpecs } from "../core/documents/languages.ts";
import { toClientForm } from "../core/forms/forms.ts";
import { markItems } from "../core/merge/ownership.ts";
import { type Answer, merge } from "../core/merge.ts";
import type { Extension } from "../core/mux.ts";
import type { FileQuery } from "../core/ports.ts";
import { servingFolder } from "../core/route/plan.ts";
import { general } from "../core/route/serving.ts";
import { isObject } from "../core/settings.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import { parseAddress } from "./address.ts";
import { answerWith } from "./answers.ts";
import { hiddenOf, matchesOf } from "./by-query.ts";
import { declared, hitsOf, wordOf } from "./candidates.ts";
import { isImport } from "./imports.ts";
import { findFiles, outlineOf, type Reading, readingOf, seen, serverOf, survey, whereIs } from "./inquiry.ts";
import { pooled } from "./lists.ts";
import type { Declared } from "./outline.ts";
import { isVendored } from "./paths.ts";
import { occurring } from "./scope.ts";
import { standing } from "./standing.ts";

/** Before the ledger's own deadline, so that the answer is ours. */
const SPARE_MS = 500;
/** How long the outlines may take that stand in for a list, the start of their server included (4 s on busy cores), ms. */
const OUTLINES_MS = 15_000;
/** So many files stand in for one server's list. */
const MAX_FILES = 32;

/** The request as the core takes it: answers the call once, with an array or an error. */
export const workspaceSymbol: Extension = (mux, call, params) => {
  const { client } = call;
  const query = isObject(params) && typeof params.query === "string" ? params.query : null;
  if (client === null || query === null)
    return mux.answer(call, { error: errors.invalidParams("`query` must be a text.") });
  const until = call.deadline - SPARE_MS;
  const reading = readingOf(mux, call, client, { hint: query === "" ? null : query, wait: "ready", until });
  answerWith(mux, call, "symbols", answerTo(reading, query, params));
};

async function answerTo(reading: Reading, query: string, params: unknown): Promise<Reply> {
  const { call, client } = reading;
  const named = isQualified(query) ? await matchesOf(reading, query) : [];
  if (named.length > 0) return { result: named };
  const asked = await askAll(reading, params);
  if ("error" in asked) return asked;
  const own = asked.lists.length === 1 ? asked.lists : asked.lists.map(owned);
  const lists = (await Promise.all(own.map((list) => checked(reading, query, list)))).flat();
  const others = await outlined(reading, query, asked.lists);
  const isNamed = !isPlain(query) || [...lists, ...others].some(({ result }) => names(result, query));
  const hidden = isNamed ? [] : [{ backend: null, result: await hiddenOf(reading, query) }];
  const inside = (uri: string): boolean => {
    const { path } = whereIs(reading, uri);
    return path !== null && !isVendored(path);
  };
  const merged = merge(call.row, [...lists, ...others, ...hidden], { search: { query, inside } });
  return { result: toClientForm(call.row, merged, client.capabilities, { uri: "" }) };
}

function isQualified(query: string): boolean {
  const parsed = parseAddress(query);
  return parsed.ok && (parsed.address.segments.length > 1 || parsed.address.absolute);
}

/** Whether a query can be a whole name by itself. */
function isPlain(query: string): boolean {
  return query !== "" && wordOf(query) === query;
}

/** Whether a list has a symbol of just that name. */
function names(result: unknown, query: string): boolean {
  return hitsOf(result).some(({ name }) => name.leaf === query);
}

/** A list whose items say whose they are. */
function owned({ backend, result }: Answer<Backend>): Answer<Backend> {
  return { backend, result: markItems(result, backend) };
}

type Lists = { readonly lists: readonly Answer<Backend>[] } | { readonly error: ResponseError };

/** Every server's list, by the row's own route and limits. */
function askAll({ mux, call, client, until }: Reading, params: unknown): Promise<Lists> {
  return new Promise((resolve) => {
    mux.ask(client, call.method, params, { apart: true, partOf: call, deadline: until }, (reply) => {
      if (call.state !== "open") return;
      if ("error" in reply) resolve(reply);
      else resolve({ lists: Array.isArray(reply.result) ? reply.result : [] });
    });
  });
}

/** One server's list with its places as they are now; what an unsaved buffer declares is added where the list lags. */
async function checked(reading: Reading, query: string, { backend, result }: Answer<Backend>): Promise<Answer[]> {
  if (!Array.isArray(result)) return [{ backend, result }];
  const hits = hitsOf(result);
  const wanted = query.toLowerCase();
  const meant = { word: query, fits: (leaf: string) => leaf.toLowerCase().includes(wanted) };
  const now = await standing(reading, backend, hits, meant);
  const placed = now.map(({ item, uri, range, name }) => {
    const { location, containerName } = item;
    if (isObject(location) && location.uri === uri && location.range === range) return item;
    const container = typeof containerName === "string" && containerName !== "" ? {} : containerOf(name, backend);
    return { ...item, ...container, location: range === null ? { uri } : { uri, range } };
  });
  const malformed = result.length - hits.length;
  if (malformed > 0) reading.mux.drops.count("malformed symbol in a list", malformed);
  const isLagging = backend.spec.adapter.symbol?.stale === true && query !== "";
  const more = isLagging ? [{ backend, result: await inBuffers(reading, query, backend) }] : [];
  return [{ backend, result: placed }, ...more];
}

/** What a client's open documents of one server declare under the query. */
async function inBuffers(reading: Reading, query: string, backend: Backend): Promise<readonly object[]> {
  const open = [...reading.client.views.values()].filter(
    ({ uri, key, text }) => text.string.includes(query) && serverOf(reading, uri, key) === backend,
  );
  const lists = await Promise.all(open.map(({ uri }) => itemsOf(reading, query, uri, backend)));
  return lists.flat();
}

// ---- Outlines in place of lists -----------------------------------------------------------------------------------------

/** Lists made of outlines, of servers that have none, and for the empty query of those that leave it unanswered. */
async function outlined(
  reading: Reading,
  query: string,
  lists: readonly Answer<Backend>[],
): Promise<readonly Answer[]> {
  const { mux, client, folders, call } = reading;
  const surveys = await Promise.all(folders.map((folder) => survey(reading, folder)));
  const silent = new Map<BackendSpec, string[]>();
  for (const language of occurring(reading, surveys)) {
    const spec = general(client, language);
    if (spec === undefined) continue;
    const lister = surveys.some(
      (found, i) => servingFolder(mux, client, call.row, found, folders[i]?.key ?? "", { among: [language] }).size > 0,
    );
    const answer = lists.find(({ backend }) => backend.name === spec.name);
    const isUnanswered = query === "" && (answer === undefined || isNothing(answer.result));
    if (!lister || isUnanswered) silent.set(spec, [...(silent.get(spec) ?? []), language]);
  }
  return Promise.all([...silent].map(([spec, languages]) => listOf(reading, query, spec, languages)));
}

function isNothing(result: unknown): boolean {
  return !Array.isArray(result) || result.length === 0;
}

async function listOf(
  reading: Reading,
  query: string,
  spec: BackendSpec,
  languages: readonly string[],
): Promise<Answer> {
  const { mux, client, folders } = reading;
  const files: FileQuery = {
    ...filesOfSpecs(languages, [spec]),
    limit: MAX_FILES,
    ...(query !== "" && { holds: query }),
  };
  const found = await Promise.all(folders.map((folder) => findFiles(reading, folder, files)));
  const open = [...client.views.values()].filter(
    ({ language, text }) => language !== undefined && languages.includes(language) && text.string.includes(query),
  );
  const uris = new Map<string, string>();
  for (const uri of [...open.map((view) => view.uri), ...found.flatMap((one) => one.uris)])
    uris.set(mux.documents.keyOf(uri), uri);
  const items: object[] = [];
  const soon = Math.min(reading.until, mux.ports.now() + OUTLINES_MS);
  await pooled([...uris.values()].slice(0, MAX_FILES), async (uri) => {
    const backend = serverOf(reading, uri, mux.documents.keyOf(uri));
    if (backend !== undefined && mux.ports.now() < soon)
      items.push(...(await itemsOf(reading, query, uri, backend, soon)));
  });
  mux.drops.count("file beyond the outlines that stand in for a list", Math.max(0, uris.size - MAX_FILES));
  return { backend: spec, result: items };
}

/** What a file declares under the query, as a list would say it; for the empty query what is no part of something else. */
async function itemsOf(
  reading: Reading,
  query: string,
  uri: string,
  backend: Backend,
  until = reading.until,
): Promise<object[]> {
  const [text, outline] = await Promise.all([seen(reading, uri), outlineOf(reading, uri, until)]);
  if (text === null || outline === null) return [];
  const wanted = query.toLowerCase();
  const isMeant = ({ name, local, depth }: Declared): boolean =>
    query === "" ? depth === 0 : !local && name.leaf.toLowerCase().includes(wanted);
  return outline
    .filter(isMeant)
    .map((entry) => declared(entry, entry.name, text.text, reading.client.encoding))
    .filter((one) => !isImport(backend, text, one, reading))
    .map(({ name, kind, selectionRange }) => ({
      name: name.leaf,
      kind,
      ...containerOf(name, backend),
      location: { uri: text.uri, range: selectionRange },
    }));
}

function containerOf({ containers }: Declared["name"], { spec }: Backend): { containerName?: string } {
  return containers.length === 0 ? {} : { containerName: containers.join(spec.adapter.symbol?.separator ?? ".") };
}
