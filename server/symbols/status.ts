/** `$/switchboard/status` (contract section 5): what runs, and what was dropped. */
import type { Extension, Mux } from "../core/mux.ts";

/** The request as the core takes it. */
export const status: Extension = (mux, call) => mux.answer(call, { result: statusOf(mux) });

export function statusOf(mux: Mux): object {
  const now = mux.ports.now();
  const backends = [...mux.pool.all].map((backend) => ({
    name: backend.name,
    command: backend.spec.launch,
    version: backend.version,
    root: backend.root.uri,
    pid: mux.ports.pidOf(backend.id),
    state: backend.state,
    uptimeMs: Math.round(now - (backend.starts.at(-1) ?? now)),
    clients: backend.clients.size,
    openDocuments: backend.docs.size,
    requests: backend.requests,
    restarts: Math.max(0, backend.generation - 1),
    rssBytes: mux.ports.memoryOf(backend.id),
    quirks: backend.quirks.map((quirk) => quirk.id),
  }));
  return {
    version: mux.options.version,
    uptimeMs: Math.round(now - mux.startedAt),
    clients: mux.clients.size,
    backends,
    drops: mux.drops.all,
  };
}
