/**
 * Where one call goes: the row's route applied to what there is, backends started where they are needed. The choice among
 * able servers is `route.ts`'s.
 */
import type { BackendSpec } from "../../config/resolve.ts";
import { errors, type ResponseError } from "../../protocol/errors.ts";
import { ECHO, familyOf, M, type Row, rowOf } from "../../protocol/methods.ts";
import { stringField } from "../../wire/fields.ts";
import { parseBody } from "../../wire/packet.ts";
import { unwrapData } from "../../wire/splice.ts";
import { used } from "../backends/abilities.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { filesOfSpecs } from "../documents/languages.ts";
import { emptyOf } from "../forms/answering.ts";
import { incompleteOnly } from "../merge/completions.ts";
import { filesNamed } from "../merge/file-operations.ts";
import { accepted, unprepared } from "../merge/renaming.ts";
import type { Mux } from "../mux.ts";
import type { Survey } from "../ports.ts";
import { Registrations } from "../registrations.ts";
import { type Candidate, choose } from "../route.ts";
import { isObject, lookUp } from "../settings.ts";
import { makesBareItems, reprepare } from "./reprepare.ts";
import { backendFor, inRank, present } from "./serving.ts";
import { triggered } from "./triggers.ts";

export type Plan =
  /** `body`: params to send in place of the asked ones, an item without its envelope. */
  | { readonly backends: readonly Backend[]; readonly body?: readonly Buffer[] }
  | { readonly error: ResponseError }
  | { readonly result: unknown };

/** Calls `then` once, at once except where folders must be surveyed first. */
export function plan(mux: Mux, call: Call, then: (p: Plan) => void): void {
  const { client } = call;
  if (client === null) return then(unserved(mux, call, []));
  if (call.row.route === "owner") return byOwner(mux, call, client, then);
  if (call.row.route === "all") return byFolders(mux, call, client, then);
  const p = accepted(call, incompleteOnly(call, triggered(call, byDocument(mux, call, client))));
  then(call.row.merge === "accepts" ? withUnprepared(mux, call, client, p) : p);
}

/** Servers that rename whatever they are asked to have accepted it beforehand. */
function withUnprepared(mux: Mux, call: Call, client: Client, p: Plan): Plan {
  const row = rowOf(M.rename);
  if (row === undefined || call.language === null) return p;
  const renamers = chosenOf(mux, client, present(client, call.language), row, call).flatMap(
    ({ spec }) => backendFor(mux, client, spec, call.key) ?? [],
  );
  const asked = "backends" in p ? p.backends : [];
  const others = renamers.filter((backend) => !asked.includes(backend) && !mayPrepare(backend, call.row));
  if (others.length === 0) return p;
  const result = unprepared(call);
  if (asked.length === 0) return { result };
  call.kept = others.map((backend) => ({ backend, result }));
  return p;
}

function mayPrepare(backend: Backend, row: Row): boolean {
  return backend.runs ? backend.abilities.can(row) : (recordedAbilities(backend.spec)?.can(row) ?? true);
}

interface Ranked extends Candidate {
  readonly spec: BackendSpec;
  /** It does not run and will not. */
  readonly isOver: boolean;
}

/** Who serves a row is asked anew only after something about backends has changed (`Mux.routes`). */
function byDocument(mux: Mux, call: Call, client: Client): Plan {
  const view = call.uri === null ? undefined : client.views.get(call.uri);
  const known = view?.plans.get(call.row);
  if (known !== undefined && known.routes === mux.routes) return known.plan;
  const plan = planned(mux, call, client);
  const settled = "backends" in plan && plan.backends.every((backend) => backend.runs);
  if (settled) view?.plans.set(call.row, { routes: mux.routes, plan });
  return plan;
}

function planned(mux: Mux, call: Call, client: Client): Plan {
  const { language } = call;
  const specs = language === null ? [] : present(client, language);
  if (specs.length === 0) return unserved(mux, call, language === null ? [] : [language]);
  const chosen = chosenOf(mux, client, specs, call.row, call);
  const backends = chosen.flatMap(({ spec }) => backendFor(mux, client, spec, call.key) ?? []);
  if (backends.length > 0) return { backends };
  mux.drops.count("method that no backend of the document has");
  return { result: emptyOf(call) };
}

/** What a question is about, where it decides who is asked. */
interface Subject {
  readonly key: string | null;
  readonly uri: string | null;
  readonly language: string | null;
  /** About to be created, renamed or deleted. */
  readonly files?: readonly unknown[] | null;
}

