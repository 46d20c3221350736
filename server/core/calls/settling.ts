/**
 * From the answers of legs to the answer of a call. A leg that is late, failed or whose backend died counts as absent, never
 * as an error, unless all of them do; a call is answered exactly once.
 */
import { Code, errors, type ResponseError } from "../../protocol/errors.ts";
import { type MergeRule, rowOf } from "../../protocol/methods.ts";
import { error, result, withId } from "../../wire/compose.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import { Backend } from "../backends.ts";
import type { Call, Leg, Reply } from "../calls.ts";
import { Client } from "../clients.ts";
import { emptyOf, type Prepared, prepare } from "../forms/answering.ts";
import { noteOwner, rawAnswer } from "../forms/raw.ts";
import { gather } from "../merge/gathering.ts";
import { takesRefresh } from "../merge/reports.ts";
import { type Answer, isEmpty } from "../merge.ts";
import type { Mux } from "../mux.ts";
import { plan } from "../route/plan.ts";
import { enqueue, gateLimit, pump } from "../route/queue.ts";
import { drop } from "./deadlines.ts";
import { faultOf } from "./faults.ts";

/** A peer's answer to a leg; `backend` is null where a client answered. */
export function settled(mux: Mux, leg: Leg, backend: Backend | null, packet: Packet): void {
  const { call } = leg;
  if (leg.state === "abandoned" || call.state !== "open") {
    leg.state = "abandoned";
    return mux.drops.count("answer that nobody waits for");
  }
  if (packet.failed && backend !== null && retry(mux, leg, backend, packet)) return;
  leg.state = "answered";
  leg.answer = packet;
  if (backend === null) return answer(mux, call, replyOf(packet));
  if (call.row.gate !== "pass") backend.proven = true;
  if (!packet.failed) {
    const raw = rawAnswer(call, leg, backend, packet);
    if (raw !== null) return answerRaw(mux, call, raw);
  }
  legDone(mux, call);
}

/** ContentModified of a read-only method while the asker's text is what it was: asked again, at most twice. */
function retry(mux: Mux, leg: Leg, backend: Backend, packet: Packet): boolean {
  const { call } = leg;
  if (leg.partial?.begun === true) return false;
  if (call.row.retry !== "sameText" || leg.tries >= 2 || !backend.runs || errorOf(packet).code !== Code.contentModified)
    return false;
  const view = call.client === null || call.key === null ? undefined : mux.documents.viewByKey(call.client, call.key);
  if (call.asked !== null && view?.text !== call.asked.text) return false;
  leg.tries++;
  leg.state = "waiting";
  enqueue(mux, leg, backend);
  return true;
}

/** The leg cannot be answered; the call is, with an error, when no other leg has something. */
export function fail(mux: Mux, leg: Leg, why: ResponseError): void {
  if (leg.state === "answered" || leg.state === "abandoned") return;
  leg.wake?.cancel();
  leg.state = "answered";
  leg.failure = why;
  legDone(mux, leg.call);
}

/**
 * The backend turned out not to have the method. Now that this is known the next in rank is asked, if there is one; else the
 * leg counts as the method's empty value.
 */
export function lacks(mux: Mux, leg: Leg): void {
  const { call } = leg;
  mux.drops.count("method that the backend lacks");
  leg.state = "answered";
  if (!(call.origin instanceof Client) || call.row.route !== "capable" || call.state !== "open")
    return legDone(mux, call);
  plan(mux, call, (p) => {
    const backends = "backends" in p ? p.backends.filter((backend) => !call.legs.some(({ to }) => to === backend)) : [];
    if (backends.length > 0) mux.begin(call, { backends });
    else legDone(mux, call);
  });
}

/** The asker gets an error now; the leg, of which its backend is told, stays in the ledger until that answers or dies. */
export function giveUp(mux: Mux, leg: Leg, why: ResponseError): void {
  if (leg.state !== "sent") return;
  drop(mux, leg);
  leg.failure = why;
  legDone(mux, leg.call);
}

function legDone(mux: Mux, call: Call): void {
  if (call.state !== "open") return;
  const waiting = call.legs.some((leg) => leg.state === "waiting" || leg.state === "sent");
  if (!waiting || isDecided(call)) return finish(mux, call);
  if (call.firstAnswerAt !== null || !call.legs.some((leg) => leg.answer !== null)) return;
  call.firstAnswerAt = mux.ports.now();
  softLimit(mux, call);
}

