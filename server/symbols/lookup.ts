/**
 * `$/symbolByName` (contract section 1), downward: the question is read, servers are asked for their lists of the name while
 * the folders are searched for its bytes, lists are borne out by outlines and texts, what lists hide is looked for, and the
 * rest is ranked and told. How each of these is done stands in the file that it is called from.
 */
import type { Call, Reply } from "../core/calls.ts";
import type { Extension, Mux } from "../core/mux.ts";
import { errors, type ResponseError } from "../protocol/errors.ts";
import type { Source, SymbolByNameResult, SymbolMatch } from "../protocol/extensions.ts";
import { answerWith, SPARE_MS, show } from "./answers.ts";
import { bySyntax, type Plain } from "./by-syntax.ts";
import { wordOf } from "./candidates.ts";
import { isConditional, isPreprocessed } from "./conditional.ts";
import { extrasOf, isSyntactic } from "./extras.ts";
import { handedOn } from "./handed-on.ts";
import { namesLike } from "./holding.ts";
import { type Inquiry, readingOf, type Seen, whereIs } from "./inquiry.ts";
import { add, confirmed, type Known, type Listed, listOf, sourcesOf } from "./lists.ts";
import { localsOf } from "./locals.ts";
import { type Question, readQuestion, takesPosition } from "./question.ts";
import { best, candidatesOf, qualifiedName, type Ranked, rank } from "./rank.ts";
import { isServed, type Scope, scopeOf, type Written, writtenIn } from "./scope.ts";
import { unlisted, withoutList } from "./unlisted.ts";

/** The request as the core takes it: answers the call once, with a result or an error. */
export const symbolByName: Extension = (mux, call, params) => {
  const read = readQuestion(params);
  if ("error" in read) return mux.answer(call, read);
  const inquiry = inquiryOf(mux, call, read.question);
  if (inquiry === null) return mux.answer(call, { error: errors.internal("a question by name without a client") });
  show(mux, call, params, `looking for ${read.question.name}`);
  answerWith(mux, call, "by name", lookUp(inquiry));
};

function inquiryOf(mux: Mux, call: Call, question: Question): Inquiry | null {
  const { client } = call;
  if (client === null) return null;
  const now = mux.ports.now();
  const end = Math.min(now + question.timeoutMs, call.deadline - SPARE_MS);
  const until = end - Math.min(FOR_SYNTAX_MS, (end - now) / 10);
  const hint = wordOf(question.leaf) ?? question.leaf;
  return { ...readingOf(mux, call, client, { hint, wait: question.wait, until }), question, end };
}

/** So much of the time is kept for what syntax tells where servers use it all, ms; a tenth where there is less. */
const FOR_SYNTAX_MS = 1000;

async function lookUp(inquiry: Inquiry): Promise<Reply> {
  const { question } = inquiry;
  const found = await find(inquiry);
  if ("error" in found) return found;
  if (question.unique) return uniqueReply(found);
  return { result: await resultOf(found, found.ranked.slice(0, question.limit)) };
}

