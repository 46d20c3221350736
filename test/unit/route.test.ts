/** Which of the servers of a language are asked, by the policy of the row. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, choose } from "../../server/core/route.ts";
import { type Row, rowOf } from "../../server/protocol/methods.ts";

const ranked = (...able: readonly `${"g" | "a"}${number} ${Candidate["able"]}`[]) =>
  able.map((text): Candidate & { name: string } => {
    const [name = "", can] = text.split(" ");
    return {
      name,
      role: name.startsWith("g") ? "general" : "addon",
      able: can === "yes" || can === "no" ? can : "unknown",
    };
  });

function chosen(method: string, candidates: readonly (Candidate & { name: string })[]): string {
  const row: Row | undefined = rowOf(method);
  assert.ok(row, method);
  return choose(row, candidates)
    .map(({ name }) => name)
    .join(" ");
}

test("the first general server that can, and every addon", () => {
  const servers = ranked("g1 no", "g2 yes", "a1 yes", "g3 yes", "a2 no", "a3 unknown");
  assert.equal(chosen("textDocument/hover", servers), "g2 a1 a3");
  assert.equal(chosen("textDocument/references", servers), "g2 a1 a3");
});

test("one that never ran may be able", () => {
  assert.equal(chosen("textDocument/hover", ranked("g1 unknown", "g2 yes")), "g1");
});

test("one answer: the first in rank, addon or not", () => {
  const servers = ranked("a1 yes", "g1 yes", "g2 yes");
  assert.equal(chosen("textDocument/formatting", servers), "a1");
  assert.equal(chosen("textDocument/formatting", servers.slice(1)), "g1");
});

test("one answer: an addon before a second general server", () => {
  assert.equal(chosen("textDocument/formatting", ranked("g1 no", "g2 yes", "a1 yes")), "a1");
  assert.equal(chosen("textDocument/formatting", ranked("g1 no", "g2 yes", "a1 no")), "g2");
  assert.equal(chosen("textDocument/formatting", ranked("g1 yes", "g2 yes", "a1 yes")), "g1");
});

test("nobody", () => {
  assert.equal(chosen("textDocument/hover", ranked("g1 no", "a1 no")), "");
  assert.equal(chosen("textDocument/hover", []), "");
});
