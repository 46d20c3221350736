/**
 * Pulled diagnostics of several backends as one report (LSP 3.18, Pull Diagnostics). Each backend's items stand in its slot
 * (`diagnostics.ts`); a result id towards a client is ours and stands for all slots of a document, towards a backend it is
 * that backend's own. A server that has not answered in time is asked again on our account, and the client to pull anew.
 */
import { Code } from "../../protocol/errors.ts";
import { M, rowOf } from "../../protocol/methods.ts";
import { parseBody } from "../../wire/packet.ts";
import { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { pulledFor, slotOf } from "../diagnostics.ts";
import type { View } from "../documents.ts";
import type { Answer } from "../merge.ts";
import type { Mux } from "../mux.ts";
import { inRank } from "../route/serving.ts";
import { isObject, lookUp } from "../settings.ts";
import { stable } from "./same.ts";
import { previousIdsFor, workspaceReport } from "./workspace-reports.ts";

/** What a backend is told of a pull: its own identifier and its own last result id, where the client has seen that report. */
export function previousFor(mux: Mux, call: Call, client: Client, backend: Backend): object {
  const identifier = backend.abilities.options(call.row)?.identifier;
  const own = typeof identifier === "string" ? { identifier } : { identifier: undefined };
  // A question of our own names the backend's own id already.
  if (call.origin !== client) return own;
  if (call.row.route === "all") return { ...own, previousResultIds: previousIdsFor(mux, call, client, backend) };
  const slot = call.key === null ? undefined : mux.slots.get(call.key, backend.id, pulledFor(client.id));
  const { resultId } = hasSeen(call, client) ? (slot ?? {}) : {};
  return { ...own, previousResultId: resultId };
}

/** Whether the id that a client names stands for what the slots hold now. */
function hasSeen({ key, packet }: Call, client: Client): boolean {
  const previous = lookUp(parseBody(packet), "previousResultId");
  return key !== null && previous !== undefined && client.reports.get(key) === previous;
}

/** The one report for a client, from those of its backends. */
export function report(mux: Mux, call: Call, client: Client, answers: readonly Answer<Backend>[]): unknown {
  const { key, asked } = call;
  if (key === null) return workspaceReport(mux, call, client, answers);
  const channel = pulledFor(client.id);
  const seen = hasSeen(call, client);
  const previous = client.reports.get(key);
  const related: [string, unknown][] = [];
  let isSame = seen;
  for (const { backend, result } of answers) {
    if (!isObject(result)) continue;
    if (isObject(result.relatedDocuments)) related.push(...Object.entries(result.relatedDocuments));
    if (!Array.isArray(result.items)) continue;
    isSame = false;
    mux.slots.set(key, backend.id, channel, slotOf(result, result.items, asked?.version ?? null));
  }
  const late = lateOf(call);
  const held = inRank(client).flatMap((backend) => {
    const slot = mux.slots.get(key, backend.id, channel);
    const answered = answers.some((answer) => answer.backend === backend);
    // Of one that is late, what it said of this very text.
    return slot !== undefined && (answered || slot.version === (asked?.version ?? null)) ? [slot] : [];
  });
  for (const backend of late) pullLate(mux, call, client, backend);
  if (isSame && late.length === 0 && previous !== undefined) return { kind: "unchanged", resultId: previous };
  const resultId = `sb:${++client.lastReport}`;
  client.reports.set(key, resultId);
  const items = held.flatMap(({ items }) => items);
  return { kind: "full", resultId, items, ...relatedOf(related) };
}

/** Of other documents all items; without result ids, of which one could stand for one server's part only. */
function relatedOf(reports: readonly (readonly [string, unknown])[]): object {
  const items = new Map<string, readonly unknown[]>();
  for (const [uri, one] of reports)
    if (isObject(one) && Array.isArray(one.items)) items.set(uri, [...(items.get(uri) ?? []), ...one.items]);
  if (items.size === 0) return {};
  return {
    relatedDocuments: Object.fromEntries([...items].map(([uri, list]) => [uri, { kind: "full", items: list }])),
  };
}

/** Backends whose part is missing: they have not answered, or have asked to be asked again. */
function lateOf({ legs }: Call): readonly Backend[] {
  return legs.flatMap(({ to, state, answer, failure }) => {
    if (!(to instanceof Backend)) return [];
    if (state === "abandoned" && failure === null) return [to];
    return answer?.failed === true && isCancelled(parseBody(answer)) ? [to] : [];
  });
}

/** LSP 3.18, DiagnosticServerCancellationData. */
export function isCancelled(error: unknown): boolean {
  return lookUp(error, "code") === Code.serverCancelled && lookUp(error, "data.retriggerRequest") !== false;
}

/** Asked until it answers; then the client hears that there is something new. */
function pullLate(mux: Mux, { key, asked }: Call, client: Client, backend: Backend): void {
  const view = key === null ? undefined : mux.documents.viewByKey(client, key);
  if (view === undefined || asked === null || backend.pulling.has(view) || !takesRefresh(client)) return;
  backend.pulling.add(view);
  mux.ask(client, M.diagnostic, { textDocument: { uri: view.uri } }, { backend }, (reply) => {
    backend.pulling.delete(view);
    if ("error" in reply || !isOpen(client, view) || view.text !== asked.text) return;
    const { result } = reply;
    if (!isObject(result) || !Array.isArray(result.items)) return;
    const slot = slotOf(result, result.items, view.version);
    const known = mux.slots.get(view.key, backend.id, pulledFor(client.id));
    mux.slots.set(view.key, backend.id, pulledFor(client.id), slot);
    // What the client has seen in spite of it is no reason to pull: one that is always late would never let it rest.
    if (known?.version === slot.version && stable(known.items) === stable(slot.items)) return;
    mux.askClient(client, M.diagnosticRefresh, undefined, REFRESH_MS, () => {});
  });
}

/** How long a client may take to say that it will pull, ms; nothing waits for it. */
const REFRESH_MS = 3000;

/** Whether a client can be asked to pull anew. */
export function takesRefresh(client: Client): boolean {
  const path = rowOf(M.diagnosticRefresh)?.clientCapability ?? null;
  return path !== null && client.can(path);
}

function isOpen(client: Client, view: View): boolean {
  return client.views.get(view.uri) === view;
}
