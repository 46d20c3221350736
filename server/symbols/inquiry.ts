/**
 * One question under way that names symbols, and the ways to learn something for it: from a backend, from a file as the client sees it,
 * from the folders. Asynchronous where the core is synchronous: each `await` is one answer or one file. When the client
 * has cancelled, an awaited answer never comes, and the question ends where it stands.
 */

import type { Backend } from "../core/backends.ts";
import type { AskOptions } from "../core/calls/asks.ts";
import type { Call, Reply } from "../core/calls.ts";
import type { Client, Folder } from "../core/clients.ts";
import { Text } from "../core/documents/text.ts";
import { pathOf } from "../core/documents/uris.ts";
import type { Mux } from "../core/mux.ts";
import type { FileQuery, FileQueryResult, Survey } from "../core/ports.ts";
import { backendFor, general, standsIn } from "../core/route/serving.ts";
import { M } from "../protocol/methods.ts";
import { type Declared, declarations } from "./outline.ts";
import type { Where } from "./paths.ts";
import type { Question } from "./question.ts";

/** What may be asked and read for a question, by name or of a list. */
export interface Reading {
  readonly mux: Mux;
  readonly call: Call;
  /** Against whose texts it is answered. */
  readonly client: Client;
  /** The folders that are searched. */
  readonly folders: readonly Folder[];
  /** A word that the files in question hold. */
  readonly hint: string | null;
  /** Whether servers are started and waited for. */
  readonly wait: "none" | "ready";
  /** Until when backends are waited for, on the clock of Ports.now(). */
  readonly until: number;
  readonly texts: Map<string, Promise<Seen | null>>;
  readonly outlines: Map<string, Outlining>;
}

/** An outline that was asked for, and until when it was waited for. */
interface Outlining {
  readonly until: number;
  readonly outline: Promise<readonly Declared[] | null>;
}

/** A question by name. */
export interface Inquiry extends Reading {
  readonly question: Question;
  /** Until when syntax is asked about what servers have not told by `until`. */
  readonly end: number;
}

/** @param until when the answer is due at the latest, on the clock of Ports.now() */
export function readingOf(
  mux: Mux,
  call: Call,
  client: Client,
  { hint, wait, until }: Pick<Reading, "hint" | "wait" | "until">,
): Reading {
  const running = [...client.backends].filter((backend) => backend.runs).map((backend) => backend.root);
  const folders = client.folders.length > 0 ? client.folders : [...new Set(running)];
  return { mux, call, client, folders, hint, wait, until, texts: new Map(), outlines: new Map() };
}

/** A file as the client sees it: its own buffer where it has it open, else the disk. */
export interface Seen {
  /** The client's spelling. */
  readonly uri: string;
  readonly key: string;
  readonly text: Text;
  /** Null: read from disk. */
  readonly version: number | null;
}

/** @param until when the backend is no longer waited for; default: the question's own time */
export function ask(
  { mux, call, client, hint, wait, until: end }: Reading,
  backend: Backend | null,
  method: string,
  params: unknown,
  until = end,
  more: Pick<AskOptions, "uncut"> = {},
): Promise<Reply> {
  return new Promise((resolve) => {
    mux.ask(
      client,
      method,
      params,
      {
        ...(backend !== null && { backend }),
        partOf: call,
        ...(hint !== null && { hint }),
        gateUntil: wait === "none" ? 0 : until,
        deadline: until,
        ...more,
      },
      (reply) => {
        if (call.state === "open") resolve(reply);
      },
    );
  });
}

/** The text of a file; null when it cannot be read. */
export function seen(reading: Reading, uri: string): Promise<Seen | null> {
  const { mux, call, client, texts } = reading;
  const key = mux.documents.keyOf(uri);
  const view = mux.documents.viewByKey(client, key);
  if (view !== undefined) return Promise.resolve({ uri: view.uri, key, text: view.text, version: view.version });
  let pending = texts.get(key);
  if (pending === undefined) {
    pending = new Promise((resolve) => {
      mux.ports.read(key, (read) => {
        if (call.state !== "open") return;
        resolve(read.ok ? { uri, key, text: Text.of(read.text), version: null } : null);
      });
    });
    texts.set(key, pending);
  }
  return pending;
}

/** When a file was last written, on the clock of Ports.now(); null where that cannot be told. */
export function writtenAt({ mux, call }: Reading, key: string): Promise<number | null> {
  return new Promise((resolve) => {
    mux.ports.written(key, (at) => {
      if (call.state === "open") resolve(at);
    });
  });
}

/** What the server of a file says it declares; null when there is none or it does not say in time. */
export async function outlineOf(reading: Reading, uri: string, until: number): Promise<readonly Declared[] | null> {
  const key = reading.mux.documents.keyOf(uri);
  const asked = reading.outlines.get(key);
  const outline = asked === undefined ? null : await asked.outline;
  if (outline !== null || (asked !== undefined && asked.until >= until)) return outline;
  // Nobody has asked, or somebody who had less time.
  const again = reading.outlines.get(key);
  if (again !== asked && again !== undefined) return again.outline;
  const asking = askOutline(reading, uri, key, until);
  reading.outlines.set(key, { until, outline: asking });
  return asking;
}

async function askOutline(
  reading: Reading,
  uri: string,
  key: string,
  until: number,
): Promise<readonly Declared[] | null> {
  const backend = serverOf(reading, uri, key);
  if (backend === undefined) return null;
  const reply = await ask(reading, backend, M.documentSymbol, { textDocument: { uri } }, until);
  return "error" in reply ? null : declarations(reply.result);
}

/**
 * The general server of a file; undefined where there is none but syntax, or it would have to be started and nobody waits.
 */
export function serverOf({ mux, client, wait }: Reading, uri: string, key: string): Backend | undefined {
  const language = mux.languageOf(uri, undefined, client);
  if (language === undefined) return undefined;
  const spec = general(client, language);
  if (spec === undefined || standsIn(spec)) return undefined;
  if (wait === "ready") return backendFor(mux, client, spec, key);
  const backend = mux.pool.find(client, spec, key);
  return backend?.runs ? backend : undefined;
}

/** Which kinds of files a folder holds. */
export function survey({ mux, call }: Reading, folder: Folder): Promise<Survey> {
  return new Promise((resolve) => {
    mux.ports.survey(folder.uri, (found) => {
      if (call.state === "open") resolve(found);
    });
  });
}

/** Files of a folder by ending, name and the bytes that they hold. */
export function findFiles({ mux, call }: Reading, folder: Folder, query: FileQuery): Promise<FileQueryResult> {
  return new Promise((resolve) => {
    mux.ports.find(folder.uri, query, (found) => {
      if (call.state === "open") resolve(found);
    });
  });
}

/** Where a file lies with regard to the searched folders. */
export function whereIs({ mux, folders }: Reading, uri: string): Where {
  const key = mux.documents.keyOf(uri);
  const absolute = pathOf(key)?.replaceAll("\\", "/") ?? key;
  let where: Where = { path: null, absolute };
  for (const folder of folders) {
    const base = folder.key.endsWith("/") ? folder.key : `${folder.key}/`;
    if (!key.startsWith(base)) continue;
    const inside = decoded(key.slice(base.length));
    const linked = `${pathOf(folder.uri)?.replaceAll("\\", "/")}/${inside}`;
    // Of folders within each other the innermost counts.
    if (where.path === null || inside.length < where.path.length)
      where = { path: inside, absolute, folder: folder.uri, ...(linked !== absolute && { linked }) };
  }
  return where;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
