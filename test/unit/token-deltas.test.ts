/** Differences between semantic tokens: applied to what the client has, they give what it would have got anew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { differences } from "../../server/core/merge/token-deltas.ts";

const token = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(1), fc.nat(1));
const tokens = fc.array(token, { maxLength: 8 }).map((list) => list.flat());

test("from any tokens to any others", () => {
  fc.assert(
    fc.property(tokens, tokens, (from, to) => {
      const data = [...from];
      for (const { start, deleteCount, data: more = [] } of differences(from, to)) {
        data.splice(start, deleteCount, ...more);
        for (const number of [start, deleteCount, more.length]) assert.equal(number % 5, 0, "whole tokens");
      }
      assert.deepEqual(data, to);
    }),
  );
});

test("nothing where they are equal, no more than what differs else", () => {
  const same = [0, 0, 1, 2, 3];
  assert.deepEqual(differences(same, [...same]), []);
  assert.deepEqual(differences([...same, ...same], [...same, 1, 0, 1, 2, 3, ...same]), [
    { start: 5, deleteCount: 0, data: [1, 0, 1, 2, 3] },
  ]);
});
