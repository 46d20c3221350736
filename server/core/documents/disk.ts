/**
 * Files that no client has open, as questions need them: read from disk just before a backend is asked, so that an
 * answer is never about an older content, and opened in the backend as ours (no client hears of it).
 */

import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Leg } from "../calls.ts";
import { isWithin } from "../clients.ts";
import type { Held, Wanted } from "../documents.ts";
import { readTexts } from "../forms/answering.ts";
import { isCountedAnew } from "../forms/asking.ts";
import type { Mux } from "../mux.ts";
import { covers } from "../pool.ts";
import { hold, pump } from "../route/queue.ts";
import { closeFrame } from "./align.ts";
import { Text } from "./text.ts";
import { pathOf } from "./uris.ts";

/** As many files stay open in one backend on our account; the longest unused is closed first. */
const MAX_OURS = 64;

/**
 * The text on disk of the document a leg asks about, "reading" while it is being read (the backend is pumped after), null
 * where it cannot be read: the question is then sent as it is, and the backend says what it thinks of it.
 */
export function diskTextFor(mux: Mux, backend: Backend, leg: Leg): Wanted | null | "reading" {
  const { call } = leg;
  if (call.key === null || call.uri === null || pathOf(call.key) === null) return null;
  if (leg.disk === null) {
    leg.disk = "reading";
    mux.ports.read(call.key, (read) => {
      leg.disk = read.ok ? Text.of(read.text) : "unreadable";
      pump(mux, backend);
    });
  }
  if (leg.disk === "reading") return "reading";
  if (leg.disk === "unreadable") return null;
  return ownText(mux, backend, call.uri, call.key, leg.disk);
}

/**
 * Whether the texts are there by which the columns of a question are counted anew: those of the files that it points into (an
 * item's place, an edit) and that the backend does not hold are read first, and the backend is pumped after.
 */
export function hasTexts(mux: Mux, backend: Backend, leg: Leg): boolean {
  const { call } = leg;
  if (leg.texts === "reading") return false;
  if (leg.texts !== null || !isCountedAnew(call, backend)) return true;
  leg.texts = "reading";
  let isRead = false;
  let isAwaited = false;
  readTexts(mux, backend, call.uri ?? "", call.moved ?? parseBody(call.packet), (texts) => {
    leg.texts = texts;
    isRead = true;
    if (isAwaited) pump(mux, backend);
  });
  isAwaited = !isRead;
  return isRead;
}

/** What a backend is to hold on our account, mostly of a file on disk; makes room among the files that are open on our account. */
export function ownText(mux: Mux, backend: Backend, uri: string, key: string, text: Text): Wanted {
  const held = backend.docs.get(key);
  if (held === undefined) makeRoom(mux, backend);
  else {
    // Most recently used last.
    backend.docs.delete(key);
    backend.docs.set(key, held);
  }
  return { uri, key, languageId: mux.languageOf(uri, undefined) ?? "plaintext", version: null, text, by: "disk" };
}

/** A file that is open in a backend on our account has changed on disk: it sees the new text, or the file closed. */
export function reread(mux: Mux, backend: Backend, key: string): void {
  const { generation, behind } = backend;
  behind.reading++;
  mux.ports.read(key, (read) => {
    behind.reading--;
    if (backend.generation !== generation || !backend.runs) return;
    const held = backend.docs.get(key);
    if (held?.by === "disk") {
      if (read.ok) hold(mux, backend, ownText(mux, backend, held.uri, key, Text.of(read.text)));
      else mux.send(backend, [closeFrame(backend, held)]);
      mux.ports.log("debug", backend.name, `holds ${held.uri} as it is on disk now`);
    }
    // Questions may wait for this reading, also where there is nothing left to hold.
    pump(mux, backend);
  });
}

function makeRoom(mux: Mux, backend: Backend): void {
  // What keeps a project loaded would be opened again at once.
  const stays = new Set([...backend.projects.values()].flatMap((projects) => projects.map(({ key }) => key)));
  const ours = [...backend.docs.values()].filter((held) => held.by === "disk" && !stays.has(held.key));
  close(mux, backend, ours.slice(0, Math.max(0, ours.length - MAX_OURS + 1)));
}

/** Closes what is open on our account in none of the backend's folders, but in one that it had. */
export function closeLeft(mux: Mux, backend: Backend): void {
  const isLeft = (key: string): boolean =>
    backend.left.some((folder) => isWithin(key, folder.key)) && !covers(backend, key);
  close(
    mux,
    backend,
    [...backend.docs.values()].filter((held) => held.by === "disk" && isLeft(held.key)),
  );
}

/** But for what a question that is not answered yet reads. */
function close(mux: Mux, backend: Backend, documents: readonly Held[]): void {
  const read = new Set([...backend.working].map((leg) => leg.call.key));
  for (const held of documents) if (!read.has(held.key)) mux.send(backend, [closeFrame(backend, held)]);
}
