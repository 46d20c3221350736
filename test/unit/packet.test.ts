import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { error, notification, request, result, withBody, withId } from "../../server/wire/compose.ts";
import { fieldSpan, stringField, uriOf, versionOf } from "../../server/wire/fields.ts";
import {
  depthOver,
  type Id,
  isMalformed,
  isNullBody,
  type Malformed,
  type Packet,
  parseBody,
  readPacket,
} from "../../server/wire/packet.ts";

function read(text: string): Packet {
  const p = readPacket(Buffer.from(text));
  assert.ok(!isMalformed(p), isMalformed(p) ? `${p.problem}: ${text.slice(0, 200)}` : "");
  return p;
}

function refuse(text: string): Malformed {
  const p = readPacket(Buffer.from(text));
  assert.ok(isMalformed(p), `taken for a packet: ${text.slice(0, 200)}`);
  return p;
}

const joined = (pieces: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(pieces).toString());
const body = (p: Packet): string | undefined =>
  p.bodySpan && p.bytes.toString("utf8", p.bodySpan.start, p.bodySpan.end);

/** Long enough that the reader trusts the ends of the frame. */
const LONG_LIST = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, text: 'a "quoted" \\ thing' })));
const LONG_OBJECT = `{"items":${LONG_LIST}}`;

test("the three kinds, in any order of keys", () => {
  const table: readonly [string, Packet["kind"], string | undefined, Id | null | undefined, string | undefined][] = [
    ['{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}', "request", "a", 1, '{"x":1}'],
    ['{"params":[1],"method":"a","id":"1"}', "request", "a", "1", "[1]"],
    ['{"id":0,"method":"a"}', "request", "a", 0, undefined],
    ['{"method":"a","params":{"id":7}}', "notification", "a", undefined, '{"id":7}'],
    [' \r\n\t{ "method" : "a/b" , "params" : null }\n', "notification", "a/b", undefined, "null"],
    ['{"jsonrpc":"2.0","result":null,"id":5}', "response", undefined, 5, "null"],
    ['{"id": 1, "result": "x\\"id\\":5}"}', "response", undefined, 1, '"x\\"id\\":5}"'],
    ['{"id":-3,"result":{"id":5}}', "response", undefined, -3, '{"id":5}'],
    ['{"id":null,"error":{"code":1,"message":""}}', "response", undefined, null, '{"code":1,"message":""}'],
    ['{"id":1,"error":null,"result":[]}', "response", undefined, 1, "[]"],
    ['{"\\u0069d":1,"m\\u0065thod":"a","p\\u0061rams":{}}', "request", "a", 1, "{}"],
    ['{"id":1,"id":2,"method":"a","method":"b"}', "request", "b", 2, undefined],
    ['{"id":"a\\n\\u00e9","method":"\\u0061","extra":{"method":"no"}}', "request", "a", "a\né", undefined],
    ['{"id":9007199254740991,"result":1}', "response", undefined, 9007199254740991, "1"],
  ];
  for (const [text, kind, method, id, value] of table) {
    const p = read(text);
    assert.deepEqual([p.kind, p.method, p.id, body(p)], [kind, method, id, value], text);
  }
});

test("a response is failed only by an error that is not null", () => {
  assert.equal(read('{"id":1,"error":{"code":-32601,"message":"no"}}').failed, true);
  assert.equal(read('{"id":1,"result":null,"error":{"code":1,"message":"no"}}').failed, true);
  assert.equal(read('{"id":1,"error":null,"result":5}').failed, false);
  assert.equal(isNullBody(read('{"id":1,"result": null }')), true);
  assert.equal(isNullBody(read('{"id":1}')), true, "some servers leave a null result out");
  assert.equal(isNullBody(read('{"id":1,"result":0}')), false);
  assert.equal(isNullBody(read('{"id":1,"error":{}}')), false);
});

