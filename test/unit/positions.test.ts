/** Lines, encodings, edits and mapping between texts: tables of cases, and properties against a naive model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  applySteps,
  type Change,
  changeEvent,
  type Encoding,
  linesOf,
  mapper,
  movedThrough,
  offsetAt,
  type Position,
  positionAt,
  type Range,
  smallestEdit,
  type TextLike,
} from "../../server/core/positions.ts";

/** The text after one didChange. */
function applyChanges(text: string, changes: readonly Change[], encoding: Encoding): string {
  return applySteps(text, [{ changes, encoding }]);
}

const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-16", "utf-32"];
const encodings = fc.constantFrom(...ENCODINGS);
const pieces = fc.constantFrom("a", "b", "é", "€", "😀", "\ud83d", "\ude00", "\r", "\n", "\r\n", "");
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
const positions = fc.record({ line: fc.nat(6), character: fc.oneof(fc.nat(8), fc.constant(999)) });
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ range: fc.record({ start: positions, end: positions }), text: texts }) },
  { weight: 1, arbitrary: fc.record({ text: texts }) },
);

test("a line ends at CRLF, LF or CR", () => {
  const table: [string, number[]][] = [
    ["", [0]],
    ["a", [0]],
    ["a\n", [0, 2]],
    ["a\rb\r\nc\nd", [0, 2, 5, 7]],
    ["\r\r\n\n\r", [0, 1, 3, 4, 5]],
    ["\n\r\n", [0, 1, 3]],
  ];
  for (const [text, lines] of table) assert.deepEqual(linesOf(text), lines, JSON.stringify(text));
});

test("positions past the end of a line, in mixed line ends, do not eat the terminator", () => {
  const text = applyChanges(
    "a\rb\r\nc\nd",
    [
      { range: range(0, 999, 0, 999), text: "X" },
      { range: range(1, 1, 1, 999), text: "Y" },
      { range: range(2, 0, 3, 0), text: "" },
    ],
    "utf-16",
  );
  assert.equal(text, "aX\rbY\r\nd");
});

test("an edit inside a surrogate pair gives what the strings give", () => {
  const half = applyChanges('s = "😀"', [{ range: range(0, 6, 0, 7), text: "" }], "utf-16");
  assert.equal(half, 's = "\ud83d"');
  assert.equal(applyChanges(half, [{ range: range(0, 5, 0, 6), text: "" }], "utf-16"), 's = ""');
});

test("a change that is odd but readable", () => {
  const table: [string, Change, string][] = [
    ["abc", { text: "whole" }, "whole"],
    ["abc", { range: range(0, 2, 0, 1), text: "-" }, "a-c"],
    ["a\nb", { range: range(7, 3, 9, 0), text: "!" }, "a\nb!"],
    ["a\nb", { range: range(1, 0, 2, 0), text: "" }, "a\n"],
    ["a\nb", { range: range(-1, -1, 0, -4), text: "!" }, "!a\nb"],
  ];
  for (const [before, change, after] of table) {
    for (const encoding of ENCODINGS) {
      assert.equal(applyChanges(before, [change], encoding), after);
      assert.equal(applySteps(before, [{ changes: [change], encoding }]), after);
    }
  }
});

test("changes give what a naive model gives, one by one and all at once", () => {
  fc.assert(
    fc.property(texts, fc.array(changes, { maxLength: 6 }), encodings, (before, list, encoding) => {
      const expected = list.reduce((text, change) => naiveChange(text, change, encoding), before);
      assert.equal(applyChanges(before, list, encoding), expected);
      const oneByOne = (text: string, change: Change) => applyChanges(text, [change], encoding);
      assert.equal(list.reduce(oneByOne, before), expected);
      const steps = list.map((change) => ({ changes: [change], encoding }));
      assert.equal(applySteps(before, steps), expected);
    }),
    { numRuns: 400 },
  );
});

