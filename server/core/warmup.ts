/**
 * The plainest warm-up: some servers answer questions about a project only once a file of it is open. When such a question
 * comes and none is, one file of the backend's languages is opened, by preference one whose bytes hold the name asked for.
 */
import { filesOf } from "../languages.ts";
import type { Backend } from "./backends.ts";
import type { Call } from "./calls.ts";
import { ownText } from "./disk.ts";
import type { Mux } from "./mux.ts";
import { hold, pump } from "./queue.ts";
import { Text } from "./text.ts";

/** Does nothing where the server needs none, has a file open, or one is being looked for. */
export function warmUp(mux: Mux, backend: Backend, call: Call): void {
  if (backend.spec.adapter.warmUp === "none" || backend.docs.size > 0 || backend.warming) return;
  // A question about a document opens that one.
  if (call.key !== null) return openAsked(mux, backend, call);
  backend.warming = true;
  const name = call.hint;
  look(mux, backend, name, (uri) => {
    if (uri !== null || name === null) return open(mux, backend, uri);
    look(mux, backend, null, (any) => open(mux, backend, any));
  });
}

function look(mux: Mux, backend: Backend, name: string | null, then: (uri: string | null) => void): void {
  const files = filesOf(backend.spec.adapter.languages);
  const query = { ...files, limit: 1, ...(name === null ? {} : { holds: name }) };
  mux.ports.find(backend.root.uri, query, (found) => then(found.uris[0] ?? null));
}

function openAsked(mux: Mux, backend: Backend, call: Call): void {
  if (call.uri === null) return;
  const view = call.client === null ? undefined : mux.documents.viewByKey(call.client, call.key ?? "");
  if (view !== undefined) return mux.want(backend, view);
  backend.warming = true;
  open(mux, backend, call.uri);
}

function open(mux: Mux, backend: Backend, uri: string | null): void {
  const { generation } = backend;
  const done = (): void => {
    backend.warming = false;
    pump(mux, backend);
  };
  if (uri === null) {
    // No file to open: there is nothing to wait for.
    backend.gate.settled();
    return done();
  }
  const key = mux.documents.keyOf(uri);
  mux.ports.read(key, (read) => {
    if (backend.generation === generation && backend.runs && backend.docs.size === 0) {
      if (read.ok) hold(mux, backend, ownText(mux, backend, uri, key, Text.of(read.text)));
      else backend.gate.settled();
    }
    done();
  });
}
