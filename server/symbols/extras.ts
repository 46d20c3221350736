/**
 * What a match can carry beside its place (`include`, `then`), asked of the server that vouches for it, at its name. An
 * ability that the server lacks is an error in its place, never an empty list.
 */

import { toClientForm } from "../core/forms/forms.ts";
import { plainText } from "../core/forms/markdown.ts";
import { isBefore, isRange, type Position, textIn } from "../core/positions.ts";
import { standsIn } from "../core/route/serving.ts";
import { isObject } from "../core/settings.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import { type CallSite, type Include, kindName, type List, type SymbolMatch } from "../protocol/extensions.ts";
import type { Location, Range } from "../protocol/messages.ts";
import { M, rowOf } from "../protocol/methods.ts";

import { diagnosticsOf } from "./diagnosed.ts";
import { ask, type Inquiry, outlineOf, whereIs } from "./inquiry.ts";
import type { Known } from "./lists.ts";
import { normalise } from "./names.ts";
import { headOf, signatureIn } from "./signature.ts";

/** The asked parts of one match. */
export async function extrasOf(inquiry: Inquiry, known: Known): Promise<Partial<SymbolMatch>> {
  const { include, follow } = inquiry.question;
  const parts: Partial<SymbolMatch> = {};
  const tasks = [...include].map(async (what) => Object.assign(parts, await one[what](inquiry, known)));
  if (follow !== null) tasks.push(run(inquiry, known, follow).then((done) => Object.assign(parts, { [THEN]: done })));
  await Promise.all(tasks);
  return parts;
}

/** The name of the field, which must not be written as a property of anything that is awaited. */
const THEN = "then";

type Part = (inquiry: Inquiry, known: Known) => Promise<Partial<SymbolMatch>>;

const one: Readonly<Record<Include, Part>> = {
  body: async ({ client }, { seen, location }) => ({ body: textIn(seen.text, location.range, client.encoding) }),
  hover: async (inquiry, known) => {
    const contents = await hoverOf(inquiry, known);
    return contents === null ? {} : { hover: plainText(contents).value };
  },
  signature: async (inquiry, known) => {
    const { leaf, detail, seen, location } = known;
    const head = headOf(textIn(seen.text, location.range, inquiry.client.encoding));
    return { signature: signatureIn(await hoverOf(inquiry, known), leaf) ?? detail ?? head };
  },
  references: async (inquiry, known) => ({
    references: await places(inquiry, known, M.references, { context: { includeDeclaration: true } }),
  }),
  implementations: async (inquiry, known) => ({ implementations: await places(inquiry, known, M.implementation) }),
  typeDefinition: async (inquiry, known) => ({ typeDefinition: await places(inquiry, known, M.typeDefinition) }),
  callers: async (inquiry, known) => ({ callers: await callSites(inquiry, known, M.incomingCalls, "from") }),
  callees: async (inquiry, known) => ({ callees: await callSites(inquiry, known, M.outgoingCalls, "to") }),
  diagnostics: async (inquiry, known) => {
    const { backend, location, language } = known;
    if (isSyntactic(known)) return { diagnostics: unable(M.diagnostic, known) };
    const found = await diagnosticsOf(inquiry, backend, location.uri, language);
    if ("error" in found) return { diagnostics: failure(found.error, known) };
    return { diagnostics: listOf(found.filter(({ range }) => overlaps(range, location.range))) };
  },
};

/** So many items of a list are told. */
const MAX_ITEMS = 1_000;

function listOf<T>(items: readonly T[]): List<T> {
  return { items: items.slice(0, MAX_ITEMS), total: items.length, truncated: items.length > MAX_ITEMS };
}

