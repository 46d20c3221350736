/**
 * Edits that a backend makes, as a client may have them: under the versions that it counts, and never made for a text that
 * is neither the client's own nor on disk. Their positions are converted where all positions are, in `answering.ts`.
 */
import type { Backend } from "../backends.ts";
import type { Call, Leg } from "../calls.ts";
import type { Client } from "../clients.ts";
import type { Mux } from "../mux.ts";
import { isObject } from "../settings.ts";
import { mapVersions } from "./convert.ts";

/**
 * Versions of a workspace edit as the asker counts them; null when an edit is for a text that it does not have.
 * @param leg of the question that it answers, where it answers one
 */
export function versionsFor(mux: Mux, backend: Backend, client: Client, result: unknown, leg?: Leg): unknown {
  let stale = false;
  const mapped = mapVersions(result, (uri, version) => {
    const key = mux.documents.keyOf(uri);
    const view = mux.documents.viewByKey(client, key);
    // For a file that the client does not have open it has no version: null means "as it is on disk".
    if (view === undefined) return null;
    const then = leg === undefined ? null : askedIn(leg.call, key);
    const held = (then === null ? null : leg?.reads) ?? backend.docs.get(key)?.text;
    if (held !== undefined && !held.same(then?.text ?? view.text)) stale = true;
    return version === null ? null : (then ?? view).version;
  });
  return stale ? null : mapped;
}

/** What the asker had of the asked document: edits that it has made since do not count. */
function askedIn({ key, asked }: Call, edited: string): Call["asked"] {
  return edited === key ? asked : null;
}

/**
 * The first document that is edited as another client has it open and as it is not on disk, where the edit will be made;
 * null where there is none. `then` is called once, at once where no file has to be read.
 */
export function unsavedIn(
  mux: Mux,
  backend: Backend,
  client: Client,
  value: unknown,
  then: (uri: string | null) => void,
): void {
  const buffers = editedIn(value).flatMap((uri) => {
    const key = mux.documents.keyOf(uri);
    const held = backend.docs.get(key);
    return held?.by === "client" && mux.documents.viewByKey(client, key) === undefined ? [{ uri, key, held }] : [];
  });
  let open = buffers.length;
  let found: string | null = null;
  if (open === 0) return then(null);
  for (const { uri, key, held } of buffers)
    mux.ports.read(key, (read) => {
      // Of a file that is not there nothing can be spoilt.
      if (read.ok && read.text !== held.text.string) found ??= uri;
      open--;
      if (open === 0) then(found);
    });
}

/** The actions of a list without those that make such an edit; `then` is called once. */
export function withoutUnsaved(
  mux: Mux,
  backend: Backend,
  client: Client,
  actions: readonly unknown[],
  then: (kept: readonly unknown[]) => void,
): void {
  const kept = new Set(actions);
  let open = actions.length;
  if (open === 0) return then(actions);
  for (const action of actions)
    unsavedIn(mux, backend, client, action, (uri) => {
      if (uri !== null && kept.delete(action)) mux.drops.count("action that edits what another client has not saved");
      open--;
      if (open === 0) then(kept.size === actions.length ? actions : actions.filter((one) => kept.has(one)));
    });
}

/** The documents whose text a workspace edit changes, or one in an action or in params. */
function editedIn(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  const edit = isObject(value.edit) ? value.edit : value;
  const changes = isObject(edit.changes) ? Object.keys(edit.changes) : [];
  const listed = Array.isArray(edit.documentChanges) ? edit.documentChanges : [];
  const named = listed.flatMap((one) => (isObject(one) && isObject(one.textDocument) ? one.textDocument.uri : []));
  return [...new Set([...changes, ...named])].filter((uri) => typeof uri === "string");
}
