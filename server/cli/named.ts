/**
 * What the commands that take a NAME have in common: options into params of `$/symbolByName`, its errors and its silence
 * into words on stderr and exit codes (contract section 6).
 */
import { readFileSync } from "node:fs";
import { Text, textOf } from "../core/documents/text.ts";
import { pathOf } from "../core/documents/uris.ts";
import { isRange } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { absent, Code, errors, type ResponseError } from "../protocol/errors.ts";
import {
  type Candidate,
  kindName,
  kindNumber,
  kindTitle,
  type SymbolByNameParams,
  type SymbolByNameResult,
  X,
} from "../protocol/extensions.ts";
import { lineText } from "../symbols/candidates.ts";
import type { Options } from "./args.ts";
import { exits, type Printing, placeOf, symbolText, textLine } from "./print.ts";
import { type Session, wrong } from "./session.ts";

export type Found = { readonly result: SymbolByNameResult } | { readonly error: ResponseError };

/** Asks by name, with the options that all commands share. */
export async function askByName(
  session: Pick<Session, "request">,
  options: Options,
  params: Pick<SymbolByNameParams, "name" | "unique" | "include" | "path">,
): Promise<Found> {
  const { path, in: inside, kind, lang, limit, wait } = options;
  const kinds = kind.map(kindOf);
  const unknown = kind[kinds.indexOf(undefined)];
  if (unknown !== undefined) return { error: errors.invalidParams(`\`${unknown}\` is no kind of symbol`) };
  const all: SymbolByNameParams = {
    ...(path !== undefined && { path }),
    ...(inside.length > 0 && { in: [...inside] }),
    ...(kind.length > 0 && { kinds: kinds.flatMap((one) => one ?? []) }),
    ...(lang.length > 0 && { languages: [...lang] }),
    ...(limit !== undefined && { limit }),
    ...(wait === 0 ? { wait: "none" as const } : wait !== undefined && { timeoutMs: Math.round(wait * 1000) }),
    ...params,
  };
  const done = waiting(options);
  const reply = await session.request(X.symbolByName, all);
  done();
  if ("error" in reply) return reply;
  return isResult(reply.result)
    ? { result: reply.result }
    : { error: { code: 0, message: "the answer has no matches" } };
}

/** Undefined for what is no kind of symbol. */
export function kindOf(text: string): NonNullable<SymbolByNameParams["kinds"]>[number] | undefined {
  if (text.toLowerCase() === "type") return "type";
  return kindName(/^\d+$/.test(text) ? Number(text) : (kindNumber(text) ?? 0));
}

function isResult(value: unknown): value is SymbolByNameResult {
  return isObject(value) && Array.isArray(value.matches);
}

/** After so long the user is told what takes the time, ms. */
const SILENT_MS = 300;

/** Says that something is being waited for, on a terminal only; the returned function takes it back. */
function waiting({ quiet }: Options): () => void {
  if (quiet || process.stderr.isTTY !== true) return () => {};
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    process.stderr.write("waiting for language servers ...");
  }, SILENT_MS);
  return () => {
    clearTimeout(timer);
    if (shown) process.stderr.write("\r\x1b[K");
  };
}

/** Against what places are printed; lines are read as they are now. */
export function printingOf({ columnUnit }: Options): Printing {
  const texts = new Map<string, Text | null>();
  const lineOf = (uri: string, line: number): string | undefined => {
    let text = texts.get(uri);
    if (text === undefined) {
      text = textAt(uri);
      texts.set(uri, text);
    }
    return text === null ? undefined : lineText(text, line);
  };
  return { cwd: process.cwd(), unit: columnUnit, lineOf };
}

/** A file as it is now; null where it cannot be read. */
export function textAt(uri: string): Text | null {
  const path = pathOf(uri);
  if (path === null) return null;
  try {
    return Text.of(textOf(readFileSync(path)));
  } catch {
    return null;
  }
}

/** Says why there is no answer. */
export function failed({ code, message, data }: ResponseError, printing: Printing): number {
  const named = isObject(data) ? data.code : undefined;
  const candidates = isObject(data) && Array.isArray(data.candidates) ? data.candidates.filter(isCandidate) : [];
  const at = isObject(data) && typeof data.at === "number" ? ` (at character ${data.at + 1})` : "";
  const exit = wrong(message.replace(/\.$/, "") + at);
  for (const { location, kindName: kind, qualifiedName, hint } of candidates) {
    const place = placeOf(location.uri, location.selectionRange.start, printing);
    process.stderr.write(`${textLine(place, symbolText(kindTitle(kind), qualifiedName))}  ${hint}\n`);
  }
  if (code !== Code.requestFailed) return exit;
  if (named === "Ambiguous") return exits.ambiguous;
  if (named === "NotFound") return exits.absent;
  return named === "NotReady" || named === "TimedOut" ? exits.incomplete : exit;
}

function isCandidate(value: unknown): value is Candidate {
  if (!isObject(value) || typeof value.qualifiedName !== "string" || typeof value.hint !== "string") return false;
  return isObject(value.location) && typeof value.location.uri === "string" && isRange(value.location.selectionRange);
}

/** The exit code of a list, and what stderr has to say about it. */
export function verdict(name: string, result: SymbolByNameResult, { quiet, noBackends }: Options): number {
  const { matches, total, complete, absence } = result;
  const found = (total ?? matches.length) > 0;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`switchboard: ${text}\n`);
  };
  if (matches.length > 0 && !noBackends && matches.every(({ confidence }) => confidence === "syntactic"))
    say(`from syntax alone: ${unasked(result)}`);
  if (found && complete) {
    if (matches.length === 0) say(`0 of ${total} are shown, see --limit`);
    return exits.found;
  }
  if (found) {
    say(`there may be more: ${why(result)}`);
    return exits.found;
  }
  const near = result.suggestions?.length ? `; near it: ${result.suggestions.slice(0, 3).join(", ")}` : "";
  if (complete) {
    say(`${absent(name, absence)}${near}`);
    return exits.absent;
  }
  say(`"${name}" was not found, but ${why(result)}${near}`);
  return exits.incomplete;
}

/** Why no server vouches for what was found. */
function unasked({ matches, sources }: SymbolByNameResult): string {
  const languages = [...new Set(matches.map(({ language }) => language))];
  const missing = sources.filter(({ state, language }) => state === "missing" && languages.includes(language));
  const install = missing.map(({ backend }) => backend).join(" or ");
  if (install !== "") return `no server of ${languages.join(", ")} is installed (${install})`;
  return `no server of ${languages.join(", ")} tells of it`;
}

function why({ sources, coverage, truncated }: SymbolByNameResult): string {
  const waiting = sources
    .filter(({ state }) => state !== "ready" && state !== "missing")
    .map(({ backend, state }) => `${backend} is ${state === "failed" ? "not working" : state}`);
  if (truncated) return "the list is cut, see --limit";
  if (waiting.length > 0) return waiting.join(", ");
  const { unparsed } = coverage;
  if (unparsed === 1) return "one file that holds the name was not read closely";
  if (unparsed > 1) return `${unparsed} files that hold the name were not read closely`;
  return "not every file could be searched";
}
