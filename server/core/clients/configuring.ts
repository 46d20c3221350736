/**
 * Whose settings a backend has (LSP 3.18, workspace/configuration and didChangeConfiguration). For a place in a folder they
 * are those of the first client attached that has the folder; else those of the first client that its process had, its
 * settler. What that had last stays in force when it leaves, until one of those that are left says that its settings have
 * changed: so the same question has the same answer for as long as nobody says otherwise. How layers are merged and answers
 * are read is in `settings.ts`.
 */
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import type { Backend } from "../backends.ts";
import type { Reply } from "../calls.ts";
import { type Client, noneAsked, type Pulled } from "../clients.ts";
import { spellingFor } from "../forms/answering.ts";
import type { Mux } from "../mux.ts";
import { specFor } from "../route/serving.ts";
import {
  answerConfiguration,
  type ConfigurationItem,
  fromClient,
  isObject,
  layered,
  lookUp,
  type Settings,
  sections,
} from "../settings.ts";

/** A client and what it has said, as it stood when it left. */
export interface Settler {
  readonly client: Client;
  readonly left: { readonly settings: unknown; readonly pulled: Pulled } | null;
}

/** How long a client may take for its settings, ms. */
const CONFIGURATION_MS = 3000;

/** A process is about to start: its settings are those of the first client attached. */
export function settle(backend: Backend): void {
  const [client] = backend.clients;
  backend.settler = client === undefined ? null : { client, left: null };
}

/** A client leaves a backend. */
export function unsettled(backend: Backend, client: Client): void {
  const { settings, pulled } = client;
  if (backend.settler?.client === client) backend.settler = { client, left: { settings, pulled } };
}

/** A client came to a backend: one that is alone with the process of others who are gone has its own settings there. */
export function cameTo(mux: Mux, backend: Backend): void {
  if (backend.clients.size > 1 || backend.settler === null || backend.settler.left === null) return;
  settle(backend);
  tellSettings(mux, backend);
}

/** What a backend is told of its settings: those of its root below the adapter's, the configuration's (merged into the adapter) and its settler's. */
export function settingsFor(backend: Backend): Settings {
  const { settler } = backend;
  return settler === null ? layered(below(backend, null)) : of(backend, settler);
}

/** A client says that its settings are others, or what they are; its backends are told, for they may want to ask. */
export function settingsChanged(mux: Mux, client: Client, settings: unknown): void {
  client.settings = settings ?? null;
  client.pulled = noneAsked();
  for (const backend of client.backends) {
    if (backend.settler === null || backend.settler.left !== null) settle(backend);
    tellSettings(mux, backend);
  }
}

/** Tells a backend its settings as they are now. */
export function tellSettings(mux: Mux, backend: Backend): void {
  if (!backend.isInitialized) return;
  mux.send(backend, [notification(M.didChangeConfiguration, { settings: settingsFor(backend) })]);
}

/** A backend's question for settings: one value for each item. */
export function configuration(mux: Mux, backend: Backend, params: unknown, answer: (r: Reply) => void): void {
  const list = lookUp(params, "items");
  const items: ConfigurationItem[] = Array.isArray(list) ? list.map((item) => (isObject(item) ? item : {})) : [];
  const settlers = items.map(({ scopeUri }) => settlerOf(mux, backend, scopeUri));
  const asked = [...new Set(settlers)];
  // Of now: what is answered after a client's settings have changed belongs to the question before.
  const pulled = new Map(asked.map((settler) => [settler, pulledOf(settler)]));
  let open = asked.length;
  const done = (): void => {
    open--;
    if (open > 0) return;
    const values = items.map((item, i) => {
      const settler = settlers[i] ?? null;
      const { scopes } = pulled.get(settler) ?? noneAsked();
      const under = settler === null ? layered(below(backend, null)) : of(backend, settler);
      const scope = item.scopeUri === undefined ? null : scopes.get(item.scopeUri);
      return answerConfiguration([item], () => layered([under, scopes.get(""), scope]))[0];
    });
    answer({ result: values });
  };
  if (asked.length === 0) return answer({ result: [] });
  for (const settler of asked) {
    const wanted = items.filter((_, i) => settlers[i] === settler);
    pull(mux, settler, pulled.get(settler) ?? noneAsked(), wanted, done);
  }
}

/** Asks a client for what it was not asked for yet. */
function pull(
  mux: Mux,
  settler: Settler | null,
  pulled: Pulled,
  items: readonly ConfigurationItem[],
  then: () => void,
): void {
  const { asked, scopes } = pulled;
  if (settler === null || settler.left !== null || pulled.refused) return then();
  const { client } = settler;
  const missing = sections(items).filter((item) => !asked.has(JSON.stringify(item)));
  if (missing.length === 0 || !client.initialized || !client.can("workspace.configuration")) return then();
  const spelled = missing.map(({ scopeUri, ...item }) =>
    scopeUri === undefined ? item : { scopeUri: spellingFor(mux, client, scopeUri), ...item },
  );
  mux.askClient(client, M.configuration, { items: spelled }, CONFIGURATION_MS, (r) => {
    pulled.refused = "error" in r;
    for (const item of missing) asked.add(JSON.stringify(item));
    for (const [scope, tree] of fromClient(missing, "error" in r ? undefined : r.result))
      scopes.set(scope, layered([scopes.get(scope), tree]));
    then();
  });
}

/** Whose settings hold for a place. */
function settlerOf(mux: Mux, backend: Backend, scopeUri: string | undefined): Settler | null {
  const { settler } = backend;
  if (scopeUri === undefined || typeof scopeUri !== "string" || settler === null) return settler;
  const key = mux.documents.keyOf(scopeUri);
  if (settler.client.folderOf(key) !== undefined) return settler;
  for (const client of backend.clients) if (client.folderOf(key) !== undefined) return settlerFor(client);
  return settler;
}

const settlers = new WeakMap<Client, Settler>();

/** The same each time, so that one client is asked once. */
function settlerFor(client: Client): Settler {
  const known = settlers.get(client) ?? { client, left: null };
  settlers.set(client, known);
  return known;
}

function of(backend: Backend, { client, left }: Settler): Settings {
  const { settings } = left ?? client;
  return layered([...below(backend, client), isObject(settings) ? settings : null]);
}

function below(backend: Backend, client: Client | null): readonly (Settings | undefined)[] {
  const spec = (client === null ? undefined : specFor(client, backend)) ?? backend.spec;
  return [backend.environment.settings, spec.adapter.settings];
}

function pulledOf(settler: Settler | null): Pulled {
  return settler === null ? noneAsked() : (settler.left ?? settler.client).pulled;
}
