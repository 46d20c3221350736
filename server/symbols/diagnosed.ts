/**
 * What a server finds wrong in one file: asked for where it answers that, else awaited, since servers publish by
 * themselves once a file is open. The file is opened on our account like for any question.
 */

import type { Backend } from "../core/backends.ts";
import { slotFor } from "../core/diagnostics.ts";
import { towardsClient } from "../core/forms/answering.ts";
import { isRange } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import type { Diagnostic } from "../protocol/messages.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { ask, type Reading } from "./inquiry.ts";

/** So long a server that publishes by itself is waited for, ms. */
const PUBLISH_MS = 10_000;

/** In the client's terms. */
export async function diagnosticsOf(
  reading: Reading,
  backend: Backend,
  uri: string,
  language: string,
): Promise<readonly Diagnostic[] | { readonly error: ResponseError }> {
  // What it is able of is known once it runs; any question waits for that.
  if (!backend.runs) await ask(reading, backend, M.documentSymbol, { textDocument: { uri } });
  const row = rowOf(M.diagnostic);
  const key = reading.mux.documents.keyOf(uri);
  if (row === undefined || !backend.abilities.can(row, { uri, language })) return published(reading, backend, uri, key);
  const reply = await ask(reading, backend, M.diagnostic, { textDocument: { uri } });
  if ("error" in reply) return reply;
  const items = isObject(reply.result) ? reply.result.items : null;
  // What it publishes beside (a build's messages) is there already, or comes when a build has ended.
  return [...listOf(items), ...pushed(reading, backend, uri, key)];
}

async function published(
  reading: Reading,
  backend: Backend,
  uri: string,
  key: string,
): Promise<readonly Diagnostic[] | { readonly error: ResponseError }> {
  const { mux, call, until } = reading;
  // Any question about the file makes the server hold it.
  await ask(reading, backend, M.documentSymbol, { textDocument: { uri } });
  const isSaid = (): boolean => {
    const held = backend.docs.get(key);
    return held?.said?.same(held.text) === true;
  };
  const ms = Math.min(PUBLISH_MS, until - mux.ports.now());
  if (!isSaid()) {
    const came = await new Promise<boolean>((resolve) => {
      const done = (whether: boolean): void => {
        timer.cancel();
        forget();
        if (call.state === "open") resolve(whether);
      };
      const timer = mux.ports.after(Math.max(0, ms), () => done(false));
      const forget = mux.slots.onPush(key, backend.id, () => isSaid() && done(true));
    });
    if (!came) return { error: errors.timedOut(backend.name, M.publishDiagnostics, Math.max(0, ms)) };
  }
  return pushed(reading, backend, uri, key);
}

/** What the server has published of a file. */
function pushed({ mux, client }: Reading, backend: Backend, uri: string, key: string): readonly Diagnostic[] {
  const slot = slotFor(client.id, mux.slots.get(key, backend.id, "push"));
  if (slot === undefined) return [];
  const base = backend.knownSpelling(key) ?? uri;
  return listOf(towardsClient(mux, backend, client, base, slot.items, undefined, slot.texts));
}

function listOf(items: unknown): readonly Diagnostic[] {
  return Array.isArray(items) ? items.filter(isDiagnostic) : [];
}

function isDiagnostic(item: unknown): item is Diagnostic {
  return isObject(item) && isRange(item.range) && (typeof item.message === "string" || isObject(item.message));
}
