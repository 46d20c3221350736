/**
 * The way to the syntax backend, which tells what stands in files whether a server serves them or not. Documents go with the
 * question as the client sees them; what comes back counts UTF-16 units, and is brought into the client's way here.
 */
import type { Backend } from "../core/backends.ts";
import type { Reply } from "../core/calls.ts";
import type { Text } from "../core/documents/text.ts";
import { type Mapper, mapper, type Range } from "../core/positions.ts";
import { backendFor, standsIn } from "../core/route/serving.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import type { FileAsked } from "../syntax/questions.ts";
import { grammarNames } from "../syntax/served.ts";
import type { Reading } from "./inquiry.ts";

/** Whether a grammar reads a language (an LSP id). */
export function isRead(language: string): boolean {
  return grammarNames.has(language);
}

/** The syntax backend of the client, started if need be; undefined where the user has disabled it. */
export function syntaxBackend({ mux, client, folders }: Reading, key: string | null = null): Backend | undefined {
  const spec = client.setup.backends.find((one) => standsIn(one) && one.launch !== null);
  return spec === undefined ? undefined : backendFor(mux, client, spec, folders[0]?.key ?? key);
}

/** Asks a question of `syntax/questions.ts`. It never waits for other backends, whatever the reading says. */
export function askSyntax(
  { mux, call, client, until }: Reading,
  backend: Backend,
  method: string,
  question: object,
): Promise<Reply> {
  return new Promise((resolve) => {
    mux.ask(client, method, question, { backend, partOf: call, gateUntil: until, deadline: until }, (reply) => {
      if (call.state === "open") resolve(reply);
    });
  });
}

/** A file as the client sees it; null where nothing tells its language. */
export function fileAsked({ mux, client }: Reading, uri: string): FileAsked | null {
  const key = mux.documents.keyOf(uri);
  const view = mux.documents.viewByKey(client, key);
  const language = view?.language ?? mux.languageOf(uri, undefined, client);
  if (language === undefined) return null;
  return { uri: key, language, ...(view !== undefined && { text: view.text.string }) };
}

/** Brings ranges of a text into the client's way of counting. */
export function rangesFor({ client }: Reading, text: Text): (range: Range) => Range {
  if (client.encoding === "utf-16") return (range) => range;
  const map: Mapper = mapper(text, "utf-16", text, client.encoding);
  return ({ start, end }) => ({ start: map(start), end: map(end, "end") });
}

/** Who reads the languages that a question is about. */
export interface Readers {
  /** Undefined: the user has disabled it, and there are no folders to be read. */
  readonly backend: Backend | undefined;
  /** Those of the languages that no grammar reads. */
  readonly unread: readonly string[];
}

/** @param languages null: all that a grammar reads */
export function readersOf(
  reading: Reading,
  languages: readonly string[] | null,
): Readers | { readonly error: ResponseError } {
  const unread = languages?.filter((language) => !isRead(language)) ?? [];
  if (languages !== null && unread.length === languages.length) return { error: errors.noBackend(languages, []) };
  const backend = syntaxBackend(reading);
  if (backend === undefined && reading.folders.length > 0) return noSyntax(languages ?? []);
  return { backend, unread };
}

/** That the user has disabled it is the one way in which nobody reads a language with a grammar. */
export function noSyntax(languages: readonly string[]): { readonly error: ResponseError } {
  return { error: errors.noBackend(languages, ["syntax"]) };
}
