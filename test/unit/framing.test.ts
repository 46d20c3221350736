import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader, header } from "../../server/wire/framing.ts";
import type { Body } from "../../server/wire/packet.ts";

/** Reads chunks and lists what came of them: bodies as text, `!kind` for problems, `~text` for noise. */
function read(chunks: readonly (string | Buffer)[], options: { noise?: boolean; max?: number } = {}): string[] {
  const out: string[] = [];
  const reader = new FrameReader({
    ...(options.max === undefined ? {} : { maxFrameBytes: options.max }),
    ...(options.noise === true ? { onNoise: (text: string) => out.push(`~${text}`) } : {}),
    onBody: (body) => out.push((Buffer.isBuffer(body) ? body : Buffer.concat([...body])).toString()),
    onProblem: (problem) => out.push(`!${problem.kind}`),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return out;
}

const frame = (body: string): string => header(Buffer.byteLength(body)).toString() + body;
const bytes = (text: string): Buffer[] => [...Buffer.from(text)].map((b) => Buffer.from([b]));

const GOOD = '{"method":"good"}';
const N = GOOD.length;

test("every form of header is read, whole and byte by byte", () => {
  const forms = [
    `Content-Length: ${N}\r\n\r\n`,
    `content-length: ${N}\r\n\r\n`,
    `CONTENT-LENGTH:   ${N}\r\n\r\n`,
    `Content-Length:${N}\r\n\r\n`,
    `Content-Length : ${N}  \r\n\r\n`,
    `Content-Length:\t${N}\n\n`,
    `Content-Length: ${N}\n\r\n`,
    `Content-Length: 0${N}\r\n\r\n`,
    `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${N}\r\n\r\n`,
    `Content-Length: ${N}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n`,
    `X-Content-Length: 5\r\nContent-Length: ${N}\r\n\r\n`,
    `Content-Length: ${N}\r\nX-Content-Length: 5\r\nContent-Length: ${N}\r\n\r\n`,
    `\r\n\n\r\nContent-Length: ${N}\r\n\r\n`,
    `X-Long: ${"x".repeat(7000)}\r\nContent-Length: ${N}\r\n\r\n`,
  ];
  for (const form of forms) {
    for (const noise of [false, true]) {
      assert.deepEqual(read([form + GOOD + form + GOOD], { noise }), [GOOD, GOOD], JSON.stringify(form.slice(0, 80)));
      if (form.length > 1000) continue;
      assert.deepEqual(read(bytes(form + GOOD), { noise }), [GOOD], JSON.stringify(form.slice(0, 80)));
    }
  }
});

test("frames split at every byte, several in a chunk", () => {
  const bodies = ['{"a":"é😀"}', "{}", `{"long":"${"x".repeat(300)}"}`, "", '{"crlf":"\\r\\n"}\r\n\r\n'];
  const stream = Buffer.from(bodies.map(frame).join(""));
  for (let i = 0; i <= stream.length; i += 1) {
    assert.deepEqual(read([stream.subarray(0, i), stream.subarray(i)]), bodies, `split at ${i}`);
  }
  for (const step of [1, 2, 3, 7, 64]) {
    const chunks: Buffer[] = [];
    for (let i = 0; i < stream.length; i += step) chunks.push(stream.subarray(i, i + step));
    assert.deepEqual(read(chunks), bodies, `chunks of ${step}`);
  }
});

test("nothing is copied: a body in one chunk is a view of it, a long one in many is their views", () => {
  const seen: Body[] = [];
  const reader = new FrameReader({ onBody: (b) => seen.push(b), onProblem: (p) => assert.fail(p.text) });
  const chunk = Buffer.from(frame(GOOD));
  reader.push(chunk);
  assert.ok(Buffer.isBuffer(seen[0]) && seen[0].buffer === chunk.buffer);
  const big = Buffer.alloc(1_000_000, 0x20);
  reader.push(header(big.length));
  for (let i = 0; i < big.length; i += 65_536) reader.push(big.subarray(i, i + 65_536));
  const pieces = seen[1];
  assert.ok(Array.isArray(pieces) && pieces.every((piece) => piece.buffer === big.buffer));
  assert.ok(Buffer.concat(pieces).equals(big));
});

test("stray text of a backend is passed over and handed to the log", () => {
  const table: readonly [string, string][] = [
    ["Info: 3 decls\n\n", "Info: 3 decls"],
    ["Info: 3 decls\n", "Info: 3 decls"],
    ["\x1b[2J", "[2J"],
    ["cont\n", "cont"],
    ["cont", "cont"],
    ["Starting server: port 5, ", "Starting server: port 5,"],
    ['{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0"}'],
    ["Welcome to\r\n  the server!\r\n\r\n", "Welcome to\n  the server!"],
    ["see Content-Length: five\n", "see Content-Length: five"],
  ];
  for (const [stray, said] of table) {
    const stream = frame("{}") + stray + frame(GOOD) + frame("[]");
    assert.deepEqual(read([stream], { noise: true }), ["{}", `~${said}`, GOOD, "[]"], stray);
    const pieces = read(bytes(stream), { noise: true });
    const quiet = pieces.filter((x) => !x.startsWith("~"));
    assert.deepEqual(quiet, ["{}", GOOD, "[]"], `byte by byte: ${stray}`);
    assert.equal(read([stream]).filter((x) => x.startsWith("!")).length, stray === "Info: 3 decls\n" ? 0 : 1);
  }
});

test("megabytes of noise leave at most a line's worth in memory and in the log", () => {
  const noise = Buffer.alloc(65_536, 0x78);
  const out = read([...Array(40).fill(noise), `\n${frame(GOOD)}`], { noise: true });
  assert.equal(out.at(-1), GOOD);
  assert.ok(out.every((line) => line.length <= 201));
  assert.deepEqual(read([...Array(40).fill(noise), `${frame(GOOD)}`], { noise: true }).at(-1), GOOD);
  const lines = Buffer.from("INFO: line\n".repeat(5000));
  assert.deepEqual(read([lines, frame(GOOD)], { noise: true }).at(-1), GOOD);
});

test("a client's garbage is one problem a stretch, and survived", () => {
  const table: readonly [string, string][] = [
    ["garbage\n", "!noise"],
    ["garbage", "!noise"],
    [`Content-Length: -5\r\n\r\n${GOOD}`, "!length"],
    [`Content-Length: 5, 5\r\n\r\n${GOOD}`, "!length"],
    [`Content-Length: 17\r\nContent-Length: 18\r\n\r\n${GOOD}`, "!length"],
    [`Content-Length: abc\r\n\r\n${GOOD}`, "!length"],
    [`Content-Length:\r\n\r\n${GOOD}`, "!length"],
    [`Content-Length: 99999999999999999999\r\n\r\n${GOOD}`, "!length"],
    [`Content-Type: x\r\n\r\n${GOOD}\n`, "!length"],
    [`X: ${"x".repeat(9000)}\r\n\r\n`, "!tooLarge"],
    [`${"X: y\r\n".repeat(2000)}\r\n`, "!tooLarge"],
  ];
  for (const [garbage, problem] of table) {
    const stream = frame("{}") + garbage + frame(GOOD) + garbage + frame("[]");
    assert.deepEqual(read([stream]), ["{}", problem, GOOD, problem, "[]"], JSON.stringify(garbage.slice(0, 60)));
    if (garbage.length > 1000) continue;
    assert.deepEqual(
      read(bytes(stream)).filter((x) => !x.startsWith("!")),
      ["{}", GOOD, "[]"],
      JSON.stringify(garbage.slice(0, 60)),
    );
  }
});

test("a frame over the cap is skipped by counting", () => {
  const big = frame("x".repeat(1000));
  assert.deepEqual(read([big + frame(GOOD)], { max: 999 }), ["!tooLarge", GOOD]);
  assert.deepEqual(read(bytes(big + frame(GOOD)), { max: 999 }), ["!tooLarge", GOOD]);
  assert.deepEqual(read([frame("x".repeat(999))], { max: 999 }), ["x".repeat(999)]);
});

test("a stream that ends early says so", () => {
  assert.deepEqual(read([`Content-Length: 5\r\n\r\n{}`]), ["!truncated"]);
  assert.deepEqual(read([`Content-Length: 5\r\n`]), ["!truncated"]);
  assert.deepEqual(read(["cannot start"], { noise: true }), ["~cannot start"]);
  assert.deepEqual(read([]), []);
});

test("we write the canonical header only", () => {
  for (const n of [0, 5, 2047, 2048, 8_000_000]) {
    assert.equal(header(n).toString(), `Content-Length: ${n}\r\n\r\n`);
    assert.equal(header(n).toString(), `Content-Length: ${n}\r\n\r\n`, "again");
  }
});
