import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clientLegend, type Legend, mapping, remap, standard } from "../../server/core/tokens.ts";

const fake1: Legend = { tokenTypes: ["class", "function"], tokenModifiers: ["static"] };
const fake2: Legend = { tokenTypes: ["function", "x-own", "class"], tokenModifiers: ["a", "b", "static"] };

test("the client's legend: LSP's names first, then the servers' own in rank order, each once", () => {
  const { tokenTypes, tokenModifiers } = clientLegend([fake1, fake2]);
  assert.deepEqual(tokenTypes, [...standard.tokenTypes, "x-own"]);
  assert.deepEqual(tokenModifiers, [...standard.tokenModifiers, "a", "b"]);
});

test("the client's legend has at most 31 modifiers, those of the first in rank", () => {
  const many = (start: string): Legend => ({
    tokenTypes: [],
    tokenModifiers: Array.from({ length: 18 }, (_, i) => `${start}${i}`),
  });
  const { tokenModifiers } = clientLegend([many("a"), many("b")]);
  assert.equal(tokenModifiers.length, 31);
  assert.deepEqual(tokenModifiers.slice(-3), ["b0", "b1", "b2"]);
});

test("tokens of two legends decode by the client's to what they were", () => {
  const legend = clientLegend([fake1, fake2]);
  for (const [backend, type, bits, name, modifiers] of [
    [fake1, 0, 0b1, "class", ["static"]],
    [fake1, 1, 0, "function", []],
    [fake2, 0, 0b100, "function", ["static"]],
    [fake2, 1, 0b11, "x-own", ["a", "b"]],
    [fake2, 2, 0b111, "class", ["static", "a", "b"]],
  ] as const) {
    const { data, dropped } = remap([3, 7, 2, type, bits], mapping(backend, legend));
    assert.deepEqual(data.slice(0, 3), [3, 7, 2]);
    assert.equal(legend.tokenTypes[data[3] ?? -1], name);
    assert.deepEqual(namesOf(data[4] ?? -1, legend), modifiers);
    assert.deepEqual(dropped, { tokens: 0, modifiers: 0 });
  }
});

test("the 31st modifier is a positive number", () => {
  const names = Array.from({ length: 21 }, (_, i) => `m${i}`);
  const backend: Legend = { tokenTypes: ["class"], tokenModifiers: names };
  const { data } = remap([0, 0, 1, 0, 1 << 20], mapping(backend, clientLegend([backend])));
  assert.equal(data[4], 2 ** 30);
});

test("same numbers: identity, and the same data", () => {
  const same = mapping({ tokenTypes: standard.tokenTypes.slice(0, 5), tokenModifiers: ["declaration"] }, standard);
  assert.equal(same.identity, true);
  const data = [0, 0, 1, 4, 1];
  assert.equal(remap(data, same).data, data);
  assert.equal(mapping(fake1, clientLegend([fake1])).identity, false);
});

test("unknown type: the nearest standard one; unknown modifier: dropped and counted", () => {
  const backend: Legend = { tokenTypes: ["lifetime", "builtinType"], tokenModifiers: ["mine", "static"] };
  const { data, dropped } = remap([0, 0, 1, 0, 0b11, 0, 2, 1, 1, 0b01], mapping(backend, standard));
  assert.equal(standard.tokenTypes[data[3] ?? -1], "typeParameter");
  assert.deepEqual(namesOf(data[4] ?? -1, standard), ["static"]);
  assert.equal(standard.tokenTypes[data[8] ?? -1], "type");
  assert.deepEqual(dropped, { tokens: 0, modifiers: 2 });
});

test("a token without a place is left out and the next one stays where it was", () => {
  const backend: Legend = { tokenTypes: ["class", "unheard-of"], tokenModifiers: [] };
  const at = mapping(backend, clientLegend([]));
  const cls = standard.tokenTypes.indexOf("class");
  // 1:2 class, 1:6 lost, 1:9 class, 3:4 lost, 3:8 class, 5:0 beyond the legend, 6:1 class
  const sent = [
    1, 2, 1, 0, 0, 0, 4, 1, 1, 0, 0, 3, 1, 0, 0, 2, 4, 1, 1, 0, 0, 4, 1, 0, 0, 2, 0, 1, 9, 0, 1, 1, 1, 0, 0,
  ];
  const { data, dropped } = remap(sent, at);
  assert.deepEqual(places(data), [
    [1, 2, cls],
    [1, 9, cls],
    [3, 8, cls],
    [6, 1, cls],
  ]);
  assert.deepEqual(dropped, { tokens: 3, modifiers: 0 });
});

test("whatever is sent: tokens kept stay in place, tokens lost are counted", () => {
  const backend: Legend = { tokenTypes: ["class", "unheard-of", "lifetime"], tokenModifiers: ["static", "mine"] };
  const at = mapping(backend, clientLegend([]));
  const token = fc.tuple(fc.nat(3), fc.nat(9), fc.nat(5), fc.nat(3), fc.nat(3));
  fc.assert(
    fc.property(fc.array(token), (tokens) => {
      const data = tokens.flat();
      const { data: mapped, dropped } = remap(data, at);
      const kept = places(data).filter((_, i) => (at.types[tokens[i]?.[3] ?? -1] ?? -1) >= 0);
      assert.deepEqual(
        places(mapped).map(([line, start]) => [line, start]),
        kept.map(([line, start]) => [line, start]),
      );
      assert.equal(dropped.tokens, tokens.length - kept.length);
    }),
    { numRuns: 200 },
  );
});

/** Absolute line, start and type of each token. */
function places(data: readonly number[]): [line: number, start: number, type: number][] {
  let line = 0;
  let start = 0;
  const found: [number, number, number][] = [];
  for (let i = 0; i < data.length; i += 5) {
    const [lines = 0, starts = 0, , type = 0] = data.slice(i, i + 5);
    start = lines === 0 ? start + starts : starts;
    line += lines;
    found.push([line, start, type]);
  }
  return found;
}

function namesOf(mask: number, legend: Legend): string[] {
  return legend.tokenModifiers.filter((_, bit) => (mask & (1 << bit)) !== 0);
}
