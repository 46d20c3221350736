/**
 * Some servers answer questions about a project only while a file of it is open. What such a question needs is opened on
 * our account, and what the adapter says decides how much: one file of the backend's languages, by preference one whose
 * bytes hold the name asked for; or one of each project of the folder, for as long as the server runs.
 */
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import { homesOf } from "../clients/folders.ts";
import { type Folder, isWithin } from "../clients.ts";
import { ownText } from "../documents/disk.ts";
import { filesOfSpec } from "../documents/languages.ts";
import { Text } from "../documents/text.ts";
import type { Mux } from "../mux.ts";
import type { FileEvent, FileQuery } from "../ports.ts";
import { hold, pump } from "./queue.ts";
import { serves } from "./serving.ts";

/** The file that stands for a project: as long as it is open, the server has the project. */
export interface Standing {
  readonly uri: string;
  readonly key: string;
}

/** As many projects of one folder are kept loaded, those nearest to its top first. */
const MAX_PROJECTS = 32;

/** Whether a backend has open what a question needs open; begins to see to it where not, and pumps the backend after. */
export function isWarm(mux: Mux, backend: Backend, call: Call): boolean {
  const { warmUp } = backend.spec.adapter;
  if (warmUp === "none") return true;
  // Where something is defined, the document of the question alone tells.
  if (warmUp !== "open" && call.row.gate !== "definition") return hasProjects(mux, backend, warmUp.each, call);
  const isOpen = (): boolean => backend.gate.open || backend.docs.size > 0;
  if (isOpen()) return true;
  if (backend.warming === null) openOne(mux, backend, call);
  return isOpen();
}

/** Files have changed on disk: which projects there are may be another matter now. */
export function projectsChanged(mux: Mux, backend: Backend, events: readonly FileEvent[]): void {
  const { warmUp } = backend.spec.adapter;
  if (typeof warmUp === "string") return;
  for (const [folder, projects] of backend.projects) {
    const counts = ({ uri, type }: FileEvent): boolean => {
      const key = mux.documents.keyOf(uri);
      if (!isWithin(key, folder)) return false;
      if (type !== 2 && warmUp.each.includes(nameOf(uri))) return true;
      return type === 1 ? projects.length === 0 : type === 3 && projects.some((project) => project.key === key);
    };
    if (events.some(counts)) backend.projects.delete(folder);
  }
}

// ---- One file ---------------------------------------------------------------------------------------------------------

function openOne(mux: Mux, backend: Backend, call: Call): void {
  // A question about a document opens that one.
  if (call.key !== null) return openAsked(mux, backend, call);
  const done = begin(mux, backend);
  const open = (uri: string | null): void => {
    if (uri !== null) return openAll(mux, backend, [{ uri, key: mux.documents.keyOf(uri) }], done);
    // No file to open: there is nothing to wait for.
    backend.gate.settled();
    done();
  };
  const { warmUpBy } = backend.spec.adapter;
  const all = filesOfSpec(backend.spec);
  const holding = call.hint === null ? {} : { holds: call.hint };
  const first = warmUpBy === undefined ? [] : [{ extensions: warmUpBy, fileNames: [] }];
  look(
    mux,
    foldersAsked(mux, backend, call),
    [...first.map((files) => ({ ...files, ...holding })), ...first, { ...all, ...holding }, all],
    open,
  );
}

type Sought = Omit<FileQuery, "limit">;

/** A file of the folders that fits the first of the queries that any fits. */
function look(
  mux: Mux,
  folders: readonly Folder[],
  queries: readonly Sought[],
  then: (uri: string | null) => void,
): void {
  const tries = queries.flatMap((query) => folders.map((folder) => ({ folder, query })));
  const next = (): void => {
    const one = tries.shift();
    if (one === undefined) return then(null);
    mux.ports.find(one.folder.uri, { ...one.query, limit: 1 }, ({ uris: [uri] }) =>
      uri === undefined ? next() : then(uri),
    );
  };
  next();
}

function openAsked(mux: Mux, backend: Backend, call: Call): void {
  if (call.uri === null || call.key === null) return;
  const view = call.client === null ? undefined : mux.documents.viewByKey(call.client, call.key);
  // It may have become another's since the question was asked: nobody would close it here.
  if (view !== undefined && !serves(mux, backend, view))
    return hold(mux, backend, ownText(mux, backend, view.uri, view.key, view.text));
  // Once: who wants it has the queue looked at again.
  if (view !== undefined && backend.wants.get(view.key) === view.client) return;
  if (view !== undefined) return mux.want(backend, view);
  openAll(mux, backend, [{ uri: call.uri, key: call.key }], begin(mux, backend));
}

// ---- One of each project ----------------------------------------------------------------------------------------------

