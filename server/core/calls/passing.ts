/**
 * Long answers that go on to their client while they come in: those of which the beginning shows that they pass untouched
 * (`raw.ts` has the conditions), so that a client begins to read what a backend still writes. The call is answered when
 * the first bytes go; from then on the client's other frames wait for the last, which is why a backend that falls silent
 * within one is not waited for. The bytes themselves are `wire/passage.ts`'s.
 */
import { errors } from "../../protocol/errors.ts";
import type { Flow } from "../../wire/framing.ts";
import { Passage, type PassageOptions, passedLength } from "../../wire/passage.ts";
import type { Start } from "../../wire/start.ts";
import type { Backend } from "../backends.ts";
import type { Leg } from "../calls.ts";
import { wayOf } from "../forms/raw.ts";
import type { Mux } from "../mux.ts";
import type { Timer } from "../ports.ts";
import { answeredBy } from "./settling.ts";

/** When nothing came of an answer for so long (at most twice), it is broken off, ms. */
export const SILENCE_MS = 5_000;

/** Takes an answer of which the rest is still to come; null: it has to be received whole. `length`: of its body, bytes. */
export function passOn(mux: Mux, backend: Backend, start: Start, length: number): Flow | null {
  const leg = start.method === undefined ? legOf(mux, backend, start) : null;
  if (leg === null || leg.state !== "sent") return null;
  const { call } = leg;
  const { client } = call;
  if (client === null || call.state !== "open" || wayOf(call, leg, backend, start) !== "untouched") return null;

  let watch: Timer | null = null;
  const options: PassageOptions = {
    start,
    length,
    ours: leg.wireId,
    theirs: call.originId,
    onEnd(trouble) {
      watch?.cancel();
      if (trouble === null) return null;
      mux.drops.count("answer broken off by its backend");
      mux.ports.log("warn", backend.name, `its answer to "${call.method}" was broken off: ${trouble}`);
      return errors.brokenOff(backend.name, call.method);
    },
  };
  const frame = mux.ports.open(client.peer, passedLength(options));
  if (frame === null) return null;
  const passage = new Passage(frame, options);
  watch = onSilence(mux, passage, () => passage.fail("stalled"));
  mux.calls.forget(leg);
  answeredBy(mux, leg, backend);
  return passage;
}

/** Calls back when nothing more has come for long. */
export function onSilence(mux: Mux, coming: { readonly seen: number }, broken: () => void): Timer {
  let seen = coming.seen;
  let timer: Timer;
  const watch = (): void => {
    timer = mux.ports.after(SILENCE_MS, () => {
      if (coming.seen === seen) return broken();
      seen = coming.seen;
      watch();
    });
  };
  watch();
  return { cancel: () => timer.cancel() };
}

/**
 * Which leg is answered. An id that comes last is not known yet; but where a backend owes us one answer only, it is this
 * one, and the end must prove it.
 */
function legOf(mux: Mux, backend: Backend, { id }: Start): Leg | null {
  const owed = mux.calls.awaitedFrom(backend);
  if (id === undefined) return owed.length === 1 ? (owed[0] ?? null) : null;
  return owed.find((leg) => leg.wireId === id) ?? null;
}
