/**
 * What a question waits for before a backend sees it, and in which order: the backend's start, the gate of the row, the
 * text of the asker. `pump` looks at the waiting questions of one backend from the oldest; whatever may change the answer
 * (a start, a ready signal, an answer, a file read, a timer) calls it again.
 *
 * A backend holds one text per document. While a question of another client reads it, a switch waits (a fence), 2 s at
 * most; and no younger question about that document overtakes the one that waits, so that clients take turns.
 */

import type { Limits } from "../../config/config.ts";
import { errors, type ResponseError } from "../../protocol/errors.ts";
import type { GateName } from "../../protocol/methods.ts";
import type { Backend } from "../backends.ts";
import { faultOf } from "../calls/faults.ts";
import { fail, giveUp, lacks } from "../calls/settling.ts";
import type { Leg } from "../calls.ts";
import type { Client } from "../clients.ts";
import { align, isHeld, wantedOf } from "../documents/align.ts";
import { isBehind } from "../documents/catching-up.ts";
import { diskTextFor, hasTexts, ownText } from "../documents/disk.ts";
import { hasPassed } from "../documents/opening.ts";
import type { View, Wanted } from "../documents.ts";
import { encodingOf, requestFor } from "../forms/asking.ts";
import { concerns } from "../merge/file-operations.ts";
import type { Mux } from "../mux.ts";
import { serves } from "./serving.ts";
import { isWarm } from "./warmup.ts";

/** How long a switch to another client's text waits for older questions, ms (design section 6). */
const FENCE_MS = 2000;

/** The limit of each gate. */
export const gateLimit: Readonly<Record<GateName, keyof Limits>> = {
  definition: "definitionMs",
  references: "referencesMs",
  symbol: "symbolMs",
  rename: "renameMs",
};

/**
 * A client's text that a backend is to hold. At once, as the client's own bytes where they fit, when nothing stands
 * against it; else as soon as it can be.
 */
export function wish(mux: Mux, backend: Backend, view: View, raw?: Wanted["raw"]): void {
  if (backend.quarantine.has(view.key)) return;
  const free = backend.runs && backend.queue.length === 0 && !backend.wants.has(view.key);
  const wanted = wantedOf(view, raw);
  if (free && (isFollowed(backend) || !fenced(mux, backend, view.key, view.client))) return hold(mux, backend, wanted);
  backend.wants.set(view.key, view.client);
  pump(mux, backend);
}

/** Whether nobody but the editing client can have a question about this document under way. */
function isFollowed(backend: Backend): boolean {
  return backend.clients.size <= 1 && !backend.owesLeavers;
}

/** A leg waits for its backend, behind all that wait already; it is sent at once where nothing stands against it. */
export function enqueue(mux: Mux, leg: Leg, backend: Backend): void {
  backend.queue.push(leg);
  pump(mux, backend);
}

/** Sends what can be sent. Safe to call at any time, also from within itself. */
export function pump(mux: Mux, backend: Backend): void {
  if (backend.pumping !== "no") {
    backend.pumping = "again";
    return;
  }
  try {
    do {
      backend.pumping = "yes";
      if (backend.queue.length > 0) pumpQuestions(mux, backend);
      if (backend.wants.size > 0 && backend.runs) pumpTexts(mux, backend);
    } while ((backend.pumping as string) === "again");
  } finally {
    // A fault of ours must not leave the backend without questions for good.
    backend.pumping = "no";
  }
}

function pumpQuestions(mux: Mux, backend: Backend): void {
  const blocked = new Set<string>();
  const legs = backend.queue;
  backend.queue = [];
  const kept: Leg[] = [];
  for (const leg of legs) {
    if (leg.state !== "waiting") continue;
    if (tried(mux, backend, leg, blocked) === "wait") kept.push(leg);
  }
  backend.queue = kept.concat(backend.queue);
}

/** Params that had not to be read before may turn out not to be JSON: that fails their question, the queue goes on. */
function tried(mux: Mux, backend: Backend, leg: Leg, blocked: Set<string>): "wait" | "done" {
  try {
    return step(mux, backend, leg, blocked);
  } catch (fault) {
    mux.calls.forget(leg);
    backend.working.delete(leg);
    fail(mux, leg, faultOf(mux, backend.name, leg.call.method, fault));
    return "done";
  }
}

