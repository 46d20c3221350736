/**
 * The workspace folders of a backend that serves several in one process (LSP 3.18, DidChangeWorkspaceFolders): those of all
 * its clients. A backend for one root keeps it for life.
 */
import { M, rowOf } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import { part, released } from "../backends/leaving.ts";
import type { Backend } from "../backends.ts";
import type { Client, Folder } from "../clients.ts";
import { closeLeft } from "../documents/disk.ts";
import type { View } from "../documents.ts";
import type { Mux } from "../mux.ts";
import { clearFrom, pullSoon } from "../publish.ts";
import { holders, serves, specFor } from "../route/serving.ts";

/** A client came or left, or the folders of one changed. */
export function foldersChanged(mux: Mux, backend: Backend): void {
  if (backend.spec.adapter.multiRoot !== true) return;
  // Of one folder under several names the first holds: it is the one that the server was told.
  const all = new Map(backend.folders.map((folder) => [folder.key, folder]));
  const needed = new Set<string>();
  for (const client of backend.clients)
    for (const folder of homesOf(mux, client, backend)) {
      needed.add(folder.key);
      if (!all.has(folder.key)) all.set(folder.key, folder);
    }
  for (const key of all.keys()) if (!needed.has(key)) all.delete(key);
  const same = all.size === backend.folders.length && backend.folders.every((folder) => all.has(folder.key));
  if (all.size === 0 || same) return;
  mux.watching.ended(backend);
  mux.routes++;
  const gone = backend.folders.filter(({ key }) => !all.has(key));
  backend.left = [...backend.left, ...gone].filter(({ key }) => !all.has(key));
  backend.folders = [...all.values()];
  for (const { key } of gone) backend.projects.delete(key);
  mux.watching.update(backend);
  // Before it runs it is told by its `initialize`, or as soon as it has answered that.
  if (!backend.runs) return;
  tellFolders(mux, backend);
  closeLeft(mux, backend);
}

/**
 * The client's folders are others: its documents move to the backends that serve their place now, and a backend in whose
 * folders nothing of the client's is left ends, unless others need it.
 */
export function moveHome(mux: Mux, client: Client): void {
  const views = [...client.views.values()];
  client.outside.clear();
  for (const view of views) {
    holdAnew(mux, view);
    for (const backend of client.backends) {
      if (serves(mux, backend, view) || !(backend.docs.has(view.key) || backend.wants.has(view.key))) continue;
      released(mux, backend, view.key);
      clearFrom(mux, backend, view);
    }
  }
  for (const backend of client.backends) if (homesOf(mux, client, backend).length === 0) client.homeless.add(backend);
  partFromUnused(mux, client, views);
}

/** The backends that are to hold a document get it, if they have not. */
export function holdAnew(mux: Mux, view: View): void {
  for (const backend of holders(mux, view)) {
    if (backend.docs.has(view.key)) continue;
    mux.want(backend, view);
    pullSoon(mux, backend, view);
  }
}

/** Backends in whose folders nothing of the client's is left are no longer its own once it has closed their documents. */
export function partFromUnused(mux: Mux, client: Client, views: readonly View[] = []): void {
  if (client.homeless.size === 0) return;
  const open = [...client.views.values()];
  for (const backend of client.homeless) {
    const isUsed = homesOf(mux, client, backend).length > 0;
    if (!isUsed && open.some((view) => serves(mux, backend, view))) continue;
    client.homeless.delete(backend);
    if (!isUsed && client.backends.has(backend)) part(mux, client, backend, views);
  }
}

/** The folders for which a client uses a backend: its own, and those that were found around files of one that has none. */
export function homesOf(mux: Mux, client: Client, backend: Backend): Folder[] {
  const own = client.folders.filter(({ key }) => isServed(mux, client, backend, key));
  return [...own, ...(backend.found.get(client) ?? [])];
}

/** Folders with other surroundings have a process of their own, also of a server that takes several. */
function isServed(mux: Mux, client: Client, backend: Backend, key: string): boolean {
  const spec = specFor(client, backend);
  return spec !== undefined && mux.pool.find(client, spec, key) === backend;
}

/** Tells a running backend what has changed since it was last told; not so one that wants to hear of none. */
export function tellFolders(mux: Mux, backend: Backend): void {
  const row = rowOf(M.didChangeWorkspaceFolders);
  if (row === undefined || !backend.abilities.can(row)) return;
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
