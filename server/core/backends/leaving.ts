/** Clients that leave, and backends that nobody needs any more: what is released, and how a process is asked to end. */
import { errors } from "../../protocol/errors.ts";
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import type { Backend } from "../backends.ts";
import { askNow } from "../calls/asks.ts";
import { cancel } from "../calls/deadlines.ts";
import { unsettled } from "../clients/configuring.ts";
import { foldersChanged } from "../clients/folders.ts";
import type { Client } from "../clients.ts";
import { listedFor, pulledFor } from "../diagnostics.ts";
import { closeFrame } from "../documents/align.ts";
import { leftWith } from "../documents/catching-up.ts";
import type { View } from "../documents.ts";
import type { Mux } from "../mux.ts";
import { relay } from "../relay.ts";
import { serves } from "../route/serving.ts";
import { end, lost } from "./lifecycle.ts";

/** Of `shutdown`: what a backend gets for its answer, then for its exit, before each stronger means, ms. */
const FAREWELL_MS = 1000;

/** Asks a backend to end: shutdown, exit, then ever stronger means. */
export function stop(mux: Mux, backend: Backend): void {
  const was = backend.state;
  backend.state = "stopping";
  mux.pool.retire(backend);
  mux.routes++;
  mux.watching.ended(backend);
  if (was === "idle" || was === "waiting" || was === "stopped") return end(mux, backend, []);
  const { generation } = backend;
  const step = (ms: number, f: () => void): void =>
    void mux.ports.after(ms, () => {
      if (backend.generation === generation && backend.state === "stopping") f();
    });
  if (was === "starting") mux.ports.kill(backend.id, "ask");
  else
    askNow(mux, backend, M.shutdown, undefined, FAREWELL_MS, () => {
      if (backend.state === "stopping") mux.send(backend, [notification(M.exit, undefined)]);
    });
  step(FAREWELL_MS, () => {
    mux.ports.kill(backend.id, "ask");
    step(FAREWELL_MS, () => mux.ports.kill(backend.id, "force"));
  });
}

/**
 * A client is gone: its calls are cancelled, what it was asked is answered for it, its documents are released; backends that
 * nobody else uses end.
 */
export function detach(mux: Mux, client: Client): void {
  if (client.state === "gone") return;
  client.state = "gone";
  client.parent?.cancel();
  for (const call of mux.calls.of(client)) cancel(mux, call, errors.cancelled());
  const now = mux.ports.now();
  for (const leg of mux.calls.awaitedFrom(client))
    lost(mux, leg, errors.timedOut("the client", leg.call.method, now - leg.sentAt));
  release(mux, client);
  mux.progress.gone(client);
  mux.calls.left(client);
  mux.clients.delete(client.id);
}

/** Lets go of all backends of a client (shutdown, or its end). */
export function release(mux: Mux, client: Client): void {
  const views = [...client.views.values()];
  for (const view of views) {
    mux.documents.close(client, view.uri);
    mux.slots.drop(view.key, pulledFor(client.id));
  }
  mux.slots.dropAll(listedFor(client.id));
  for (const backend of [...client.backends]) part(mux, client, backend, views);
}

/** A client and a backend have no more to do with each other; `views` is what it had open. */
export function part(mux: Mux, client: Client, backend: Backend, views: readonly View[]): void {
  client.backends.delete(backend);
  backend.clients.delete(client);
  backend.found.delete(client);
  unsettled(backend, client);
  backend.owesLeavers ||= [...backend.working].some(({ call }) => call.client === client);
  backend.tokenMappings.delete(client);
  relay(mux, client);
  const { idleMs } = client.setup.limits;
  if (backend.clients.size === 0 && idleMs <= 0) return stop(mux, backend);
  for (const view of views) released(mux, backend, view.key);
  if (backend.clients.size === 0) leave(mux, backend, idleMs);
  else foldersChanged(mux, backend);
}

function leave(mux: Mux, backend: Backend, idleMs: number): void {
  const left = mux.ports.now();
  backend.leftAt = left;
  mux.ports.after(idleMs, () => {
    if (backend.clients.size === 0 && backend.lives && backend.leftAt === left) stop(mux, backend);
  });
}

/** A client no longer has a document open: another's text takes its place, or the backend closes it. */
export function released(mux: Mux, backend: Backend, key: string): void {
  const held = backend.docs.get(key);
  backend.wants.delete(key);
  for (const view of mux.documents.viewsOf(key)) if (serves(mux, backend, view)) return mux.want(backend, view);
  if (held === undefined || held.by === "disk") return;
  // What it holds it holds open, be it in the middle of a replay.
  mux.send(backend, [closeFrame(backend, held)]);
  leftWith(backend, held);
}

/** Ends all; `done` once none runs any more. */
export function stopAll(mux: Mux, done: () => void): void {
  for (const client of [...mux.clients.values()]) detach(mux, client);
  for (const backend of [...mux.pool.all]) if (backend.state !== "stopping") stop(mux, backend);
  mux.whenIdle(done);
}
