/**
 * Completion while the user goes on typing (LSP 3.18, CompletionTriggerKind 3): only the servers whose list was incomplete
 * are asked again. What the others have said still holds, since a client narrows it down by itself; the ranges of their items
 * are moved along with the cursor.
 */
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import type { Text } from "../documents/text.ts";
import type { Answer } from "../merge.ts";
import { isPosition, isRange, isSamePosition, offsetAt, type Position } from "../positions.ts";
import type { Plan } from "../route/plan.ts";
import { isObject, lookUp } from "../settings.ts";
import { expandedItems, isIncompleteList } from "./completion.ts";

/** The lists that were last shown, in the client's terms. */
export interface Completions {
  readonly key: string;
  readonly text: Text;
  readonly position: Position;
  readonly answers: readonly Answer<Backend>[];
}

const TRIGGER_FOR_INCOMPLETE = 3;

/** Keeps the answers where some hold on while others do not. */
export function keepCompletions(
  { key, asked, packet }: Call,
  client: Client,
  answers: readonly Answer<Backend>[],
): void {
  const position = positionIn(packet);
  const again = answers.filter(({ result }) => isIncompleteList(result)).length;
  const useful = again > 0 && again < answers.length;
  client.completions =
    useful && key !== null && asked !== null && position !== null ? { key, text: asked.text, position, answers } : null;
}

/** The plan with only those in it who have said that their list is incomplete; the call keeps what the others have said. */
export function incompleteOnly(call: Call, p: Plan): Plan {
  if (call.row.merge !== "completion" || !("backends" in p) || p.backends.length < 2) return p;
  const known = call.client?.completions;
  const position = positionIn(call.packet);
  if (!known || position === null || known.key !== call.key || call.asked === null) return p;
  if (lookUp(parseBody(call.packet), "context.triggerKind") !== TRIGGER_FOR_INCOMPLETE) return p;
  const { client, asked } = call;
  if (client === null || !isTypedOn(known, asked.text, position, client.encoding)) return p;
  const complete = known.answers.filter(
    ({ backend, result }) => !isIncompleteList(result) && p.backends.includes(backend) && backend.runs,
  );
  const backends = p.backends.filter((backend) => !complete.some((answer) => answer.backend === backend));
  if (backends.length === 0) return p;
  call.kept = complete.map(({ backend, result }) => ({ backend, result: moved(result, known.position, position) }));
  return { ...p, backends };
}

/** Whether nothing has changed but what stands just before the cursor, on its line. */
function isTypedOn(known: Completions, text: Text, position: Position, encoding: Client["encoding"]): boolean {
  if (known.position.line !== position.line) return false;
  const before = offsetAt(known.text.string, known.text.lines, known.position, encoding);
  const now = offsetAt(text.string, text.lines, position, encoding);
  const common = Math.min(before, now);
  return (
    known.text.string.slice(0, common) === text.string.slice(0, common) &&
    known.text.string.slice(before) === text.string.slice(now)
  );
}

/** The list with the ends of its items' ranges where the cursor is now. */
function moved(result: unknown, from: Position, to: Position): unknown {
  const grown = to.character - from.character;
  const place = (position: Position): Position =>
    position.line === from.line && (isSamePosition(position, from) || position.character > from.character)
      ? { ...position, character: position.character + grown }
      : position;
  const range = (value: unknown): unknown =>
    isRange(value) ? { ...value, start: value.start, end: place(value.end) } : value;
  const items = expandedItems(result).map((item) => {
    if (!isObject(item) || !isObject(item.textEdit)) return item;
    const edit = Object.fromEntries(
      Object.entries(item.textEdit).map(([key, value]) => [key, key === "newText" ? value : range(value)]),
    );
    return { ...item, textEdit: edit };
  });
  return { isIncomplete: false, items };
}

function positionIn(packet: Call["packet"]): Position | null {
  const position = lookUp(parseBody(packet), "position");
  return isPosition(position) ? position : null;
}
