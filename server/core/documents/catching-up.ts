/**
 * Servers whose index knows a file as it was when it was last open in them (`index: "opened"` of the adapter): before they
 * are asked about the project, the files that are otherwise now are opened in them, and they are waited for until they have
 * taken in all that they were shown. What a gate is to a start, this is to every change after it.
 */
import type { BackendSpec } from "../../config/resolve.ts";
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import { askNow } from "../calls/asks.ts";
import type { Call, Leg } from "../calls.ts";
import type { Held } from "../documents.ts";
import { encodingOf } from "../forms/asking.ts";
import type { Mux } from "../mux.ts";
import type { DiskText, FileEvent } from "../ports.ts";
import { isPosition, offsetAt } from "../positions.ts";
import { hold, pump } from "../route/queue.ts";
import { lookUp } from "../settings.ts";
import { ownText } from "./disk.ts";
import { filesOfSpec } from "./languages.ts";
import { Text } from "./text.ts";
import { pathOf } from "./uris.ts";

/** How long a question waits for one text to be taken in, ms: an edit takes 20-150, a file with its headers up to 1000. */
const PATIENCE_MS = 2000;

/** So many changed files are opened for one question; of more, those that hold the name it is about. */
const MOST_FILES = 32;

/** Files that may be otherwise now than a backend's index has them. */
export class Behind {
  /** By key: changed on disk, or closed after it was held with that text. */
  readonly files = new Map<string, { readonly uri: string; readonly held: Text | null }>();
  /** Shown to it and not yet taken in, by key; null until it was asked to. */
  readonly texts = new Map<string, { readonly version: number } | null>();
  /** Files being read for a question. */
  reading = 0;
}

/** Whether a question must wait; sees to the reading, and to being pumped when that is over. */
export function isBehind(mux: Mux, backend: Backend, leg: Leg): boolean {
  if (!needsShowing(backend) || leg.call.row.gate === "pass") return false;
  const { behind } = backend;
  // Once a question: one that waits for files cannot be put off for ever by further changes.
  if (!leg.shown && behind.reading === 0) {
    leg.shown = true;
    const name = leg.call.hint ?? wordAsked(backend, leg.call);
    takeUntold(mux, backend);
    if (behind.files.size > 0) show(mux, backend, name);
    if (backend.gate.open && !backend.gate.begun && name !== null) showHolding(mux, backend, name);
  }
  for (const [key, asked] of behind.texts) {
    const held = backend.docs.get(key);
    if (held === undefined) behind.texts.delete(key);
    else if (asked?.version !== held.version) hurry(mux, backend, held);
  }
  return behind.reading > 0 || behind.texts.size > 0;
}

/**
 * It published diagnostics of a version of a document: it knows that text by now. Those without a version may be of any,
 * such as the empty ones at its closing.
 */
export function tookIn(mux: Mux, backend: Backend, key: string, version: number | null): void {
  const held = backend.docs.get(key);
  if (!backend.behind.texts.has(key) || held === undefined || version === null || version < held.version) return;
  backend.behind.texts.delete(key);
  pump(mux, backend);
}

/** A document that a client had open is closed in it: its index keeps the text that it held. */
export function leftWith(backend: Backend, { key, uri, text }: Held): void {
  if (needsShowing(backend)) backend.behind.files.set(key, { uri, held: text });
}

/** Files changed on disk: it looks at what its open documents include when one of them is saved. */
export function changedOnDisk(mux: Mux, backend: Backend, events: readonly FileEvent[]): void {
  if (!needsShowing(backend)) return;
  const isOfIts = ownFiles(backend.spec);
  if (!events.some(({ uri }) => isOfIts(uri))) return;
  const [open] = [...backend.docs.values()].filter(({ by }) => by === "client");
  if (open !== undefined) mux.send(backend, [notification(M.didSave, { textDocument: { uri: open.uri } })]);
}

export function needsShowing({ spec }: Backend): boolean {
  return spec.adapter.index === "opened";
}