/** Whether no later answer can change the result: the first one with something in it counts, and it is there. */
function isDecided({ row, legs }: Call): boolean {
  if (row.merge !== "first" && row.merge !== "accepts" && row.merge !== "rename") return false;
  const first = legs.find(({ state, answer: packet }) => state !== "answered" || hasContent(packet));
  return first?.state === "answered";
}

/** What is longer says something, bytes. */
const LONG = 4096;

function hasContent(packet: Packet | null): boolean {
  if (packet === null || packet.failed || packet.bodySpan === undefined) return false;
  const { start, end } = packet.bodySpan;
  try {
    return end - start > LONG || !isEmpty(parseBody(packet));
  } catch {
    return true; // opaque values that are not to be parsed
  }
}

/** Behind an answer that says nothing, others are waited for so many times as long. */
const PATIENCE = 4;

/** Later answers are waited for a little, and longer where nothing has been said yet: one's null must not hide another's answer. */
function softLimit(mux: Mux, call: Call): void {
  const { soft } = call.row.limits;
  const said = call.legs.some(({ answer: packet }) => hasContent(packet));
  mux.ports.after(Math.min(said ? soft : PATIENCE * soft, mux.limitsOf(call.client).softMs), () => {
    if (call.state === "open" && isHeld(mux, call)) return softLimit(mux, call);
    sayLate(mux, call);
    finish(mux, call);
  });
}

/**
 * Whether an answer is waited for beyond the soft limit. One of a server that is starting, while nothing has been said. In a
 * question about the project, that of a process which is not ready yet or has never answered such a question: its first answer
 * is by far its slowest, and half a list would pass for the whole. But of several servers of one document none may keep what
 * another has said back for longer than the question would wait for it at the gate.
 */
function isHeld(mux: Mux, { row, legs, client, firstAnswerAt }: Call): boolean {
  const said = legs.some(({ answer: packet }) => hasContent(packet));
  if (!said && legs.some(isStarting)) return true;
  if (row.gate === "pass" || !legs.some(isCold)) return false;
  const cap = mux.limitsOf(client)[gateLimit[row.gate]];
  return row.route === "all" || mux.ports.now() < (firstAnswerAt ?? 0) + cap;
}

function isStarting({ state, to }: Leg): boolean {
  return state === "waiting" && to instanceof Backend && (to.state === "starting" || to.state === "replaying");
}

function isCold({ state, to }: Leg): boolean {
  if (!(to instanceof Backend)) return false;
  return state === "waiting" ? to.state !== "waiting" : state === "sent" && !to.proven;
}

/** Facts that lack a backend's part are owned up to. */
function sayLate(mux: Mux, { state, row, client, method, legs }: Call): void {
  if (state !== "open" || row.unserved !== "error" || client === null) return;
  // It is waited for (`reports.ts`), or holds its report back.
  if (row.merge === "diagnostics" && (row.route === "all" || takesRefresh(client))) return;
  const late = legs.flatMap((leg) => (leg.state === "sent" && leg.to instanceof Backend ? leg.to.name : []));
  if (late.length > 0) mux.say(client, "log", `${late.join(", ")} answered "${method}" too late: its part is missing.`);
}

/** Answers a call with what its legs have. */
export function finish(mux: Mux, call: Call): void {
  if (call.state !== "open" || call.finishing) return;
  call.finishing = true;
  for (const leg of call.legs) drop(mux, leg);
  try {
    answerFromLegs(mux, call);
  } catch (fault) {
    const names = call.legs.flatMap(({ to }) => (to instanceof Backend ? [to.name] : []));
    answer(mux, call, { error: faultOf(mux, names.join(", "), call.method, fault) });
  }
}

function answerFromLegs(mux: Mux, call: Call): void {
  const good = call.legs.filter((leg) => leg.answer !== null && !leg.answer.failed);
  if (good.length === 0 && call.kept.length === 0) return answerNone(mux, call);
  if (good.length === 0) return answer(mux, call, { result: gather(mux, call, []) });
  logMissing(mux, call);
  const prepared = new Map<Leg, Prepared>();
  for (const leg of good) {
    const { to, answer: packet } = leg;
    if (packet === null || !(to instanceof Backend)) continue;
    prepare(mux, leg, to, packet, (p) => {
      prepared.set(leg, p);
      if (prepared.size === good.length) answerAll(mux, call, good, prepared);
    });
  }
}

