/**
 * Diagnostics as they stand: a slot per document, backend and channel, so that one server's empty list never clears another's
 * and what a server pushes never replaces what it answers to a pull. When to publish or to pull is the caller's business.
 */
import type { Diagnostic } from "../protocol/messages.ts";
import type { Text } from "./documents/text.ts";
import type { BackendId, ClientId } from "./ports.ts";

/**
 * How a list came: by textDocument/publishDiagnostics, or as an answer to a textDocument/diagnostic that was asked for one
 * client, in whose terms it is.
 */
export type Channel = "push" | `pull ${number}` | `workspace ${number}`;

/** The channel of what is pulled on behalf of a client. */
export function pulledFor(client: ClientId): Channel {
  return `pull ${client}`;
}

/** The channel of what is pulled on behalf of a client for its whole workspace. */
export function listedFor(client: ClientId): Channel {
  return `workspace ${client}`;
}

/** The slot of a report that holds these items. */
export function slotOf(
  { resultId }: { readonly [key: string]: unknown },
  items: readonly Diagnostic[],
  version: number | null,
): Slot {
  return { items, version, ...(typeof resultId === "string" && { resultId }) };
}

export interface Slot {
  readonly items: readonly Diagnostic[];
  /** The version of the text that they are about, as the client counts; null when the server did not say. */
  readonly version: number | null;
  /** Of files that are open nowhere and that the items point into; only where a client counts columns in another way. */
  readonly texts?: ReadonlyMap<string, Text>;
  /** Of a list that was pulled for a client: the client's text that it is about. */
  readonly of?: Text;
  /** The backend's own result id of a pulled report, to be sent with its next pull. */
  readonly resultId?: string;
  /** Of a pushed list about a text: that text, who sees or saw it, and the latest lists for those who see another one. */
  readonly about?: {
    readonly text: Text;
    readonly clients: Set<ClientId>;
    readonly others: ReadonlyMap<ClientId, Slot>;
  };
}

/** What a slot holds for one client. */
export function slotFor(client: ClientId | undefined, slot: Slot | undefined): Slot | undefined {
  if (client === undefined || slot?.about === undefined || slot.about.clients.has(client)) return slot;
  return slot.about.others.get(client);
}

/** What one client is to be shown: the backends it uses in rank order, and the channels. */
export interface Sight {
  /** Missing: whoever, and so the latest lists. */
  readonly client?: ClientId;
  readonly backends: readonly BackendId[];
  readonly channels: readonly Channel[];
}

export interface Union {
  readonly items: readonly Diagnostic[];
  /** Set only when all lists that are not empty (or all, when all are) are about the same text. */
  readonly version: number | null;
  /** The slot that holds all there is, when just one is not empty or there is just one: its own bytes may be forwarded. */
  readonly sole: { readonly backend: BackendId; readonly channel: Channel } | null;
  /** Ours, for the answer to a pull: equal ids mean that nothing of the document changed in between. */
  readonly resultId: string;
}

/** All slots of all documents. */
export class Slots {
  readonly #documents = new Map<string, Document>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Counts changes of all documents, so that an id is never used twice. */
  #changes = 0;

  /** Replaces a slot. `key` is the document's identity. */
  set(key: string, backend: BackendId, channel: Channel, slot: Slot): void {
    let document = this.#documents.get(key);
    if (!document) {
      document = { lists: new Map(), change: 0 };
      this.#documents.set(key, document);
    }
    const list = document.lists.get(channel);
    if (list) list.set(backend, slot);
    else document.lists.set(channel, new Map([[backend, slot]]));
    document.change = ++this.#changes;
  }

  /** Forgets a channel of a document, or one backend's slot in it: nobody is going to look at it. */
  drop(key: string, channel: Channel, backend?: BackendId): void {
    const document = this.#documents.get(key);
    if (!document) return;
    const list = document.lists.get(channel);
    if (backend !== undefined) list?.delete(backend);
    if (backend === undefined || list?.size === 0) document.lists.delete(channel);
    document.change = ++this.#changes;
    if (document.lists.size === 0) this.#documents.delete(key);
  }

  /** Forgets a channel of all documents. */
  dropAll(channel: Channel): void {
    for (const key of [...this.#documents.keys()]) this.drop(key, channel);
  }

  /** Calls back whenever a backend has published something of a document, also that there is nothing; returns the end of it. */
  onPush(key: string, backend: BackendId, f: () => void): () => void {
    const name = `${backend} ${key}`;
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(f);
    return () => {
      listeners.delete(f);
      if (listeners.size === 0) this.#listeners.delete(name);
    };
  }

  /** A backend has published something of a document. */
  pushed(key: string, backend: BackendId): void {
    for (const f of [...(this.#listeners.get(`${backend} ${key}`) ?? [])]) f();
  }

  get(key: string, backend: BackendId, channel: Channel): Slot | undefined {
    return this.#documents.get(key)?.lists.get(channel)?.get(backend);
  }

  /** Whether a backend has told anything of a document by any channel, be it that there is nothing. */
  has(key: string, backend: BackendId): boolean {
    for (const list of this.#documents.get(key)?.lists.values() ?? []) if (list.has(backend)) return true;
    return false;
  }

  /** Documents that have a slot, in the order in which they got their first. */
  keys(): Iterable<string> {
    return this.#documents.keys();
  }

  /** Forgets all that a backend said. @returns keys of the documents that show less than before */
  clearBackend(backend: BackendId): readonly string[] {
    const changed: string[] = [];
    for (const [key, document] of this.#documents) {
      let isLess = false;
      for (const [channel, list] of document.lists) {
        isLess ||= (list.get(backend)?.items.length ?? 0) > 0;
        list.delete(backend);
        if (list.size === 0) document.lists.delete(channel);
      }
      if (document.lists.size === 0) this.#documents.delete(key);
      if (!isLess) continue;
      document.change = ++this.#changes;
      changed.push(key);
    }
    return changed;
  }

  /** Forgets all that was said of a document. */
  clearDocument(key: string): void {
    this.#documents.delete(key);
  }

  /** All that a client is to see of a document: backends in rank order, what each pushed before what it answered. */
  union(key: string, { client, backends, channels: seen }: Sight): Union {
    const document = this.#documents.get(key);
    const slots = backends.flatMap((backend) =>
      seen.flatMap((channel) => {
        const slot = slotFor(client, document?.lists.get(channel)?.get(backend));
        return slot ? [{ backend, channel, slot }] : [];
      }),
    );
    const full = slots.filter(({ slot }) => slot.items.length > 0);
    const telling = full.length > 0 ? full : slots;
    const [first] = telling;
    const agreed = telling.every(({ slot }) => slot.version === first?.slot.version);
    return {
      items: full.length === 1 && first ? first.slot.items : full.flatMap(({ slot }) => slot.items),
      version: agreed ? (first?.slot.version ?? null) : null,
      sole: telling.length === 1 && first ? { backend: first.backend, channel: first.channel } : null,
      resultId: `sb:${document?.change ?? 0}`,
    };
  }
}

interface Document {
  readonly lists: Map<Channel, Map<BackendId, Slot>>;
  change: number;
}