test("what is no packet is refused with JSON-RPC's code, and the id where it is known", () => {
  const table: readonly [string, number, Id | null][] = [
    ["", -32700, null],
    ["   ", -32700, null],
    ["nonsense", -32700, null],
    ["{", -32700, null],
    ['{"id":1', -32700, 1],
    ['{"id":1,"method":"a"', -32700, 1],
    ['{"id":1,"method":"a",}', -32700, 1],
    ['{"id":1,"method":"a"} x', -32700, 1],
    ['{"id":1,"method":"a" "b":1}', -32700, 1],
    ['{"id":1,"method":"unended}', -32700, 1],
    ['[{"id":1,"method":"a"}]', -32600, null],
    ["{}", -32600, null],
    ['{"result":1}', -32600, null],
    ['{"id":7,"method":5}', -32600, 7],
    ['{"method":{},"id":"q"}', -32600, "q"],
    ['{"id":null,"method":"a"}', -32600, null],
    ...["1.5", "true", "{}", "[]", "9007199254740992", "1e99", "01", "-", '"\\x"'].map((id): [string, number, null] => [
      `{"id":${id},"method":"a"}`,
      -32600,
      null,
    ]),
  ];
  for (const [text, code, id] of table) {
    const p = refuse(text);
    assert.deepEqual([p.code, p.id], [code, id], text);
  }
  assert.match(refuse("[]").problem, /batch/);
});

test("long frames are read from their ends, and walked through where the ends do not tell", () => {
  for (const value of [LONG_LIST, LONG_OBJECT]) {
    const forms: readonly [string, Packet["kind"], Id | undefined][] = [
      [`{"jsonrpc":"2.0","id":4,"result":${value}}`, "response", 4],
      [`{"jsonrpc":"2.0","id":4,"result":${value} } \n`, "response", 4],
      [`{"jsonrpc":"2.0","result":${value},"id":4}`, "response", 4],
      [`{"jsonrpc":"2.0","result": ${value} , "id" : 4 }`, "response", 4],
      [`{"result":${value},"id":"a"}`, "response", "a"],
      [`{"result":${value},"id":4,"jsonrpc":"2.0"}`, "response", 4],
      [`{"id":4,"result":${value},"error":null}`, "response", 4],
      [`{"id":4,"result":${value},"x":[]}`, "response", 4],
      [`{"id":3,"result":${value},"id":4}`, "response", 4],
      [`{"id":4,"method":"a","params":${value}}`, "request", 4],
      [`{"method":"a","params":${value},"id":4}`, "request", 4],
      [`{"method":"a","params":${value},"id":4,"x":{"y":[]}}`, "request", 4],
      [`{"params":${value},"id":4,"method":"a"}`, "request", 4],
      [`{"method":"a","params":${value}}`, "notification", undefined],
      [`{"params":${value},"method":"a"}`, "notification", undefined],
    ];
    for (const [text, kind, id] of forms) {
      const p = read(text);
      const name = text.replace(value, "…");
      assert.deepEqual([p.kind, p.id], [kind, id], name);
      // Junk in brackets after a result is the one thing that the ends hide; the bytes are passed on all the same.
      if (!name.includes('"x":[]}')) assert.equal(body(p), value, name);
    }
  }
  assert.equal(body(read(`{"id":1,"result":"${"x".repeat(9000)}\\"id\\":5}"}`))?.length, 9000 + 11);
});