/** The rules of lists to which each has something to add. */
const joined: ReadonlySet<MergeRule> = new Set(["append", "locations", "symbols"]);

/** What one of several has failed to say is missing in the answer: of facts that is owned up to. */
function logMissing(mux: Mux, { legs, method, row, client }: Call): void {
  for (const { to, answer: packet } of legs) {
    if (packet?.failed !== true || !(to instanceof Backend)) continue;
    mux.drops.count("error of one server among several");
    const { message } = errorOf(packet);
    mux.ports.log("warn", to.name, `its part of "${method}" is missing: ${message}`);
    if (client !== null && row.unserved === "error" && joined.has(row.merge))
      mux.say(client, "log", `${to.name} failed at "${method}": its part is missing (${message}).`);
  }
}

function answerAll(mux: Mux, call: Call, legs: readonly Leg[], prepared: ReadonlyMap<Leg, Prepared>): void {
  const answers: Answer<Backend>[] = [];
  let failure: ResponseError | null = null;
  for (const leg of legs) {
    const p = prepared.get(leg);
    if (p === undefined || !(leg.to instanceof Backend)) continue;
    if ("error" in p) failure = p.error;
    else answers.push({ backend: leg.to, result: p.result });
  }
  if (answers.length === 0 && failure !== null) return answer(mux, call, { error: failure });
  if (call.apart) return answer(mux, call, { result: answers });
  answer(mux, call, { result: gather(mux, call, answers) });
}

function answerNone(mux: Mux, call: Call): void {
  const failed = call.legs.find((leg) => leg.answer?.failed)?.answer ?? null;
  // A method that only some backend may know: some say otherwise that they do not.
  if (failed !== null && rowOf(call.method) === undefined && errorOf(failed).code === Code.invalidRequest)
    return answer(mux, call, { error: errors.methodNotFound(call.method) });
  // The backend's own error with its data; of several, that of the first in rank.
  if (failed !== null && call.origin instanceof Client) return answerRaw(mux, call, failed);
  if (failed !== null) return answer(mux, call, { error: errorOf(failed) });
  // A server may hold its report back until something changes: nothing has.
  const isHeldBack = call.row.merge === "diagnostics" && call.row.route === "all" && call.legs.some(isHeldOpen);
  const failure = isHeldBack ? null : (call.legs.find((leg) => leg.failure !== null)?.failure ?? null);
  answer(mux, call, failure !== null ? { error: failure } : { result: emptyOf(call) });
}

/** It was asked, and has not answered yet. */
function isHeldOpen({ state, wireId }: Leg): boolean {
  return state === "abandoned" && wireId > 0;
}

function answerRaw(mux: Mux, call: Call, raw: Packet | readonly Buffer[]): void {
  if (!close(mux, call, "answered") || !(call.origin instanceof Client)) return;
  mux.send(call.origin, "bytes" in raw ? withId(raw, call.originId) : raw);
}

/** An answer has begun to pass on to the client: the call counts as answered, and its backend as done with it. */
export function answeredBy(mux: Mux, leg: Leg, backend: Backend): void {
  const { call } = leg;
  leg.state = "answered";
  if (call.row.gate !== "pass") backend.proven = true;
  noteOwner(call, backend, "untouched");
  close(mux, call, "answered");
  mux.heard(backend, leg);
  pump(mux, backend);
}

/** Answers a call, exactly once. */
export function answer(mux: Mux, call: Call, reply: Reply, state: "answered" | "cancelled" = "answered"): void {
  if (!close(mux, call, state)) return mux.drops.count("second answer");
  const { origin, originId } = call;
  if ("then" in origin) return origin.then(reply);
  if (origin instanceof Client && origin.state === "gone") return;
  mux.send(origin, ["error" in reply ? error(originId, reply.error) : result(originId, reply.result)]);
}

function close(mux: Mux, call: Call, state: "answered" | "cancelled"): boolean {
  if (!mux.calls.close(call, state)) return false;
  mux.progress.over(call);
  if (call.origin instanceof Client) call.origin.inFlight--;
  return true;
}

function replyOf(packet: Packet): Reply {
  if (packet.failed) return { error: errorOf(packet) };
  try {
    return { result: parseBody(packet) ?? null };
  } catch {
    return { error: errors.badJson("an answer", "it is not JSON") };
  }
}

function errorOf(packet: Packet): ResponseError {
  try {
    return parseBody(packet) as ResponseError;
  } catch {
    return errors.badJson("an answer", "its error is not JSON");
  }
}
