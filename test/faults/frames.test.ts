/** Bytes on our stdin that no good client sends, and what reaches a backend all the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, type Line, silence } from "./actors.ts";
import { Stage } from "./stage.ts";

const at = { line: 0, character: 0 };

/** A session with a document open in fake1. */
async function session(stage: Stage, text = "one\n"): Promise<{ line: Line; uri: string }> {
  const line = stage.line();
  await line.initialize(stage.uri);
  const uri = stage.uriOf("a.x");
  line.send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "x", version: 1, text } } });
  return { line, uri };
}

test("every form of a header is read; what reaches a backend is canonical", async (t) => {
  const stage = await Stage.open(t, { fake1: { on: { "textDocument/hover": ({ params }) => params } } });
  const { line, uri } = await session(stage);
  const hover = (id: string): [number, string] => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "textDocument/hover",
      params: { textDocument: { uri }, position: at, extra: "😀é" },
    });
    return [Buffer.byteLength(body), body];
  };
  const forms: Readonly<Record<string, (n: number) => string>> = {
    "lower case": (n) => `content-length: ${n}\r\n\r\n`,
    "no space": (n) => `Content-Length:${n}\r\n\r\n`,
    "upper case, spaces": (n) => `CONTENT-LENGTH:   ${n}\r\n\r\n`,
    "type before": (n) => `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${n}\r\n\r\n`,
    "type after": (n) => `Content-Length: ${n}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n`,
    "another length": (n) => `X-Content-Length: 5\r\nContent-Length: ${n}\r\n\r\n`,
    "bare line feeds": (n) => `Content-Length: ${n}\n\n`,
  };
  for (const [name, form] of Object.entries(forms)) {
    const [length, body] = hover(name);
    line.write(form(length) + body);
  }
  const [length, body] = hover("byte by byte");
  for (const byte of Buffer.from(`content-length:${length}\r\n\r\n${body}`)) line.write(Buffer.of(byte));
  for (const id of [...Object.keys(forms), "byte by byte"]) {
    const { result } = await line.answer(id);
    assert.equal((result as { extra: string }).extra, "😀é", id);
  }
  // That its bytes were canonical is checked when the stage is cleared.
  assert.equal((await stage.fake("fake1")).of("textDocument/hover").length, 8);
});

test("initialize itself under a lower-case header, with all that follows in the same write", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const line = stage.line();
  const init = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { processId: null, rootUri: stage.uri, capabilities: {} },
  });
  const status = frameOf({ jsonrpc: "2.0", id: 2, method: "$/switchboard/status" });
  line.write(
    `content-length:${Buffer.byteLength(init)}\r\n\r\n${init}${frameOf({ jsonrpc: "2.0", method: "initialized", params: {} })}${status}`,
  );
  assert.ok((await line.answer(1)).result);
  assert.ok((await line.answer(2)).result);
});

const garbage: readonly (readonly [name: string, bytes: string, code: number])[] = [
  ["text that is no header", "hello there\r\n\r\n", -32700],
  ["a length that is none", "Content-Length: -5\r\n\r\n", -32700],
  ["no JSON", "Content-Length: 5\r\n\r\n{oops", -32700],
  ["an empty body", "Content-Length: 0\r\n\r\n", -32700],
  ["a batch", "Content-Length: 2\r\n\r\n[]", -32600],
  ["neither method nor id", "Content-Length: 2\r\n\r\n{}", -32600],
  ["an id that is none", frameOf({ jsonrpc: "2.0", id: {}, method: "textDocument/hover" }), -32600],
];

test("garbage is answered under id null, once a stretch, and survived", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const { line, uri } = await session(stage);
  for (const [name, bytes, code] of garbage) {
    const before = line.seen.all.length;
    line.write(bytes);
    line.send({ id: name, method: "textDocument/hover", params: { textDocument: { uri }, position: at } });
    assert.equal((await line.answer(name)).result, null, name);
    const said = line.seen.all.slice(before, -1);
    assert.deepEqual(
      said.map((frame) => [frame.id, frame.error?.code]),
      [[null, code]],
      name,
    );
  }
});

