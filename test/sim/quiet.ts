/**
 * What must hold of the processes of a game of chaos once nothing is under way: each has the documents that are its business,
 * in a text of one of its clients, and knows the folders of its clients and no others. The same question for settings has the same answer.
 */
import { isDeepStrictEqual } from "node:util";
import type { Backend } from "../../server/core/backends.ts";
import { serves } from "../../server/core/route/serving.ts";
import type { Sim } from "../sim.ts";
import type { FakeClient } from "./client.ts";
import { at, type FakeServer } from "./server.ts";

/** `homes`: the folders of each client; `count` is told what was compared. */
export function wrongWhenQuiet(
  sim: Sim,
  documents: readonly string[],
  homes: ReadonlyMap<FakeClient, ReadonlySet<string>>,
  count: (what: string) => void,
): readonly string[] {
  const wrong: string[] = [];
  for (const backend of sim.mux.pool.all) {
    const server = sim.processOf(backend.id);
    if (!backend.runs || server === undefined) continue;
    const clients = [...backend.clients].flatMap(({ id }) => sim.clients[id - 1] ?? []);
    if (clients.length === 0) continue;
    wrong.push(...folders(backend, server, clients, homes));
    for (const uri of documents) wrong.push(...text(sim, backend, server, uri));
    wrong.push(...settings(sim, server, documents));
    count("texts at the end");
  }
  return wrong;
}

function settings(sim: Sim, server: FakeServer, documents: readonly string[]): readonly string[] {
  const items = [{ section: "s" }, {}, ...documents.map((scopeUri) => ({ scopeUri, section: "s" }))];
  const answers = ["first", "second"].map((id) => {
    server.ask(id, "workspace/configuration", { items });
    // As long as a silent client is waited for.
    sim.advance(3_000);
    return server.answers.get(id)?.result;
  });
  const [first, second] = answers;
  const isRight = Array.isArray(first) && first.length === items.length && isDeepStrictEqual(first, second);
  return isRight ? [] : [`${server.name} was told settings ${JSON.stringify(first)}, then ${JSON.stringify(second)}`];
}

function folders(
  { name, root, spec }: Backend,
  server: FakeServer,
  clients: readonly FakeClient[],
  homes: ReadonlyMap<FakeClient, ReadonlySet<string>>,
): readonly string[] {
  const known = foldersOf(server);
  if (spec.adapter.multiRoot !== true)
    return known.length === 1 && known[0] === root.uri ? [] : [`${name} at ${root.uri} has ${known}`];
  const needed = new Set(clients.flatMap((client) => [...(homes.get(client) ?? [])]));
  // Without any it keeps what it had; what is found around files that lie in none is not followed here.
  const isFree = needed.size === 0 || clients.some((client) => client.strayed);
  const more = known.filter((uri) => !needed.has(uri));
  const missing = [...needed].filter((uri) => !known.includes(uri));
  return missing.length > 0 || (more.length > 0 && !isFree)
    ? [`${name} has folders ${known}, needs ${[...needed]}`]
    : [];
}

/** The folders that a server knows of by all that it was told. */
export function foldersOf(server: FakeServer): readonly string[] {
  const uris = (list: unknown): string[] => (Array.isArray(list) ? list.map((one) => String(at(one, "uri"))) : []);
  const first = server.questions.find(({ method }) => method === "initialize")?.params;
  let known = uris(at(first, "workspaceFolders"));
  for (const { method, params } of server.notifications) {
    if (method !== "workspace/didChangeWorkspaceFolders") continue;
    const removed = uris(at(params, "event", "removed"));
    known = known.filter((uri) => !removed.includes(uri)).concat(uris(at(params, "event", "added")));
  }
  return known;
}

function text(sim: Sim, backend: Backend, server: FakeServer, uri: string): readonly string[] {
  if (backend.quarantine.has(uri)) return [];
  const views = [...sim.mux.documents.viewsOf(uri)];
  const isNeeded = views.some((view) => serves(sim.mux, backend, view));
  const held = server.text(uri);
  // Also of a client whose document is elsewhere by now: it asked before, and nobody has asked since.
  const seen = views.map(({ client }) => sim.clients[client.id - 1]?.text(uri)?.toWellFormed());
  const isOurs = backend.docs.get(uri)?.by === "disk";
  if (held === undefined ? !isNeeded : isOurs || (isNeeded && seen.includes(held))) return [];
  return [
    `${backend.name} at ${backend.root.uri} holds ${JSON.stringify(held)} of ${uri}, clients ${JSON.stringify(seen)}`,
  ];
}
