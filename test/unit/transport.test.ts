import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { type Duplex, PassThrough } from "node:stream";
import { test } from "node:test";
import { header } from "../../server/wire/framing.ts";
import { type EndLimits, memoryPair, socketEnd, streamEnd } from "../../server/wire/transport.ts";
import { collector } from "../collector.ts";

const frame = (text: string): Buffer => Buffer.concat([header(Buffer.byteLength(text)), Buffer.from(text)]);

async function sockets(): Promise<{ near: net.Socket; far: net.Socket; stop: () => void }> {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const near = net.connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  const [far]: net.Socket[] = await once(server, "connection");
  assert.ok(far);
  return { near, far, stop: () => [near.destroy(), far.destroy(), server.close()] };
}

test("frames cross a socket both ways, small and big, in order", async () => {
  const { near, far, stop } = await sockets();
  const [a, b] = [collector(), collector()];
  const left = socketEnd(near, a);
  const right = socketEnd(far, b);
  const big = "x".repeat(3_000_000);
  const sent = ["{}", "é😀", big, ...Array.from({ length: 500 }, (_, i) => `{"i":${i}}`), big, ""];
  for (const text of sent) left.send([Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))]);
  right.send([Buffer.from("back")]);
  await b.until(() => b.bodies.length === sent.length);
  await a.until(() => a.bodies.length === 1);
  assert.ok(b.bodies.every((body, i) => body === sent[i]));
  assert.equal(left.queuedBytes, 0);
  stop();
});

test("close writes what was sent, then ends; sending later is dropped", async () => {
  const { near, far, stop } = await sockets();
  const [a, b] = [collector(), collector()];
  const left = socketEnd(near, a);
  socketEnd(far, b);
  left.send([Buffer.alloc(2_000_000, 0x20)]);
  await new Promise<void>((done) => left.close(done));
  left.send([Buffer.from("late")]);
  await b.until(() => b.events.length > 0);
  assert.deepEqual([b.bodies.length, b.events], [1, ["closed: the stream ended"]]);
  assert.deepEqual(a.events, [], "who closes is not told");
  stop();
});

/** An end towards a peer that reads nothing until told to. */
function stuck(limits: EndLimits) {
  const handlers = collector();
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1 });
  return { handlers, input, output: output as Duplex, end: streamEnd(input, output, handlers, limits) };
}

test("a full queue says so, and says when there is room again; reading goes on meanwhile", async () => {
  const { handlers, input, output, end } = stuck({ maxQueuedBytes: 1_500_000 });
  const mega = Buffer.alloc(1_000_000);
  assert.equal(end.send([mega]), "ok");
  assert.equal(end.send([mega]), "full");
  input.write(frame("{}"));
  await handlers.until(() => handlers.bodies.length === 1);
  assert.deepEqual(handlers.events, []);
  output.resume();
  await handlers.until(() => handlers.events.length > 0);
  assert.deepEqual(handlers.events, ["drained"]);
  assert.equal(end.send([Buffer.from("{}")]), "ok");
});

test("a peer that takes nothing for the deadline, or lets too much pile up, is given up", async () => {
  const awake = setInterval(() => {}, 1000); // real streams keep the loop alive, these do not
  const stalled = stuck({ stallMs: 20 });
  stalled.end.send([Buffer.alloc(1_000_000)]);
  await stalled.handlers.until(() => stalled.handlers.events.length > 0);
  assert.deepEqual(stalled.handlers.events, ["closed: nothing was read for 20 ms"]);
  clearInterval(awake);
  assert.equal(stalled.end.queuedBytes, 0, "and its queue let go");

  const piled = stuck({ maxQueuedBytes: 1000 });
  for (let i = 0; i < 5; i += 1) piled.end.send([Buffer.alloc(1000)]);
  assert.match(piled.handlers.events.join(), /^closed: \d+ bytes are waiting/);
  await new Promise<void>((done) => piled.end.close(done));
});

test("a broken pipe is a close, not a crash", async () => {
  const { near, far, stop } = await sockets();
  const a = collector();
  const left = socketEnd(near, a);
  far.resetAndDestroy();
  await a.until(() => a.events.length > 0);
  left.send([Buffer.alloc(1_000_000)]);
  assert.match(a.events.join("|"), /^closed: [^|]*$/);
  stop();
});

test("two ends in memory", async () => {
  const [a, b] = [collector(), collector()];
  const [left, right] = memoryPair(a, b);
  left.send([Buffer.from("1"), Buffer.from("2")]);
  left.send([Buffer.from("3")]);
  right.send([Buffer.from("4")]);
  left.close();
  await b.until(() => b.events.length > 0);
  assert.deepEqual([a.bodies, b.bodies, b.events], [["4"], ["12", "3"], ["closed: the stream ended"]]);
});
