/**
 * What of a client's question is for one of its backends: the diagnostics that it has reported itself, its own result ids, the
 * files that its filters name. The row's rule tells which. Params are the client's, before they are brought into the backend's
 * terms (`asking.ts`).
 */
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { pulledFor } from "../diagnostics.ts";
import type { Mux } from "../mux.ts";
import { diagnosticsFrom } from "../publish.ts";
import { isObject } from "../settings.ts";
import { filesFor } from "./file-operations.ts";
import { previousFor } from "./reports.ts";

/** Whether a backend is to see other params than were asked. */
export function isPortioned(mux: Mux, call: Call, backend: Backend): boolean {
  const { row, client, key } = call;
  if (client === null) return false;
  if (row.merge === "diagnostics") return true;
  if (row.merge === "edits") return filesFor(backend, row, parseBody(call.packet)) !== null;
  if (row.merge !== "codeActions" || key === null) return false;
  for (const other of client.backends) if (other !== backend && hasReported(mux, client, other, key)) return true;
  return false;
}

function hasReported(mux: Mux, client: Client, backend: Backend, key: string): boolean {
  return (["push", pulledFor(client.id)] as const).some(
    (channel) => (mux.slots.get(key, backend.id, channel)?.items.length ?? 0) > 0,
  );
}

/** The params for one backend; the same where all of them are for it. */
export function portion(mux: Mux, call: Call, backend: Backend, params: unknown): unknown {
  const { row, client, key } = call;
  if (client === null || !isObject(params) || !isPortioned(mux, call, backend)) return params;
  if (row.merge === "diagnostics") return { ...params, ...previousFor(mux, call, client, backend) };
  if (row.merge === "edits") return { ...params, files: filesFor(backend, row, params) ?? params.files };
  if (key === null || !isObject(params.context) || !Array.isArray(params.context.diagnostics)) return params;
  const isOwn = ownership(mux, client, backend, key);
  const list: readonly unknown[] = params.context.diagnostics;
  return { ...params, context: { ...params.context, diagnostics: list.filter(isOwn) } };
}

/**
 * Whether a diagnostic that a client names may be a backend's: its envelope tells, else that it, or nobody, has reported one
 * of that text and place. One that nobody has reported is the editor's own, or has been replaced just now.
 */
function ownership(mux: Mux, client: Client, backend: Backend, key: string): (diagnostic: unknown) => boolean {
  const reporters = new Map<string, Set<Backend>>();
  for (const each of client.backends)
    for (const diagnostic of diagnosticsFrom(mux, each, client, key)) {
      const said = saidIn(diagnostic);
      reporters.set(said, (reporters.get(said) ?? new Set()).add(each));
    }
  return (diagnostic) => {
    const data = isObject(diagnostic) ? diagnostic.data : undefined;
    if (typeof data === "string" && data.startsWith("sb1:")) return data.startsWith(backend.envelope);
    const by = reporters.get(saidIn(diagnostic));
    return by === undefined || by.has(backend);
  };
}

/** Clients keep these; some drop all else. */
function saidIn(diagnostic: unknown): string {
  if (!isObject(diagnostic) || !isObject(diagnostic.range)) return "";
  const { start, end } = diagnostic.range;
  const at = [start, end].map((place) => (isObject(place) ? [place.line, place.character] : null));
  return JSON.stringify([at, diagnostic.message]);
}
