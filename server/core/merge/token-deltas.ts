/**
 * Differences between semantic tokens (LSP 3.18, Semantic Tokens Delta). A client's result ids are ours, since two backends may
 * use equal ones and a new process knows none of the old: backends are asked for all tokens, and what differs from what the
 * client has, in its own legend, is worked out here.
 */
import { M, type Row } from "../../protocol/methods.ts";
import { stringField } from "../../wire/fields.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import type { Mux } from "../mux.ts";
import { isObject, lookUp } from "../settings.ts";

/** The tokens that a client was told of last, of one document. */
export interface ToldTokens {
  readonly resultId: string;
  readonly data: readonly number[];
}

/** The result of a question for all tokens, under an id of ours; kept for a client that asks for differences. */
export function keepTokens({ key }: Pick<Call, "key">, client: Client, result: unknown): unknown {
  if (!client.takesDeltas || key === null || !isTokens(result)) return result;
  const resultId = `sb:${++client.lastTokens}`;
  client.tokens.set(key, { resultId, data: result.data });
  return { ...result, resultId };
}

/** textDocument/semanticTokens/full/delta of a client: all tokens where it has none that we know of. */
export function tokensDelta(mux: Mux, client: Client, packet: Packet, row: Row): void {
  const call = mux.open(client, packet, row);
  if (call === null) return;
  const told = call.key === null ? undefined : client.tokens.get(call.key);
  const known = told?.resultId === stringField(packet, ["previousResultId"]) ? told : undefined;
  const params = { textDocument: lookUp(parseBody(packet), "textDocument") };
  mux.ask(client, M.semanticTokens, params, { partOf: call, deadline: call.deadline }, (reply) => {
    if (call.state !== "open") return;
    if ("error" in reply) return mux.answer(call, reply);
    const result = keepTokens(call, client, reply.result);
    if (known === undefined || !isTokens(result)) return mux.answer(call, { result });
    mux.answer(call, { result: { resultId: result.resultId, edits: differences(known.data, result.data) } });
  });
}

interface Edit {
  readonly start: number;
  readonly deleteCount: number;
  readonly data?: readonly number[];
}

/** The one edit that makes `to` of `from`, none where they are equal. Whole tokens of five numbers, as clients like it. */
export function differences(from: readonly number[], to: readonly number[]): readonly Edit[] {
  let start = 0;
  const least = Math.min(from.length, to.length);
  while (start < least && from[start] === to[start]) start++;
  start -= start % TOKEN;
  let rest = 0;
  while (rest < least - start && from[from.length - 1 - rest] === to[to.length - 1 - rest]) rest++;
  rest -= rest % TOKEN;
  const deleteCount = from.length - start - rest;
  const data = to.slice(start, to.length - rest);
  if (deleteCount === 0 && data.length === 0) return [];
  return [data.length === 0 ? { start, deleteCount } : { start, deleteCount, data }];
}

const TOKEN = 5;

function isTokens(result: unknown): result is { readonly data: readonly number[]; readonly resultId?: string } {
  return isObject(result) && Array.isArray(result.data);
}
