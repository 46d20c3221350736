/**
 * Documents: what each client sees (a view per client and URI) and what each backend holds (one text per backend and
 * document). How a backend is brought to hold a text is `align.ts`'s, when it may be `queue.ts`'s, files on disk are
 * `disk.ts`'s.
 */
import type { Row } from "../protocol/methods.ts";
import { type Fielded, stringField, uriOf, versionOf } from "../wire/fields.ts";
import { type Packet, parseBody } from "../wire/packet.ts";
import type { Client } from "./clients.ts";
import { Text } from "./documents/text.ts";
import { canonicalUri, isPlain } from "./documents/uris.ts";
import { type Change, type Encoding, isRange } from "./positions.ts";
import type { Plan } from "./route/plan.ts";

/** A document as one client has it open. */
export interface View {
  readonly client: Client;
  /** The client's spelling. */
  readonly uri: string;
  /** Identity of the document for all peers: canonical URI of the real path. */
  readonly key: string;
  /** Spelt such that any server writes it the same way (design section 5). */
  readonly plain: boolean;
  readonly languageId: string;
  /** LSP language id by our own rules; undefined where nothing tells. */
  readonly language: string | undefined;
  version: number | null;
  text: Text;
  /** Who serves it by row, as found when `Mux.routes` was this (`plan.ts`). */
  readonly plans: Map<Row, { readonly routes: number; readonly plan: Plan }>;
}

/** A document as one backend holds it open. */
export interface Held {
  readonly key: string;
  /** Spelling towards the backend: that of the first opener. */
  readonly uri: string;
  /** disk: opened by us for a warm-up or a question; shown to no client. */
  by: "client" | "disk";
  version: number;
  text: Text;
  /** By the versions told: its latest texts, of which its server may still speak. */
  readonly past: Map<number, Text>;
  /** The text that its server published diagnostics about last. */
  said?: Text;
}

const MAX_PAST = 8;

/** A backend is told of a text under a version. */
export function showed(held: Held, version: number, text: Text): void {
  held.version = version;
  held.text = text;
  held.past.set(version, text);
  for (const oldest of held.past.keys()) if (held.past.size > MAX_PAST) held.past.delete(oldest);
}

/** A text that a backend is to hold. */
export interface Wanted {
  readonly uri: string;
  readonly key: string;
  readonly languageId: string;
  readonly version: number | null;
  readonly text: Text;
  readonly by: "client" | "disk";
  /** The client's own didOpen or didChange, sent as it is where it leads to just this text. */
  readonly raw?: {
    readonly packet: Packet;
    /** Text before the edit; null for a didOpen. */
    readonly before: Text | null;
    readonly changes: readonly Change[];
    /** In which the positions of `changes` count. */
    readonly encoding: Encoding;
  };
}

export interface Edit {
  readonly view: View;
  readonly before: Text;
  readonly changes: readonly Change[];
}

/** The language of a document that a client opens: its URI, the languageId sent, its text where only a first line tells. */
export type LanguageOf = (uri: string, hint: string, text: () => string) => string | undefined;

const MAX_KEYS = 10_000;

/** All documents that clients have open, by client and by identity. */
export class Documents {
  readonly #views = new Map<string, Set<View>>();
  /** Keys found before: real paths cost a look at the disk. Emptied when it has grown. */
  readonly #keys = new Map<string, string>();
  readonly #real: (path: string) => string;

  constructor(real: (path: string) => string) {
    this.#real = real;
  }

