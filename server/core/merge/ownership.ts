/**
 * Whose an item or a command is, where the client of several backends comes back with it. Opaque `data` tells it by its
 * envelope (`wire/splice.ts`); items without `data` are marked where answers of several are made one, and commands where two
 * of the client's backends have one of the same id. What only the client knows (an editor's own commands) is left as it is.
 */
import { fieldSpan } from "../../wire/fields.ts";
import { unmarked } from "../../wire/marks.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import { unwrapData } from "../../wire/splice.ts";
import type { Backend } from "../backends.ts";
import { type Client, isWithin } from "../clients.ts";
import { uriOfPath } from "../documents/uris.ts";
import type { Mux } from "../mux.ts";
import { recordedAbilities } from "../route/plan.ts";
import { backendFor, inRank } from "../route/serving.ts";
import { isObject, lookUp } from "../settings.ts";

/** A result whose items without `data` say whose they are; a bare Command can have none. */
export function markItems(result: unknown, backend: Backend): unknown {
  if (Array.isArray(result)) return result.map((item: unknown) => markItem(item, backend));
  if (isObject(result) && Array.isArray(result.items))
    return { ...result, items: result.items.map((item: unknown) => markItem(item, backend)) };
  return result;
}

function markItem(item: unknown, { envelope }: Backend): unknown {
  if (!isObject(item) || "data" in item || typeof item.command === "string") return item;
  return { ...item, data: envelope };
}

/** Whether two of the client's backends have a command of the same id, one of them this one. */
export function sharesCommands(client: Client, backend: Backend): boolean {
  if (client.backends.size < 2) return false;
  return [...backend.abilities.commands()].some((command) => isShared(client, backend, command));
}

function isShared(client: Client, backend: Backend, command: string): boolean {
  if (!backend.abilities.commands().has(command)) return false;
  for (const other of client.backends) if (other !== backend && commandsOf(other).has(command)) return true;
  return false;
}

function commandsOf(backend: Backend): ReadonlySet<string> {
  return (backend.runs ? backend.abilities : recordedAbilities(backend.spec))?.commands() ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

/** A result whose commands that another backend has as well say whose they are; they stand in items, or are items. */
export function markCommands(result: unknown, client: Client, backend: Backend): unknown {
  const mark = (item: unknown): unknown => {
    if (!isObject(item)) return item;
    if (typeof item.command === "string") return marked(item, item.command);
    const whole = isObject(item.command) ? { ...item, command: mark(item.command) } : item;
    return Array.isArray(whole.label) ? { ...whole, label: whole.label.map(mark) } : whole;
  };
  const marked = (item: { readonly [key: string]: unknown }, command: string): unknown => {
    if (!isShared(client, backend, command)) return item;
    return { ...item, arguments: [...(Array.isArray(item.arguments) ? item.arguments : []), backend.envelope] };
  };
  if (Array.isArray(result)) return result.map(mark);
  if (isObject(result) && Array.isArray(result.items)) return { ...result, items: result.items.map(mark) };
  return mark(result);
}

/** Where a command goes, and its params as that backend gave them out. */
export interface CommandPlan {
  readonly backend: Backend;
  readonly body: readonly Buffer[] | null;
}

/**
 * The backend that gave the command out, as a mark or the envelopes in its arguments say; its process may be another by now,
 * which knows its commands all the same. Else one that has it: the one in whose folder a file lies that the arguments name,
 * then the first in rank, then one that was recorded with it, which is started.
 */
export function ownerOfCommand(mux: Mux, client: Client, packet: Packet, command: string): CommandPlan | null {
  const list = fieldSpan(packet, ARGUMENTS);
  const { bodySpan } = packet;
  const taken = list === undefined || bodySpan === undefined ? null : unmarked(packet.bytes, bodySpan, list);
  const bytes = taken === null ? packet.bytes : Buffer.concat([...taken.pieces]);
  const span = taken === null ? bodySpan : { start: 0, end: bytes.length };
  const unwrapped = span === undefined ? null : unwrapData(bytes, span);
  const body = unwrapped?.pieces ?? taken?.pieces ?? null;
  const [, id] = (taken?.owner ?? unwrapped?.owners[0])?.split(":") ?? [];
  const made = [...client.backends].find((backend) => String(backend.id) === id);
  const backend = made ?? backendWith(mux, client, packet, command);
  return backend === undefined ? null : { backend, body };
}

const ARGUMENTS = ["arguments"] as const;

function backendWith(mux: Mux, client: Client, packet: Packet, command: string): Backend | undefined {
  const able = inRank(client).filter(({ runs, abilities }) => runs && abilities.commands().has(command));
  const [first, second] = able;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined) {
    const keys = urisIn(lookUp(parseBody(packet), "arguments")).map((uri) => mux.documents.keyOf(uri));
    return able.find(({ folders }) => folders.some((folder) => keys.some((key) => isWithin(key, folder.key)))) ?? first;
  }
  const spec = client.setup.backends.find((one) => recordedAbilities(one)?.commands().has(command) === true);
  return spec === undefined ? undefined : backendFor(mux, client, spec, null);
}

/** URIs of files anywhere in arguments, which no type tells where to look for; paths as well. */
function urisIn(value: unknown): readonly string[] {
  if (typeof value === "string")
    return value.startsWith("file:") ? [value] : value.startsWith("/") ? [uriOfPath(value)] : [];
  if (Array.isArray(value)) return value.flatMap(urisIn);
  return isObject(value) ? Object.values(value).flatMap(urisIn) : [];
}