function hasProjects(mux: Mux, backend: Backend, markers: readonly string[], call: Call): boolean {
  if (backend.warming !== null) return false;
  const folders = foldersAsked(mux, backend, call);
  // One folder after the other: the queue is looked at again when its files are open.
  const next = folders.find(({ key }) => !backend.projects.has(key));
  const missing = folders
    .flatMap(({ key }) => backend.projects.get(key) ?? [])
    .filter(({ key }) => !backend.docs.has(key) && !backend.quarantine.has(key));
  if (next === undefined && missing.length === 0) return true;
  const done = begin(mux, backend);
  if (next === undefined) openAll(mux, backend, missing, done);
  else
    projectsOf(mux, backend, next, markers, call.hint, (projects) => {
      backend.projects.set(next.key, projects);
      if (projects.length === 0) backend.gate.settled();
      openAll(mux, backend, projects, done);
    });
  return false;
}

/** The folders that the asker works in: it waits for nobody else's. */
function foldersAsked(mux: Mux, backend: Backend, { client }: Call): readonly Folder[] {
  const homes = new Set(client === null ? [] : homesOf(mux, client, backend).map(({ key }) => key));
  return homes.size === 0 ? backend.folders : backend.folders.filter(({ key }) => homes.has(key));
}

/** A file for each project of a folder; of what lies outside of all projects one that holds the name. */
function projectsOf(
  mux: Mux,
  backend: Backend,
  folder: Folder,
  markers: readonly string[],
  name: string | null,
  then: (projects: readonly Standing[]) => void,
): void {
  const { extensions, fileNames } = filesOfSpec(backend.spec);
  const query = { extensions, fileNames: [...fileNames, ...markers], limit: Number.POSITIVE_INFINITY };
  mux.ports.find(folder.uri, query, ({ uris }) => {
    const { projects, loose } = oneOfEach(uris, markers, extensions);
    if (projects.length > MAX_PROJECTS)
      mux.ports.log(
        "warn",
        backend.name,
        `${projects.length} projects in ${folder.uri}: only the first ${MAX_PROJECTS} are kept loaded`,
      );
    const finish = (outside: string | null): void => {
      const all = (outside === null ? projects : [outside, ...projects]).slice(0, MAX_PROJECTS);
      then(all.map((uri) => ({ uri, key: mux.documents.keyOf(uri) })));
    };
    if (loose === null || name === null) finish(loose);
    else look(mux, [folder], [{ extensions, fileNames, holds: name }], (uri) => finish(uri ?? loose));
  });
}

/**
 * One file of each folder with a marker, and one outside of all. Sources of the first languages before others, and those
 * below a marker before those beside it: there lie the configurations of tools, often no part of the project.
 * @param uris of files in the order of a walk from the top, markers among them
 */
export function oneOfEach(
  uris: readonly string[],
  markers: readonly string[],
  endings: readonly string[],
): { readonly projects: readonly string[]; readonly loose: string | null } {
  const roots = new Set(uris.filter((uri) => markers.includes(nameOf(uri))).map(folderOf));
  const best = new Map<string | null, { readonly uri: string; readonly rank: number }>();
  for (const uri of uris) {
    if (markers.includes(nameOf(uri))) continue;
    const root = nearest(uri, roots);
    const language = endings.findIndex((ending) => uri.toLowerCase().endsWith(ending));
    const rank = (language < 0 ? endings.length : language) + (folderOf(uri) === root ? endings.length + 1 : 0);
    if (rank < (best.get(root)?.rank ?? Number.POSITIVE_INFINITY)) best.set(root, { uri, rank });
  }
  const loose = best.get(null)?.uri ?? null;
  best.delete(null);
  return { projects: [...best.values()].map(({ uri }) => uri), loose };
}

function nearest(uri: string, roots: ReadonlySet<string>): string | null {
  for (let at = folderOf(uri); at !== ""; at = folderOf(at)) if (roots.has(at)) return at;
  return null;
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}

function folderOf(uri: string): string {
  return uri.slice(0, Math.max(0, uri.lastIndexOf("/")));
}

// ---- Opening ----------------------------------------------------------------------------------------------------------

/** Notes that a warm-up is under way; returns what ends it, which has no effect on a later process. */
function begin(mux: Mux, backend: Backend): () => void {
  const { generation } = backend;
  backend.warming = mux.ports.now();
  return () => {
    if (backend.generation !== generation) return;
    backend.warming = null;
    pump(mux, backend);
  };
}

/** Opens what is not open yet, as it is on disk; calls `done` once. A file that cannot be read stands for nothing. */
function openAll(mux: Mux, backend: Backend, files: readonly Standing[], done: () => void): void {
  const { generation } = backend;
  let left = files.length;
  if (left === 0) return done();
  for (const { uri, key } of files)
    mux.ports.read(key, (read) => {
      if (backend.generation === generation && backend.runs) {
        const text = read.ok && !backend.quarantine.has(key) ? Text.of(read.text) : null;
        if (text !== null && !backend.docs.has(key)) hold(mux, backend, ownText(mux, backend, uri, key, text));
        if (text === null) standsForNone(backend, key);
        if (text === null && backend.docs.size === 0) backend.gate.settled();
      }
      left--;
      if (left === 0) done();
    });
}

function standsForNone(backend: Backend, key: string): void {
  for (const [folder, projects] of backend.projects)
    backend.projects.set(
      folder,
      projects.filter((project) => project.key !== key),
    );
}