function step(mux: Mux, backend: Backend, leg: Leg, blocked: Set<string>): "wait" | "done" {
  const { call } = leg;
  if (!backend.lives) return failed(mux, leg, errors.backendStopped(backend.name, backend.trouble));
  if (!backend.runs) return "wait";
  const document =
    call.uri === null ? undefined : { uri: backend.spelling(call.key ?? "", call.uri), language: call.language ?? "" };
  if (!backend.abilities.can(call.row, document) || !concerns(backend, call)) {
    lacks(mux, leg);
    return "done";
  }
  // Before the gate, which would have the document opened and wait for that.
  if (call.key !== null && backend.quarantine.has(call.key))
    return failed(mux, leg, errors.quarantined(backend.name, call.uri ?? call.key));
  if (isGated(mux, backend, leg)) return "wait";

  const wanted = textsFor(mux, backend, leg);
  if (wanted === "gone")
    return failed(mux, leg, errors.contentModified("The document was closed before the answer came"));
  if (wanted === "reading") {
    if (call.key !== null) blocked.add(call.key);
    return "wait";
  }
  for (const text of wanted) {
    if (!blocked.has(text.key) && (isHeld(backend, text) || !fenced(mux, backend, text.key, call.client))) continue;
    for (const other of wanted) blocked.add(other.key);
    return "wait";
  }
  for (const text of wanted) hold(mux, backend, text);
  if (isBehind(mux, backend, leg) || !hasTexts(mux, backend, leg)) return "wait";
  leg.reads = call.key === null ? null : (backend.docs.get(call.key)?.text ?? null);
  send(mux, backend, leg);
  return "done";
}

function failed(mux: Mux, leg: Leg, why: ResponseError): "done" {
  fail(mux, leg, why);
  return "done";
}

/** Makes the backend hold a text now; whoever calls has seen to it that no older question is harmed. */
export function hold(mux: Mux, backend: Backend, wanted: Wanted): void {
  const first = backend.docs.size === 0;
  const before = backend.docs.get(wanted.key)?.by;
  const isNew = before === undefined;
  for (const frame of align(backend, wanted)) if (!hasPassed(backend, wanted.key, frame)) mux.send(backend, frame);
  if (isNew && wanted.by === "disk") mux.watching.update(backend);
  if (before === "client" && wanted.by === "disk") giveBack(mux, backend, wanted.key);
  if (!first || backend.docs.size === 0) return;
  const settle = backend.gate.opened();
  const { gate } = backend;
  if (settle !== null)
    mux.ports.after(settle, () => {
      gate.settled();
      pump(mux, backend);
    });
}

/** For a question of one who has left, another text was put in place of a client's: that one's is wanted again. */
function giveBack(mux: Mux, backend: Backend, key: string): void {
  for (const view of mux.documents.viewsOf(key))
    if (serves(mux, backend, view)) return void backend.wants.set(key, view.client);
}

function send(mux: Mux, backend: Backend, leg: Leg): void {
  leg.wake?.cancel();
  const wireId = mux.calls.sent(leg, mux.ports.now());
  backend.working.add(leg);
  backend.requests++;
  mux.send(backend, requestFor(mux, backend, leg, wireId));
}

/** Whether the row's gate, or what must be open first, still holds the question back; sees to its being woken. */
function isGated(mux: Mux, backend: Backend, leg: Leg): boolean {
  const { call } = leg;
  const { gate } = backend;
  if (call.row.gate === "pass") return false;
  const limits = mux.limitsOf(call.client);
  const cap = backend.spec.adapter.gates?.[call.row.gate] ?? limits[gateLimit[call.row.gate]];
  const now = mux.ports.now();
  const end = (): number => call.gateUntil ?? (backend.warming ?? gate.since ?? 0) + cap;
  // A warm-up that is over brings no signal any more: it is begun at any time, and waited for from then on.
  const isLate = !gate.open && backend.warming === null && now >= end();
  // It may open the gate at once: one that opens with the first document.
  const warm = isLate || isWarm(mux, backend, call);
  if (warm && gate.open) return false;
  const until = end();
  if (now < until) {
    leg.wake ??= mux.ports.after(until - now, () => pump(mux, backend));
    return true;
  }
  if (call.row.gate === "rename") {
    fail(mux, leg, errors.renameNotReady(backend.name, gate.busyWith));
    return true;
  }
  if (call.client !== null)
    mux.say(
      call.client,
      "log",
      `${backend.name} is not ready yet: answers about the whole project may be partial.`,
      "once",
    );
  return false;
}

