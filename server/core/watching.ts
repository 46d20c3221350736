/**
 * Changes of files on disk, for backends that asked to hear of them (dynamic registration of didChangeWatchedFiles). We
 * watch each root ourselves, whatever the client does; what the client reports is merged in, and the same change of the
 * same file within half a second counts once. Registrations are never passed on to clients.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/packet.ts";
import type { Backend } from "./backends.ts";
import { isWithin } from "./clients.ts";
import type { Mux } from "./mux.ts";
import type { FileEvent, Timer } from "./ports.ts";

const SAME_MS = 500;

export class Watching {
  readonly #mux: Mux;
  /** By key of the root. */
  readonly #roots = new Map<string, { readonly watch: Timer; readonly backends: Set<Backend> }>();
  readonly #recent = new Map<string, number>();

  constructor(mux: Mux) {
    this.#mux = mux;
  }

  /** Called whenever a backend's registrations or folders changed. */
  update(backend: Backend): void {
    const wants = backend.runs && backend.abilities.watchers().length > 0;
    for (const folder of backend.folders) {
      const known = this.#roots.get(folder.key);
      if (!wants) this.#leave(folder.key, backend);
      else if (known !== undefined) known.backends.add(backend);
      else {
        const watch = this.#mux.ports.watch(folder.uri, (events) => this.seen(events));
        this.#roots.set(folder.key, { watch, backends: new Set([backend]) });
      }
    }
  }

  /** The backend's process ended or is no longer wanted. */
  ended(backend: Backend): void {
    for (const folder of backend.folders) this.#leave(folder.key, backend);
  }

  /** Events of our own watch or of a client. */
  seen(events: readonly FileEvent[]): void {
    const now = this.#mux.ports.now();
    for (const [event, at] of this.#recent) if (now - at > SAME_MS) this.#recent.delete(event);
    const fresh = events.filter((event) => {
      const name = `${event.type} ${this.#mux.documents.keyOf(event.uri)}`;
      if (this.#recent.has(name)) return false;
      this.#recent.set(name, now);
      return true;
    });
    if (fresh.length === 0) return;
    for (const backend of this.#mux.pool.all) if (backend.runs) this.#tell(backend, fresh);
  }

  #tell(backend: Backend, events: readonly FileEvent[]): void {
    const changes: FileEvent[] = [];
    for (const { uri, type } of events) {
      const key = this.#mux.documents.keyOf(uri);
      const root = backend.folders.find((folder) => isWithin(key, folder.key)) ?? backend.root;
      if (backend.abilities.watches({ uri, type }, root.uri))
        changes.push({ uri: backend.knownSpelling(key) ?? uri, type });
    }
    if (changes.length > 0) this.#mux.send(backend, [notification(M.didChangeWatchedFiles, { changes })]);
  }

  #leave(key: string, backend: Backend): void {
    const known = this.#roots.get(key);
    if (known === undefined || !known.backends.delete(backend) || known.backends.size > 0) return;
    known.watch.cancel();
    this.#roots.delete(key);
  }
}
