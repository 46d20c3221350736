import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "../../adapters/index.ts";
import { affects } from "../../server/core/backends/affects.ts";

/** Range, version, whether it holds. */
const cases: readonly (readonly [string, string | null, boolean])[] = [
  ["*", "0.0.0", true],
  ["*", null, true],
  ["<=22", "22.1.1", true],
  ["<=22", "23.0.0", false],
  ["<22", "22.1.1", false],
  ["<22", "19.1.7", true],
  [">22", "22.1.1", false],
  [">22", "23", true],
  [">=14 <20", "14.0.6", true],
  [">=14 <20", "19.1.7", true],
  [">=14 <20", "20.0.0", false],
  [">=14 <20", "13.0.1", false],
  ["=5.3", "5.3.0", true],
  ["5.3", "5.3.9", true],
  ["5.3", "5.4.0", false],
  ["<=1.10", "1.9.3", true],
  ["<=1.10.2", "1.10", true],
  ["<3 || >=7", "2.9", true],
  ["<3||>=7", "5.0", false],
  ["<3 || >=7", "7.0.2", true],
  // In servers' own words.
  ["<20", "Debian clangd version 14.0.6", true],
  ["<20", "clangd version 22.1.1 linux x86_64-unknown-linux-gnu", false],
  ["<1", '{"GoVersion":"go1.26.8","Main":{"Path":"x","Version":"v0.21.1","Sum":"h1:1/o="}}', true],
  ["<1", "rust-analyzer 0.0.0", true],
  [">=7", "7.0.0-dev.20251201", true],
  // Nothing is known: the correction is on.
  ["<20", null, true],
  ["<20", "nightly", true],
];

test("ranges of versions", () => {
  for (const [range, said, wanted] of cases) assert.equal(affects(range, said), wanted, `${range} ${said}`);
});

test("what is no range is refused, whatever the version", () => {
  for (const range of ["", "latest", "^1.2", "<= 22", "1.x", "<22 ||", ">=14,<20"]) {
    assert.throws(() => affects(range, "1.0"), RangeError, range);
    assert.throws(() => affects(range, null), RangeError, range);
  }
});

test("every quirk's range is one", () => {
  for (const { name, quirks } of adapters)
    for (const quirk of quirks) assert.doesNotThrow(() => affects(quirk.affects, null), `${name}: ${quirk.id}`);
});