/**
 * The texts that the backend must hold before it sees the question; "reading" while a file is being read for it, "gone"
 * when the asker has closed the document since and somebody else has another text of it open.
 */
function textsFor(mux: Mux, backend: Backend, leg: Leg): readonly Wanted[] | "reading" | "gone" {
  const { call } = leg;
  const { align: reach } = call.row;
  if (reach === "none") return [];
  const wanted: Wanted[] = [];
  if (reach === "project" && call.client !== null)
    for (const view of call.client.views.values())
      if (serves(mux, backend, view) && !backend.quarantine.has(view.key)) wanted.push(wantedOf(view));
  if (call.key === null || call.uri === null) return wanted;
  const view = call.client === null ? undefined : mux.documents.viewByKey(call.client, call.key);
  if (view !== undefined && reach === "project" && wanted.some((w) => w.key === view.key)) return wanted;
  // It may have become another's since the question was asked: nobody would close it there.
  if (view?.client.mayMove(view.key) && !serves(mux, backend, view))
    return [...wanted, ownText(mux, backend, view.uri, view.key, view.text)];
  if (view !== undefined) return [...wanted, wantedOf(view)];
  // The backend knows the document of its own item; only to count its columns anew the text is needed.
  if (call.row.route === "owner" && encodingOf(call.client, backend) === backend.encoding) return wanted;
  // A file that the asker does not have open is seen as another client's buffer has it, else as it is on disk.
  const held = backend.docs.get(call.key);
  const asked = call.asked?.text;
  if (held?.by === "client") return asked === undefined || held.text.same(asked) ? wanted : "gone";
  if (asked !== undefined) return [...wanted, ownText(mux, backend, call.uri, call.key, asked)];
  const disk = diskTextFor(mux, backend, leg);
  if (disk === "reading") return "reading";
  return disk === null ? wanted : [...wanted, disk];
}

/** Whether an unanswered question of somebody else reads the text of `key`; starts the time after which it gives way. */
function fenced(mux: Mux, backend: Backend, key: string, client: Client | null): boolean {
  let found = false;
  const now = mux.ports.now();
  for (const leg of backend.working) {
    if (leg.call.client === client || !reads(mux, leg, key)) continue;
    if (leg.fenceUntil === null) {
      leg.fenceUntil = now + FENCE_MS;
      mux.ports.after(FENCE_MS, () => giveWay(mux, backend, leg));
    }
    if (now < leg.fenceUntil) found = true;
  }
  return found;
}

function reads(mux: Mux, leg: Leg, key: string): boolean {
  const { row, client } = leg.call;
  if (row.align === "none") return false;
  if (leg.call.key === key) return true;
  return row.align === "project" && client !== null && mux.documents.viewByKey(client, key) !== undefined;
}

function giveWay(mux: Mux, backend: Backend, leg: Leg): void {
  // It was sent again meanwhile, and has its time anew.
  if (leg.fenceUntil === null || mux.ports.now() < leg.fenceUntil) return;
  if (leg.state === "sent") giveUp(mux, leg, errors.textSwitched(backend.name));
  pump(mux, backend);
}

/** Texts that clients want held without a question: their edits, as soon as nobody's older question reads the old one. */
function pumpTexts(mux: Mux, backend: Backend): void {
  // A question that waits at a gate for the backend's index holds up no text.
  const gated = (leg: Leg): boolean => leg.call.row.gate !== "pass" && !backend.gate.open;
  const waiting = new Set(backend.queue.flatMap((leg) => (gated(leg) ? [] : [leg.call.key])));
  for (const [key, client] of [...backend.wants]) {
    const view = mux.documents.viewByKey(client, key);
    if (view === undefined || backend.quarantine.has(key)) {
      backend.wants.delete(key);
      continue;
    }
    const wanted = wantedOf(view);
    // A question that waits for another text of this document is older than the wish.
    if (waiting.has(key) && !isHeld(backend, wanted)) continue;
    if (!isHeld(backend, wanted) && fenced(mux, backend, key, client)) continue;
    backend.wants.delete(key);
    hold(mux, backend, wanted);
  }
}
