/**
 * The ledger: every request under way, in either direction. It knows who asked, which legs it has, what wire id each leg
 * was sent under, and that each call is answered exactly once. It sends nothing itself.
 */

import type { ResponseError } from "../protocol/errors.ts";
import type { Row } from "../protocol/methods.ts";
import type { Id, Packet } from "../wire/packet.ts";
import type { Backend } from "./backends.ts";
import type { Client } from "./clients.ts";
import type { Text } from "./documents/text.ts";
import type { Pieces } from "./forms/partial.ts";
import type { Answer } from "./merge.ts";
import type { Peer, Timer } from "./ports.ts";

/** One of our own questions; `then` gets its answer, parsed. */
export interface Task {
  readonly peer: Peer;
  readonly then: (answer: Reply) => void;
}

/** An answer as a value. */
export type Reply = { readonly result: unknown } | { readonly error: ResponseError };

export type Origin = Client | Backend | Task;

export interface Call {
  readonly origin: Origin;
  readonly originId: Id;
  readonly method: string;
  readonly row: Row;
  /** As it was asked. */
  readonly packet: Packet;
  /** The client against whose texts it is answered; null for our own questions on nobody's behalf. */
  readonly client: Client | null;
  readonly legs: Leg[];
  /** Questions of our own that help to answer it: cancelled with it. */
  readonly parts: Call[];
  /** The asked document, where there is one: its identity, the asker's spelling, its language. */
  readonly key: string | null;
  readonly uri: string | null;
  readonly language: string | null;
  /** A name that the question is about: which file to warm up with. */
  hint: string | null;
  /** Until when it waits at a gate, where its asker says so; else the row's cap holds. On the clock of Ports.now(). */
  readonly gateUntil: number | null;
  /** Params with positions moved by its client's edits while it waited; null: as asked. */
  moved: unknown;
  /** The client's text when it asked (moved on while the question waits): the answer is right for this. */
  asked: { text: Text; version: number | null } | null;
  state: "open" | "cancelled" | "answered";
  /** Answers that hold for backends which are not asked this time: earlier ones, or what they are bound to say. */
  kept: readonly Answer<Backend>[];
  /** Its answer is a list of all backends' answers (`Answer` of `merge.ts`), not one made of them. */
  apart: boolean;
  /** Its answer is not corrected by a quirk. */
  uncorrected: boolean;
  /** What lies in the folders of other clients alone is not left out of its answer. */
  uncut: boolean;
  /** Its legs are done and the answer is being prepared. */
  finishing: boolean;
  /** On the clock of Ports.now(), ms. */
  readonly deadline: number;
  /** Time of the first answer of several legs, null before; the soft limit counts from it. */
  firstAnswerAt: number | null;
}

/** What is known of a call when it is opened. */
export type NewCall = Omit<
  Call,
  | "origin"
  | "originId"
  | "legs"
  | "parts"
  | "state"
  | "firstAnswerAt"
  | "moved"
  | "kept"
  | "apart"
  | "uncorrected"
  | "uncut"
  | "finishing"
>;

export interface Leg {
  readonly call: Call;
  readonly to: Backend | Client;
  /** 0 until sent. */
  wireId: number;
  /** abandoned: nobody waits for the answer any more, but the peer still works on it (and holds its texts). */
  state: "waiting" | "sent" | "answered" | "abandoned";
  /** What is sent, where it is not the call's packet: an item without its envelope. */
  readonly body: readonly Buffer[] | null;
  /** The params as sent, in the backend's terms, where a quirk of the answer reads them. */
  params: unknown;
  answer: Packet | null;
  /** Why there is no answer. */
  failure: ResponseError | null;
  /** Sent again after -32801. */
  tries: number;
  /** The text the backend held of the asked document when it was sent. */
  reads: Text | null;
  /** The file on disk that it asks about, where it had to be read. */
  disk: Text | "reading" | "unreadable" | null;
  /** Files that it points into and its peer does not hold, where their columns are counted anew; null: not looked for. */
  texts: ReadonlyMap<string, Text> | "reading" | null;
  /** Our token for the progress of this leg, where its asker gave one. */
  token: string | number | null;
  /** The pieces in which its answer may come, where its asker wants such. */
  partial: Pieces | null;
  /** The peer was told that nobody waits. */
  told: boolean;
  /** What changed on disk was looked at for it (`catching-up.ts`). */
  shown: boolean;
  /** Wakes the backend's queue at the gate's cap. */
  wake: Timer | null;
  /** Until when a switch of text waits for this leg; set when someone wants another text. */
  fenceUntil: number | null;
  sentAt: number;
}

