/**
 * Marks of owners on the arguments of commands: two backends may have a command of one id, and what a client sends to have
 * it executed is that id and the arguments. So the last argument names the backend that gave the command out, in the form of
 * an envelope around nothing (`splice.ts`). Which commands are marked is the core's.
 */
import { COMMA, memberSpan, OPEN_BRACKET, QUOTE, type Span, stringEnd, trimBlanks } from "./scan.ts";
import { innerStart } from "./splice.ts";

/** The params of a command as its backend gave it out. */
export interface Unmarked {
  readonly pieces: readonly Buffer[];
  /** `sb1:<backend>:<generation>` */
  readonly owner: string;
}

/**
 * Takes the mark off; where it is the only argument the whole list goes.
 * @param body the span of the params
 * @param list the span of their `arguments`
 * @returns null where the last argument is no mark
 */
export function unmarked(bytes: Buffer, body: Span, list: Span): Unmarked | null {
  const end = trimBlanks(bytes, list.end - 1);
  const start = bytes[end - 1] === QUOTE ? bytes.lastIndexOf(OPENING, end) : -1;
  if (start < list.start || stringEnd(bytes, start, list.end) !== end || innerStart(bytes, start, end) !== end - 1)
    return null;
  const before = trimBlanks(bytes, start) - 1;
  const isOnly = bytes[before] === OPEN_BRACKET;
  if (!isOnly && bytes[before] !== COMMA) return null;
  const cut = isOnly ? memberSpan(bytes, list.start, list.end, KEY) : { start: before, end };
  const owner = bytes.toString("utf8", start + 1, end - 2);
  return { owner, pieces: [bytes.subarray(body.start, cut.start), bytes.subarray(cut.end, body.end)] };
}

const OPENING = Buffer.from('"sb1:');
const KEY = '"arguments"'.length;
