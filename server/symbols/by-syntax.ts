/**
 * What syntax alone declares under a name: in files that no server has read, be it that there is none, that it is down or
 * late, or that nobody waits; and, where nothing else is found, in all files that hold the name.
 */
import { offsetAt } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { kindNumber, type Source } from "../protocol/extensions.ts";
import type { DeclarationsAnswer, DeclarationsQuestion } from "../syntax/questions.ts";
import { S } from "../syntax/questions.ts";
import type { Found } from "../syntax/requests.ts";
import { type Confirmed, holdsWord, wordOf } from "./candidates.ts";
import type { Inquiry, Seen } from "./inquiry.ts";
import { fitsLeaf, isHidden, type Known, knownOf } from "./lists.ts";
import { parametersOf } from "./names.ts";
import { askSyntax, fileAsked, rangesFor, syntaxBackend } from "./syntactic.ts";

/** What it tells of some files. */
export interface Plain {
  readonly found: readonly Known[];
  /** Files of which it tells nothing: no grammar, no text, or no time. */
  readonly unread: number;
  /** Null: nothing was asked. */
  readonly source: Source | null;
}

/** What it has by the end of its time comes so much later at most, ms. */
const LATE_MS = 500;

/** In the order of the files. @param until on the clock of Ports.now() */
export async function bySyntax(inquiry: Inquiry, files: readonly Seen[], until = inquiry.end): Promise<Plain> {
  const { mux, question } = inquiry;
  const asked = new Map(
    files.flatMap((text) => {
      const file = fileAsked(inquiry, text.uri);
      return file === null ? [] : [[mux.documents.keyOf(file.uri), { file, text }] as const];
    }),
  );
  const backend = asked.size === 0 ? undefined : syntaxBackend(inquiry);
  if (backend === undefined) return { found: [], unread: files.length, source: null };
  const start = mux.ports.now();
  const declarations: DeclarationsQuestion = {
    files: [...asked.values()].map(({ file }) => file),
    name: question.leaf,
    match: question.match,
    timeoutMs: Math.max(0, until - start),
  };
  const reply = await askSyntax({ ...inquiry, until: until + LATE_MS }, backend, S.declarations, declarations);
  const ms = Math.round(mux.ports.now() - start);
  const [language = ""] = [...asked.values()].map(({ file }) => file.language);
  const source = { backend: backend.name, language, ms };
  if ("error" in reply || !isAnswer(reply.result))
    return {
      found: [],
      unread: files.length,
      source: { ...source, state: "failed", reason: "error" in reply ? reply.error.message : "no answer" },
    };
  const { found, failed, left } = reply.result;
  const late = new Set<Seen>();
  const known = found.flatMap((one) => {
    const text = asked.get(mux.documents.keyOf(one.uri))?.text;
    const confirmed = text === undefined ? null : confirmedBy(inquiry, one, text);
    if (text !== undefined && confirmed === null) late.add(text);
    if (
      text === undefined ||
      confirmed === null ||
      !fitsLeaf(inquiry, one.name, text.uri) ||
      isHidden(inquiry, confirmed)
    )
      return [];
    const known = knownOf(inquiry, backend, text, confirmed, null);
    return [one.test ? { ...known, test: true } : known];
  });
  const lost = Object.values(failed).reduce((sum, uris) => sum + uris.length, 0);
  return {
    found: known,
    unread: files.length - asked.size + lost + left + late.size,
    source: { ...source, state: "ready" },
  };
}

function isAnswer(value: unknown): value is DeclarationsAnswer {
  return isObject(value) && Array.isArray(value.found) && isObject(value.failed) && typeof value.left === "number";
}

/** Null where the text has changed since it was read. */
function confirmedBy(inquiry: Inquiry, one: Found, { text }: Seen): Confirmed | null {
  const { name, containers, kind, detail, parameters, local } = one;
  const { string, lines } = text;
  const { start, end } = one.selectionRange;
  const written = string.slice(offsetAt(string, lines, start, "utf-16"), offsetAt(string, lines, end, "utf-16"));
  if (!holdsWord(written, wordOf(name) ?? name, false)) return null;
  const shown = parameters === null ? undefined : parametersOf(`(${parameters.join(", ")})`);
  const mapped = rangesFor(inquiry, text);
  return {
    name: { leaf: name, containers, front: [], ...(shown !== undefined && { parameters: shown }) },
    kind: kindNumber(kind) ?? 13,
    detail: detail === "" ? null : detail,
    local,
    range: mapped(one.range),
    selectionRange: mapped(one.selectionRange),
  };
}
