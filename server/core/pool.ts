/**
 * Finds the backend for a client, a server and a place, or makes it. One process per server, program, options and root
 * (design section 7, pool key); servers that take several folders get one process for all.
 */
import type { Environment } from "../../adapters/adapter.ts";
import type { BackendSpec } from "../config/resolve.ts";
import { Backend } from "./backends.ts";
import { type Client, type Folder, isWithin } from "./clients.ts";
import { pathOf, uriOfPath } from "./documents/uris.ts";
import type { BackendId, Ports } from "./ports.ts";

export class Pool {
  readonly #byKey = new Map<string, Backend>();
  readonly #byId = new Map<BackendId, Backend>();
  /**
   * What a server contributes to a key, made once a client: one that comes after the command was replaced on disk gets the
   * new program, while those that came before keep theirs.
   */
  readonly #keys = new WeakMap<Client, Map<BackendSpec, string>>();
  readonly #givens = new WeakMap<BackendSpec, Map<string, Given>>();
  readonly #ports: Ports;
  #lastId = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get(id: BackendId): Backend | undefined {
    return this.#byId.get(id);
  }

  get all(): Iterable<Backend> {
    return this.#byId.values();
  }

  /** The existing backend that serves a place for the client; undefined when there is none yet. */
  find(client: Client, spec: BackendSpec, key: string | null): Backend | undefined {
    const folder = this.rootFor(client, spec, key);
    return folder === null ? undefined : this.#byKey.get(this.#poolKey(client, spec, folder));
  }

  /**
   * The backend that serves a place for the client, made when there is none. Null when there is no place: neither a
   * document nor a folder.
   */
  require(client: Client, spec: BackendSpec, key: string | null): Backend | null {
    const folder = this.rootFor(client, spec, key);
    if (folder === null) return null;
    const name = this.#poolKey(client, spec, folder);
    let backend = this.#byKey.get(name);
    if (backend === undefined) {
      this.#lastId++;
      backend = new Backend(
        this.#lastId as BackendId,
        spec,
        name,
        folder,
        this.#given(client, spec, folder).environment,
        client.origin.env,
      );
      this.#byKey.set(name, backend);
      this.#byId.set(backend.id, backend);
    }
    return backend;
  }

  /** One process per server, program, environment, options and root (unless it takes several). */
  #poolKey(client: Client, spec: BackendSpec, folder: Folder): string {
    const keys = this.#keys.get(client) ?? new Map<BackendSpec, string>();
    let known = keys.get(spec);
    if (known === undefined) {
      const { name, launch, env, heeds, adapter } = spec;
      const identity = this.#ports.identityOf(launch ?? []);
      known = JSON.stringify([name, launch, identity, env, heeds, adapter.initializationOptions ?? null]);
      this.#keys.set(client, keys.set(spec, known));
    }
    const root = spec.adapter.multiRoot === true ? "" : ` ${folder.key}`;
    return known + root + this.#given(client, spec, folder).key;
  }

  /** What a server is given because of what lies in a root, as it was when the root was first met. */
  #given(client: Client, spec: BackendSpec, folder: Folder): Given {
    const { environment } = spec.adapter;
    const root = environment === undefined ? null : pathOf(folder.uri);
    if (environment === undefined || root === null) return NOTHING_GIVEN;
    const known = this.#givens.get(spec) ?? new Map<string, Given>();
    let given = known.get(folder.key);
    if (given === undefined) {
      const exists = (path: string): boolean => this.#ports.exists(path);
      const found = environment({ root, trusted: client.setup.trusts(root), exists, env: client.origin.env });
      given = { environment: found, key: ` ${JSON.stringify(found)}` };
      this.#givens.set(spec, known.set(folder.key, given));
    }
    return given;
  }

  /** It is about to end: who needs such a backend from now on gets another. */
  retire(backend: Backend): void {
    if (this.#byKey.get(backend.poolKey) === backend) this.#byKey.delete(backend.poolKey);
  }

  remove(backend: Backend): void {
    this.retire(backend);
    this.#byId.delete(backend.id);
  }

  /**
   * The client's folder that holds the document. One outside of all (a dependency that a definition led to) belongs to the
   * server that the client already uses for its language, and so does one that is no file (`untitled:`). A client without
   * folders works in as many projects as it opens files of: the nearest folder with a marker tells them apart.
   */
  rootFor(client: Client, spec: BackendSpec, key: string | null): Folder | null {
    const folder = key === null ? client.folders[0] : client.folderOf(key);
    if (folder !== undefined) return folder;
    const used = [...client.backends].filter(
      (backend) => backend.name === spec.name && (key === null || backend.lives),
    );
    if (key === null) return used[0]?.found.get(client)?.[0] ?? used[0]?.root ?? null;
    const placed = client.outside.get(key)?.get(spec.name);
    if (placed !== undefined && used.includes(placed.backend)) return placed.root;
    const isFile = pathOf(key) !== null;
    if (isFile && (client.folders.length === 0 || client.guessed)) {
      const around = used.flatMap((backend) => [backend.root, ...(backend.found.get(client) ?? [])]);
      const nearest = around.find((root) => isWithin(key, root.key));
      if (nearest !== undefined) return nearest;
      const marked = dependencies.test(key) ? null : this.#markedRoot(spec, key);
      if (marked !== null) return folderAt(marked);
    }
    // Not simply its root: of a server of several folders that can be another client's.
    const home = used.flatMap((backend) => this.#homeIn(client, spec, backend) ?? [])[0];
    if (home !== undefined) return home;
    const [other] = used;
    if (other !== undefined) return other.found.get(client)?.[0] ?? other.root;
    if (!isFile) return client.folders[0] ?? NOWHERE;
    return folderAt(this.#markedRoot(spec, key) ?? parentOf(key));
  }

  /** The first of the client's folders that a backend serves. */
  #homeIn(client: Client, spec: BackendSpec, backend: Backend): Folder | undefined {
    return client.folders.find((folder) => this.#byKey.get(this.#poolKey(client, spec, folder)) === backend);
  }

  /** The nearest folder around a file that holds a marker of the server's roots; null where none does. */
  #markedRoot(spec: BackendSpec, key: string): string | null {
    for (const markers of spec.adapter.roots)
      for (let at = parentOf(key); ; ) {
        const path = pathOf(at);
        if (path !== null && markers.some((marker) => this.#ports.exists(`${path}/${marker}`))) return at;
        const up = parentOf(at);
        if (up === at || up.length < "file:///".length) break;
        at = up;
      }
    return null;
  }
}

/** The root of a server that was first needed for what is no file, by a client without folders. */
const NOWHERE: Folder = { uri: "", key: "", name: "" };

interface Given {
  readonly environment: Environment;
  /** What it contributes to a key. */
  readonly key: string;
}

const NOTHING_GIVEN: Given = { environment: {}, key: "" };

/** Folders of other people's projects: their markers tell nothing about what the client works on. */
const dependencies =
  /\/(?:node_modules|site-packages|dist-packages|pkg\/mod|go[\d.-]*\/src|registry\/src|toolchains)\//;

function folderAt(uri: string): Folder {
  return { uri, key: uri, name: uri.slice(uri.lastIndexOf("/") + 1) };
}

function parentOf(uri: string): string {
  const slash = uri.lastIndexOf("/");
  const parent = uri.slice(0, slash);
  return parent.length < "file:///".length ? uriOfPath("/") : parent;
}

/** Whether a place belongs to one of the backend's folders. */
export function covers(backend: Backend, key: string): boolean {
  return backend.folders.some((folder) => isWithin(key, folder.key));
}