const NONE: readonly Answer<Backend>[] = [];

/** Ids towards clients are positive 32-bit integers and never 0: some clients test truthiness, Zed parses i32. */
const MAX_ID = 0x7fffffff;

export class Calls {
  readonly #legs = new Map<number, Leg>();
  readonly #byOrigin = new Map<Origin, Map<Id, Call>>();
  #lastId = 0;

  /** Records a request. Null when the origin already has an open one under this very id (value and type). */
  open(origin: Origin, originId: Id, call: NewCall): Call | null {
    let calls = this.#byOrigin.get(origin);
    if (calls === undefined) {
      calls = new Map();
      this.#byOrigin.set(origin, calls);
    }
    if (calls.has(originId)) return null;
    // Written out: this is the hottest allocation, and a spread is ten times slower than a literal.
    const opened: Call = {
      origin,
      originId,
      method: call.method,
      row: call.row,
      packet: call.packet,
      client: call.client,
      legs: [],
      parts: [],
      key: call.key,
      uri: call.uri,
      language: call.language,
      hint: call.hint,
      gateUntil: call.gateUntil,
      moved: null,
      kept: NONE,
      apart: false,
      uncorrected: false,
      uncut: false,
      asked: call.asked,
      state: "open",
      finishing: false,
      deadline: call.deadline,
      firstAnswerAt: null,
    };
    calls.set(originId, opened);
    return opened;
  }

  addLeg(call: Call, to: Backend | Client, body: readonly Buffer[] | null = null): Leg {
    const leg: Leg = {
      call,
      to,
      wireId: 0,
      state: "waiting",
      body,
      params: null,
      answer: null,
      failure: null,
      tries: 0,
      reads: null,
      disk: null,
      texts: null,
      token: null,
      partial: null,
      told: false,
      wake: null,
      shown: false,
      fenceUntil: null,
      sentAt: 0,
    };
    call.legs.push(leg);
    return leg;
  }

  /** Gives the leg a wire id of its own; every id that we send is ours. */
  sent(leg: Leg, now: number): number {
    do this.#lastId = this.#lastId >= MAX_ID ? 1 : this.#lastId + 1;
    while (this.#legs.has(this.#lastId));
    leg.wireId = this.#lastId;
    leg.state = "sent";
    leg.sentAt = now;
    leg.told = false;
    leg.fenceUntil = null;
    this.#legs.set(leg.wireId, leg);
    return leg.wireId;
  }

  /** The leg that an answer belongs to; null when it is unknown, late, or from another peer than was asked. */
  settle(from: Backend | Client, id: Id | null | undefined): Leg | null {
    if (typeof id !== "number") return null;
    const leg = this.#legs.get(id);
    if (leg === undefined || leg.to !== from) return null;
    this.#legs.delete(id);
    return leg;
  }

  /** Forgets a sent leg without an answer (its peer died, or it is sent again under a new id). */
  forget(leg: Leg): void {
    if (this.#legs.get(leg.wireId) === leg) this.#legs.delete(leg.wireId);
  }

  find(origin: Origin, id: Id): Call | undefined {
    return this.#byOrigin.get(origin)?.get(id);
  }

  /** Marks the call answered or cancelled: from here on it gets no second answer. False when it already was. */
  close(call: Call, state: "cancelled" | "answered"): boolean {
    if (call.state !== "open") return false;
    call.state = state;
    const calls = this.#byOrigin.get(call.origin);
    calls?.delete(call.originId);
    // A client's map stays for its next request, a task asks once.
    if ("then" in call.origin) this.#byOrigin.delete(call.origin);
    return true;
  }

  /** Forgets an origin that will ask no more. */
  left(origin: Origin): void {
    this.#byOrigin.delete(origin);
  }

  /** Open calls of an origin, oldest first. */
  of(origin: Origin): Call[] {
    return [...(this.#byOrigin.get(origin)?.values() ?? [])];
  }

  /** Legs sent to a peer that it has not answered, oldest first. */
  awaitedFrom(peer: Backend | Client): Leg[] {
    return [...this.#legs.values()].filter((leg) => leg.to === peer);
  }

  *openCalls(): Iterable<Call> {
    for (const calls of this.#byOrigin.values()) yield* calls.values();
  }

  *awaited(): Iterable<Leg> {
    yield* this.#legs.values();
  }

  get size(): { calls: number; legs: number } {
    let calls = 0;
    for (const map of this.#byOrigin.values()) calls += map.size;
    return { calls, legs: this.#legs.size };
  }
}
