/** Answers on their way through: what completes one that breaks off, and that the promised length is kept, always. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closing } from "../../server/wire/closing.ts";
import { Passage, passedLength, type Trouble } from "../../server/wire/passage.ts";
import { readStart } from "../../server/wire/start.ts";

const strict = new TextDecoder("utf-8", { fatal: true });

function parsed(...pieces: (Buffer | string)[]): unknown {
  return JSON.parse(strict.decode(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))));
}

test("cut anywhere, a JSON text is completed by no more bytes than were missing", () => {
  const text = fc
    .oneof(fc.json({ maxDepth: 4 }), fc.constant('{"a":[-1.5e+7,"\\u00e9\\"é😀",true,false,null,{},[]],"":{"k":0}}'))
    .map((json) => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${json}}`));
  fc.assert(
    fc.property(text, (bytes) => {
      for (let end = 1; end <= bytes.length; end++) {
        const start = bytes.subarray(0, end);
        const { token, brackets } = closing(start);
        parsed(start, token, brackets);
        assert.ok(token.length + brackets.length <= bytes.length - end, start.toString());
      }
    }),
    { numRuns: 60 },
  );
});

const items = JSON.stringify(Array.from({ length: 400 }, (_, i) => ({ label: `é${i}`, n: i })));
const first = Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${items}}`);
const last = (id: number): Buffer => Buffer.from(`{"jsonrpc":"2.0","result":${items},"id":${id}}`);

/** What a client gets of `body`, of which `given` bytes come, under the id "mine". */
function passed(body: Buffer, given: number, trouble?: "stalled"): { message: unknown; ended: Trouble | null } {
  const start = readStart(body.subarray(0, 200), body.length);
  assert.ok(start !== null);
  const out: Buffer[] = [];
  let closed = 0;
  let ended: Trouble | null = null;
  const options = {
    start,
    length: body.length,
    ours: 7,
    theirs: "mine",
    onEnd: (why: Trouble | null) => {
      ended = why;
      return why === null ? null : { code: -32803, message: why };
    },
  };
  const to = { write: (bytes: Buffer) => out.push(bytes) > 0, close: () => void closed++ };
  const passage = new Passage(to, options);
  passage.write(body.subarray(0, 200));
  for (let at = 200; at < given; at += 1000) passage.write(body.subarray(at, Math.min(at + 1000, given)));
  if (trouble === undefined) passage.end(given === body.length);
  else passage.fail(trouble);
  passage.write(Buffer.from("what comes later is nobody's"));
  passage.end(true);
  assert.equal(closed, 1);
  assert.equal(Buffer.concat(out).length, passedLength(options));
  return { message: parsed(...out), ended };
}

test("whole, with its id first or last: under the client's id, all else as it came", () => {
  for (const body of [first, last(7)]) {
    const { message, ended } = passed(body, body.length);
    assert.deepEqual(message, { jsonrpc: "2.0", id: "mine", result: JSON.parse(items) });
    assert.equal(ended, null);
  }
});

test("broken off anywhere: JSON of the promised length, under the client's id, with an error", () => {
  for (const body of [first, last(7)])
    for (let given = 201; given < body.length; given += 997)
      for (const why of [undefined, "stalled"] as const) {
        const { message, ended } = passed(body, given, why);
        const { id, error } = message as { id: unknown; error: unknown };
        const trouble = why ?? "died";
        assert.deepEqual([id, error, ended], ["mine", { code: -32803, message: trouble }, trouble]);
      }
});

test("an answer whose last bytes show that it was another's is an error", () => {
  const { message, ended } = passed(last(8), last(8).length);
  const { id, error } = message as { id: unknown; error: unknown };
  assert.deepEqual([id, error, ended], ["mine", { code: -32803, message: "mismatch" }, "mismatch"]);
});

test("only an answer with a list or an object for its result, or a notification, is told from its beginning", () => {
  const told = readStart(Buffer.from('{"jsonrpc":"2.0","method":"m","params":{"a'), 100_000);
  assert.deepEqual([told?.method, told?.id, told?.bodySpan.start], ["m", undefined, 39]);
  for (const body of [
    '{"jsonrpc":"2.0","method":"m","params":null',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":[',
    '{"jsonrpc":"2.0","params":[],"method":"m"',
    '{"jsonrpc":"2.0","method":"m","result":[',
    '{"jsonrpc":"2.0","method":"m","method":"n","params":[',
    '{"jsonrpc":"2.0","id":1,"error":{',
    '{"jsonrpc":"2.0","id":1,"result":"long',
    '{"jsonrpc":"2.0","id":"1","result":[',
    '{"jsonrpc":"2.0","id":1,"id":2,"result":[',
    '[{"id":1,"result":[',
  ])
    assert.equal(readStart(Buffer.from(body), 100_000), null, body);
});