test("a change of many lines among others", () => {
  const many = "x\r\n".repeat(200_000);
  const list = [
    { range: range(0, 1, 1, 0), text: many },
    { range: range(200_000, 0, 200_000, 1), text: "c" },
  ];
  assert.equal(applyChanges("a\nb\n", list, "utf-16"), `a${many}c\n`);
});

test("the smallest edit turns one text into the other, in every encoding, and splits nothing", () => {
  fc.assert(
    fc.property(texts, texts, encodings, (from, to, encoding) => {
      const edit = smallestEdit(from, to);
      if (edit === null) return assert.equal(from, to);
      assert.equal(applyChanges(from, [changeEvent(from, linesOf(from), edit, encoding)], encoding), to);
      for (const offset of [edit.start, edit.end]) assert.ok(isBoundary(from, offset), `from at ${offset}`);
      for (const offset of [edit.start, edit.start + edit.text.length]) assert.ok(isBoundary(to, offset));
    }),
    { numRuns: 400 },
  );
});

test("the smallest edit of long texts", () => {
  const long = "0123456789\r\n".repeat(500);
  const middle = 2000 + 7;
  const changed = `${long.slice(0, middle)}X${long.slice(middle)}`;
  assert.deepEqual(smallestEdit(long, changed), { start: middle, end: middle, text: "X" });
  assert.deepEqual(smallestEdit(changed, long), { start: middle, end: middle + 1, text: "" });
  assert.deepEqual(smallestEdit(long, long + long), { start: long.length, end: long.length, text: long });
});

test("the smallest edit is small", () => {
  const table: [string, string, [number, number, string] | null][] = [
    ["same", "same", null],
    ["", "new", [0, 0, "new"]],
    ["one two", "one", [3, 7, ""]],
    ["aXc", "aYYc", [1, 2, "YY"]],
    ["aa", "aaa", [2, 2, "a"]],
    ["a\rb", "a\r\nb", [1, 2, "\r\n"]],
    ["a\nb", "a\r\nb", [1, 2, "\r\n"]],
    ["a\r\nb", "a\n\r\nb", [1, 1, "\n"]],
    ["x😀y", "x😁y", [1, 3, "😁"]],
    ["x😀y", "x\ud83dy", [1, 3, "\ud83d"]],
    ["\ude00", "😀", [0, 1, "😀"]],
  ];
  for (const [from, to, edit] of table) {
    const expected = edit && { start: edit[0], end: edit[1], text: edit[2] };
    assert.deepEqual(smallestEdit(from, to), expected, JSON.stringify([from, to]));
  }
});

test("offset and position are inverse at the boundaries of characters", () => {
  fc.assert(
    fc.property(texts, encodings, (text, encoding) => {
      const lines = linesOf(text);
      for (let offset = 0; offset <= text.length; offset++) {
        if (!isBoundary(text, offset)) continue;
        assert.equal(offsetAt(text, lines, positionAt(text, lines, offset, encoding), encoding), offset);
      }
    }),
    { numRuns: 500 },
  );
});

test("a position survives the way through another encoding", () => {
  fc.assert(
    fc.property(texts, encodings, encodings, (text, a, b) => {
      const lines = linesOf(text);
      for (let offset = 0; offset <= text.length; offset++) {
        if (!isBoundary(text, offset)) continue;
        const position = positionAt(text, lines, offset, a);
        const there = positionAt(text, lines, offsetAt(text, lines, position, a), b);
        assert.deepEqual(there, positionAt(text, lines, offset, b));
        assert.deepEqual(positionAt(text, lines, offsetAt(text, lines, there, b), a), position);
      }
    }),
    { numRuns: 500 },
  );
});

