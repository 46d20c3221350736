/** How a request of ours that takes its time begins and ends: with params that are read, with one answer, whatever happens on the way. */
import type { Call, Reply } from "../core/calls.ts";
import type { Extension, Mux } from "../core/mux.ts";
import { isToken } from "../core/progress.ts";
import { isObject } from "../core/settings.ts";
import { errors } from "../protocol/errors.ts";
import { type Reading, readingOf } from "./inquiry.ts";
import { reading } from "./params.ts";

/** Before the ledger's own deadline, so that the answer is ours, ms. */
export const SPARE_MS = 1000;

/**
 * A request that is answered from syntax alone, as the core takes it: its params are read, then worked on for the client that
 * asks. Answers the call once, with a result or an error.
 * @param what for the log and the client's progress
 * @param read throws `Wrong`
 */
export function fromSyntax<Wanted>(
  what: string,
  read: (params: unknown) => Wanted,
  work: (asking: Reading, wanted: Wanted) => Promise<Reply>,
): Extension {
  return (mux, call, params) => {
    const wanted = reading(() => read(params));
    if ("error" in wanted) return mux.answer(call, wanted);
    const { client } = call;
    if (client === null) return mux.answer(call, { error: errors.internal(`${what} for nobody`) });
    show(mux, call, params, what);
    const asking = readingOf(mux, call, client, { hint: null, wait: "none", until: call.deadline - SPARE_MS });
    answerWith(mux, call, what, work(asking, wanted.value));
  };
}

/** Shows its client that a request is under way, where it has a token for that (LSP 3.18, Work Done Progress). */
export function show(mux: Mux, call: Call, params: unknown, title: string): void {
  const token = isObject(params) ? params.workDoneToken : undefined;
  if (call.client !== null && isToken(token)) mux.progress.begin(call, call.client, token, title);
}

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
