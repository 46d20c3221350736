/**
 * Partial results (LSP 3.18, Partial Result Progress): a client may have an answer in pieces, as `$/progress` under a token
 * of its own, if its backend can. Asked for only where the answer would pass untouched by all that is known when the question
 * is sent (`raw.ts`) and carries no opaque values: one backend, no correction, nothing ranked or merged. What changes after
 * that (another client's text, the form of an item) is put into the client's terms piece by piece.
 */

import { M } from "../../protocol/methods.ts";
import { notification, withFields } from "../../wire/compose.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import { giveUp } from "../calls/settling.ts";
import type { Leg } from "../calls.ts";
import type { Mux } from "../mux.ts";
import type { Token } from "../progress.ts";
import { lookUp } from "../settings.ts";
import { inClientTerms } from "./answering.ts";
import { type Seen, wayOf } from "./raw.ts";

/** The pieces of a leg's answer. */
export interface Pieces {
  /** Our token, which the backend knows. */
  readonly ours: Token;
  /** The client's. */
  readonly theirs: Token;
  /** The client has got a piece: asked again, the backend would send it twice. */
  begun: boolean;
}

const EMPTY = Buffer.from("[]");
/** What tells whether an answer passes, before there is one. */
const NOTHING: Seen = { bytes: EMPTY, pieces: [EMPTY], bodySpan: { start: 0, end: EMPTY.length }, failed: false };

/** Whether the client may have the answer in pieces. Called when the leg is about to be sent. */
export function mayComeInPieces(leg: Leg, backend: Backend): boolean {
  const { call } = leg;
  return !call.row.carries.includes("data") && wayOf(call, leg, backend, NOTHING) === "untouched";
}

/** Takes a `$/progress` that is a piece of an answer; false where it is none. */
export function takePiece(mux: Mux, backend: Backend, packet: Packet, token: Token): boolean {
  for (const leg of backend.working)
    if (leg.partial?.ours === token) {
      if (leg.state === "sent" && leg.call.state === "open") pass(mux, leg, leg.partial, backend, packet);
      else mux.drops.count("partial result that nobody waits for");
      return true;
    }
  return false;
}

function pass(mux: Mux, leg: Leg, partial: Pieces, backend: Backend, packet: Packet): void {
  const { call } = leg;
  const { client } = call;
  if (client === null) return;
  const pieces = withFields(packet, [{ path: ["token"], value: partial.theirs }]);
  if (pieces !== null && wayOf(call, leg, backend, packet) === "untouched") {
    partial.begun = true;
    return mux.send(client, pieces);
  }
  inClientTerms(mux, leg, backend, lookUp(parseBody(packet), "value"), (p) => {
    if (call.state !== "open") return mux.drops.count("partial result that nobody waits for");
    if ("error" in p) return giveUp(mux, leg, p.error);
    partial.begun = true;
    mux.send(client, [notification(M.progress, { token: partial.theirs, value: p.result })]);
  });
}