test("columns after an emoji and an accent, as two clients count them", () => {
  const before = 'int emo() { const char *s = "😀é"; int after = 1; return after; }';
  const columns = (text: string) =>
    ENCODINGS.map((encoding) => positionAt(text, linesOf(text), text.indexOf("after"), encoding).character);
  assert.deepEqual(columns(before), [42, 39, 38]);
  const after = applyChanges(before, [{ range: range(0, 38, 0, 38), text: " " }], "utf-8");
  assert.deepEqual(columns(after), [43, 40, 39]);
});

test("a column inside a character of UTF-8 is its start", () => {
  const text = "a😀b";
  for (const character of [1, 2, 3, 4]) assert.equal(offsetAt(text, [0], { line: 0, character }, "utf-8"), 1);
  assert.equal(offsetAt(text, [0], { line: 0, character: 5 }, "utf-8"), 3);
  assert.deepEqual(positionAt(text, [0], 2, "utf-8"), { line: 0, character: 1 });
});

test("places in another text of the document", () => {
  const from = textOf("one\ntwo three\nfour");
  const table: [string, string, number, number, "start" | "end", string][] = [
    ["before the difference", "one\ntwo 33\nfour", 1, 2, "start", "1:2"],
    ["after it, on its line", "one\nt2 three\nfour", 1, 4, "start", "1:3"],
    ["after it, lines inserted", "one\n\n\ntwo three\nfour", 2, 1, "start", "4:1"],
    ["start at an insertion", "new\none\ntwo three\nfour", 0, 0, "start", "1:0"],
    ["end at an insertion", "one\ntwo threes\nfour", 1, 9, "end", "1:9"],
    ["inside what became shorter", "one\ntwo X\nfour", 1, 8, "start", "1:5"],
    ["the same text", "one\ntwo three\nfour", 1, 99, "start", "1:99"],
  ];
  for (const [what, to, line, character, side, expected] of table) {
    const there = mapper(from, "utf-16", textOf(to), "utf-16")({ line, character }, side);
    assert.equal(`${there.line}:${there.character}`, expected, what);
  }
});

test("mapping keeps the order of places and ends on boundaries; outside the difference the character stays", () => {
  fc.assert(
    fc.property(texts, texts, encodings, encodings, (before, after, a, b) => {
      const from = textOf(before);
      const to = textOf(after);
      const map = mapper(from, a, to, b);
      let last = 0;
      for (let offset = 0; offset <= before.length; offset++) {
        if (!isBoundary(before, offset)) continue;
        const position = positionAt(before, from.lines, offset, a);
        const end = offsetAt(after, to.lines, map(position, "end"), b);
        const start = offsetAt(after, to.lines, map(position, "start"), b);
        assert.ok(last <= end && end <= start, `${last} ${end} ${start}`);
        assert.ok(isBoundary(after, start) && isBoundary(after, end));
        const edit = smallestEdit(before, after);
        if (edit === null || offset < edit.start || offset >= edit.end) assert.equal(after[start], before[offset]);
        last = start;
      }
    }),
    { numRuns: 500 },
  );
});

test("a waiting question moves with the edits of its client", () => {
  const table: [string, string, Position, Change[], string][] = [
    ["an edit before", "a foo", at(0, 2), [{ range: range(0, 0, 0, 1), text: "bcd" }], "0:4"],
    ["an edit after", "foo a", at(0, 1), [{ range: range(0, 4, 0, 5), text: "" }], "0:1"],
    ["a line above", "foo", at(0, 0), [{ range: range(0, 0, 0, 0), text: "\n" }], "1:0"],
    ["typed behind the word that is asked about", "foo", at(0, 3), [{ range: range(0, 3, 0, 3), text: " = 1" }], "0:3"],
    ["the word goes on", "foo", at(0, 1), [{ range: range(0, 3, 0, 3), text: "bar" }], "0:1"],
    ["the word is replaced", "a foo b", at(0, 3), [{ range: range(0, 2, 0, 5), text: "bar" }], "inside"],
    ["the word that ends there is deleted", "a foo b", at(0, 5), [{ range: range(0, 2, 0, 5), text: "" }], "inside"],
    ["what stands before it is deleted", "a foo b", at(0, 2), [{ range: range(0, 0, 0, 2), text: "" }], "0:0"],
    ["a wide edit that changes little", "a foo b", at(0, 2), [{ range: range(0, 0, 0, 7), text: "a foo c" }], "0:2"],
    ["the whole text", "a foo b", at(0, 2), [{ text: "\na foo b" }], "1:2"],
    ["no change in effect", "foo", at(0, 1), [{ text: "foo" }], "0:1"],
    [
      "several, each counted in the text before it",
      "x\nfoo",
      at(1, 0),
      [
        { range: range(0, 0, 1, 0), text: "" },
        { range: range(0, 0, 0, 0), text: "  " },
      ],
      "0:2",
    ],
  ];
  for (const [what, before, position, list, expected] of table) {
    const moved = movedThrough(position, list, textOf(before), "utf-16");
    assert.equal(typeof moved === "string" ? moved : `${moved.line}:${moved.character}`, expected, what);
  }
});

