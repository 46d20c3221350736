/**
 * Calls that end early: cancelled by who asked, or over their hard limit. A leg that was sent stays in the ledger until its
 * backend has answered, is dead, or a minute has passed: it may still read the text that it was asked about.
 */
import { errors, type ResponseError } from "../../protocol/errors.ts";
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import { Backend } from "../backends.ts";
import type { Call, Leg } from "../calls.ts";
import type { Mux } from "../mux.ts";
import { pump } from "../route/queue.ts";
import { answer, finish } from "./settling.ts";

/** How often deadlines are looked at while there are any, ms. */
const SWEEP_MS = 250;

/** Answers a call with an error now and tells its backends. */
export function cancel(mux: Mux, call: Call, why: ResponseError): void {
  for (const leg of call.legs) drop(mux, leg);
  for (const part of call.parts) if (part.state === "open") cancel(mux, part, why);
  answer(mux, call, { error: why }, "cancelled");
}

/** Cancels a call that may have had effects already: its backends are told, their answer is awaited for `ms`. */
export function cancelLater(mux: Mux, call: Call, ms: number): void {
  // What was not sent has had no effect and will have none.
  if (!call.legs.some((leg) => leg.state === "sent")) return cancel(mux, call, errors.cancelled());
  for (const leg of call.legs) if (leg.state === "sent") tell(mux, leg);
  mux.ports.after(ms, () => {
    if (call.state === "open") cancel(mux, call, errors.cancelled());
  });
}

/** Sees to it that deadlines are looked at for as long as anything is under way. */
export function watchDeadlines(mux: Mux): void {
  if (mux.sweeping) return;
  mux.sweeping = true;
  mux.ports.after(SWEEP_MS, () => {
    mux.sweeping = false;
    const now = mux.ports.now();
    for (const call of [...mux.calls.openCalls()]) if (now >= call.deadline) overdue(mux, call, now);
    for (const leg of [...mux.calls.awaited()]) forget(mux, leg, now);
    const { calls, legs } = mux.calls.size;
    if (calls + legs > 0) watchDeadlines(mux);
  });
}

/** Late legs count as absent; their backends are told that nobody waits. */
function overdue(mux: Mux, call: Call, now: number): void {
  // Nothing but our own work was waited for: of what it would have found nothing is known.
  if (call.legs.length === 0) return cancel(mux, call, errors.overLimit(call.method));
  for (const leg of call.legs) {
    if (leg.state !== "waiting" && leg.state !== "sent") continue;
    leg.failure = late(leg, now);
    drop(mux, leg);
  }
  finish(mux, call);
}

function late({ call, to, sentAt, state }: Leg, now: number): ResponseError {
  const name = to instanceof Backend ? to.name : "the client";
  if (state === "sent") return errors.timedOut(name, call.method, now - sentAt);
  return errors.notAsked(name, call.method, to instanceof Backend ? (to.trouble ?? to.state) : "busy");
}

/** Nobody waits for the leg any more: it is not sent, or its peer is told. */
export function drop(mux: Mux, leg: Leg): void {
  leg.wake?.cancel();
  if (leg.state === "sent") tell(mux, leg);
  if (leg.state === "sent" || leg.state === "waiting") leg.state = "abandoned";
  if (leg.token !== null && leg.to instanceof Backend) mux.progress.answered(leg.to, leg.token);
}

function tell(mux: Mux, leg: Leg): void {
  if (leg.told) return;
  leg.told = true;
  mux.send(leg.to, [notification(M.cancelRequest, { id: leg.wireId })]);
}

/** A leg that nobody waits for any more, of a backend that does not answer either. */
function forget(mux: Mux, leg: Leg, now: number): void {
  if (leg.state !== "abandoned") return;
  const { cancelMs } = mux.limitsOf(leg.call.client);
  if (now - leg.sentAt < cancelMs) return;
  mux.calls.forget(leg);
  if (!(leg.to instanceof Backend)) return;
  leg.to.working.delete(leg);
  pump(mux, leg.to);
}
