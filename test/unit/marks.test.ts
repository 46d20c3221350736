/** Marks of owners: on items that had no `data`, and on the arguments of commands. What is sent back bears no trace of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unmarked } from "../../server/wire/marks.ts";
import { memberStart, valueEnd } from "../../server/wire/scan.ts";
import { prefixOf, unwrapData } from "../../server/wire/splice.ts";

const MARK = prefixOf(2, 7);

const items: readonly (readonly [marked: string, bare: string])[] = [
  [`{"data":"${MARK}"}`, "{}"],
  [`{"data" : "${MARK}" , "a":1}`, `{ "a":1}`],
  [`{"a":1 , "data":"${MARK}"}`, `{"a":1 }`],
  [`{"a":1,"data":"${MARK}","b":2}`, `{"a":1,"b":2}`],
  [`[{"data":"${MARK}"},{"b":2,"data":"${MARK}2"}]`, `[{},{"b":2,"data":2}]`],
];
for (const [marked, bare] of items)
  test(`${marked} goes back as ${bare}`, () => {
    const bytes = Buffer.from(marked);
    const found = unwrapData(bytes, { start: 0, end: bytes.length });
    assert.equal(Buffer.concat([...(found?.pieces ?? [])]).toString(), bare);
    assert.deepEqual(found?.owners, ["sb1:2:7"]);
    JSON.parse(bare);
  });

test("equal keys are nobody's form, and break nothing", () => {
  const bytes = Buffer.from(`{"data":"${MARK}","data":"${MARK}"}`);
  assert.doesNotThrow(() => unwrapData(bytes, { start: 0, end: bytes.length }));
});

const commands: readonly (readonly [params: string, bare: string | null])[] = [
  [`{"command":"c","arguments":["${MARK}"]}`, `{"command":"c"}`],
  [`{"arguments":[ "${MARK}" ],"command":"c"}`, `{"command":"c"}`],
  [
    `{"command":"c","arguments":[1152921504606846976, "${MARK}" ]}`,
    `{"command":"c","arguments":[1152921504606846976 ]}`,
  ],
  [`{"command":"c","arguments":["${MARK}","${MARK}"]}`, `{"command":"c","arguments":["${MARK}"]}`],
  [`{"command":"c","arguments":[["${MARK}"]]}`, null],
  [`{"command":"c","arguments":["x\\"${MARK}"]}`, null],
  [`{"command":"c","arguments":["${MARK}1"]}`, null],
  [`{"command":"c","arguments":["sb1:x"]}`, null],
  [`{"command":"c","arguments":[]}`, null],
];
for (const [params, bare] of commands)
  test(`${params}: ${bare ?? "no mark"}`, () => {
    const bytes = Buffer.from(params);
    const start = memberStart(bytes, 0, bytes.length, "arguments");
    const list = { start, end: valueEnd(bytes, start, bytes.length) };
    const found = unmarked(bytes, { start: 0, end: bytes.length }, list);
    assert.equal(found && Buffer.concat([...found.pieces]).toString(), bare);
    if (found !== null) assert.equal(found.owner, "sb1:2:7");
  });
