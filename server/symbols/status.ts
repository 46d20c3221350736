/** `$/switchboard/status` (contract section 5): what runs, what was dropped, and how the index of names is doing. */

import type { Backend } from "../core/backends.ts";
import { ask } from "../core/calls/asks.ts";
import type { Extension, Mux } from "../core/mux.ts";
import { added, NOTHING_COVERED } from "../core/ports.ts";
import { standsIn } from "../core/route/serving.ts";
import { isObject } from "../core/settings.ts";
import type { StatusResult } from "../protocol/extensions.ts";
import { S, type StatusAnswer } from "../syntax/questions.ts";
import { answerWith } from "./answers.ts";

/** The request as the core takes it. */
export const status: Extension = (mux, call) =>
  answerWith(
    mux,
    call,
    "status",
    statusOf(mux).then((result) => ({ result })),
  );

export async function statusOf(mux: Mux): Promise<StatusResult> {
  const index = await indexOf(mux);
  const now = mux.ports.now();
  return {
    version: mux.options.version,
    uptimeMs: Math.round(now - mux.startedAt),
    clients: mux.clients.size,
    backends: [...mux.pool.all].map((backend) => statusOfBackend(mux, backend, now)),
    drops: mux.drops.all,
    index,
  };
}

function statusOfBackend(mux: Mux, backend: Backend, now: number): StatusResult["backends"][number] {
  return {
    name: backend.name,
    command: backend.spec.launch ?? [],
    version: backend.version,
    root: backend.root.uri,
    pid: mux.ports.pidOf(backend.id),
    state: backend.state,
    uptimeMs: Math.round(now - (backend.starts.at(-1) ?? now)),
    clients: backend.clients.size,
    openDocuments: backend.docs.size,
    requests: backend.requests,
    restarts: Math.max(0, backend.generation - 1),
    rssBytes: mux.ports.memoryOf(backend.id),
    quirks: backend.quirks.map((quirk) => quirk.id),
  };
}

/** So long is waited for what the syntax backend tells of its index, ms: it may be at parsing. */
const WAIT_MS = 1000;

/** Of the processes that keep it. None is started for this: without one there is none. */
async function indexOf(mux: Mux): Promise<StatusResult["index"]> {
  const keepers = [...mux.pool.all].filter(({ spec, runs }) => standsIn(spec) && runs);
  const told = (await Promise.all(keepers.map((backend) => indexIn(mux, backend)))).flatMap((one) => one ?? []);
  const sum = (of: "files" | "names" | "bytes"): number => told.reduce((all, one) => all + one[of], 0);
  const states = told.map(({ state }) => state);
  const covered = told.reduce((all, { coverage }) => added(all, coverage), NOTHING_COVERED);
  return {
    ...{ files: sum("files"), names: sum("names"), bytes: sum("bytes") },
    state: states.find((state) => state === "indexing") ?? states.find((state) => state === "ready") ?? "none",
    coverage: { ...covered, unparsed: 0, asOf: new Date().toISOString() },
  };
}

function indexIn(mux: Mux, backend: Backend): Promise<StatusAnswer["index"] | null> {
  const until = mux.ports.now() + WAIT_MS;
  return new Promise((resolve) => {
    ask(mux, null, S.status, {}, { backend, gateUntil: 0, deadline: until }, (reply) =>
      resolve("result" in reply && isAnswer(reply.result) ? reply.result.index : null),
    );
  });
}

function isAnswer(value: unknown): value is StatusAnswer {
  return isObject(value) && isObject(value.index);
}
