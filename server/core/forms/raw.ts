/**
 * Whether an answer may go to its client as it came: the conditions of design section 5, a line each. What may not is
 * parsed and rewritten in `answering.ts`.
 */
import { familyOf, type Row } from "../../protocol/methods.ts";
import { withBody } from "../../wire/compose.ts";
import { isNullBody, type Packet, parseBody } from "../../wire/packet.ts";
import { plainData } from "../../wire/splice.ts";
import { wrapData } from "../../wire/wrapping.ts";
import type { Backend } from "../backends.ts";
import type { Call, Leg } from "../calls.ts";
import { isCut } from "../clients/foreign.ts";
import { type Client, isOdd } from "../clients.ts";
import { sharesCommands } from "../merge/ownership.ts";
import { noteAccepted } from "../merge/renaming.ts";
import { isLegend } from "../registrations.ts";
import { type Mapping, mapping } from "../tokens.ts";
import { foreignMark, mayBeRich, takesForms } from "./forms.ts";

/** Within so many bytes of an answer its first item shows its form. */
const FIRST_ITEM = 4096;

/** How many `data` of a list are looked at to judge whether a client that re-encodes them does harm. */
const SAMPLE = 64;

/**
 * An answer that may go to the client as it came, or its pieces under the client's id with envelopes around `data`;
 * null when it must be parsed.
 */
export function rawAnswer(call: Call, leg: Leg, backend: Backend, packet: Packet): Packet | readonly Buffer[] | null {
  const way = wayOf(call, leg, backend, packet, "whole");
  noteOwner(call, backend, way);
  const { client } = call;
  if (call.row.merge === "accepts" && client !== null && call.origin === client && call.legs.length === 1)
    noteAccepted(call, client, { backend, result: parseBody(packet) });
  switch (way) {
    case "untouched":
      return packet;
    case "parsed":
      return null;
    case "wrapped": {
      if (packet.bodySpan === undefined) return packet;
      const wrapped = wrapData(packet.pieces, packet.bodySpan, backend.envelope);
      return wrapped === null ? packet : withBody(packet, wrapped, call.originId);
    }
  }
}

/** What of an answer tells its way; of one that is still coming in, its beginning. */
export type Seen = Pick<Packet, "bytes" | "pieces" | "bodySpan" | "failed">;

/** How an answer goes to the client: untouched, with envelopes around `data`, or after it was parsed. */
export type Way = "untouched" | "wrapped" | "parsed";

/** The way of an answer. Each line is one condition of design section 5. @param seen whether the packet is all of it */
export function wayOf(call: Call, leg: Leg, backend: Backend, packet: Seen, seen: "whole" | "part" = "part"): Way {
  const { row, client } = call;
  if (client === null || call.origin !== client) return "parsed";
  if (call.legs.length !== 1) return "parsed";
  // Neither a result nor an error: clients would wait for ever.
  if (packet.bodySpan === undefined) return "parsed";
  // Symbols are ranked, also those of one backend; of tokens and pulled diagnostics the result ids are ours.
  if (row.merge === "symbols" || row.merge === "diagnostics") return "parsed";
  if (row.merge === "tokens" && client.takesDeltas) return "parsed";
  // Not every server heeds what kinds of action are wanted, and editors apply what they have asked for.
  if (row.merge === "codeActions" && call.packet.bytes.includes(ONLY)) return "parsed";
  if (call.kept.length > 0) return "parsed";
  if (backend.quirksOn(call.method).some(({ response }) => response !== undefined)) return "parsed";
  if (client.encoding !== backend.encoding) return "parsed";
  if (row.carries.includes("range") && !holdsTextsOf(backend, client)) return "parsed";
  if (leg.reads !== null && call.asked !== null && leg.reads !== call.asked.text) return "parsed";
  if (row.carries.includes("version") && !versionsAgree(backend, client)) return "parsed";
  if (row.carries.includes("uri") && !spellsAlike(backend, client)) return "parsed";
  if (isCut(row, backend, client)) return "parsed";
  if (row.empty !== null && isNullBody(packet)) return "parsed";
  if (row.carries.includes("tokens") && !legendOf(row, client, backend).identity) return "parsed";
  const isPoor = !takesForms(row, client.capabilities, backend.announced);
  if (isPoor && (seen === "part" || mayBeRich(row, packet))) return "parsed";
  const mark = foreignMark(row);
  if (row.carries.includes("command") && sharesCommands(client, backend) && mayCarryCommand(packet)) return "parsed";
  // All items of a list have one form: the first tells.
  if (mark !== null && packet.pieces[0]?.subarray(0, FIRST_ITEM).includes(mark)) return "parsed";
  if (!row.carries.includes("data")) return "untouched";
  // Items of facts (hierarchies) must tell their process even when another has taken its place.
  return row.gate !== "pass" || client.backends.size !== 1 || !isPlainSample(packet) ? "wrapped" : "untouched";
}

