/** Messages on their way to a backend: the promised length is kept, no half of a surrogate pair gets through, and what breaks off is JSON. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Onward } from "../../server/wire/onward.ts";

function onward(length: number): { onward: Onward; sent: Buffer[]; closed: () => number } {
  const sent: Buffer[] = [];
  let closed = 0;
  const to = { write: (bytes: Buffer) => sent.push(Buffer.from(bytes)) > 0, close: () => void closed++ };
  return { onward: new Onward(to, length), sent, closed: () => closed };
}

/** Any of what matters to escapes, in JSON's spelling. */
const inside = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "😀",
      "\\ud83d",
      "\\uDE00",
      "\\uD83D\\ude00",
      "\\u00e9",
      "\\\\",
      "\\\\ud83d",
      '\\"',
      "\\n",
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

const opened = (text: string): Buffer =>
  Buffer.from(`{"method":"m","params":{"textDocument":{"version":1,"text":"${text}"}}}`);

function given(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

test("wherever its pieces end, a message arrives with all its pairs and U+FFFD for each half", () => {
  fc.assert(
    fc.property(inside, cuts, (text, sizes) => {
      const body = opened(`${text}${" ".repeat(1_000)}${text}`);
      const { onward: passed, sent, closed } = onward(body.length);
      for (const piece of given(body, sizes)) passed.write(piece);
      passed.finish();
      passed.finish();
      passed.fail();
      const out = Buffer.concat(sent);
      assert.equal(out.length, body.length);
      assert.equal(closed(), 1);
      const whole = JSON.parse(body.toString("utf8")) as { params: { textDocument: { text: string } } };
      const { textDocument } = whole.params;
      assert.deepEqual(JSON.parse(out.toString("utf8")), {
        ...whole,
        params: { textDocument: { ...textDocument, text: textDocument.text.toWellFormed() } },
      });
    }),
    { numRuns: 300 },
  );
});

test("broken off anywhere, it is JSON of the promised length, with the text as far as it had gone", () => {
  fc.assert(
    fc.property(inside, cuts, fc.double({ min: 0, max: 1, noNaN: true }), (text, sizes, share) => {
      const body = opened(`${text}${"x".repeat(1_200)}`);
      const pieces = given(body, sizes);
      const { onward: passed, sent, closed } = onward(body.length);
      const before = Math.max(Math.ceil(60 / Math.min(...sizes)), Math.floor(pieces.length * share));
      for (const piece of pieces.slice(0, before)) passed.write(piece);
      passed.fail();
      passed.write(Buffer.from("what comes later is nobody's"));
      passed.fail();
      const out = Buffer.concat(sent);
      assert.equal(out.length, body.length);
      assert.equal(closed(), 1);
      JSON.parse(out.toString("utf8"));
    }),
    { numRuns: 300 },
  );
});

test("what turns out to be no JSON keeps its length as well", () => {
  const body = Buffer.from(`{"params":${"[".repeat(5_000)}`);
  const { onward: passed, sent, closed } = onward(body.length);
  passed.write(body.subarray(0, 4_500));
  passed.fail();
  assert.equal(Buffer.concat(sent).length, body.length);
  assert.equal(closed(), 1);
});
