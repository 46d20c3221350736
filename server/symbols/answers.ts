/** How a request of ours that takes its time ends: with one answer, whatever happens on the way. */
import type { Call, Reply } from "../core/calls.ts";
import type { Mux } from "../core/mux.ts";
import { errors } from "../protocol/errors.ts";

/** Before the ledger's own deadline, so that the answer is ours, ms. */
export const SPARE_MS = 1000;

/**
 * Answers the call with what the work comes to, unless the client has cancelled; a fault of ours is an error of ours.
 * @param what for the log
 */
export function answerWith(mux: Mux, call: Call, what: string, work: Promise<Reply>): void {
  void work
    .catch((fault: unknown): Reply => {
      const text = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
      mux.ports.log("error", what, text);
      return { error: errors.internal(fault instanceof Error ? fault.message : text) };
    })
    .then((reply) => {
      if (call.state === "open") mux.answer(call, reply);
    });
}
