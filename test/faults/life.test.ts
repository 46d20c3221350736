/** The life of a session on real processes: what may be said when, and every way in which it ends (contract, section 5). */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { frameOf, type Line, type Script, silence, soon, throughAnEditor } from "./actors.ts";
import { posix, Stage } from "./stage.ts";

test("before initialize: requests are refused, notifications dropped, exit ends with 1", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const line = stage.line();
  line.send({ id: 1, method: "textDocument/hover", params: {} });
  line.send({ id: "x", method: "shutdown" });
  line.send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri: stage.uriOf("a.x"), languageId: "x", version: 1, text: "" } },
  });
  assert.equal((await line.answer(1)).error?.code, -32002);
  assert.equal((await line.answer("x")).error?.code, -32002);
  line.send({ method: "exit" });
  assert.equal(await soon("its end", line.exited), 1);
  assert.equal(stage.lives("fake1"), 0);
  assert.equal(line.seen.all.length, 2, "nothing else was sent");
});

test("initialize comes once; after shutdown nothing but exit, which then ends with 0", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const line = stage.line();
  const first = await line.initialize(stage.uri);
  assert.ok(first.result);
  line.send({ id: 2, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
  assert.equal((await line.answer(2)).error?.code, -32600);
  line.send({ id: 3, method: "shutdown" });
  assert.equal((await line.answer(3)).result, null);
  line.send({ id: 4, method: "textDocument/hover", params: {} });
  line.send({ id: 5, method: "shutdown" });
  assert.equal((await line.answer(4)).error?.code, -32600);
  assert.equal((await line.answer(5)).error?.code, -32600);
  line.send({ method: "exit" });
  assert.equal(await soon("its end", line.exited), 0);
});

/** A session with a backend that runs, asked one question that it does not answer. */
async function busySession(stage: Stage): Promise<Line> {
  const line = stage.line();
  await line.initialize(stage.uri);
  const textDocument = { uri: stage.uriOf("a.x"), languageId: "x", version: 1, text: "" };
  line.send({ method: "textDocument/didOpen", params: { textDocument } });
  line.send({
    id: "open",
    method: "textDocument/hover",
    params: { textDocument, position: { line: 0, character: 0 } },
  });
  await (await stage.fake("fake1")).until("textDocument/hover");
  return line;
}

const busy = { fake1: { on: { "textDocument/hover": () => silence } } };

test("shutdown and exit in one write: all is answered, the backend is told, 0", async (t) => {
  const stage = await Stage.open(t, busy);
  const line = await busySession(stage);
  line.write(frameOf({ jsonrpc: "2.0", id: 1, method: "shutdown" }) + frameOf({ jsonrpc: "2.0", method: "exit" }));
  assert.equal((await line.answer("open")).error?.code, -32800);
  assert.equal((await line.answer(1)).result, null);
  assert.equal(await soon("its end", line.exited), 0);
  await (await stage.fake("fake1")).until("shutdown");
});

test("shutdown and exit in one write with no backend at all: answered before the end", async (t) => {
  const stage = await Stage.open(t, {});
  const line = stage.line();
  await line.initialize(stage.uri);
  line.write(frameOf({ jsonrpc: "2.0", id: 1, method: "shutdown" }) + frameOf({ jsonrpc: "2.0", method: "exit" }));
  assert.equal((await line.answer(1)).result, null);
  assert.equal(await soon("its end", line.exited), 0);
});

test("the end while a backend has not answered initialize yet", async (t) => {
  const stage = await Stage.open(t, { fake1: { on: { initialize: () => silence } } });
  const { client } = await stage.ready();
  await (await stage.fake("fake1")).until("initialize");
  assert.equal((await client.stop()).code, 0);
});

test("the end of input: 1, after a shutdown 0; the backend is told", async (t) => {
  for (const code of [1, 0]) {
    const stage = await Stage.open(t, busy);
    const line = await busySession(stage);
    if (code === 0) line.send({ id: 1, method: "shutdown" });
    line.process.stdin.end();
    assert.equal(await soon("its end", line.exited), code);
    await (await stage.fake("fake1")).until("shutdown");
  }
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const) {
  test(`${signal}: ${code}, and the backend is told`, posix, async (t) => {
    const stage = await Stage.open(t, busy);
    const line = await busySession(stage);
    line.process.kill(signal);
    assert.equal(await soon("its end", line.exited), code);
    await (await stage.fake("fake1")).until("shutdown");
  });
}

test("a client that closes its reading end (EPIPE): 1", posix, async (t) => {
  const stage = await Stage.open(t, busy);
  const line = await busySession(stage);
  line.process.stdout.destroy();
  line.send({ id: 1, method: "$/switchboard/status" });
  assert.equal(await soon("its end", line.exited), 1);
});

test("a backend that answers nothing and hears nothing does not keep a session from ending", posix, async (t) => {
  const deaf: Script = {
    started: (fake) => fake.order({ do: "deaf" }),
    on: { shutdown: () => silence, exit: () => silence },
  };
  for (const end of ["exit", "SIGTERM"] as const) {
    const stage = await Stage.open(t, { fake1: deaf });
    const { client, uri } = await stage.ready();
    await client.request("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
    if (end === "SIGTERM") client.process.kill(end);
    else await client.stop();
    assert.equal((await soon("its end", client.exited)).code, end === "exit" ? 0 : 143);
    await stage.gone([(await stage.fake("fake1")).pid]);
  }
});

test("shutdown is answered although a backend hangs in it, and one dies of it", async (t) => {
  const stage = await Stage.open(t, {
    fake1: { on: { shutdown: () => silence } },
    fake2: { role: "addon", on: { shutdown: ({ fake }) => fake.die(3) } },
  });
  const { client, uri } = await stage.ready();
  await client.request("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  await Promise.all([stage.fake("fake1"), stage.fake("fake2")]);
  assert.equal(await client.request("shutdown"), null);
  client.notify("exit");
  assert.equal((await soon("its end", client.exited)).code, 0);
});

test("our own SIGKILL leaves nothing behind: no backend, no child of it, no watchdog", posix, async (t) => {
  const stage = await Stage.open(t, {
    fake1: { started: (fake) => fake.order({ do: "deaf" }) },
    fake2: { role: "addon" },
  });
  const { client, uri } = await stage.ready();
  await client.request("textDocument/hover", { textDocument: { uri }, position: { line: 0, character: 0 } });
  const [one, two] = await Promise.all([stage.fake("fake1"), stage.fake("fake2")]);
  const children = await Promise.all([one.child(), two.child()]);
  await client.kill();
  await stage.gone([one.pid, two.pid, ...children]);
});

test("the process that started us has ended, and our input stays open: we end with our backends", posix, async (t) => {
  const stage = await Stage.open(t, busy);
  const line = stage.line(throughAnEditor);
  t.after(() => line.process.kill("SIGKILL"));
  const [said] = (await soon("the editor", once(line.process.stderr, "data"))) as [Buffer];
  const pid = Number(said.toString());
  line.send({ id: 1, method: "initialize", params: { processId: pid, rootUri: stage.uri, capabilities: {} } });
  line.send({ method: "initialized", params: {} });
  await line.answer(1);
  const textDocument = { uri: stage.uriOf("a.x"), languageId: "x", version: 1, text: "" };
  line.send({ method: "textDocument/didOpen", params: { textDocument } });
  const fake = await stage.fake("fake1");
  process.kill(pid, "SIGKILL");
  await stage.gone([fake.pid]);
  line.process.kill("SIGKILL");
  assert.match(stage.log(), new RegExp(`its process ${pid} has ended`));
});

test("a process that is none of our parents may end, or never have been", posix, async (t) => {
  const stage = await Stage.open(t, busy);
  const stranger = spawn("sleep", ["60"]);
  t.after(() => stranger.kill("SIGKILL"));
  for (const processId of [stranger.pid, 2 ** 22 + 1, -1, 0, "7", null]) {
    const line = stage.line();
    line.send({ id: 1, method: "initialize", params: { processId, rootUri: stage.uri, capabilities: {} } });
    assert.ok((await line.answer(1)).result);
  }
  assert.doesNotMatch(stage.log(), /has ended/);
});
