/**
 * Characters on which a client asks by itself. A client hears the union of what its servers have announced, but each server
 * is asked for its own alone: a list that pops up at every blank because another language wants it would be no service.
 * (LSP 3.18, CompletionContext, SignatureHelpContext, DocumentOnTypeFormattingParams.)
 */
import { type Row, rows, type Triggers } from "../../protocol/methods.ts";
import { stringField } from "../../wire/fields.ts";
import { type Packet, parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call } from "../calls.ts";
import { emptyOf } from "../forms/answering.ts";
import type { Options } from "../registrations.ts";
import { isObject, lookUp } from "../settings.ts";
import { type Plan, recordedAbilities } from "./plan.ts";

/** What a character may mean to a backend. */
type Meaning =
  /** It announced it, or nothing is known of it. */
  | "its own"
  /** The client asks because another server announced it. */
  | "another's"
  /** Nobody announced it: the client has its own reason to ask. */
  | "nobody's";

/** The plan without the backends that did not ask for the character typed; a signature that is shown is kept up by all. */
export function triggered(call: Call, p: Plan): Plan {
  const { row, packet } = call;
  const character = "backends" in p ? characterIn(row, packet) : null;
  if (character === null || !("backends" in p)) return p;
  const meanings = p.backends.map((backend) => meaningOf(call, backend, character));
  const own = p.backends.filter((_, i) => meanings[i] === "its own");
  if (own.length > 0) return { ...p, backends: own };
  if (!meanings.includes("another's") || isRetrigger(packet)) return p;
  return { result: emptyOf(call) };
}

/** Params for a backend that did not announce the character in them: as if the user had asked, or gone on typing. */
export function untriggered(call: Call, backend: Backend, params: unknown): unknown {
  const { row, packet } = call;
  if (!isForeign(call, backend) || !isObject(params) || !isObject(params.context)) return params;
  const { triggerCharacter: _, ...context } = params.context;
  const [asked, typing] = row.triggers?.otherwise ?? [];
  return { ...params, context: { ...context, triggerKind: isRetrigger(packet) ? typing : asked } };
}

/** Whether the params name a character that a backend did not announce, and can do without it. */
export function isForeign(call: Call, backend: Backend): boolean {
  if (call.row.triggers?.otherwise === undefined) return false;
  const character = characterIn(call.row, call.packet);
  return character !== null && meaningOf(call, backend, character) !== "its own";
}

/** The characters in capabilities that an `initialize` is answered with, by method. */
export function announcedTriggers(capabilities: Options): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    rows.flatMap(({ method, capability, triggers }) => {
      const options = capability === null ? null : lookUp(capabilities, capability);
      return triggers && isObject(options) ? [[method, charactersOf(triggers, options)]] : [];
    }),
  );
}

function characterIn({ triggers }: Row, packet: Packet): string | null {
  return triggers === undefined ? null : (stringField(packet, triggers.at) ?? null);
}

function meaningOf({ row, client }: Call, backend: Backend, character: string): Meaning {
  const announces = (one: Backend): boolean | null => {
    const abilities = one.runs ? one.abilities : recordedAbilities(one.spec);
    const options = abilities?.options(row) ?? null;
    return row.triggers === undefined || options === null ? null : charactersOf(row.triggers, options).has(character);
  };
  if (announces(backend) !== false) return "its own";
  const others = [...(client?.backends ?? [])].some((one) => announces(one) === true);
  return others || client?.triggers.get(row.method)?.has(character) === true ? "another's" : "nobody's";
}

function charactersOf({ lists }: Triggers, options: Options): ReadonlySet<string> {
  return new Set(lists.flatMap((name) => options[name]).filter((one): one is string => typeof one === "string"));
}

function isRetrigger(packet: Packet): boolean {
  return lookUp(parseBody(packet), "context.isRetrigger") === true;
}