test("params that are not JSON fail their request alone", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const { line } = await session(stage);
  const body =
    '{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"x","arguments":[tru]}}';
  line.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  const { error } = await line.answer(7);
  assert.ok(error !== undefined && error.code < 0, "an error");
  line.send({ id: 8, method: "$/switchboard/status" });
  assert.ok((await line.answer(8)).result);
});

test("a frame over the cap is said, skipped and survived", async (t) => {
  const stage = await Stage.open(t, { fake1: {} }, { toml: "[limits]\nmaxFrameBytes = 1024\n" });
  const { line, uri } = await session(stage);
  line.send({
    id: 1,
    method: "textDocument/hover",
    params: { textDocument: { uri }, position: at, much: "x".repeat(500_000) },
  });
  line.send({ id: 2, method: "textDocument/hover", params: { textDocument: { uri }, position: at } });
  assert.equal((await line.answer(2)).result, null);
  const said = line.seen.all.find((frame) => frame.id === null);
  assert.match(said?.error?.message ?? "", /500\d{3} bytes.*1024/);
  assert.equal((await stage.fake("fake1")).of("textDocument/hover").length, 1);
});

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test("nesting that would exhaust a stack is refused, from a client and from a backend, and survived", async (t) => {
  let levels = 0;
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/references": ({ fake, id }) => {
          fake.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${nested(levels)}}`);
          return silence;
        },
      },
    },
  });
  const { line, uri } = await session(stage);
  // Not plain, so that every answer is parsed and walked over.
  const odd = stage.uriOf("odd é.x");
  line.send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri: odd, languageId: "x", version: 1, text: "" } },
  });
  for (levels of [900, 5_000, 200_000]) {
    const id = `client ${levels}`;
    for (const method of ["workspace/executeCommand", "textDocument/rename", "workspace/didChangeConfiguration"]) {
      const body = `{"jsonrpc":"2.0","id":"${id} ${method}","method":"${method}","params":{"command":"x","textDocument":{"uri":"${uri}"},"position":{"line":0,"character":0},"newName":"x","settings":${nested(levels)}}}`;
      line.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    }
    line.send({
      id: `backend ${levels}`,
      method: "textDocument/references",
      params: { textDocument: { uri: odd }, position: at },
    });
    assert.ok(await line.answer(`${id} workspace/executeCommand`));
    const answer = await line.answer(`backend ${levels}`);
    if (levels > 1000) assert.match(answer.error?.message ?? "", /fake1 answered .* not JSON/);
    else assert.ok(answer.result);
  }
  const renames = await Promise.all([900, 5_000, 200_000].map((n) => line.answer(`client ${n} textDocument/rename`)));
  assert.deepEqual(
    renames.map(({ error, result }) => error?.code ?? result),
    [null, -32700, -32600],
  );
});

interface Change {
  readonly range: { start: { line: number; character: number }; end: { line: number; character: number } };
  readonly text: string;
}

test("an edit between the halves of a surrogate pair, and half a pair in an answer", async (t) => {
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/hover": ({ fake, id }) => {
          fake.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"contents":"\\ud83d"}}`);
          return silence;
        },
      },
    },
  });
  const { line, uri } = await session(stage, 's = "😀"');
  const edit = (version: number, from: number): void => {
    const range = { start: { line: 0, character: from }, end: { line: 0, character: from + 1 } };
    line.send({
      method: "textDocument/didChange",
      params: { textDocument: { uri, version }, contentChanges: [{ range, text: "" }] },
    });
  };
  edit(2, 6);
  edit(3, 5);
  line.send({ id: 1, method: "textDocument/hover", params: { textDocument: { uri }, position: at } });
  assert.match((await line.answer(1)).result ? JSON.stringify((await line.answer(1)).result) : "", /\\ud83d|\ufffd/);
  const fake = await stage.fake("fake1");
  let text = ((await fake.until("textDocument/didOpen")).params as { textDocument: { text: string } }).textDocument
    .text;
  for (const { params } of fake.of("textDocument/didChange"))
    for (const { range, text: put } of (params as { contentChanges: Change[] }).contentChanges)
      text = text.slice(0, range.start.character) + put + text.slice(range.end.character);
  assert.equal(text, 's = ""');
});