function takeUntold(mux: Mux, { behind, untold, spec, docs }: Backend): void {
  const isOfIts = ownFiles(spec);
  for (const { uri, type } of untold.values()) {
    const key = mux.documents.keyOf(uri);
    if (type !== DELETED && !docs.has(key) && isOfIts(uri)) behind.files.set(key, { uri, held: null });
  }
  untold.clear();
}

const DELETED = 3;

/** Tells the files of a server's languages from others. */
function ownFiles(spec: BackendSpec): (uri: string) => boolean {
  const { extensions, fileNames } = filesOfSpec(spec);
  return (uri) => {
    const name = (pathOf(uri) ?? uri).replace(/^.*[/\\]/, "");
    return fileNames.includes(name) || extensions.some((end) => name.toLowerCase().endsWith(end));
  };
}

function show(mux: Mux, backend: Backend, hint: string | null): void {
  const { behind, generation } = backend;
  const files = [...behind.files];
  const all = files.length <= MOST_FILES;
  let room = MOST_FILES;
  behind.reading += files.length;
  for (const [key, { uri, held }] of files)
    mux.ports.read(key, (read) => {
      if (backend.generation !== generation || !backend.runs) return;
      behind.reading--;
      if (isOtherwise(read, held)) {
        // One that waits for its turn waits for the next question.
        if (!all && (room === 0 || (hint !== null && !read.text.includes(hint)))) return pumpAfter(mux, backend);
        room--;
        if (!backend.docs.has(key)) hold(mux, backend, ownText(mux, backend, uri, key, Text.of(read.text)));
      }
      behind.files.delete(key);
      pumpAfter(mux, backend);
    });
}

/** It has indexed nothing at all, for it knows of no project: then what holds the name is the project. */
function showHolding(mux: Mux, backend: Backend, name: string): void {
  const { behind, generation, spec } = backend;
  behind.reading++;
  const query = { ...filesOfSpec(spec), holds: name, limit: MOST_FILES };
  mux.ports.find(backend.root.uri, query, ({ uris }) => {
    if (backend.generation !== generation || !backend.runs) return;
    behind.reading--;
    for (const uri of uris) {
      const key = mux.documents.keyOf(uri);
      if (!backend.versions.knows(key)) behind.files.set(key, { uri, held: null });
    }
    if (behind.files.size > 0 && behind.reading === 0) show(mux, backend, name);
    else pumpAfter(mux, backend);
  });
}

function isOtherwise(read: DiskText, held: Text | null): read is DiskText & { ok: true } {
  return read.ok && held?.string !== read.text;
}

function pumpAfter(mux: Mux, backend: Backend): void {
  if (backend.behind.reading === 0) pump(mux, backend);
}

/** The name at the asked place; null where there is none. */
function wordAsked(backend: Backend, { asked, packet, moved, client }: Call): string | null {
  const position = lookUp(moved ?? parseBody(packet), "position");
  if (asked === null || !isPosition(position)) return null;
  const { string, lines } = asked.text;
  const offset = offsetAt(string, lines, position, encodingOf(client, backend));
  const before = /[\p{L}\p{N}_]*$/u.exec(string.slice(Math.max(0, offset - LONGEST), offset))?.[0] ?? "";
  const after = /^[\p{L}\p{N}_]*/u.exec(string.slice(offset, offset + LONGEST))?.[0] ?? "";
  return before + after === "" ? null : before + after;
}

/** Of a name, either side of the place. */
const LONGEST = 200;

/** A question makes it read what else it would put off for more edits to come. */
function hurry(mux: Mux, backend: Backend, { key, uri, version }: Held): void {
  const { texts } = backend.behind;
  const asked = { version };
  texts.set(key, asked);
  askNow(mux, backend, M.hover, { textDocument: { uri }, position: { line: 0, character: 0 } }, PATIENCE_MS, () => {});
  mux.ports.after(PATIENCE_MS, () => {
    if (texts.get(key) !== asked) return;
    texts.delete(key);
    pump(mux, backend);
  });
}
