import assert from "node:assert/strict";
import { test } from "node:test";
import { readTranscript, TranscriptWriter } from "../../server/wire/transcript.ts";

test("what was written is read back, bodies byte for byte", () => {
  let text = "# a comment\n\n";
  let now = 1000;
  const writer = new TranscriptWriter(
    (line) => {
      text += line;
    },
    () => now,
  );
  writer.frame("client 1", ">", [Buffer.from('{"id":1152921504606846976,'), Buffer.from('"x":"a < b > \\n é"}')]);
  now += 12.4;
  writer.frame("gopls#2", "<", [Buffer.from("{}")]);
  writer.frame("gopls#2", ">", [Buffer.from("no json")]);
  assert.deepEqual(
    readTranscript(text).map((line) => ({ ...line, body: line.body.toString() })),
    [
      { ms: 0, lane: "client 1", direction: ">", body: '{"id":1152921504606846976,"x":"a < b > \\n é"}' },
      { ms: 12, lane: "gopls#2", direction: "<", body: "{}" },
      { ms: 12, lane: "gopls#2", direction: ">", body: "no json" },
    ],
  );
});

test("a body of several lines becomes one line of the same meaning", () => {
  let text = "";
  const writer = new TranscriptWriter(
    (line) => {
      text += line;
    },
    () => 0,
  );
  writer.frame("c", ">", [Buffer.from('{\r\n  "a": 1\n}')]);
  assert.equal(readTranscript(text)[0]?.body.toString(), '{    "a": 1 }');
});

test("a line of another form is named", () => {
  assert.throws(() => readTranscript("# ok\nnonsense\n"), /line 2/);
});
