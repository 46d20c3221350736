import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainData, prefixOf, unwrapData } from "../../server/wire/splice.ts";
import { wrapData } from "../../server/wire/wrapping.ts";

const PREFIX = prefixOf("gopls", 3);
const all = (bytes: Buffer) => ({ start: 0, end: bytes.length });

function wrap(text: string): string | null {
  const bytes = Buffer.from(text);
  const pieces = wrapData([bytes], all(bytes), PREFIX);
  return pieces && Buffer.concat(pieces).toString();
}

function unwrap(text: string) {
  const bytes = Buffer.from(text);
  const done = unwrapData(bytes, all(bytes));
  return done && { text: Buffer.concat(done.pieces).toString(), owners: done.owners, bare: done.bare };
}

const OPAQUE = [
  "1152921504606846976",
  "1.0",
  "-0",
  "1e400",
  "{}",
  "[]",
  "null",
  "false",
  '""',
  '"text"',
  '"\\"\\\\\\/\\b\\u0000\\ud83d\\ud83d\\ude00"',
  '"😀 é \u2028"',
  '{"a":1,"a":2,"data":{"data":3}}',
  '{ "line" :\r\n\t[ 1 , 2 ] }',
  `${"[".repeat(2000)}${"]".repeat(2000)}`,
  '"sb1:other:1:{}"',
  // They grow to several times their length.
  `[${"\n".repeat(5000)}1,${"\t".repeat(3000)}2]`,
  `{"${'\\"'.repeat(4000)}":"${"\\\\".repeat(4000)}"}`,
];

test("any data comes back byte for byte", () => {
  for (const json of OPAQUE) {
    for (const item of [`{"label":"x","data":${json},"z":1}`, `[{"data" : ${json} },{"data":${json}}]`]) {
      const out = wrap(item);
      assert.ok(out !== null);
      const parsed: unknown = JSON.parse(out);
      const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
      assert.ok(typeof first === "object" && first !== null && "data" in first);
      assert.equal(first.data, PREFIX + json, "one string, prefix and original text");
      assert.deepEqual(unwrap(out), { text: item, owners: ["sb1:gopls:3"], bare: 0 });
    }
  }
});