test("a waiting question stays at its word, whatever is edited around it", () => {
  const sides = fc.array(fc.record({ before: fc.boolean(), from: fc.nat(12), to: fc.nat(12), text: texts }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(texts, texts, sides, encodings, (left, right, edits, encoding) => {
      const before = textOf(`${left} MARK ${right}`);
      let now = before.string;
      const list: Change[] = [];
      for (const edit of edits) {
        const mark = now.indexOf("MARK");
        const [low, high] = edit.before ? [0, mark - 1] : [mark + 5, now.length];
        const [start, end] = [edit.from, edit.to]
          .map((n) => boundaryBefore(now, Math.min(low + n, high)))
          .sort(byNumber);
        const lines = linesOf(now);
        const place = (offset: number | undefined) => positionAt(now, lines, offset ?? 0, encoding);
        list.push({ range: { start: place(start), end: place(end) }, text: edit.text });
        now = naiveChange(now, list.at(-1) ?? { text: now }, encoding);
      }
      const asked = positionAt(before.string, before.lines, before.string.indexOf("MARK"), encoding);
      assert.deepEqual(
        movedThrough(asked, list, before, encoding),
        positionAt(now, linesOf(now), now.indexOf("MARK"), encoding),
      );
    }),
    { numRuns: 500 },
  );
});

/** Takes lines and characters apart one by one, in the plainest way. */
function naiveChange(text: string, change: Change, encoding: Encoding): string {
  if (change.range === undefined) return change.text;
  const ends = [naiveOffset(text, change.range.start, encoding), naiveOffset(text, change.range.end, encoding)];
  return text.slice(0, Math.min(...ends)) + change.text + text.slice(Math.max(...ends));
}

function naiveOffset(text: string, position: Position, encoding: Encoding): number {
  const parts = text.split(/(\r\n|\r|\n)/); // line, terminator, line, ...
  if (position.line * 2 >= parts.length) return text.length;
  const start = parts.slice(0, position.line * 2).join("").length;
  const line = parts[position.line * 2] ?? "";
  const characters = encoding === "utf-16" ? line.split("") : Array.from(line);
  let units = 0;
  let length = 0;
  for (const character of characters) {
    units += encoding === "utf-8" ? Buffer.byteLength(character.replace(/^[\ud800-\udfff]$/, "\ufffd")) : 1;
    if (units > position.character) break;
    length += character.length;
  }
  return start + length;
}

function isBoundary(text: string, offset: number): boolean {
  return !/^(\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(Math.max(offset - 1, 0), offset + 1));
}

function boundaryBefore(text: string, offset: number): number {
  return isBoundary(text, offset) ? offset : offset - 1;
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function textOf(string: string): TextLike {
  return { string, lines: linesOf(string) };
}

function at(line: number, character: number): Position {
  return { line, character };
}

function range(line: number, character: number, endLine: number, endCharacter: number): Range {
  return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}