  /** Takes a didOpen. A second one for the same URI replaces the text (weak clients do that). Null: params unusable. */
  open(client: Client, packet: Packet, languageOf: LanguageOf): View | null {
    const document = openedDocument(packet);
    if (document === null) return null;
    const { uri, languageId, version } = document;
    const known = client.views.get(uri);
    if (known !== undefined) {
      known.text = Text.opened(packet);
      known.version = version;
      return known;
    }
    const text = Text.opened(packet);
    const view: View = {
      client,
      uri,
      key: this.keyOf(uri),
      plain: isPlain(uri, this.#real),
      languageId,
      language: languageOf(uri, languageId, () => text.string),
      version,
      text,
      plans: new Map(),
    };
    client.views.set(uri, view);
    if (!view.plain) client.oddUris++;
    const others = this.#views.get(view.key);
    if (others === undefined) this.#views.set(view.key, new Set([view]));
    else {
      others.add(view);
      for (const other of others) if (other !== view && other.text.same(view.text)) view.text = other.text;
    }
    return view;
  }

  /** Takes a didChange. Null: the document is not open or the params are unusable. */
  change(client: Client, packet: Packet): Edit | null {
    const params = parseBody(packet) as {
      textDocument?: { uri?: unknown; version?: unknown };
      contentChanges?: unknown;
    };
    const uri = params?.textDocument?.uri;
    const view = typeof uri === "string" ? client.views.get(uri) : undefined;
    const changes = changesIn(params?.contentChanges);
    if (view === undefined || changes === null) return null;
    const before = view.text;
    view.text = changes.length === 0 ? before : Text.edited(before, changes, client.encoding);
    const version = params.textDocument?.version;
    view.version = typeof version === "number" ? version : view.version;
    return { view, before, changes };
  }

  close(client: Client, uri: string): View | null {
    const view = client.views.get(uri);
    if (view === undefined) return null;
    client.views.delete(uri);
    if (!view.plain) client.oddUris--;
    const others = this.#views.get(view.key);
    others?.delete(view);
    if (others?.size === 0) this.#views.delete(view.key);
    return view;
  }

  viewsOf(key: string): ReadonlySet<View> {
    return this.#views.get(key) ?? NONE;
  }

  /** The client's view of a document, by any spelling of its URI. */
  viewOf(client: Client, uri: string): View | undefined {
    const exact = client.views.get(uri);
    return exact ?? this.viewByKey(client, this.keyOf(uri));
  }

  viewByKey(client: Client, key: string): View | undefined {
    let found: View | undefined;
    for (const view of this.viewsOf(key)) if (view.client === client) found = view;
    return found;
  }

  keyOf(uri: string): string {
    let key = this.#keys.get(uri);
    if (key === undefined) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
      key = canonicalUri(uri, this.#real);
      this.#keys.set(uri, key);
    }
    return key;
  }
}

const NONE: ReadonlySet<View> = new Set();

export function openedDocument(packet: Fielded): { uri: string; languageId: string; version: number | null } | null {
  const uri = uriOf(packet);
  if (uri === undefined) return null;
  return {
    uri,
    languageId: stringField(packet, ["textDocument", "languageId"]) ?? "",
    version: versionOf(packet) ?? null,
  };
}

/** Null where one of them is unusable. A range of null is none: some clients write out what they leave open. */
function changesIn(value: unknown): Change[] | null {
  if (!Array.isArray(value)) return null;
  const changes: Change[] = [];
  for (const item of value) {
    const { text, range } = (item ?? {}) as { text?: unknown; range?: unknown };
    if (typeof text !== "string") return null;
    if (isRange(range)) changes.push({ range, text });
    else if (range === undefined || range === null) changes.push({ text });
    else return null;
  }
  return changes;
}

/** Versions on one wire, per document, which always rise while a process lives (design section 6). */
export class Versions {
  readonly #last = new Map<string, number>();

  /** Whether the process was ever shown the document. */
  knows(key: string): boolean {
    return this.#last.has(key);
  }

  /** Keys of all that the process was ever shown. */
  get shown(): Iterable<string> {
    return this.#last.keys();
  }

  rises(key: string, version: number | null): boolean {
    const last = this.#last.get(key);
    return version !== null && (last === undefined || version > last);
  }

  /** The client's version where it rises, else the next one. */
  take(key: string, version: number | null): number {
    const last = this.#last.get(key);
    const next = version !== null && (last === undefined || version > last) ? version : (last ?? 0) + 1;
    this.#last.set(key, next);
    return next;
  }
}