/**
 * An item that comes back without `data` belongs to whoever answered a client's question last, if that was one only; one
 * whose `data` has no envelope, to whoever last gave such out.
 */
export function noteOwner({ row, legs, kept, client, origin }: Call, backend: Backend, way: Way): void {
  if (client === null || origin !== client || !row.carries.includes("data")) return;
  const family = familyOf(row);
  if (legs.length === 1 && kept.length === 0) client.bareOwners.set(family, backend);
  else client.bareOwners.delete(family);
  if (way === "untouched") client.bareData.set(family, { backend, generation: backend.generation });
}

/** Of a long list, or one that is still coming in, nothing is known. */
function mayCarryCommand({ pieces, bytes }: Seen): boolean {
  return pieces.length > 1 || bytes.includes(COMMAND);
}

const ONLY = Buffer.from('"only"');
const COMMAND = Buffer.from('"command"');

/** Of a long list the first piece is looked at, so that it need not be joined. */
function isPlainSample({ pieces, bodySpan }: Seen): boolean {
  const [first] = pieces;
  if (first === undefined || bodySpan === undefined) return true;
  return plainData(first, { start: bodySpan.start, end: Math.min(bodySpan.end, first.length) }, SAMPLE);
}

/**
 * Whether client and backend spell all URIs alike. They do not where a link leads to a folder or file of the client, or of
 * the client that the backend has its spelling from, or where there are several ways to escape one.
 */
export function spellsAlike(backend: Backend, client: Client): boolean {
  if (client.oddUris > 0 || backend.spellsOddly) return false;
  return !client.folders.some(isOdd) && !backend.folders.some(isOdd);
}

/** Whether all that the client has open reads the same in the backend. Only other clients can make it differ. */
export function holdsTextsOf(backend: Backend, client: Client): boolean {
  if (backend.clients.size === 1) return true;
  for (const view of client.views.values()) {
    const held = backend.docs.get(view.key);
    if (held !== undefined && held.text !== view.text) return false;
  }
  return true;
}

/** Also false when the backend holds a file that the client does not have open: it has no version that the client knows. */
function versionsAgree(backend: Backend, client: Client): boolean {
  let shared = 0;
  for (const view of client.views.values()) {
    const held = backend.docs.get(view.key);
    if (held === undefined) continue;
    if (held.version !== view.version || held.text !== view.text) return false;
    shared++;
  }
  return shared === backend.docs.size;
}

/** From the backend's token legend into the one this client was given. */
export function legendOf(row: Row, client: Client, backend: Backend): Mapping {
  let known = backend.tokenMappings.get(client);
  if (known === undefined) {
    const theirs = backend.abilities.options(row)?.legend;
    known = isLegend(theirs) && client.legend !== null ? mapping(theirs, client.legend) : IDENTITY;
    backend.tokenMappings.set(client, known);
  }
  return known;
}

const IDENTITY: Mapping = { identity: true, types: [], modifiers: [] };
