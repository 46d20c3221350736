/**
 * Questions by name behind a query of `workspace/symbol`: of a qualified one the matches, of a plain one what servers do not
 * list. In the form of such a list.
 */
import { wordOf } from "./candidates.ts";
import type { Inquiry, Reading } from "./inquiry.ts";
import { find } from "./lookup.ts";
import { readQuestion } from "./question.ts";
import { type Ranked, rank } from "./rank.ts";
import { scopeOf, writtenIn } from "./scope.ts";
import { unlisted } from "./unlisted.ts";

/** So many are listed for a qualified query, and so long servers are waited for, ms. */
const MOST_LISTED = 200;
const LIST_MS = 20_000;

/** The matches of a qualified query, in the form of `workspace/symbol`; also those of which it is only a beginning. */
export async function matchesOf(reading: Reading, name: string): Promise<readonly object[]> {
  const inquiry = listing(reading, { name, match: "prefix", limit: MOST_LISTED }, LIST_MS);
  const found = inquiry === null ? null : await find(inquiry);
  return found === null || "error" in found ? [] : asList(found.ranked);
}

/** How long files that hold a name are looked for and read for a list, ms. */
const HIDDEN_MS = 1500;

/** What is called by a plain name in files whose symbols servers do not list (build tags, no project), in the same form. */
export async function hiddenOf(reading: Reading, name: string): Promise<readonly object[]> {
  const inquiry = listing(reading, { name, limit: MOST_LISTED }, HIDDEN_MS);
  if (inquiry === null) return [];
  const written = await writtenIn(inquiry, await scopeOf(inquiry));
  const { found } = await unlisted(inquiry, written, [], true);
  return asList(rank(inquiry.question, found));
}

/** A question by name whose answer is a list for `workspace/symbol`; null where the query is no name. */
function listing(reading: Reading, params: object, ms: number): Inquiry | null {
  const read = readQuestion(params);
  if ("error" in read) return null;
  const { question } = read;
  const until = Math.min(reading.until, reading.mux.ports.now() + ms);
  return { ...reading, question, until, end: until, hint: wordOf(question.leaf) ?? question.leaf };
}

function asList(ranked: readonly Ranked[]): readonly object[] {
  return ranked.slice(0, MOST_LISTED).map(({ symbol: { leaf, kind, containers, separator, location } }) => ({
    name: leaf,
    kind,
    ...(containers.length > 0 && { containerName: containers.join(separator) }),
    location: { uri: location.uri, range: location.selectionRange },
  }));
}