/** All that is found for a question, or why nothing can be. */
export async function find(inquiry: Inquiry): Promise<Answer | { readonly error: ResponseError }> {
  const { question } = inquiry;
  const { follow } = question;
  const scope = await scopeOf(inquiry);
  const needsServer = question.wait === "ready" || question.include.size > 0 || follow !== null;
  if (needsServer && scope.languages.length > 0 && !isServed(inquiry, scope))
    return {
      error: errors.noBackend(
        scope.languages,
        scope.missing.map(({ backend }) => backend),
      ),
    };
  if (follow !== null && !takesPosition(follow.method))
    return { error: errors.thenUnsupported(follow.method, scope.servers[0]?.backend.name ?? "syntax") };

  const [lists, written] = await Promise.all([
    Promise.all(scope.servers.map(({ backend, language }) => listOf(inquiry, backend, language))),
    writtenIn(inquiry, scope),
  ]);
  const listed = await confirmed(inquiry, lists);
  const { found, unread, readers } = await unlisted(inquiry, written, listed, rank(question, listed).length > 0);
  const plain = await bySyntax(inquiry, unread);
  const meant = async (some: readonly Known[]): Promise<readonly Ranked<Known>[]> =>
    rank(question, await handedOn(inquiry, some, written.files));
  const read = written.files.filter((file) => !unread.includes(file));
  const passedOver = await leftOut(inquiry, read);
  let named = eachOnce([...found, ...plain.found, ...passedOver.found]);
  let ranked = await meant(named);
  if (ranked.length === 0) ranked = rank(question, await localsOf(inquiry, written.files));
  let source = plain.source ?? passedOver.source;
  if (ranked.length === 0 && read.length > 0) {
    // What servers read without saying so: fields, locals; or what they call otherwise.
    const until = Math.min(inquiry.until, inquiry.mux.ports.now() + REREAD_MS);
    const more = await bySyntax(inquiry, read, until);
    ranked = await meant(more.found);
    named = eachOnce([...named, ...more.found]);
    source ??= more.source;
  }
  const all = [...lists, ...withoutList(lists, readers)];
  const missed = plain.unread + passedOver.unread;
  return { inquiry, scope, lists: all, syntax: source, written, unread: missed, named, ranked };
}

/** What a preprocessor hides from servers in files that they have read. */
async function leftOut(inquiry: Inquiry, read: readonly Seen[]): Promise<Plain> {
  const { mux, client } = inquiry;
  const files = read.filter((file) => isPreprocessed(mux.languageOf(file.uri, undefined, client), file.text));
  const until = Math.min(inquiry.until, mux.ports.now() + REREAD_MS);
  const plain = await bySyntax(inquiry, files, until);
  const found = plain.found.filter(({ seen, location }) =>
    isConditional(seen.text, location.selectionRange.start.line),
  );
  return { ...plain, found };
}

/** So long files that servers have read are read again where nothing was found, ms. */
const REREAD_MS = 3000;

/** Of two at one place the first. */
function eachOnce(found: readonly Known[]): readonly Known[] {
  const known = new Map<string, Known>();
  for (const one of found) add(known, one);
  return [...known.values()];
}

interface Answer {
  readonly inquiry: Inquiry;
  readonly scope: Scope;
  readonly lists: readonly Listed[];
  readonly written: Written;
  /** What syntax had to say, null where it was not asked. */
  readonly syntax: Source | null;
  /** Files that hold the name and that neither a server nor syntax read. */
  readonly unread: number;
  /** What has the name, wherever it stands. */
  readonly named: readonly Known[];
  readonly ranked: readonly Ranked<Known>[];
}

/** When to ask again for what is not ready, ms. */
const RETRY_MS = 2000;

async function uniqueReply(answer: Answer): Promise<Reply> {
  const { inquiry, lists, scope, syntax, ranked } = answer;
  const { question } = inquiry;
  const top = best(ranked);
  const [only] = top;
  if (only !== undefined && top.length === 1) return { result: await resultOf(answer, [only]) };
  if (only !== undefined) return { error: errors.ambiguous(question.name, candidatesOf(top, question)) };
  if (isComplete(answer, false))
    return { error: errors.notFound(question.name, await suggestions(answer), absence(answer)) };
  return { error: errors.notReady(question.name, sourcesOf(lists, scope, syntax), RETRY_MS) };
}

/** `include` and `then` run for so many matches. */
const MAX_EXTRAS = 10;

async function resultOf(answer: Answer, shown: readonly Ranked<Known>[]): Promise<SymbolByNameResult> {
  const { inquiry, lists, scope, syntax, written, unread, ranked } = answer;
  const { limit, unique } = inquiry.question;
  const truncated = !unique && limit > 0 && ranked.length > limit;
  const extras = await Promise.all(shown.slice(0, MAX_EXTRAS).map(({ symbol }) => extrasOf(inquiry, symbol)));
  const hashes = await hashesOf(shown.map(({ symbol }) => symbol.seen));
  const found = ranked.length > 0;
  return {
    matches: shown.map((one, i) => ({ ...matchOf(one, hashes), ...extras[i] })),
    total: ranked.length,
    truncated,
    complete: isComplete(answer, truncated),
    absence: found ? "unknown" : absence(answer),
    coverage: { ...written.covered, unparsed: unread, asOf: new Date().toISOString() },
    sources: sourcesOf(lists, scope, syntax),
    ...(!found && { suggestions: await suggestions(answer) }),
  };
}