function overlaps(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

async function hoverOf(inquiry: Inquiry, known: Known): Promise<unknown> {
  const reply = await at(inquiry, known, M.hover);
  return "error" in reply || !isObject(reply.result) ? null : (reply.result.contents ?? null);
}

type Answer = { readonly result: unknown } | { readonly error: ResponseError };

async function at(inquiry: Inquiry, known: Known, method: string, more: object = {}): Promise<Answer> {
  const { backend, location } = known;
  const row = rowOf(method);
  const document = { uri: location.uri, language: known.language };
  if (row === undefined || !backend.runs || !backend.abilities.can(row, document))
    return { error: errors.thenUnsupported(method, backend.name) };
  const position: Position = location.selectionRange.start;
  return ask(inquiry, backend, method, { ...more, textDocument: { uri: location.uri }, position });
}

async function run(
  inquiry: Inquiry,
  known: Known,
  { method, params }: { readonly method: string; readonly params: object },
): Promise<NonNullable<SymbolMatch["then"]>> {
  // References cannot be asked without a context.
  const reply = await at(inquiry, known, method, { context: { includeDeclaration: true }, ...params });
  const row = rowOf(method);
  if ("error" in reply || row === undefined) return reply;
  return { result: toClientForm(row, reply.result, inquiry.client.capabilities, { uri: known.location.uri }) };
}

async function places(inquiry: Inquiry, known: Known, method: string, more: object = {}): Promise<List<Location>> {
  // What has the same name need not be the same.
  if (isSyntactic(known)) return unable(method, known);
  const reply = await at(inquiry, known, method, more);
  if ("error" in reply) return failure(reply.error, known);
  const list: readonly unknown[] = Array.isArray(reply.result) ? reply.result : [reply.result];
  const items = list.flatMap((item) => locationOf(item) ?? []);
  return listOf(items);
}

/** Of a Location and a LocationLink alike. */
export function locationOf(item: unknown): Location | null {
  if (!isObject(item)) return null;
  const uri = item.uri ?? item.targetUri;
  const range = item.range ?? item.targetSelectionRange;
  return typeof uri === "string" && isRange(range) ? { uri, range: plain(range) } : null;
}

async function callSites(inquiry: Inquiry, known: Known, method: string, side: "from" | "to"): Promise<List<CallSite>> {
  const prepared = await at(inquiry, known, M.prepareCallHierarchy);
  if ("error" in prepared) return failure(prepared.error, known);
  const items: readonly unknown[] = Array.isArray(prepared.result) ? prepared.result : [];
  const sites: CallSite[] = [];
  for (const item of items) {
    const reply = await ask(inquiry, known.backend, method, { item });
    if ("error" in reply) return failure(reply.error, known);
    const calls: readonly unknown[] = Array.isArray(reply.result) ? reply.result : [];
    for (const call of calls) {
      const site = isObject(call) ? await siteOf(inquiry, known, call[side], call.fromRanges) : null;
      if (site !== null) sites.push(site);
    }
  }
  return listOf(merged(sites));
}

/** Each caller or callee once, with each of its call sites once: servers repeat both. */
function merged(sites: readonly CallSite[]): readonly CallSite[] {
  const once = new Map<string, CallSite>();
  for (const site of sites) {
    const { uri, range } = site.location;
    const place = `${uri} ${placeOf(range)}`;
    const ranges = [...(once.get(place)?.ranges ?? []), ...site.ranges];
    once.set(place, { ...site, ranges: [...new Map(ranges.map((one) => [placeOf(one), one])).values()] });
  }
  return [...once.values()];
}

function placeOf({ start, end }: Range): string {
  return `${start.line}:${start.character}-${end.line}:${end.character}`;
}

/** LSP's file and module. */
const files: ReadonlySet<number> = new Set([1, 2]);

/** A hierarchy item names its symbol barely; its outline knows what is around it. */
async function siteOf(inquiry: Inquiry, known: Known, item: unknown, ranges: unknown): Promise<CallSite | null> {
  if (!isObject(item) || typeof item.name !== "string" || typeof item.uri !== "string") return null;
  const { name, uri, selectionRange, kind } = item;
  if (!isRange(selectionRange)) return null;
  const outline = await outlineOf(inquiry, uri, inquiry.until);
  const { line } = selectionRange.start;
  const bare = normalise(name, "");
  const own = outline?.find((entry) => entry.name.leaf === bare.leaf && entry.selectionRange.start.line === line);
  const { containers, leaf } = own?.name ?? bare;
  // What calls at the top level of a file is called by the file's path, full, short or not at all.
  const file = whereIs(inquiry, uri);
  const isFile = typeof kind === "number" && files.has(kind) && own === undefined;
  return {
    qualifiedName: isFile ? (file.path ?? file.absolute) : [...containers, leaf].join(known.separator),
    kindName: (typeof kind === "number" ? kindName(kind) : undefined) ?? "function",
    location: { uri, range: plain(selectionRange) },
    ranges: Array.isArray(ranges) ? ranges.filter(isRange).map(plain) : [],
  };
}

/** Whether no server vouches for it. */
export function isSyntactic({ backend }: Known): boolean {
  return standsIn(backend.spec);
}

function unable(method: string, known: Known): ReturnType<typeof failure> {
  return failure(errors.thenUnsupported(method, known.backend.name), known);
}

function failure(
  { message, data, code }: ResponseError,
  { backend }: Known,
): { error: { code: string; backend: string; message: string } } {
  const named = isObject(data) && typeof data.code === "string" ? data.code : String(code);
  return { error: { code: named, backend: backend.name, message } };
}

function plain({ start, end }: { readonly start: Position; readonly end: Position }): Range {
  return { start, end };
}
