/**
 * Hierarchy items that their server would no longer know: without the `data` it gave them (a client dropped it), or made by
 * a process that has ended. A server may take such an item for one that nothing calls (clangd answers `[]`), so the item is
 * prepared again, at its name in the text as it is now, and the question goes on with the new one.
 */
import { errors } from "../../protocol/errors.ts";
import { familyOf, M, type Row } from "../../protocol/methods.ts";
import { parseBody } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Call, Reply } from "../calls.ts";
import type { Client } from "../clients.ts";
import { wordEnd, wordStart } from "../forms/symbols.ts";
import type { Mux } from "../mux.ts";
import { isRange, type Position, type Range } from "../positions.ts";
import { isObject } from "../settings.ts";
import type { Plan } from "./plan.ts";

/** What identifies an item but for its `data`. */
interface Item {
  readonly name: string;
  readonly kind: unknown;
  readonly uri: string;
  readonly selectionRange: Range;
}

/** So many places of the item's name are tried when it is not where it was. */
const MAX_PLACES = 4;

/** Backends whose processes were found to give their items no `data`: what has none is whole. */
const unmarked = new WeakMap<Backend, { generation: number; readonly families: Set<string> }>();

/** Whether an item without `data` is as this process made it, as far as is known. */
export function makesBareItems(backend: Backend, row: Row): boolean {
  const known = unmarked.get(backend);
  return known?.generation === backend.generation && known.families.has(familyOf(row));
}

/**
 * Replaces the item that a call is about by a new one.
 * @param serving who serves the item's document, for a server that gives no `data`
 * @param then gets where the call goes now, once; the call's params are changed by then (`Call.moved`)
 */
export function reprepare(
  mux: Mux,
  call: Call,
  client: Client,
  owner: string,
  serving: (item: { readonly [key: string]: unknown }) => Plan,
  then: (p: Plan) => void,
): void {
  const params = parseBody(call.packet);
  const item = isObject(params) ? params.item : undefined;
  if (!isObject(params) || !isItem(item)) return then({ error: errors.invalidParams("`item` is no hierarchy item.") });
  const ask = (method: string, more: object, answered: (r: Reply) => void): void => {
    const asked = { textDocument: { uri: item.uri }, ...more };
    mux.ask(client, method, asked, { partOf: call, deadline: call.deadline }, answered);
  };
  const gone = (): void => then({ error: errors.staleItem(owner) });
  const take = (fresh: { readonly [key: string]: unknown }): void => {
    mux.drops.count("hierarchy item prepared again");
    call.moved = { ...params, item: fresh };
    const plan = serving(fresh);
    if (!("data" in fresh) && "backends" in plan) for (const backend of plan.backends) noteBare(backend, call.row);
    then(plan);
  };
  const at = (places: readonly Position[], otherwise: () => void): void => {
    const [position, ...others] = places;
    if (position === undefined) return otherwise();
    ask(familyOf(call.row), { position }, (reply) => {
      if ("error" in reply) return then(reply);
      const fresh = sameIn(reply.result, item);
      if (fresh === null) at(others, otherwise);
      else take(fresh);
    });
  };
  at([item.selectionRange.start], () =>
    ask(M.documentSymbol, {}, (reply) => at("result" in reply ? placesOf(reply.result, item) : [], gone)),
  );
}

function noteBare(backend: Backend, row: Row): void {
  let known = unmarked.get(backend);
  if (known?.generation !== backend.generation) {
    known = { generation: backend.generation, families: new Set() };
    unmarked.set(backend, known);
  }
  known.families.add(familyOf(row));
}

/** Of the items of an answer that of the same name and kind, the nearest of several. */
function sameIn(result: unknown, item: Item): { readonly [key: string]: unknown } | null {
  const items: readonly unknown[] = Array.isArray(result) ? result : [];
  const same = items.filter(
    (one): one is Item & { readonly [key: string]: unknown } =>
      isObject(one) && isItem(one) && one.name === item.name && one.kind === item.kind,
  );
  const [nearest] = same.sort((a, b) => far(a.selectionRange, item) - far(b.selectionRange, item));
  return nearest ?? null;
}

/** Where a document declares the item's name, the nearest first; without the place that was tried. */
function placesOf(result: unknown, item: Item): readonly Position[] {
  const places: Range[] = [];
  const collect = (symbols: unknown): void => {
    if (!Array.isArray(symbols)) return;
    for (const symbol of symbols) {
      if (!isObject(symbol)) continue;
      const range = symbol.selectionRange ?? (isObject(symbol.location) ? symbol.location.range : undefined);
      if (typeof symbol.name === "string" && isNamed(symbol.name, item.name) && isRange(range)) places.push(range);
      collect(symbol.children);
    }
  };
  collect(result);
  const tried = item.selectionRange.start;
  return places
    .map(({ start }) => start)
    .filter((at) => at.line !== tried.line || at.character !== tried.character)
    .sort((a, b) => Math.abs(a.line - tried.line) - Math.abs(b.line - tried.line))
    .slice(0, MAX_PLACES);
}

/** Outlines may write containers before a name and parameters behind it. */
function isNamed(listed: string, name: string): boolean {
  if (name === "") return false;
  // `Shape2::Shape` begins with the name, and is named so at its end.
  for (let at = listed.indexOf(name); at >= 0; at = listed.indexOf(name, at + 1))
    if (!wordEnd.test(listed.slice(0, at)) && !wordStart.test(listed.slice(at + name.length))) return true;
  return false;
}

function far({ start }: Range, { selectionRange }: Item): number {
  return Math.abs(start.line - selectionRange.start.line);
}

function isItem(value: unknown): value is Item {
  return (
    isObject(value) && typeof value.name === "string" && typeof value.uri === "string" && isRange(value.selectionRange)
  );
}
