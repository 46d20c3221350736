/**
 * Changes of files on disk, for backends that asked to hear of them (dynamic registration of didChangeWatchedFiles). We
 * watch each root ourselves, whatever the client does; what the client reports is merged in, so that the same change told
 * by both counts once. Registrations are never passed on to clients. Files that are open on our account are read anew.
 *
 * Changes count from the start of a backend's process, whenever it comes to ask for them: those that nobody has asked for
 * yet are kept until it does.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/compose.ts";
import type { Backend } from "./backends.ts";
import { type Folder, isWithin, spelledIn } from "./clients.ts";
import { changedOnDisk, needsShowing } from "./documents/catching-up.ts";
import { reread } from "./documents/disk.ts";
import { pathOf } from "./documents/uris.ts";
import type { Mux } from "./mux.ts";
import type { FileEvent, Watch, WatchTrouble } from "./ports.ts";
import { projectsChanged } from "./route/warmup.ts";

/** Reports of one change by the client and by our own watch are at most this far apart, ms. */
const SAME_MS = 500;

/** So many changes are kept for a backend that has not asked for them, the latest. */
const MAX_UNTOLD = 1_000;

const TROUBLES: Readonly<Record<WatchTrouble, string>> = {
  polled: "watch of a folder: polled instead",
  rescanned: "watch of a folder: events lost, the folder looked through",
  unwatched: "watch of a folder: not watched, changes go unseen",
};

/** How often each has reported one kind of change of one file lately. */
interface Reports {
  last: number;
  ours: number;
  clients: number;
}

interface Root {
  readonly watch: Watch;
  /** Those whose process runs in it. */
  readonly backends: Set<Backend>;
}

/** The watches of all roots, and who hears of what they see. */
export class Watching {
  readonly #mux: Mux;
  /** By key of the root. */
  readonly #roots = new Map<string, Root>();
  readonly #recent = new Map<string, Reports>();

  constructor(mux: Mux) {
    this.#mux = mux;
  }

  /** Called whenever a backend's process has started, or its registrations, folders, or files open on our account changed. */
  update(backend: Backend): void {
    if (!backend.hasProcess) return;
    const wants =
      backend.runs && (backend.abilities.watchers().length > 0 || holdsOurs(backend) || needsShowing(backend));
    for (const folder of backend.folders) {
      const root = this.#roots.get(folder.key) ?? this.#watch(backend, folder);
      root.backends.add(backend);
      if (wants) root.watch.begin();
    }
    if (wants && backend.untold.size > 0) {
      const untold = [...backend.untold.values()];
      backend.untold.clear();
      this.#tell(backend, untold);
    }
  }

  #watch({ spec, clients }: Backend, { key, uri }: Folder): Root {
    const path = pathOf(key);
    const specs = [spec, ...[...clients].flatMap(({ setup }) => setup.backends)];
    const markers = new Set(specs.flatMap(({ adapter }) => adapter.roots.flat()));
    const marked = [...markers].some((name) => this.#mux.ports.exists(`${path}/${name}`));
    const watch = this.#mux.ports.watch(uri, marked, {
      on: (events) => this.seen("ours", events),
      trouble: (what) => this.#mux.drops.count(TROUBLES[what]),
    });
    const root: Root = { watch, backends: new Set() };
    this.#roots.set(key, root);
    return root;
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
    // Whoever tells of a change, and be it the third to do so: what is read twice does no harm.
    for (const backend of this.#mux.pool.all) if (backend.runs) this.#reread(backend, events);
    if (fresh.length === 0) return;
    for (const backend of this.#mux.pool.all)
      if (backend.runs) {
        projectsChanged(this.#mux, backend, fresh);
        this.#tell(backend, fresh);
        changedOnDisk(this.#mux, backend, fresh);
      } else if (backend.hasProcess) this.#keep(backend, fresh);
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

  #reread(backend: Backend, events: readonly FileEvent[]): void {
    for (const { uri } of events) {
      const key = this.#mux.documents.keyOf(uri);
      if (backend.docs.get(key)?.by === "disk") reread(this.#mux, backend, key);
    }
  }

  #tell(backend: Backend, events: readonly FileEvent[]): void {
    const changes: FileEvent[] = [];
    const others: FileEvent[] = [];
    for (const event of events) {
      const { uri, type } = event;
      const key = this.#mux.documents.keyOf(uri);
      const root = backend.folders.find((folder) => isWithin(key, folder.key));
      // The real path of a file below a linked folder is none that the backend knows.
      const spelled = root === undefined ? uri : spelledIn(root, key, uri);
      if (backend.abilities.watches({ uri: spelled, type }, (root ?? backend.root).uri))
        changes.push({ uri: backend.knownSpelling(key) ?? spelled, type });
      else others.push(event);
    }
    this.#keep(backend, others);
    if (changes.length === 0) return;
    this.#mux.send(backend, [notification(M.didChangeWatchedFiles, { changes })]);
    const named = changes.slice(0, 10).map(({ uri }) => uri);
    this.#mux.ports.log("debug", backend.name, `told of ${changes.length} changed files: ${named.join(" ")}`);
  }

  /** Of one file the last change. */
  #keep({ untold }: Backend, events: readonly FileEvent[]): void {
    for (const event of events) {
      untold.delete(event.uri);
      untold.set(event.uri, event);
    }
    for (const uri of untold.keys()) {
      if (untold.size <= MAX_UNTOLD) break;
      untold.delete(uri);
      this.#mux.drops.count("change of a file that nobody has asked for");
    }
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
