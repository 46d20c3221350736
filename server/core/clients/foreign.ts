/**
 * Folders of other clients on a server that takes several. Its answers about the project are about all of them: what lies in
 * another client's folder, or in one that nobody has any more, and in none of the asker's, is left out. Not so where the asker's own code leads (a definition, a
 * callee): a server of its own would tell that as well. Edits are never cut: a rename by half breaks the code.
 */
import type { Row } from "../../protocol/methods.ts";
import type { Backend } from "../backends.ts";
import { type Client, type Folder, isWithin } from "../clients.ts";
import type { Mux } from "../mux.ts";
import { isObject } from "../settings.ts";

/** Whether answers of the row to this client may have to be cut. */
export function isCut(row: Row, backend: Backend, client: Client): boolean {
  return row.foreign === "dropped" && foreignFolders(backend, client).length > 0;
}

/** The answer without places in folders that are none of the asker's; the same object where there is none. */
export function withoutForeign(mux: Mux, backend: Backend, client: Client, result: unknown): unknown {
  const folders = foreignFolders(backend, client);
  const isOurs = (uri: string | undefined): boolean => uri === undefined || !liesIn(mux, client, folders, uri);
  const kept = (list: readonly unknown[]): readonly unknown[] => list.filter((item) => isOurs(placeOf(item)));
  if (Array.isArray(result)) return unlessWhole(result, kept(result));
  if (!isObject(result)) return result;
  if (!isOurs(placeOf(result))) return null;
  const { items, relatedDocuments } = result;
  const cut: { items?: unknown; relatedDocuments?: unknown } = {};
  if (Array.isArray(items)) cut.items = unlessWhole(items, kept(items));
  if (isObject(relatedDocuments))
    cut.relatedDocuments = Object.fromEntries(Object.entries(relatedDocuments).filter(([uri]) => isOurs(uri)));
  return { ...result, ...cut };
}

/** Whether a file is the business of other clients alone. */
export function isForeign(mux: Mux, backend: Backend, client: Client, uri: string): boolean {
  return liesIn(mux, client, foreignFolders(backend, client), uri);
}

/** A folder in which the client works on a file counts as its own, whoever opened it first. */
function foreignFolders({ folders, left, clients, found }: Backend, client: Client): readonly Folder[] {
  if (clients.size < 2 && left.length === 0) return [];
  const own = [...client.folders, ...(found.get(client) ?? [])];
  return [...folders, ...left].filter(({ key }) => {
    if (own.some((one) => isWithin(key, one.key))) return false;
    for (const view of client.views.values())
      if (isWithin(view.key, key) && client.folderOf(view.key) === undefined) return false;
    return true;
  });
}

function liesIn(mux: Mux, client: Client, folders: readonly Folder[], uri: string): boolean {
  if (folders.length === 0) return false;
  const key = mux.documents.keyOf(uri);
  return folders.some((folder) => isWithin(key, folder.key)) && client.folderOf(key) === undefined;
}

/** Where an item of a list is: a location, a symbol, an item of a hierarchy or the call that leads to one. */
function placeOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const at = [item, item.location, item.from].find((one) => isObject(one) && typeof one.uri === "string");
  const uri = isObject(at) ? at.uri : item.targetUri;
  return typeof uri === "string" ? uri : undefined;
}

function unlessWhole(list: readonly unknown[], kept: readonly unknown[]): readonly unknown[] {
  return kept.length === list.length ? list : kept;
}
