/**
 * From the prepared answers of a call's backends to its one result: what the rule of the row (`merge.ts`) needs to know of the
 * question, the marks that tell a client's next question whose an item is, and what is remembered of an answer for it.
 */
import { stringField } from "../../wire/fields.ts";
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import type { Client } from "../clients.ts";
import { type About, type Answer, firstOf, merge } from "../merge.ts";
import type { Mux } from "../mux.ts";
import { inRank } from "../route/serving.ts";
import { lookUp } from "../settings.ts";
import { keepCompletions } from "./completions.ts";
import { markCommands, markItems } from "./ownership.ts";
import { noteAccepted } from "./renaming.ts";
import { report } from "./reports.ts";
import { keepTokens } from "./token-deltas.ts";

/** @param answers of those that have answered, in rank order; one at least */
export function gather(mux: Mux, call: Call, answers: readonly Answer<Backend>[]): unknown {
  const { row, client } = call;
  // Our own questions keep what servers say.
  if (client === null || call.origin !== client) return merged(mux, call, answers);
  if (row.merge === "diagnostics") return report(mux, call, client, answers);
  const owned = answers.map(({ backend, result }) => ({ backend, result: ownedBy(call, backend, result) }));
  const all = call.kept.length === 0 ? owned : ranked(client, [...owned, ...call.kept]);
  if (row.merge === "completion") keepCompletions(call, client, all);
  if (row.merge === "accepts") noteAccepted(call, client, firstOf(all));
  const result = merged(mux, call, all);
  return row.merge === "tokens" ? keepTokens(call, client, result) : result;
}

function ranked(client: Client, answers: readonly Answer<Backend>[]): readonly Answer<Backend>[] {
  const order = inRank(client);
  return answers.toSorted((a, b) => order.indexOf(a.backend) - order.indexOf(b.backend));
}

function merged(mux: Mux, call: Call, answers: readonly Answer<Backend>[]): unknown {
  const [first] = answers;
  // Symbols are ranked, and actions of other kinds than were asked for left out, also where one backend has answered.
  const isWhole = call.row.merge !== "symbols" && call.row.merge !== "codeActions";
  if (first !== undefined && answers.length === 1 && isWhole) return first.result;
  return merge(call.row, answers, aboutOf(mux, call));
}

/** What comes of one backend, with its mark wherever a client that comes back with it could be taken to another. */
function ownedBy({ row, client, legs, kept }: Call, backend: Backend, result: unknown): unknown {
  const among = legs.length > 1 || kept.length > 0;
  const items = among && row.carries.includes("data") && row.merge !== "none" ? markItems(result, backend) : result;
  return client !== null && row.carries.includes("command") ? markCommands(items, client, backend) : items;
}

function aboutOf(mux: Mux, { row, client, packet }: Call): About {
  const keyOf = (uri: string): string => mux.documents.keyOf(uri);
  if (row.merge === "codeActions") {
    const only = lookUp(parseBody(packet), "context.only");
    // A client that takes bare commands only is shown no kinds.
    const kinds = client?.can("textDocument.codeAction.codeActionLiteralSupport") && Array.isArray(only) ? only : [];
    return { keyOf, only: kinds.filter((kind) => typeof kind === "string") };
  }
  if (row.merge !== "symbols" || client === null) return { keyOf };
  const inside = (uri: string): boolean => client.folderOf(mux.documents.keyOf(uri)) !== undefined;
  return { keyOf, search: { query: stringField(packet, ["query"]) ?? "", inside } };
}
