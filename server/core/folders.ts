/**
 * The workspace folders of a backend that serves several in one process (LSP 3.18, DidChangeWorkspaceFolders): those of all
 * its clients. A backend for one root keeps it for life.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/compose.ts";
import type { Backend } from "./backends.ts";
import type { Client, Folder } from "./clients.ts";
import { part, released } from "./leaving.ts";
import type { Mux } from "./mux.ts";
import { clearFrom, pullSoon } from "./publish.ts";
import { backendFor, eager, serves, specFor } from "./serving.ts";

/** A client came, or the folders of one changed. */
export function foldersChanged(mux: Mux, backend: Backend): void {
  if (backend.spec.adapter.multiRoot !== true) return;
  const all = new Map(
    [...backend.clients].flatMap((client) =>
      client.folders.filter(({ key }) => isServed(mux, client, backend, key)).map((folder) => [folder.key, folder]),
    ),
  );
  const same = all.size === backend.folders.length && backend.folders.every((folder) => all.has(folder.key));
  if (all.size === 0 || same) return;
  mux.watching.ended(backend);
  mux.routes++;
  backend.folders = [...all.values()];
  mux.watching.update(backend);
  // Before it runs it is told by its `initialize`, or as soon as it has answered that.
  if (backend.runs) tellFolders(mux, backend);
}

/**
 * The client's folders are others: its documents move to the backends that serve their place now, and a backend for a
 * folder that is gone ends when nothing of the client's is left there.
 */
export function moveHome(mux: Mux, client: Client, gone: ReadonlySet<string>): void {
  const views = [...client.views.values()];
  for (const view of views) {
    for (const spec of eager(client, view.language)) {
      const backend = backendFor(mux, client, spec, view.key);
      if (backend === undefined || backend.docs.has(view.key)) continue;
      mux.want(backend, view);
      pullSoon(mux, backend, view);
    }
    for (const backend of client.backends) {
      if (serves(mux, backend, view) || !(backend.docs.has(view.key) || backend.wants.has(view.key))) continue;
      released(mux, backend, view.key);
      clearFrom(mux, backend, view);
    }
  }
  for (const backend of [...client.backends])
    if (
      gone.has(backend.root.key) &&
      !isAtHome(mux, client, backend) &&
      !views.some((view) => serves(mux, backend, view))
    )
      part(mux, client, backend, views);
}

/** Whether one of the client's folders is served by the backend. */
function isAtHome(mux: Mux, client: Client, backend: Backend): boolean {
  return client.folders.some(({ key }) => isServed(mux, client, backend, key));
}

/** Folders with other surroundings have a process of their own, also of a server that takes several. */
function isServed(mux: Mux, client: Client, backend: Backend, key: string): boolean {
  const spec = specFor(client, backend);
  return spec !== undefined && mux.pool.find(client, spec, key) === backend;
}

/** Tells a running backend what has changed since it was last told. */
export function tellFolders(mux: Mux, backend: Backend): void {
  const added = without(backend.folders, backend.told);
  const removed = without(backend.told, backend.folders);
  backend.told = backend.folders;
  if (added.length + removed.length === 0) return;
  mux.send(backend, [notification(M.didChangeWorkspaceFolders, { event: { added, removed } })]);
}

function without(folders: readonly Folder[], others: readonly Folder[]): { uri: string; name: string }[] {
  const keys = new Set(others.map((folder) => folder.key));
  return folders.filter((folder) => !keys.has(folder.key)).map(({ uri, name }) => ({ uri, name }));
}
