/**
 * Changes of files on disk, for backends that asked to hear of them (dynamic registration of didChangeWatchedFiles). We
 * watch each root ourselves, whatever the client does; what the client reports is merged in, so that the same change told
 * by both counts once. Registrations are never passed on to clients. Files that are open on our account are read anew.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/compose.ts";
import type { Backend } from "./backends.ts";
import { isWithin } from "./clients.ts";
import { reread } from "./disk.ts";
import type { Mux } from "./mux.ts";
import type { FileEvent, Timer } from "./ports.ts";

/** Reports of one change by the client and by our own watch are at most this far apart, ms. */
const SAME_MS = 500;

/** How often each has reported one kind of change of one file lately. */
interface Reports {
  last: number;
  ours: number;
  clients: number;
}

/** The watches of all roots, and who hears of what they see. */
export class Watching {
  readonly #mux: Mux;
  /** By key of the root. */
  readonly #roots = new Map<string, { readonly watch: Timer; readonly backends: Set<Backend> }>();
  readonly #recent = new Map<string, Reports>();

  constructor(mux: Mux) {
    this.#mux = mux;
  }

  /** Called whenever a backend's registrations, folders, or files open on our account changed. */
  update(backend: Backend): void {
    const wants = backend.runs && (backend.abilities.watchers().length > 0 || holdsOurs(backend));
    for (const folder of backend.folders) {
      const known = this.#roots.get(folder.key);
      if (!wants) this.#leave(folder.key, backend);
      else if (known !== undefined) known.backends.add(backend);
      else {
        const watch = this.#mux.ports.watch(folder.uri, (events) => this.seen("ours", events));
        this.#roots.set(folder.key, { watch, backends: new Set([backend]) });
      }
    }
  }

  /** The backend's process ended or is no longer wanted. */
  ended(backend: Backend): void {
    for (const folder of backend.folders) this.#leave(folder.key, backend);
  }

  /** Events of our own watch, or of a client. */
  seen(from: "ours" | "clients", events: readonly FileEvent[]): void {
    const now = this.#mux.ports.now();
    for (const [event, { last }] of this.#recent) if (now - last > SAME_MS) this.#recent.delete(event);
    const fresh = events.filter((event) => this.#isNew(from, event, now));
    if (fresh.length === 0) return;
    for (const backend of this.#mux.pool.all) if (backend.runs) this.#tell(backend, fresh);
  }

  /** Each reports a change once, so there have been as many as the busier of the two has reported. */
  #isNew(from: "ours" | "clients", { type, uri }: FileEvent, now: number): boolean {
    const name = `${type} ${this.#mux.documents.keyOf(uri)}`;
    const reports = this.#recent.get(name) ?? { last: now, ours: 0, clients: 0 };
    this.#recent.set(name, reports);
    const told = Math.max(reports.ours, reports.clients);
    reports.last = now;
    reports[from]++;
    return reports[from] > told;
  }

  #tell(backend: Backend, events: readonly FileEvent[]): void {
    const changes: FileEvent[] = [];
    for (const { uri, type } of events) {
      const key = this.#mux.documents.keyOf(uri);
      const root = backend.folders.find((folder) => isWithin(key, folder.key));
      // The real path of a file below a linked folder is none that the backend knows.
      const spelled = root === undefined || root.uri === root.key ? uri : root.uri + key.slice(root.key.length);
      if (backend.abilities.watches({ uri: spelled, type }, (root ?? backend.root).uri))
        changes.push({ uri: backend.knownSpelling(key) ?? spelled, type });
      if (backend.docs.get(key)?.by === "disk") reread(this.#mux, backend, key);
    }
    if (changes.length === 0) return;
    this.#mux.send(backend, [notification(M.didChangeWatchedFiles, { changes })]);
    const named = changes.slice(0, 10).map(({ uri }) => uri);
    this.#mux.ports.log("debug", backend.name, `told of ${changes.length} changed files: ${named.join(" ")}`);
  }

  #leave(key: string, backend: Backend): void {
    const known = this.#roots.get(key);
    if (known === undefined || !known.backends.delete(backend) || known.backends.size > 0) return;
    known.watch.cancel();
    this.#roots.delete(key);
  }
}

function holdsOurs(backend: Backend): boolean {
  for (const { by } of backend.docs.values()) if (by === "disk") return true;
  return false;
}