/** One that has been given up lets the next one take its place; where there is none, it is asked to say so. */
function chosenOf(
  mux: Mux,
  client: Client,
  specs: readonly BackendSpec[],
  row: Row,
  asked: Subject,
): readonly Ranked[] {
  const ranked = specs.map((spec) => candidate(mux, client, spec, row, asked));
  const living = ranked.map((one) => (one.isOver ? { ...one, able: "no" as const } : one));
  const chosen = choose(row, living);
  return chosen.length > 0 ? chosen : choose(row, ranked);
}

function candidate(mux: Mux, client: Client, spec: BackendSpec, row: Row, asked: Subject): Ranked {
  const backend = mux.pool.find(client, spec, asked.key);
  const { role } = spec.adapter;
  const isOver = backend?.state === "stopped";
  const isAble = (able: Candidate["able"]): Ranked => ({ spec, role, able, isOver });
  if (asked.language !== null && !client.setup.allows(asked.language, spec.name, row.method)) return isAble("no");
  const document = asked.uri === null ? undefined : { uri: asked.uri, language: asked.language ?? "" };
  const known = backend?.runs ? backend.abilities : recordedAbilities(spec);
  if (known === null) return isAble("unknown");
  const options = known.options(row, backend?.runs ? document : undefined);
  if (row.capability !== null && options === null) return isAble("no");
  return isAble(asked.files && options && filesNamed(options, asked.files).length === 0 ? "no" : "yes");
}

const abilities = new WeakMap<BackendSpec, Registrations | null>();

/** What a server that was recorded is able of as far as known before it runs; null where it was not. */
export function recordedAbilities(spec: BackendSpec): Registrations | null {
  let known = abilities.get(spec);
  if (known === undefined) {
    const capabilities = recordedOf(spec);
    known = capabilities === null ? null : new Registrations(capabilities);
    abilities.set(spec, known);
  }
  return known;
}

/** The capabilities that a server was recorded with, as far as they are used; null where it was not recorded. */
export function recordedOf(spec: BackendSpec): { readonly [name: string]: unknown } | null {
  const capabilities = lookUp(spec.recorded, "capabilities");
  return isObject(capabilities) ? used(capabilities, spec.adapter) : null;
}

/** Enabled backends whose language occurs in the client's folders, started if need be, and those that run already. */
function byFolders(mux: Mux, call: Call, client: Client, then: (p: Plan) => void): void {
  if (call.row.merge === "symbols") call.hint = leafOf(stringField(call.packet, ["query"]) ?? "");
  const files = call.row.merge === "edits" ? listAt(call.packet, "files") : null;
  const { folders } = client;
  const surveys: Survey[] = [];
  let open = folders.length;
  const finish = (): void => {
    const backends = new Set<Backend>();
    folders.forEach((folder, i) => {
      const survey = surveys[i];
      if (survey === undefined) return;
      for (const spec of servingFolder(mux, client, call.row, survey, folder.key, { files })) {
        const backend = backendFor(mux, client, spec, folder.key);
        if (backend !== undefined) backends.add(backend);
      }
    });
    for (const backend of client.backends)
      if (backend.runs && backend.spec.adapter.role === "general" && isFirstIn(mux, client, backend, call.row, files))
        backends.add(backend);
    if (backends.size > 0) then({ backends: inRank(client, backends) });
    else then({ result: emptyOf(call) });
  };
  if (open === 0) return finish();
  folders.forEach((folder, i) => {
    mux.ports.survey(folder.uri, (survey) => {
      surveys[i] = survey;
      open--;
      if (open === 0 && call.state === "open") finish();
    });
  });
}

/** Whether a running backend is the one that is asked for any of its languages, be none of it in the folders. */
function isFirstIn(mux: Mux, client: Client, backend: Backend, row: Row, files: Subject["files"]): boolean {
  return backend.spec.adapter.languages.some((language) =>
    chosenOf(mux, client, present(client, language), row, {
      key: null,
      uri: null,
      language,
      files: files ?? null,
    }).some(({ spec }) => spec.name === backend.name),
  );
}

function listAt(packet: Call["packet"], path: string): readonly unknown[] | null {
  const list = lookUp(parseBody(packet), path);
  return Array.isArray(list) ? list : null;
}

/**
 * The servers that a question without a document goes to in one folder: those of each language that occurs in it.
 * @param among only these languages; else all that a server is there for
 */
export function servingFolder(
  mux: Mux,
  client: Client,
  row: Row,
  survey: Survey,
  key: string,
  { among, files = null }: { readonly among?: Iterable<string>; readonly files?: Subject["files"] } = {},
): Set<BackendSpec> {
  const specs = new Set<BackendSpec>();
  const languages = among ?? client.setup.backends.flatMap((spec) => [...spec.adapter.languages]);
  for (const language of new Set(languages)) {
    const ranked = present(client, language);
    if (!ranked.some((spec) => occurs(spec, language, survey))) continue;
    for (const { spec } of chosenOf(mux, client, ranked, row, { key, uri: null, language, files })) specs.add(spec);
  }
  return specs;
}

