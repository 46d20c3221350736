/**
 * Who renames: the backend that has accepted a place (textDocument/prepareRename) is the one that is asked to rename what
 * stands there. Another might take it for something else, or not know it at all.
 */
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import type { Text } from "../documents/text.ts";
import { wordEnd, wordStart } from "../forms/symbols.ts";
import type { Answer } from "../merge.ts";
import {
  holds,
  isPosition,
  isRange,
  isSamePosition,
  offsetAt,
  type Position,
  positionAt,
  type Range,
} from "../positions.ts";
import type { Plan } from "../route/plan.ts";
import { isObject } from "../settings.ts";

/** A place that a backend has accepted, in the text that the client had then. */
export interface Accepted {
  readonly backend: Backend;
  readonly key: string;
  readonly text: Text;
  readonly place: Position | Range;
}

/** What a prepareRename was answered with; undefined: nobody has accepted. */
export function noteAccepted({ key, asked, packet }: Call, client: Client, answer: Answer<Backend> | undefined): void {
  const place = placeIn(answer?.result) ?? positionIn(packet);
  client.accepted =
    answer === undefined || answer.result === null || key === null || asked === null || place === null
      ? null
      : { backend: answer.backend, key, text: asked.text, place };
}

/** The plan of a rename with only who has accepted its place in it, where somebody has. */
export function accepted({ row, client, key, asked, packet }: Call, p: Plan): Plan {
  if (row.merge !== "rename" || !("backends" in p) || p.backends.length < 2) return p;
  const known = client?.accepted;
  const position = positionIn(packet);
  if (!known || position === null || known.key !== key || known.text !== asked?.text) return p;
  const { place } = known;
  const isThere = isPosition(place) ? isSamePosition(place, position) : holds(place, position);
  return isThere && p.backends.includes(known.backend) ? { ...p, backends: [known.backend] } : p;
}

/**
 * What stands for the answer of a server that renames but cannot be asked first whether it does (LSP 3.18, RenameOptions): the
 * word that is there. A client that asks because another server wants it would take silence for a refusal.
 */
export function unprepared({ client, asked, packet }: Call): unknown {
  const position = positionIn(packet);
  if (client === null || position === null) return null;
  if (client.can("textDocument.rename.prepareSupportDefaultBehavior")) return { defaultBehavior: true };
  if (asked === null) return null;
  const { string, lines } = asked.text;
  const at = offsetAt(string, lines, position, client.encoding);
  let [start, end] = [at, at];
  while (start > 0 && wordEnd.test(string.slice(start - 1, start))) start--;
  while (end < string.length && wordStart.test(string.slice(end, end + 1))) end++;
  if (start === end) return null;
  const place = (offset: number): Position => positionAt(string, lines, offset, client.encoding);
  return { start: place(start), end: place(end) };
}

function placeIn(result: unknown): Range | null {
  if (isRange(result)) return result;
  return isObject(result) && isRange(result.range) ? result.range : null;
}

function positionIn(packet: Call["packet"]): Position | null {
  const params = parseBody(packet);
  return isObject(params) && isPosition(params.position) ? params.position : null;
}
