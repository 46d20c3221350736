/**
 * Files that a client is about to create, rename or delete, or has (LSP 3.18, FileOperationRegistrationOptions): each
 * backend hears of those that its filters name, and of none beside.
 */
import type { Row } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import { fitsAnywhere } from "../backends/globs.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { noticeFor } from "../forms/asking.ts";
import { mapUris } from "../forms/convert.ts";
import type { Mux } from "../mux.ts";
import type { Options } from "../registrations.ts";
import { isObject } from "../settings.ts";

/** The files of the params that a backend's filters name; null: all of them, or it has no filters. */
export function filesFor(backend: Backend, row: Row, params: unknown): readonly unknown[] | null {
  const files = isObject(params) && Array.isArray(params.files) ? params.files : [];
  const options = backend.abilities.options(row);
  const named = options === null ? [] : filesNamed(options, files);
  return named.length === files.length ? null : named;
}

/** Whether any file that a question is about is a backend's business; true of questions about no files. */
export function concerns(backend: Backend, { row, packet }: Call): boolean {
  return row.merge !== "edits" || filesFor(backend, row, parseBody(packet))?.length !== 0;
}

/** @param options as a server has announced or registered them */
export function filesNamed({ filters }: Options, files: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(filters)) return files;
  return files.filter((file) => filters.some((filter) => fits(filter, uriIn(file))));
}

/** Of a file that is renamed its old name counts. */
function uriIn(file: unknown): string {
  const uri = isObject(file) ? (file.oldUri ?? file.uri) : undefined;
  return typeof uri === "string" ? uri : "";
}

/** What is no file yet, or a folder, looks alike: `matches` is not read, a question too many does no harm. */
function fits(filter: unknown, uri: string): boolean {
  if (!isObject(filter) || !isObject(filter.pattern) || typeof filter.pattern.glob !== "string") return false;
  if (typeof filter.scheme === "string" && filter.scheme !== uri.slice(0, uri.indexOf(":"))) return false;
  const { options } = filter.pattern;
  const anyCase = isObject(options) && options.ignoreCase === true;
  const { glob } = filter.pattern;
  return anyCase ? fitsAnywhere(glob.toLowerCase(), uri.toLowerCase()) : fitsAnywhere(glob, uri);
}

/** workspace/didCreateFiles and the like: to each running backend the files that concern it. */
export function tellOfFiles(mux: Mux, backend: Backend, client: Client, row: Row, packet: Packet): void {
  const params = parseBody(packet);
  const files = filesFor(backend, row, params);
  if (files?.length === 0) return;
  if (files === null || !isObject(params)) return mux.send(backend, noticeFor(mux, backend, client, packet));
  const told = mapUris({ ...params, files }, (uri) => backend.spelled(mux.documents.keyOf(uri), uri));
  mux.send(backend, [notification(row.method, told)]);
}