/** Whether nothing can have been missed (contract section 1, "Truth"). */
function isComplete(answer: Answer, truncated: boolean): boolean {
  const { inquiry, written, unread } = answer;
  if (truncated || !written.whole || unread > 0) return false;
  if (isMade(answer)) return false;
  return inquiry.question.wait === "none" || allReady(answer);
}

/** Whether there may be names that are written nowhere and that no server was asked for. */
function isMade({ inquiry, lists, written }: Answer): boolean {
  return written.makeable && (inquiry.question.wait === "none" || lists.length === 0);
}

function allReady({ lists, scope }: Answer): boolean {
  return scope.idle.length === 0 && lists.every(({ source, cut }) => source.state === "ready" && !cut);
}

function absence(answer: Answer): SymbolByNameResult["absence"] {
  const { written, unread } = answer;
  if (!written.whole) return "unknown";
  // What a macro makes is known to servers alone.
  if (written.isNowhere && !written.makeable) return "text";
  return !isMade(answer) && unread === 0 && allReady(answer) ? "semantic" : "unknown";
}

function matchOf({ symbol, score, symbolKey }: Ranked<Known>, hashes: ReadonlyMap<string, string>): SymbolMatch {
  const { leaf, containers, separator, kind, kindName, detail, role, language, backend, seen, where, test, location } =
    symbol;
  return {
    name: leaf,
    container: containers.join(separator),
    qualifiedName: qualifiedName(symbol),
    kind,
    kindName,
    ...(detail !== null && { detail }),
    symbolKey,
    role,
    language,
    backend: backend.name,
    confidence: isSyntactic(symbol) ? "syntactic" : "semantic",
    location,
    version: seen.version,
    contentHash: hashes.get(seen.key) ?? "",
    score,
    test,
    external: where.path === null,
  };
}

async function hashesOf(texts: readonly Seen[]): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  if (texts.length === 0) return hashes;
  const { createHash } = await import("node:crypto");
  for (const { key, text } of texts)
    if (!hashes.has(key))
      hashes.set(
        key,
        `sha256:${createHash("sha256")
          .update(text.string.replace(/^\ufeff/, ""))
          .digest("hex")}`,
      );
  return hashes;
}

const MAX_SUGGESTIONS = 5;

/**
 * What could have been meant: what has the name in another place, what servers' fuzzy lists offer in the folders, nearest
 * first, then names that are written there.
 */
async function suggestions({ inquiry, lists, named }: Answer): Promise<string[]> {
  const { leaf, name: asked } = inquiry.question;
  const elsewhere = named.filter(({ where }) => where.path !== null).map(qualifiedName);
  const names = new Map<string, number>();
  for (const { backend, hits } of lists) {
    const separator = backend.spec.adapter.symbol?.separator ?? ".";
    for (const { name, uri } of hits) {
      if (whereIs(inquiry, uri).path === null) continue;
      const isSame = name.leaf.toLowerCase() === leaf.toLowerCase();
      const distance = isSame ? 0 : 1 + Math.abs(name.leaf.length - leaf.length);
      const whole = [...name.containers, name.leaf].join(separator);
      names.set(whole, Math.min(distance, names.get(whole) ?? distance));
    }
  }
  const nearest = [...names].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([name]) => name);
  const listed = new Set(lists.flatMap(({ hits }) => hits.map(({ name }) => name.leaf)));
  const written = (await namesLike(inquiry, leaf, MAX_SUGGESTIONS)).filter((name) => !listed.has(name));
  const all = new Set([...elsewhere, ...nearest, ...written]);
  all.delete(asked);
  return [...all].slice(0, MAX_SUGGESTIONS);
}