test("any JSON comes back byte for byte, also when the client escapes every character", () => {
  const escapeAll = (s: string): string =>
    [...Array(s.length).keys()].map((i) => `\\u${s.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.json(), (json, other) => {
      const item = `{"label":${other},"data":${json}}`;
      const out = wrap(item);
      assert.ok(out !== null);
      assert.equal(unwrap(out)?.text, item);
      const client = JSON.parse(out) as { data: string };
      const strict = `{"data":"${PREFIX}${escapeAll(client.data.slice(PREFIX.length))}"}`;
      assert.equal(unwrap(strict)?.text, `{"data":${json}}`);
    }),
    { numRuns: 200 },
  );
});

test("only keys named data, outside of strings", () => {
  for (const text of [
    '{"label":"\\"data\\":1","x":"data","y":["data"],"metadata":1,"data2":2}',
    '{"x":"\\\\\\"data\\":1"}',
    "[]",
    "",
    '"data"',
  ]) {
    assert.equal(wrap(text), null, text);
    assert.equal(unwrap(text), null, text);
  }
  assert.equal(wrap('{"data":"\\"data\\":1"}'), `{"data":"${PREFIX}\\"\\\\\\"data\\\\\\":1\\""}`);
});

test("only within the span", () => {
  const bytes = Buffer.from('{"data":1,"result":{"data":2},"data":3}');
  const start = bytes.indexOf('{"data":2');
  const span = { start, end: start + '{"data":2}'.length };
  const pieces = wrapData([bytes], span, PREFIX);
  assert.equal(Buffer.concat(pieces ?? []).toString(), `{"data":"${PREFIX}2"}`);
  assert.equal(Buffer.concat(unwrapData(bytes, span)?.pieces ?? []).toString(), '{"data":2}');
  assert.equal(unwrapData(bytes, span)?.bare, 1);
  assert.equal(wrapData([bytes], { start: 0, end: 1 }, PREFIX), null);
});

test("owners are told apart, and data without an envelope is counted and left", () => {
  const text = '[{"data":"sb1:a:1:{}"},{"data":"sb1:b:12:[1]"},{"data":"sb1:a:1:2"},{"data":{"k":1}},{"data":"sb1:a"}]';
  assert.deepEqual(unwrap(text), {
    text: '[{"data":{}},{"data":[1]},{"data":2},{"data":{"k":1}},{"data":"sb1:a"}]',
    owners: ["sb1:a:1", "sb1:b:12"],
    bare: 2,
  });
  for (const none of ["sb1:a:x:1", "sb1:a:", "sb1::", "sb2:a:1:1"]) assert.equal(unwrap(`{"data":"${none}"}`)?.bare, 1);
});

test("a list of thousands becomes a few pieces", () => {
  const item = '{"label":"x","data":{"uri":"file:///a","n":1}}';
  const bytes = Buffer.from(`[${Array(5000).fill(item).join(",")}]`);
  const pieces = wrapData([bytes], all(bytes), PREFIX);
  assert.ok(pieces !== null && pieces.length <= 3);
  const wrapped = Buffer.concat(pieces);
  const back = unwrapData(wrapped, all(wrapped));
  assert.ok(back !== null && Buffer.concat(back.pieces).equals(bytes));
});

test("a list that came in pieces is wrapped as one that came whole, wherever they end", () => {
  const text = '{"result":[{"label":"é","data" : {"a":"\\"data\\":1"}},{"data":"x"}],"id":1}';
  const bytes = Buffer.from(text);
  const span = { start: text.indexOf("["), end: bytes.length - '],"id":1}'.length + 1 };
  const whole = Buffer.concat(wrapData([bytes], span, PREFIX) ?? []).toString();
  assert.equal(JSON.parse(whole)[0].data, `${PREFIX}{"a":"\\"data\\":1"}`);
  for (let at = 0; at <= bytes.length; at += 1)
    for (const pieces of [
      [bytes.subarray(0, at), bytes.subarray(at)],
      [bytes.subarray(0, at), bytes.subarray(at, at + 3), bytes.subarray(at + 3)],
    ])
      assert.equal(Buffer.concat(wrapData(pieces, span, PREFIX) ?? []).toString(), whole, `cut at ${at}`);
});

test("broken bytes are passed on, not read past", () => {
  for (const text of ['{"data":', '{"data":{"a"', '{"data":"sb1:a:1:', '{"data":"sb1:a:1:\\u00']) {
    assert.equal(wrap(text) ?? text, text);
    assert.equal(unwrap(text)?.text ?? text, text);
  }
});

test("plain data is what any client can write back", () => {
  const plain = (json: string, sample = 10): boolean => {
    const bytes = Buffer.from(`[{"data":1},{"data":${json}}]`);
    return plainData(bytes, all(bytes), sample);
  };
  const yes = ["1", "-5", "123456789012345", '"a\\n\\"é"', "true", '{"a":[1,{"a":2}],"b":"x"}', "[ 1, 2 ]"];
  const no = ["1234567890123456", "1152921504606846976", "1.0", "1e3", "null", "{}", "[ ]", '"\\u0000"'];
  const worse = ['{"a":1,"a":2}', '{"a":[{ }]}', `${"[".repeat(2000)}1${"]".repeat(2000)}`];
  for (const json of yes) assert.equal(plain(json), true, json);
  for (const json of [...no, ...worse]) assert.equal(plain(json), false, json.slice(0, 50));
  assert.deepEqual(
    [plain("1.0", 1), plain("1.0", 2)],
    [true, false],
    "what lies beyond the sample is taken to be like it",
  );
});
