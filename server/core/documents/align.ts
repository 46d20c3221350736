/**
 * The frames that make a backend hold a wanted text: none in the normal case, the client's own bytes where they fit, else a
 * didOpen or the smallest ranged edit. When a switch must wait for older questions is decided in `queue.ts`.
 *
 * Half a surrogate pair, which clients send when one is cut in two, reaches a backend as U+FFFD: servers that hold text as
 * UTF-8 end at its escape.
 */
import { M } from "../../protocol/methods.ts";
import { notification, withFields } from "../../wire/compose.ts";
import type { Packet } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import { type Held, openedDocument, showed, type View, type Wanted } from "../documents.ts";
import { changeEvent, smallestEdit } from "../positions.ts";
import type { Opening } from "./opening.ts";
import { mayHoldHalves, type Text } from "./text.ts";

/** What a backend that serves the view is to hold. */
export function wantedOf(view: View, raw?: Wanted["raw"]): Wanted {
  return {
    uri: view.uri,
    key: view.key,
    languageId: view.language ?? view.languageId,
    version: view.version,
    text: view.text,
    by: "client",
    ...(raw === undefined ? {} : { raw }),
  };
}

/** Whether the backend holds just this text, opened for the same reason or a stronger one. */
export function isHeld(backend: Backend, wanted: Wanted): boolean {
  const held = backend.docs.get(wanted.key);
  if (held === undefined) return false;
  if (wanted.by === "client" && held.by === "disk") return false;
  return held.text === wanted.text || held.text.same(wanted.text);
}

/** The body of one message, in pieces. */
export type Frame = readonly Buffer[];

/** Brings the backend to hold `wanted` and returns the frames that do it, in order. */
export function align(backend: Backend, wanted: Wanted): Frame[] {
  const held = backend.docs.get(wanted.key);
  if (held === undefined) return [openFrame(backend, wanted)];
  // A client's own didOpen of a file that we opened is passed on as such, so that the backend sees the real opening.
  if (held.by === "disk" && wanted.by === "client") return [[closeFrame(backend, held)], openFrame(backend, wanted)];
  if (held.text === wanted.text) return [];
  const raw = rawChange(backend, held, wanted);
  if (raw !== null) {
    showed(held, backend.versions.take(held.key, wanted.version), wanted.text);
    return [raw];
  }
  if (held.text.same(wanted.text)) {
    held.text = wanted.text;
    return [];
  }
  return changeFrames(backend, held, wanted);
}

/** A didClose of what a backend holds, which from now on it does not. */
export function closeFrame(backend: Backend, held: Held): Buffer {
  backend.docs.delete(held.key);
  return notification(M.didClose, { textDocument: { uri: held.uri } });
}

function openFrame(backend: Backend, wanted: Wanted): Frame {
  const { raw } = wanted;
  const gone = raw?.before === null ? passed(backend, raw.packet) : null;
  const version = gone?.version ?? backend.versions.take(wanted.key, wanted.version ?? 1);
  const uri = backend.spelling(wanted.key, wanted.uri);
  backend.named(wanted.key, wanted.languageId);
  backend.docs.set(wanted.key, {
    key: wanted.key,
    uri,
    by: wanted.by,
    version,
    text: wanted.text,
    past: new Map([[version, wanted.text]]),
  });
  backend.touched(wanted.key);
  if (gone !== null) return gone.pieces;
  if (raw?.before === null && !mayHoldHalves(raw.packet)) {
    const opened = openedAs(raw.packet, { uri, languageId: wanted.languageId, version });
    if (opened !== null) return opened;
  }
  const textDocument = { uri, languageId: wanted.languageId, version, text: wanted.text.string.toWellFormed() };
  return [notification(M.didOpen, { textDocument })];
}

/** The didOpen that went to the backend while it came in (`opening.ts`), if it is this. */
function passed({ opening }: Backend, { pieces }: Packet): Opening | null {
  return opening?.pieces === pieces ? opening : null;
}

/** The client's own didOpen, with what differs replaced; its text is never read. Null where it lacks a field. */
function openedAs(packet: Packet, wanted: { uri: string; languageId: string; version: number }): Frame | null {
  const sent = openedDocument(packet);
  if (sent === null) return null;
  const differing = (["uri", "languageId", "version"] as const).filter((name) => sent[name] !== wanted[name]);
  if (differing.length === 0) return packet.pieces;
  return withFields(
    packet,
    differing.map((name) => ({ path: ["textDocument", name], value: wanted[name] })),
  );
}

/**
 * The client's own didChange, when it leads the backend from what it holds to what is wanted: an incremental server that
 * counts alike, only ranged changes, no half of a surrogate pair in sight, a version that rises, the same spelling.
 */
function rawChange(backend: Backend, held: Held, wanted: Wanted): Frame | null {
  const raw = wanted.raw;
  if (raw === undefined || raw.before === null || raw.before !== held.text) return null;
  if (backend.syncKind(wanted.key) !== 2 || held.uri !== wanted.uri || wanted.text.mayHoldSurrogates) return null;
  if (raw.changes.some((c) => c.range === undefined)) return null;
  if (!backend.versions.rises(held.key, wanted.version)) return null;
  if (raw.encoding !== backend.encoding || endsLinesElsewhere(backend, held.text, wanted.text)) return null;
  backend.touched(held.key);
  return raw.packet.pieces;
}

/** Whether the backend counts other lines in a text than LSP does. */
function endsLinesElsewhere({ spec }: Backend, ...texts: readonly Text[]): boolean {
  const { linesEndAt } = spec.adapter;
  return [...(linesEndAt ?? "")].some((end) => texts.some(({ string }) => string.includes(end)));
}

/** Never the whole text to an incremental server that reads its lines: one ranged edit (vtsls keeps the old tail of a shortened text). */
function changeFrames(backend: Backend, held: Held, wanted: Wanted): Frame[] {
  const kind = backend.syncKind(wanted.key);
  const before = held.text;
  held.text = wanted.text;
  if (kind === 0) return [];
  const edit = smallestEdit(before.string, wanted.text.string);
  if (edit === null) return [];
  showed(held, backend.versions.take(held.key, wanted.version), wanted.text);
  backend.touched(held.key);
  const change =
    kind === 2 && !endsLinesElsewhere(backend, before, wanted.text)
      ? changeEvent(before.string, before.lines, edit, backend.encoding)
      : { text: wanted.text.string };
  const textDocument = { uri: held.uri, version: held.version };
  const contentChanges = [{ ...change, text: change.text.toWellFormed() }];
  return [[notification(M.didChange, { textDocument, contentChanges })]];
}
