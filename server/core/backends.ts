/**
 * One backend: the process of one adapter for one root (or several), its state over all its lives, and plain questions
 * about it. Starting, replaying and stopping are in `lifecycle.ts`; finding or making the right one in `pool.ts`.
 */

import type { Environment, Quirk } from "../../adapters/adapter.ts";
import type { BackendSpec } from "../config/resolve.ts";
import type { ClientCapabilities } from "../protocol/messages.ts";
import type { Id } from "../wire/packet.ts";
import { prefixOf } from "../wire/splice.ts";
import type { Call, Leg } from "./calls.ts";
import type { Settler } from "./clients/configuring.ts";
import { type Client, type Folder, isWithin, spelledIn } from "./clients.ts";
import { Behind, needsShowing } from "./documents/catching-up.ts";
import type { Opening } from "./documents/opening.ts";
import { type Held, Versions, type View } from "./documents.ts";
import type { BackendId, Env, FileEvent, Peer, Timer } from "./ports.ts";
import type { Encoding } from "./positions.ts";
import { Registrations } from "./registrations.ts";
import { Gate } from "./route/gate.ts";
import type { Standing } from "./route/warmup.ts";
import type { Mapping } from "./tokens.ts";

/**
 * idle: not needed yet · starting: spawned, initialize not answered · replaying: documents are opened one at a time after a
 * crash · running · waiting: between a crash and the next start · stopping · stopped: for good (given up, or no client).
 */
export type BackendState = "idle" | "starting" | "replaying" | "running" | "waiting" | "stopping" | "stopped";

export class Backend {
  readonly id: BackendId;
  readonly peer: Peer;
  readonly spec: BackendSpec;
  readonly poolKey: string;
  readonly root: Folder;
  /** What it is given because of what lies in its root. */
  readonly environment: Environment;
  /** Environment variables of the client that it was made for. */
  readonly inherited: Env;
  folders: readonly Folder[];
  /** The folders that its process knows of. */
  told: readonly Folder[] = [];
  /** Folders that its process had and nobody needs any more: it may not have forgotten what lies there. */
  left: readonly Folder[] = [];
  state: BackendState = "idle";
  /** Counts processes: 1 is the first. Part of the envelope of `data`. */
  generation = 0;
  readonly clients = new Set<Client>();
  /** Whose settings its process has. */
  settler: Settler | null = null;
  /** The folders that were found around files of clients that name none. */
  readonly found = new Map<Client, readonly Folder[]>();

  abilities = new Registrations({});
  /** What it was told that clients can (see `abilities.ts`). */
  announced: ClientCapabilities = {};
  encoding: Encoding = "utf-16";
  /** As it calls itself in `serverInfo`, else what its command prints as its version. */
  version: string | null = null;
  /** Corrections that hold for that version. */
  quirks: readonly Quirk[] = [];
  readonly tokenMappings = new Map<Client, Mapping>();

  /** Documents it has open now, by key. */
  readonly docs = new Map<string, Held>();
  versions = new Versions();
  readonly #spellings = new Map<string, string>();
  readonly #languages = new Map<string, string>();
  /** It knows a document under another URI than all would give it. */
  spellsOddly = false;
  /** Documents that a client wants it to hold as soon as older questions are answered: key to that client. */
  readonly wants = new Map<string, Client>();

  /** The didOpen that goes to it while it comes in. */
  opening: Opening | null = null;

  /** What its index has not taken in. */
  behind = new Behind();

  /** Questions not yet sent, in order. */
  queue: Leg[] = [];
  /** Questions sent and not answered. */
  readonly working = new Set<Leg>();
  /** Among them may be some of clients that have left it, but not us: their folder is another's now. */
  owesLeavers = false;
  gate: Gate;
  /** This process has answered a question about its project. */
  proven = false;
  /** Since when files to warm up with are being looked for and read, ms; null: none are. */
  warming: number | null = null;
  /** The files that keep its projects loaded, by key of their folder; of a folder that is missing they are to be looked for. */
  readonly projects = new Map<string, readonly Standing[]>();
  /** Pulls on behalf of clients that cannot: planned, and under way. */
  readonly pulls = new Map<View, { readonly timer: Timer }>();
  readonly pulling = new Set<View>();
  /** Changes on disk since the start of its process that it has not asked for, by URI, the latest last. */
  readonly untold = new Map<string, FileEvent>();
  /** Guards `pump` against running inside itself. */
  pumping: "no" | "yes" | "again" = "no";