const json = fc.json({ maxDepth: 3 });
const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const anyId = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.string());
const kinds: fc.Arbitrary<readonly [string, string][]> = fc.oneof(
  fc
    .tuple(fc.option(anyId), fc.string(), fc.option(json))
    .map(([id, method, params]): [string, string][] => [
      ...(id === null ? [] : [["id", JSON.stringify(id)] satisfies [string, string]]),
      ["method", JSON.stringify(method)],
      ...(params === null ? [] : [["params", params] satisfies [string, string]]),
    ]),
  fc
    .tuple(anyId, json, fc.boolean())
    .map(([id, value, failed]): [string, string][] => [
      ["id", JSON.stringify(id)],
      failed ? ["error", `{"code":1,"message":"m","data":${value}}`] : ["result", value],
    ]),
);
const frames = fc
  .tuple(kinds, fc.boolean(), fc.array(fc.tuple(fc.string(), json), { maxLength: 2 }), fc.nat(), blank, blank)
  .chain(([members, version, extras, , a, b]) => {
    const known = new Set(["id", "method", "params", "result", "error", "__proto__"]);
    const all = [
      ...members,
      ...(version ? [["jsonrpc", '"2.0"'] as const] : []),
      ...extras.filter(([key]) => !known.has(key)),
    ];
    return fc
      .shuffledSubarray(all, { minLength: all.length })
      .map((list) => `${a}{${list.map(([k, v]) => `${b}${JSON.stringify(k)}${a}:${b}${v}${a}`).join(",")}${b}}${a}`);
  });

test("agrees with JSON.parse whatever the order and the blanks", () => {
  fc.assert(
    fc.property(frames, anyId, (text, other) => {
      const p = read(text);
      const whole: Record<string, unknown> = JSON.parse(text);
      assert.equal(p.method, whole.method);
      assert.ok(Object.is(p.id, Object.is(whole.id, -0) ? 0 : whole.id));
      assert.deepEqual(parseBody(p), p.kind === "response" ? (whole.error ?? whole.result) : whole.params);
      assert.equal(p.failed, p.kind === "response" && whole.error !== undefined);
      if (p.kind === "notification") return;
      assert.deepEqual(joined(withId(p, other)), { ...whole, id: other });
      const key = p.kind === "request" ? "params" : p.failed ? "error" : "result";
      assert.deepEqual(joined(withBody(p, [Buffer.from("[1,"), Buffer.from("2]")], other)), {
        ...whole,
        id: other,
        [key]: [1, 2],
      });
    }),
    { numRuns: 300 },
  );
});

test("withId changes the id's bytes and nothing else", () => {
  const p = read('{ "id" :"a", "result":{"big":1152921504606846976,"one":1.0,"a":1,"a":2} }');
  const out = Buffer.concat(withId(p, 7)).toString();
  assert.equal(out, '{ "id" :7, "result":{"big":1152921504606846976,"one":1.0,"a":1,"a":2} }');
  assert.equal(Buffer.concat(withId(p, "\ud83d")).toString(), out.replace(":7,", ':"\\ud83d",'), "half a pair");
});

test("fields are found without parsing, whatever stands before them", () => {
  const p = read(
    '{"method":"m","params":{"x":{"textDocument":{"uri":"no"}},"y":"\\"textDocument\\":{","text\\u0044ocument" : ' +
      '{"text":"}{\\\\","version": -2 ,"\\u0075ri":"file:///a%20b/\\u00e9"},"textDocument":{"uri":"second"}}}',
  );
  assert.equal(uriOf(p), "file:///a%20b/é");
  assert.equal(versionOf(p), -2);
  assert.equal(stringField(p, ["textDocument", "text"]), "}{\\");
  assert.equal(stringField(p, ["textDocument", "version"]), undefined);
  assert.equal(fieldSpan(p, ["textDocument", "none"]), undefined);
  assert.equal(fieldSpan(p, ["y", "textDocument"]), undefined);
  assert.equal(versionOf(read('{"method":"m","params":{"textDocument":{"version":null}}}')), null);
  assert.equal(versionOf(read('{"method":"m","params":{"textDocument":{"version":"1"}}}')), undefined);
  assert.equal(uriOf(read('{"method":"m","params":[{"textDocument":{"uri":"x"}}]}')), undefined);
  assert.equal(uriOf(read('{"method":"m"}')), undefined);
  const long = `${'quoted \\" text \\\\'.repeat(20)}`;
  const q = read(`{"method":"m","params":{"textDocument":{"text":"${long}","uri":"file:///u"}}}`);
  assert.equal(uriOf(q), "file:///u");
  assert.equal(stringField(q, ["textDocument", "text"]), JSON.parse(`"${long}"`));
});

