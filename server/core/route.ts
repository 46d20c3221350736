/** Which backends a question goes to, by the row's policy. Pure; finding and starting them is `pool.ts`. */
import type { Row } from "../protocol/methods.ts";

/** A backend that serves the language, in rank order, and what is known of its ability for the row at hand. */
export interface Candidate {
  readonly role: "general" | "addon";
  /** unknown: it has never run and there is no recording of it. */
  readonly able: "yes" | "no" | "unknown";
}

/**
 * Of general servers for one language the first in rank that can (design section 8), and every addon that can; only the
 * first of all where the rule has room for one answer. There an addon goes before a second general server, which would be
 * started for this alone (a formatter beside a type checker that formats nothing). An unknown one counts as able: it is
 * asked and may lack it.
 */
export function choose<C extends Candidate>(row: Row, ranked: readonly C[]): C[] {
  const able = ranked.filter((candidate) => candidate.able !== "no");
  const general = able.find((candidate) => candidate.role === "general");
  const chosen = able.filter((candidate) => candidate === general || candidate.role === "addon");
  if (row.merge !== "none" && row.merge !== "firstCapable") return chosen;
  const first = ranked.find((candidate) => candidate.role === "general");
  const near = chosen.find((candidate) => candidate === first || candidate.role === "addon") ?? chosen[0];
  return near === undefined ? [] : [near];
}
