/**
 * The invariants under chaos (see `sim/chaos.ts`): every request answered once, ids ours, order kept, versions rising, texts
 * right, a dead backend fails only its own calls. `SWITCHBOARD_CHAOS=100000` plays so many steps; a failing seed is played
 * again by `SWITCHBOARD_SEED=n`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chaos } from "../sim/chaos.ts";

const EACH = 400;
const wanted = Number(process.env.SWITCHBOARD_CHAOS ?? 3_200);
const only = process.env.SWITCHBOARD_SEED;
const first = only === undefined ? 1 : Number(only);
const seeds = only === undefined ? Math.ceil(wanted / EACH) : 1;

test(`chaos, ${seeds * EACH} steps, seeds ${first} to ${first + seeds - 1}`, (t) => {
  const total: Record<string, number> = {};
  for (let seed = first; seed < first + seeds; seed++) {
    const { faults, trace, counts } = chaos(seed, EACH);
    assert.deepEqual(
      faults.slice(0, 5),
      [],
      `SWITCHBOARD_SEED=${seed} plays it again. The last frames:\n${trace.join("\n")}`,
    );
    for (const [what, n] of Object.entries(counts)) total[what] = (total[what] ?? 0) + n;
  }
  t.diagnostic(JSON.stringify(total));
  // Not a calm sea.
  if (only === undefined)
    for (const what of ["crashed", "cancelled", "left", "text compared", "range compared"])
      assert.ok((total[what] ?? 0) > 0, what);
});