test("our own messages", () => {
  assert.equal(request(1, "a", undefined).toString(), '{"jsonrpc":"2.0","id":1,"method":"a"}');
  assert.equal(
    notification("a", { s: "\ud83d" }).toString(),
    '{"jsonrpc":"2.0","method":"a","params":{"s":"\\ud83d"}}',
  );
  assert.equal(result("x", undefined).toString(), '{"jsonrpc":"2.0","id":"x","result":null}');
  assert.equal(
    error(null, { code: -32700, message: "m" }).toString(),
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
  );
});

test("a body is parsed once, and says when it is not JSON", () => {
  const p = read('{"id":1,"result":{"a":[1]}}');
  assert.equal(parseBody(p), parseBody(p));
  assert.equal(parseBody(read('{"id":1}')), undefined);
  assert.throws(() => parseBody(read('{"id":1,"result":{a}}')), SyntaxError);
});

test("depth is counted outside strings only", () => {
  const nested = (n: number): Buffer => Buffer.from(`${"[".repeat(n)}${"]".repeat(n)}`);
  assert.equal(depthOver(nested(100), 100), false);
  assert.equal(depthOver(nested(101), 100), true);
  assert.equal(depthOver(nested(200_000), 200_000), false);
  assert.equal(depthOver(Buffer.from('{"a":"[[[[[[","b":[{}],"c":"\\"[[["}'), 3), false);
  assert.equal(depthOver(Buffer.from('["'), 3), false, "broken text ends the count");
});

test("a long body in pieces reads as it does in one", () => {
  const filler = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ n: i, s: 'x"}],{"id":7' })));
  const bodies = [
    `{"jsonrpc":"2.0","id":12,"result":${filler}}`,
    `{"jsonrpc":"2.0","result":${filler},"id":12}`,
    `{"jsonrpc":"2.0", "result":${filler} , "id" : 12 }`,
    `{"jsonrpc":"2.0","result":${filler},"id":"twelve"}`,
    `{"jsonrpc":"2.0","id":12,"error":null,"result":${filler}}`,
    `{"jsonrpc":"2.0","id":12,"result":${filler},"extra":{"a":1}}`,
    `{"params":{"textDocument":{"uri":"file:///a","version":3,"text":${JSON.stringify(filler)}}},"method":"m"}`,
    `{"method":"m","params":{"textDocument":{"uri":"file:///a","version":3,"text":${JSON.stringify(filler)}}}}`,
    `{"method":"m","params":{"textDocument":{"text":${JSON.stringify(filler)},"uri":"file:///a","version":3}}}`,
    `{"method":"m","id":5,"params":{"textDocument":{"uri":"file:///a","text":${JSON.stringify(filler)}}}}`,
    `{"method":"m","params":{"textDocument":{"uri":"file:///a","text":${JSON.stringify(filler)}}},"id":5}`,
    `{"pad":${JSON.stringify("p".repeat(9000))},"id":12,"result":${filler}}`,
  ];
  for (const text of bodies)
    for (const size of [1000, 4096, 8191, 65_536]) {
      const bytes = Buffer.from(text);
      const pieces: Buffer[] = [];
      for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
      const whole = read(text);
      const parts = readPacket(pieces);
      assert.ok(!isMalformed(parts), text.slice(0, 60));
      const facts = (p: Packet): unknown => [p.kind, p.method, p.id, p.idSpan, p.failed, uriOf(p), versionOf(p)];
      assert.deepEqual(facts(parts), facts(whole), `${text.slice(0, 60)} in pieces of ${size}`);
      // Another member after a long result is the one corner in which the ends tell less than the whole.
      if (!text.includes('"extra"')) assert.deepEqual(parts.bodySpan, whole.bodySpan, text.slice(0, 60));
      assert.equal(Buffer.concat(withId(parts, 99)).toString(), Buffer.concat(withId(whole, 99)).toString());
      assert.ok(parts.bytes.equals(bytes));
    }
});
