/**
 * Diagnostics of the whole workspace, pulled from several backends, as one report (LSP 3.18, Workspace Diagnostics). As with
 * one document (`reports.ts`) each backend's items stand in a slot, and a client's result ids, one a document, are ours.
 */
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { listedFor, slotOf } from "../diagnostics.ts";
import type { Answer } from "../merge.ts";
import type { Mux } from "../mux.ts";
import { inRank } from "../route/serving.ts";
import { isObject, lookUp } from "../settings.ts";

/** The result ids that a client names, each as the one that the backend gave that document. */
export function previousIdsFor(mux: Mux, call: Call, client: Client, backend: Backend): readonly object[] {
  return [...namedIn(mux, call)].flatMap(([key, { uri, value }]) => {
    if (client.workspaceReports.get(key) !== value) return [];
    const resultId = mux.slots.get(key, backend.id, listedFor(client.id))?.resultId;
    return resultId === undefined ? [] : [{ uri, value: resultId }];
  });
}

/** The one report, of the documents that any backend has said something of. */
export function workspaceReport(mux: Mux, call: Call, client: Client, answers: readonly Answer<Backend>[]): object {
  const channel = listedFor(client.id);
  const named = namedIn(mux, call);
  const told = new Map<string, { readonly uri: string; readonly version: number | null; readonly isSame: boolean }>();
  for (const { backend, result } of answers)
    for (const one of reportsIn(result)) {
      const { uri, items } = one;
      const key = mux.documents.keyOf(uri);
      const known = told.get(key);
      const version = known?.version ?? (typeof one.version === "number" ? one.version : null);
      const isSame = !Array.isArray(items) && known?.isSame !== false;
      told.set(key, { uri: known?.uri ?? uri, version, isSame });
      if (Array.isArray(items)) mux.slots.set(key, backend.id, channel, slotOf(one, items, version));
    }
  const items = [...told].map(([key, { uri, version, isSame }]) => {
    const last = client.workspaceReports.get(key);
    if (isSame && last !== undefined && last === named.get(key)?.value)
      return { kind: "unchanged", uri, version, resultId: last };
    const resultId = `sb:${++client.lastReport}`;
    client.workspaceReports.set(key, resultId);
    const all = inRank(client).flatMap((backend) => mux.slots.get(key, backend.id, channel)?.items ?? []);
    return { kind: "full", uri, version, resultId, items: all };
  });
  return { items };
}

function reportsIn(result: unknown): readonly { readonly uri: string; readonly [key: string]: unknown }[] {
  const items = lookUp(result, "items");
  return Array.isArray(items) ? items.filter((one) => isObject(one) && typeof one.uri === "string") : [];
}

function namedIn(mux: Mux, { packet }: Call): ReadonlyMap<string, { readonly uri: string; readonly value: unknown }> {
  const list = lookUp(parseBody(packet), "previousResultIds");
  const named = (Array.isArray(list) ? list : []).filter((one) => isObject(one) && typeof one.uri === "string");
  return new Map(named.map(({ uri, value }) => [mux.documents.keyOf(uri), { uri, value }]));
}
