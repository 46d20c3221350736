/** `$/outline` (contract section 4): the declarations of one file, from syntax alone, as the client sees its text. */
import type { Reply } from "../core/calls.ts";
import { pathOf, uriOfPath } from "../core/documents/uris.ts";
import type { Extension } from "../core/mux.ts";
import { isRange } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { errors } from "../protocol/errors.ts";
import { type OutlineQuestion, S } from "../syntax/questions.ts";
import { fromSyntax } from "./answers.ts";
import { type Reading, seen } from "./inquiry.ts";
import { given, texts, Wrong, whole } from "./params.ts";
import { askSyntax, fileAsked, isRead, noSyntax, rangesFor, syntaxBackend } from "./syntactic.ts";

/** The request as the core takes it: a list or an error. */
export const outline: Extension = fromSyntax("outline", wantedOf, outlineFor);

interface Wanted {
  /** A URI, or a path that is absolute or relative to one of the folders. */
  readonly uri: string | null;
  readonly path: string;
  readonly depth: number | null;
  readonly bodies: boolean;
}

function wantedOf(params: unknown): Wanted {
  const { textDocument, path, depth, include } = given(params);
  const uri = isObject(textDocument) ? textDocument.uri : undefined;
  if (typeof uri !== "string" && (typeof path !== "string" || path === ""))
    throw new Wrong("`textDocument.uri` or `path` must be a text.");
  const parts = texts(include ?? [], "include");
  const unknown = parts.find((part) => part !== "body");
  if (unknown !== undefined) throw new Wrong(`\`include\`: "${unknown}" is unknown.`);
  return {
    uri: typeof uri === "string" ? uri : null,
    path: typeof path === "string" ? path : "",
    depth: depth === undefined ? null : whole(depth, "depth", Number.MAX_SAFE_INTEGER, 1),
    bodies: parts.length > 0,
  };
}

async function outlineFor(asking: Reading, { uri: named, path, depth, bodies }: Wanted): Promise<Reply> {
  const uri = named ?? uriOf(asking, path);
  const shown = pathOf(uri) ?? uri;
  const file = fileAsked(asking, uri);
  if (file === null || !isRead(file.language)) return { error: errors.noGrammar(shown) };
  const backend = syntaxBackend(asking, file.uri);
  if (backend === undefined) return noSyntax([file.language]);
  const question: OutlineQuestion = { file, bodies, ...(depth !== null && { depth }) };
  const reply = await askSyntax(asking, backend, S.outline, question);
  if ("error" in reply || asking.client.encoding === "utf-16") return reply;
  const text = await seen(asking, uri);
  if (text === null) return { error: errors.unreadable(shown, "it is gone") };
  const mapped = rangesFor(asking, text.text);
  const visit = (symbols: unknown): unknown[] =>
    (Array.isArray(symbols) ? symbols : []).map((symbol: unknown) => {
      if (!isObject(symbol)) return symbol;
      const { range, selectionRange, children } = symbol;
      return {
        ...symbol,
        ...(isRange(range) && { range: mapped(range) }),
        ...(isRange(selectionRange) && { selectionRange: mapped(selectionRange) }),
        ...(children !== undefined && { children: visit(children) }),
      };
    });
  return { result: visit(reply.result) };
}

/** Of a relative path in the first folder that has such a file, else in the first one. */
function uriOf({ mux, client }: Reading, path: string): string {
  if (/^file:/i.test(path)) return path;
  if (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)) return uriOfPath(path);
  const places = client.folders.map(({ uri }) => `${pathOf(uri) ?? ""}/${path}`);
  return uriOfPath(places.find((place) => mux.ports.exists(place)) ?? places[0] ?? `/${path}`);
}