  /** When its last client left, ms. */
  leftAt = 0;
  /** Times of its starts, ms. */
  starts: number[] = [];
  /** Why it does not run, where it does not. */
  trouble: string | null = null;
  /** Documents opened or changed since it last answered anything: suspects when it dies. */
  readonly suspects = new Set<string>();
  readonly deaths = new Map<string, number>();
  /** Documents that killed it twice: not sent to it again until a client opens them anew. */
  readonly quarantine = new Set<string>();
  requests = 0;
  /** Its own requests that a client has not answered yet, by its id. */
  readonly asking = new Map<Id, Call>();

  constructor(
    id: BackendId,
    spec: BackendSpec,
    poolKey: string,
    root: Folder,
    environment: Environment = {},
    inherited: Env = {},
  ) {
    this.id = id;
    this.peer = { backend: id };
    this.spec = spec;
    this.poolKey = poolKey;
    this.root = root;
    this.environment = environment;
    this.inherited = inherited;
    this.folders = root.uri === "" ? [] : [root];
    this.gate = new Gate(spec.adapter.ready);
  }

  get name(): string {
    return this.spec.name;
  }

  /** Prefix of the envelopes of its items (design section 3). */
  get envelope(): string {
    return prefixOf(this.id, this.generation);
  }

  /** Whether it takes frames other than initialize. */
  get runs(): boolean {
    return this.state === "running";
  }

  /** Whether it takes notifications: `initialized` was sent to its process. */
  get isInitialized(): boolean {
    return this.gate.since !== null && this.hasProcess && this.state !== "stopping";
  }

  /** Whether it has a process that reads what is sent. */
  get hasProcess(): boolean {
    return this.state !== "idle" && this.state !== "waiting" && this.state !== "stopped";
  }

  /** Whether it may still answer: running, or will without anyone's doing. */
  get lives(): boolean {
    return this.state !== "stopped" && this.state !== "stopping";
  }

  /** The corrections of a method, in the order in which they are made. */
  quirksOn(method: string): readonly Quirk[] {
    return this.quirks.length === 0 ? this.quirks : this.quirks.filter((quirk) => quirk.on === method);
  }

  /** The language id under which it was told of a document. */
  named(key: string, languageId: string): void {
    this.#languages.set(key, languageId);
  }

  /** The URI under which it knows a document: the first opener's spelling, for all its lives, below its folder's own. */
  spelling(key: string, uri: string): string {
    const known = this.#spellings.get(key);
    if (known !== undefined) return known;
    const spelled = this.spelled(key, uri);
    this.#spellings.set(key, spelled);
    this.spellsOddly ||= spelled !== key;
    return spelled;
  }

  /** The same, of what it may never have heard of. */
  spelled(key: string, uri: string): string {
    const known = this.#spellings.get(key);
    if (known !== undefined) return known;
    const folder = this.folders.find((one) => isWithin(key, one.key));
    return folder === undefined ? uri : spelledIn(folder, key, uri);
  }

  knownSpelling(key: string): string | undefined {
    return this.#spellings.get(key);
  }

  touched(key: string): void {
    this.suspects.add(key);
    if (needsShowing(this)) this.behind.texts.set(key, null);
  }

  /** 0 none, 1 full, 2 incremental (LSP TextDocumentSyncKind). */
  syncKind(key: string): 0 | 1 | 2 {
    return this.abilities.syncKind({ uri: this.knownSpelling(key) ?? key, language: this.#languages.get(key) ?? "" });
  }

  /** Forgets all that belonged to the process that ended. */
  reset(): void {
    this.docs.clear();
    this.opening = null;
    this.versions = new Versions();
    this.abilities = new Registrations({});
    this.tokenMappings.clear();
    this.suspects.clear();
    this.wants.clear();
    this.untold.clear();
    this.behind = new Behind();
    this.warming = null;
    this.projects.clear();
    this.left = [];
    this.proven = false;
    for (const { timer } of this.pulls.values()) timer.cancel();
    this.pulls.clear();
    this.pulling.clear();
    this.asking.clear();
    this.owesLeavers = false;
    this.gate = new Gate(this.spec.adapter.ready);
  }
}
