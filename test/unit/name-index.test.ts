/** The index of names against a plain model, and what it finds by pattern, case and resemblance. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lexisOf } from "../../server/syntax/lexis/table.ts";
import { Lexer } from "../../server/syntax/lexis.ts";
import { NameIndex } from "../../server/syntax/name-index.ts";

const lexis = lexisOf("javascript");
assert.ok(lexis);
const lexer = new Lexer(lexis);

function put(index: NameIndex, file: number, text: string): void {
  const bytes = Buffer.from(text);
  index.replace(file, (sink) => lexer.scan(bytes, bytes.length, sink));
}

function indexOf(...texts: readonly string[]): NameIndex {
  const index = new NameIndex();
  for (const [file, text] of texts.entries()) put(index, file, text);
  return index;
}

const word = fc.constantFrom("a", "b", "Ab", "aB", "ab", "abc", "été", "Été", "x1", "valueOf", "constructor");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ file: fc.nat(5), words: fc.array(word, { maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ file: fc.nat(5), words: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.constant("settle" as const) },
  { weight: 1, arbitrary: fc.constant("reload" as const) },
);

test("any series of changes leaves what a plain table would hold", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let index = new NameIndex();
      const model = new Map<number, readonly string[]>();
      for (const one of steps) {
        if (one === "settle") index.settle();
        else if (one === "reload") index = new NameIndex(index.settle());
        else if (one.words === null) {
          index.remove(one.file);
          model.delete(one.file);
        } else {
          put(index, one.file, one.words.join(" "));
          model.set(one.file, one.words);
        }
      }
      const all = new Set([...model.values()].flat());
      for (const name of ["a", "b", "Ab", "aB", "ab", "abc", "été", "Été", "x1", "valueOf", "constructor", "none"]) {
        const expected = [...model]
          .map(([file, words]) => ({ file, count: words.filter((one) => one === name).length }))
          .filter(({ count }) => count > 0)
          .sort((a, b) => a.file - b.file);
        assert.deepEqual(
          [...index.exact(name)].sort((a, b) => a.file - b.file),
          expected,
        );
        const alike = [...all].filter((one) => one.toLowerCase() === name.toLowerCase());
        assert.deepEqual([...index.ignoreCase(name)].sort(), alike.sort());
        assert.deepEqual([...index.prefix(name)].sort(), [...all].filter((one) => one.startsWith(name)).sort());
      }
      assert.equal(index.stats.files, model.size);
      assert.equal(
        index.stats.pairs,
        [...model.values()].reduce((sum, words) => sum + new Set(words).size, 0),
      );
    }),
    { numRuns: 150 },
  );
});

test("patterns of * and ? fit whole names, without regard to case", () => {
  const index = indexOf("fooBar foobaz Bar $x a_b été xfoo", "ab abab b");
  const fits = (pattern: string): string => [...index.wildcard(pattern)].sort().join(" ");
  assert.equal(fits("foo*"), "fooBar foobaz");
  assert.equal(fits("*BAR"), "Bar fooBar");
  assert.equal(fits("?b"), "ab");
  assert.equal(fits("a*b"), "a_b ab abab");
  assert.equal(fits("*b*b*"), "abab");
  assert.equal(fits("?t?"), "été");
  assert.equal(fits("É*"), "été");
  assert.equal(fits("$?"), "$x");
  assert.equal(fits("\\*"), "");
  assert.equal(fits("*").split(" ").length, 10);
  assert.equal(fits("ab"), "ab");
  assert.equal(fits("*bab*"), "abab", "not across names");
  assert.equal(fits("*T*"), "été");
  assert.equal(fits("a-*"), "", "a hyphen means itself");
});

test("what could have been meant: near spellings, the nearest and then the most frequent first", () => {
  const index = indexOf("recordMetric recordMetrics RecordMetric cat car", "recordMetrics", "far");
  assert.deepEqual(index.suggestions("recordMetrc", 9), ["RecordMetric", "recordMetric", "recordMetrics"]);
  assert.deepEqual(index.suggestions("recodrMetrics", 1), ["recordMetrics"]);
  assert.deepEqual(index.suggestions("recordMetric", 9), ["RecordMetric", "recordMetrics"], "not itself");
  assert.deepEqual(index.suggestions("cax", 9), ["car", "cat"]);
  assert.deepEqual(index.suggestions("zzzzz", 9), []);
  index.remove(2);
  assert.deepEqual(index.suggestions("fax", 9), [], "of no file");
});

/** By its definition: letters put in, left out, changed, neighbours swapped. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i || j));
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (const [i, row] of rows.entries())
    for (let j = 1; i > 0 && j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(changed, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwapped ? at(i - 2, j - 2) + 1 : Infinity);
    }
  return at(a.length, b.length);
}

test("every name that is near is found, and no other, also among the newest", () => {
  const name = fc.string({
    unit: fc.constantFrom("a", "b", "c", "A", "1", "2", "7", "_"),
    minLength: 1,
    maxLength: 14,
  });
  const words = fc.array(
    name.map((text) => `n${text}`),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(words, words, name, (first, more, some) => {
      const index = indexOf(first.join(" "));
      const asked = `n${some}`;
      const most = asked.length >= 8 ? 3 : asked.length >= 5 ? 2 : asked.length >= 3 ? 1 : 0;
      const isNear = (text: string): boolean =>
        text !== asked && distance(text.toLowerCase(), asked.toLowerCase()) <= most;
      const expected = (all: readonly string[]): readonly string[] => [...new Set(all)].filter(isNear).toSorted();
      assert.deepEqual(index.suggestions(asked, 99).toSorted(), expected(first));
      put(index, 1, more.join(" "));
      assert.deepEqual(index.suggestions(asked, 99).toSorted(), expected([...first, ...more]));
    }),
  );
});

test("names that nobody uses any more are forgotten", () => {
  const index = new NameIndex();
  put(index, 0, "kept");
  for (let i = 0; i < 100; i++) put(index, 1, `name${i}`);
  assert.equal(index.stats.names, 101);
  const parts = index.settle();
  assert.equal(index.stats.names, 2);
  assert.deepEqual(index.exact("name99"), [{ file: 1, count: 1 }]);
  assert.deepEqual(index.exact("name98"), []);
  assert.deepEqual(new NameIndex(parts).exact("kept"), [{ file: 0, count: 1 }]);
});

test("very long names are told apart by their beginning only", () => {
  const index = indexOf(`${"x".repeat(600)} y`);
  assert.deepEqual(index.exact("x".repeat(700)), [{ file: 0, count: 1 }]);
  assert.deepEqual(index.exact("x".repeat(500)), []);
});
