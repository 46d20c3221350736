/**
 * What a client tells of its documents (LSP 3.18, Text Document Synchronization), and what backends hear of it. Texts and
 * versions are kept by `documents.ts`; when a backend may be given a text is decided in `queue.ts`.
 */
import { errors } from "../../protocol/errors.ts";
import { M, type Row } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import { stringField } from "../../wire/fields.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import { released } from "../backends/leaving.ts";
import type { Backend } from "../backends.ts";
import { fail } from "../calls/settling.ts";
import type { Client } from "../clients.ts";
import type { Edit, View } from "../documents.ts";
import { noticeFor } from "../forms/asking.ts";
import { convertPositions } from "../forms/convert.ts";
import type { Mux } from "../mux.ts";
import { movedThrough } from "../positions.ts";
import { clearClosed, pullSoon, showKept } from "../publish.ts";
import { holders, serves } from "../route/serving.ts";
import { partFromUnused } from "./folders.ts";

/** LSP 3.18, textDocument/didOpen: the backends that serve the document are started, and told. */
export function didOpen(mux: Mux, client: Client, packet: Packet): void {
  const view = mux.documents.open(client, packet, (uri, hint, text) => mux.languageOf(uri, hint, client, text));
  if (view === null) return unusable(mux, client, packet);
  for (const backend of holders(mux, view)) {
    // A new opening is the user's word that a document is to be tried again.
    if (backend.quarantine.delete(view.key)) backend.deaths.delete(view.key);
    mux.want(backend, view, { packet, before: null, changes: [], encoding: client.encoding });
    pullSoon(mux, backend, view);
  }
  showKept(mux, view);
  if (view.language !== undefined) sayMissing(mux, client, view.language);
}

/** A server of the user's own whose command is not there: said when it would have been started. */
function sayMissing(mux: Mux, client: Client, language: string): void {
  for (const { name, launch, configured, adapter } of client.setup.ranked(language)) {
    if (launch !== null || !configured || "embedded" in adapter.command) continue;
    const reason = `there is no command "${adapter.command[0]}"`;
    mux.say(client, "warning", errors.backendNotStarted(name, reason).message, "once");
  }
}

/** LSP 3.18, textDocument/didChange: to the backends that hold the document; waiting questions move along. */
export function didChange(mux: Mux, client: Client, packet: Packet): void {
  const edit = mux.documents.change(client, packet);
  if (edit === null) return unusable(mux, client, packet);
  const { view, before, changes } = edit;
  for (const backend of client.backends) {
    moveWaiting(mux, backend, edit);
    const held = backend.docs.get(view.key);
    if (held === undefined && !backend.wants.has(view.key)) continue;
    // It may hold the document for others in whose folder it lies, or for a question before that was its own.
    const isSure = backend.clients.size === 1 && !client.mayMove(view.key) && held?.by !== "disk";
    if (!isSure && !serves(mux, backend, view)) continue;
    mux.want(backend, view, { packet, before, changes, encoding: client.encoding });
    pullSoon(mux, backend, view);
  }
}

/** Questions that wait are about the text before the edit: their positions move along, or the edit ends them. */
function moveWaiting(mux: Mux, backend: Backend, { view, before, changes }: Edit): void {
  for (const leg of [...backend.queue]) {
    const { call } = leg;
    if (call.client !== view.client || call.key !== view.key || call.state !== "open") continue;
    if (call.asked === null || call.asked.text === view.text) continue;
    let params: unknown;
    try {
      params = call.moved ?? parseBody(call.packet);
    } catch (fault) {
      fail(mux, leg, errors.badJson(call.method, fault instanceof Error ? fault.message : ""));
      continue;
    }
    let inside = false;
    const moved = convertPositions(params, view.uri, (uri, position) => {
      // Places in other documents, as of related information, are where they were.
      if (uri !== view.uri && mux.documents.keyOf(uri) !== view.key) return position;
      const to = movedThrough(position, changes, before, view.client.encoding);
      if (to === "inside") inside = true;
      return to === "inside" ? position : to;
    });
    if (inside) {
      fail(mux, leg, errors.contentModified());
      continue;
    }
    if (moved !== params) call.moved = moved;
    call.asked = { text: view.text, version: view.version };
  }
}

/** LSP 3.18, textDocument/didSave: to the backends that want it, with the text where they want that. */
export function didSave(mux: Mux, client: Client, packet: Packet): void {
  forEachServing(mux, client, packet, (backend, view) => {
    const save = backend.abilities.saves({ uri: view.uri, language: view.language ?? "" });
    const uri = backend.docs.get(view.key)?.uri;
    if (save === false || uri === undefined) return;
    const text = save.includeText ? { text: view.text.string } : {};
    mux.send(backend, [notification(M.didSave, { textDocument: { uri }, ...text })]);
  });
}

/** LSP 3.18, textDocument/didClose: another client's text takes its place, or the backends close it. */
export function didClose(mux: Mux, client: Client, packet: Packet): void {
  const uri = stringField(packet, ["textDocument", "uri"]);
  const view = uri === undefined ? null : mux.documents.close(client, uri);
  if (view === null) return unusable(mux, client, packet);
  clearClosed(mux, view);
  client.forget(view.key);
  for (const backend of client.backends) released(mux, backend, view.key);
  if (mux.documents.viewByKey(client, view.key) === undefined) client.outside.delete(view.key);
  partFromUnused(mux, client);
}

/** LSP 3.18, textDocument/willSave: as it came, to the backends that want it. */
export function willSave(mux: Mux, client: Client, packet: Packet, row: Row): void {
  forEachServing(mux, client, packet, (backend) => {
    if (backend.abilities.can(row)) mux.send(backend, noticeFor(mux, backend, client, packet));
  });
}

function forEachServing(mux: Mux, client: Client, packet: Packet, f: (backend: Backend, view: View) => void): void {
  const uri = stringField(packet, ["textDocument", "uri"]);
  const view = uri === undefined ? undefined : mux.documents.viewOf(client, uri);
  if (view === undefined) return unusable(mux, client, packet);
  for (const backend of client.backends) if (backend.runs && backend.docs.has(view.key)) f(backend, view);
}

function unusable(mux: Mux, client: Client, packet: Packet): void {
  const uri = stringField(packet, ["textDocument", "uri"]);
  mux.drops.count("notification about a document that is not open");
  mux.say(
    client,
    "log",
    `${packet.method} was ignored: ${uri === undefined ? "it names no document" : `${uri} is not open`}.`,
  );
}
