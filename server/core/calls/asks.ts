/**
 * Questions of our own: of backends on a client's behalf (by-name, pulls, quirks), of a backend about its own life, and of
 * clients. They run through the same ledger as everybody's, with a task as their origin.
 */
import { type Row, rowOf, unlistedRow } from "../../protocol/methods.ts";
import { request, withId } from "../../wire/compose.ts";
import { isMalformed, type Packet, readPacket } from "../../wire/packet.ts";
import { unwrapData } from "../../wire/splice.ts";
import type { Backend } from "../backends.ts";
import type { Call, NewCall, Reply, Task } from "../calls.ts";
import type { Client } from "../clients.ts";
import { askedUri } from "../forms/asking.ts";
import type { Mux } from "../mux.ts";
import type { TaskId } from "../ports.ts";
import { plan } from "../route/plan.ts";
import { documentAsked } from "../route/serving.ts";
import { watchDeadlines } from "./deadlines.ts";

export interface AskOptions {
  /** Only this backend; else as the row's route says. */
  readonly backend?: Backend;
  /** Answer with a list of all backends' answers, the first in rank first, instead of one made of them. */
  readonly apart?: boolean;
  /** Its answer is not corrected: a correction asks it of the very method that it corrects. */
  readonly uncorrected?: boolean;
  /** What lies in the folders of other clients is not left out: whoever asks counts the list, and does so itself (`isForeign`). */
  readonly uncut?: boolean;
  /** A name that the question is about. */
  readonly hint?: string;
  /** Until when it waits for a backend to be ready, and for its answer; on the clock of Ports.now(). */
  readonly gateUntil?: number;
  readonly deadline?: number;
  /** The call that this question helps to answer: cancelled with it. */
  readonly partOf?: Call;
}

/**
 * Asks what a client could ask, against its texts (or nobody's). `then` gets the answer, parsed and in the client's terms,
 * once.
 */
export function ask(
  mux: Mux,
  client: Client | null,
  method: string,
  params: unknown,
  options: AskOptions,
  then: (r: Reply) => void,
): Call {
  const row = rowOf(method) ?? unlistedRow(method);
  const packet = packetOf(method, params);
  const about = documentAsked(mux, client, askedUri(null, row, packet));
  const deadline = options.deadline ?? mux.ports.now() + row.limits.hard;
  const hint = options.hint ?? null;
  const call = open(mux, then, {
    method,
    row,
    packet,
    client,
    ...about,
    hint,
    deadline,
    gateUntil: options.gateUntil ?? null,
  });
  call.apart = options.apart === true;
  call.uncorrected = options.uncorrected === true;
  call.uncut = options.uncut === true;
  options.partOf?.parts.push(call);
  if (options.backend === undefined) plan(mux, call, (p) => mux.begin(call, p));
  else mux.begin(call, { backends: [options.backend], ...withoutEnvelopes(row, packet) });
  return call;
}

/** Items that came in an answer go back as their backend made them. */
function withoutEnvelopes(row: Row, packet: Packet): { readonly body?: readonly Buffer[] } {
  if (!row.asks.includes("data") || packet.bodySpan === undefined) return {};
  const unwrapped = unwrapData(packet.bytes, packet.bodySpan);
  return unwrapped === null ? {} : { body: unwrapped.pieces };
}

/** A request to a client, on behalf of a backend's request or of ourselves. No answer in time is an error. */
export function askClient(
  mux: Mux,
  client: Client,
  method: string,
  params: unknown,
  deadlineMs: number,
  then: (r: Reply) => void,
): Call {
  const row = rowOf(method) ?? unlistedRow(method);
  const packet = packetOf(method, params);
  const call = open(mux, then, { ...bare(mux, row, packet, deadlineMs), client: null });
  const leg = mux.calls.addLeg(call, client);
  mux.send(client, withId(packet, mux.calls.sent(leg, mux.ports.now())));
  return call;
}

/** A request about a backend's own life, which waits in no queue: initialize, shutdown, a fence, a hurry. */
export function askNow(
  mux: Mux,
  backend: Backend,
  method: string,
  params: unknown,
  deadlineMs: number,
  then: (r: Reply) => void,
): void {
  const row = rowOf(method) ?? unlistedRow(method);
  const packet = packetOf(method, params);
  const call = open(mux, then, { ...bare(mux, row, packet, deadlineMs), client: null });
  const leg = mux.calls.addLeg(call, backend);
  backend.working.add(leg);
  mux.send(backend, withId(packet, mux.calls.sent(leg, mux.ports.now())));
}

function bare(mux: Mux, row: Row, packet: Packet, deadlineMs: number): Omit<NewCall, "client"> {
  const deadline = mux.ports.now() + deadlineMs;
  return {
    method: row.method,
    row,
    packet,
    uri: null,
    key: null,
    language: null,
    hint: null,
    asked: null,
    deadline,
    gateUntil: null,
  };
}

function open(mux: Mux, then: (r: Reply) => void, call: NewCall): Call {
  const id = mux.nextTask();
  const task: Task = { peer: { self: id as TaskId }, then };
  const opened = mux.calls.open(task, id, call);
  if (opened === null) throw new Error("our own id was taken");
  watchDeadlines(mux);
  return opened;
}

/** Its id is replaced when it is sent. */
function packetOf(method: string, params: unknown): Packet {
  const packet = readPacket(request(0, method, params));
  if (isMalformed(packet)) throw new Error(packet.problem);
  return packet;
}