function occurs(spec: BackendSpec, language: string, survey: Survey): boolean {
  const { extensions, fileNames } = filesOfSpecs([language], [spec]);
  return (
    extensions.some((ending) => survey.extensions.has(ending)) || fileNames.some((name) => survey.fileNames.has(name))
  );
}

/** The last segment of a qualified query: what stands in a file's text. */
function leafOf(query: string): string | null {
  const leaf = /[\p{L}\p{N}_$]+$/u.exec(query)?.[0];
  return leaf ?? null;
}

/**
 * The backend that made the item, as its envelope tells, or, of `data` without one, as was noted when they passed. A
 * hierarchy item that this tells nothing of is prepared again (`reprepare.ts`); another item without `data` goes to the
 * backend that answered this client last in that row.
 */
function byOwner(mux: Mux, call: Call, client: Client, then: (p: Plan) => void): void {
  const { packet, row } = call;
  const unwrapped = packet.bodySpan === undefined ? null : unwrapData(packet.bytes, packet.bodySpan);
  const owners = unwrapped?.owners ?? [];
  if (owners.length > 1) return then({ error: errors.invalidParams("The item mixes data of several backends.") });
  const [owner] = owners;
  const family = familyOf(row);
  const bare = unwrapped === null || owner !== undefined ? undefined : client.bareData.get(family);
  const [, id, generation] = owner?.split(":") ?? [];
  const made = bare?.backend ?? [...client.backends].find((backend) => String(backend.id) === id);
  // One that waits to be started again has forgotten what it gave out.
  const lives =
    made?.lives &&
    made.hasProcess &&
    String(made.generation) === (bare === undefined ? generation : String(bare.generation));
  if (made !== undefined && lives)
    return then({ backends: [made], ...(owner !== undefined && unwrapped !== null && { body: unwrapped.pieces }) });
  // An item to fill in names no document, though it is known whose it was.
  if (row.empty !== ECHO && row.asks.includes("uri") && call.uri !== null)
    return ofDocument(mux, call, client, made, unwrapped === null, then);
  if (unwrapped !== null && (owner !== undefined || bare !== undefined)) {
    mux.drops.count("item of a process that has ended");
    // An item to fill in is still good as it is; an answer about the project would be invented.
    if (row.empty === ECHO) return then({ result: parseBody(packet) });
    return then({ error: errors.staleItem(made?.name ?? "a backend") });
  }
  const last = unwrapped === null ? client.bareOwners.get(family) : undefined;
  if (last?.lives) return then({ backends: [last] });
  mux.drops.count("item of no known backend");
  then(unserved(mux, call, []));
}

/** A hierarchy item names its document, so that it can be made anew; one that a server gave no `data` is whole. */
function ofDocument(
  mux: Mux,
  call: Call,
  client: Client,
  made: Backend | undefined,
  isBare: boolean,
  then: (p: Plan) => void,
): void {
  const plan = isBare ? byDocument(mux, call, client) : null;
  const backends = plan !== null && "backends" in plan ? plan.backends : [];
  if (plan !== null && backends.every((backend) => makesBareItems(backend, call.row))) return then(plan);
  const name = made?.name ?? backends[0]?.name ?? "a backend";
  reprepare(mux, call, client, name, (item) => ofFresh(mux, call, client, item), then);
}

/** Where an item that was made just now goes. */
function ofFresh(mux: Mux, call: Call, client: Client, item: { readonly [key: string]: unknown }): Plan {
  const { data } = item;
  const backend =
    typeof data === "string" ? [...client.backends].find(({ envelope }) => data.startsWith(envelope)) : undefined;
  return backend === undefined ? byDocument(mux, call, client) : { backends: [backend] };
}

/** Facts are an error where nothing serves the language, so that nobody takes silence for absence; the user is told once. */
function unserved(mux: Mux, call: Call, languages: readonly string[]): Plan {
  const { client, row } = call;
  if (row.unserved === "empty") return { result: emptyOf(call) };
  const install = languages.flatMap((l) => client?.setup.ranked(l) ?? []).map((spec) => spec.name);
  const why = errors.noBackend(languages, install);
  // What editors ask by themselves of every file that is opened passes no gate: that is no reason to pop up.
  if (client !== null && languages.length > 0)
    mux.say(client, row.gate === "pass" ? "log" : "warning", why.message, "once");
  return { error: why };
}
