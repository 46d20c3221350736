/** Who serves what: the backend of a place, whether a document is a backend's business, and what a question is about. */
import type { BackendSpec } from "../../config/resolve.ts";
import { start } from "../backends/lifecycle.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import { cameTo } from "../clients/configuring.ts";
import { foldersChanged } from "../clients/folders.ts";
import type { Client } from "../clients.ts";
import { pathOf } from "../documents/uris.ts";
import type { View } from "../documents.ts";
import type { Mux } from "../mux.ts";
import { relay } from "../relay.ts";

/**
 * The backend of a server for a place, started if need be and attached to the client. What still goes on for a client that
 * is gone starts nothing: nobody would ever end it.
 */
export function backendFor(mux: Mux, client: Client, spec: BackendSpec, key: string | null): Backend | undefined {
  if (spec.launch === null || client.state === "gone") return undefined;
  const backend = mux.pool.require(client, spec, key);
  if (backend === null) return undefined;
  const isNew = !backend.clients.has(client);
  backend.clients.add(client);
  client.backends.add(backend);
  const isFound = key !== null && client.folderOf(key) === undefined && placed(mux, backend, client, spec, key);
  if (isNew) mux.routes++;
  if (isNew || isFound) foldersChanged(mux, backend);
  if (isNew) cameTo(mux, backend);
  if (isNew) relay(mux, client);
  const { withheld } = backend.environment;
  if (isNew && withheld !== undefined) mux.say(client, "warning", untrusted(backend, withheld), "once");
  if (backend.state === "idle") start(mux, backend);
  return backend;
}

function untrusted({ name, root }: Backend, withheld: string): string {
  const path = pathOf(root.uri) ?? root.uri;
  return `${path} is not trusted, so ${name} is kept from this: ${withheld}. \`switchboard trust\` there allows it.`;
}

/** Notes where a document outside of the client's folders belongs; whether its backend has a folder more by that. */
function placed(mux: Mux, backend: Backend, client: Client, spec: BackendSpec, key: string): boolean {
  const root = mux.pool.rootFor(client, spec, key);
  if (root === null) return false;
  if (mux.documents.viewByKey(client, key) !== undefined) {
    const places = client.outside.get(key) ?? new Map();
    client.outside.set(key, places.set(spec.name, { backend, root }));
  }
  // Servers of one folder have it as their root.
  if (spec.adapter.multiRoot !== true || root.uri === "") return false;
  const known = backend.found.get(client) ?? [];
  if ([...known, ...client.folders].some((one) => one.key === root.key)) return false;
  backend.found.set(client, [...known, root]);
  return true;
}

/** Whether a client's document is the business of a backend. */
export function serves(mux: Mux, backend: Backend, view: View): boolean {
  const { client, language, key } = view;
  if (language === undefined || !backend.clients.has(client)) return false;
  const spec = client.setup.ranked(language).find(({ name }) => name === backend.name);
  return spec !== undefined && mux.pool.find(client, spec, key) === backend;
}

/** The server of a backend as the client's own configuration has it: each client has a configuration of its own. */
export function specFor(client: Client, backend: Backend): BackendSpec | undefined {
  return client.setup.backends.find(({ name }) => name === backend.name);
}

/** A client's backends, those that its configuration ranks higher first. */
export function inRank(client: Client, backends: Iterable<Backend> = client.backends): Backend[] {
  const rank = (backend: Backend): number => (specFor(client, backend) ?? backend.spec).rank;
  return [...backends].sort((a, b) => rank(a) - rank(b));
}

/** Whether it only stands in where no server is there (syntax): it tells names, and vouches for nothing. */
export function standsIn({ adapter }: Pick<BackendSpec, "adapter">): boolean {
  return adapter.lastResort === true;
}

/** The servers of a language whose command resolves, in rank order. */
export function present(client: Client, language: string): readonly BackendSpec[] {
  return client.setup.ranked(language).filter((spec) => spec.launch !== null);
}

/** The first of them that is no addon. */
export function general(client: Client, language: string): BackendSpec | undefined {
  return present(client, language).find((spec) => spec.adapter.role === "general");
}

/**
 * The servers that are told of a document as soon as a client opens it: the first general one and all addons.
 * @param isOver whether a server has been given up: the next one takes its place
 */
export function eager(
  client: Client,
  language: string | undefined,
  isOver: (spec: BackendSpec) => boolean = () => false,
): BackendSpec[] {
  if (language === undefined) return [];
  const all = present(client, language);
  const generals = all.filter((spec) => spec.adapter.role === "general");
  const first = generals.find((spec) => !isOver(spec)) ?? generals[0];
  return all.filter((spec) => spec === first || spec.adapter.role === "addon");
}

/** The backends that are to hold a client's document, started if need be. */
export function holders(mux: Mux, view: View): readonly Backend[] {
  const { client, key, language } = view;
  const isOver = (spec: BackendSpec): boolean => mux.pool.find(client, spec, key)?.state === "stopped";
  return eager(client, language, isOver).flatMap((spec) => backendFor(mux, client, spec, key) ?? []);
}

/** The document that a question is about, and the client's text of it. */
export function documentAsked(
  mux: Mux,
  client: Client | null,
  uri: string | null,
): Pick<Call, "uri" | "key" | "language" | "asked"> {
  if (uri === null) return { uri, key: null, language: null, asked: null };
  const view = client === null ? undefined : mux.documents.viewOf(client, uri);
  if (view !== undefined)
    return { uri, key: view.key, language: view.language ?? null, asked: { text: view.text, version: view.version } };
  return {
    uri,
    key: mux.documents.keyOf(uri),
    language: mux.languageOf(uri, undefined, client ?? undefined) ?? null,
    asked: null,
  };
}
