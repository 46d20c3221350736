/**
 * The workspace folders of a backend that serves several in one process (LSP 3.18, DidChangeWorkspaceFolders): those of all
 * its clients. A backend for one root keeps it for life.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/compose.ts";
import type { Backend } from "./backends.ts";
import type { Folder } from "./clients.ts";
import type { Mux } from "./mux.ts";

/** A client came, or the folders of one changed. */
export function foldersChanged(mux: Mux, backend: Backend): void {
  if (backend.spec.adapter.multiRoot !== true) return;
  const all = new Map([...backend.clients].flatMap((client) => client.folders.map((folder) => [folder.key, folder])));
  const same = all.size === backend.folders.length && backend.folders.every((folder) => all.has(folder.key));
  if (all.size === 0 || same) return;
  mux.watching.ended(backend);
  mux.routes++;
  backend.folders = [...all.values()];
  // Before it runs it is told by its `initialize`, or as soon as it has answered that.
  if (!backend.runs) return;
  tellFolders(mux, backend);
  mux.watching.update(backend);
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
