/** Work-done progress: tokens that are ours, what a client hears, and that every beginning has an end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const able = { window: { workDoneProgress: true } };

function stage(...capabilities: readonly object[]): { sim: Sim; clients: FakeClient[]; server: FakeServer } {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" } } });
  const clients = capabilities.map((one) => sim.client(undefined, one));
  for (const client of clients) client.open(uri, "a");
  sim.settle();
  return { sim, clients, server: sim.server("one") };
}

const heard = (client: FakeClient): readonly unknown[] =>
  client.shown("$/progress").map((params) => at(params, "value", "kind"));
const tokens = (client: FakeClient): readonly unknown[] =>
  client.shown("$/progress").map((params) => at(params, "token"));
const begin = { kind: "begin", title: "T" };

test("a backend's own: each client that takes it hears it under a token of its own, the others nothing", () => {
  const { sim, clients, server } = stage(able, able, {});
  server.ask(1, "window/workDoneProgress/create", { token: 5 });
  for (const kind of ["begin", "report", "end"]) server.tell("$/progress", { token: 5, value: { ...begin, kind } });
  sim.settle();
  assert.deepEqual(clients.map(heard), [["begin", "report", "end"], ["begin", "report", "end"], []]);
  const own = clients.slice(0, 2).flatMap((client) => [...new Set(tokens(client))]);
  assert.equal(new Set(own).size, 2);
  assert.deepEqual(
    own,
    clients.slice(0, 2).map((client) => at(client.requests[0]?.params, "token")),
  );
  assert.equal(server.answers.get(1)?.result, null);
});

test("what comes while a client is asked for the token is kept until it says yes, and dropped when it says no", () => {
  const { sim, clients, server } = stage(able, able);
  const [yes, no] = clients;
  assert.ok(yes && no);
  yes.manner = "silent";
  no.manner = "unknown";
  server.ask(1, "window/workDoneProgress/create", { token: "t" });
  server.tell("$/progress", { token: "t", value: begin });
  sim.settle();
  assert.deepEqual(clients.map(heard), [[], []]);
  yes.write(Buffer.from(`{"id":${yes.requests[0]?.id},"result":null}`));
  sim.settle();
  assert.deepEqual(clients.map(heard), [["begin"], []]);
});

test("what a dead backend had begun ends", () => {
  const { sim, clients, server } = stage(able);
  for (const token of ["a", "b"]) {
    server.ask(token, "window/workDoneProgress/create", { token });
    server.tell("$/progress", { token, value: begin });
  }
  server.tell("$/progress", { token: "b", value: { kind: "end" } });
  sim.settle();
  server.exit();
  sim.settle();
  assert.deepEqual(clients.map(heard), [["begin", "begin", "end", "end"]]);
});

test("of a request: the client's own token comes back, the backend sees ours", () => {
  const { sim, clients, server } = stage({}, {});
  const asked = clients.map((client) =>
    client.ask("textDocument/hover", {
      textDocument: { uri },
      position: { line: 0, character: 0 },
      workDoneToken: "mine",
    }),
  );
  sim.settle();
  const questions = server.questions.slice(1);
  const theirs = questions.map(({ params }) => at(params, "workDoneToken"));
  assert.equal(new Set(theirs).size, 2);
  assert.ok(!theirs.includes("mine"));
  server.tell("$/progress", { token: theirs[1], value: begin });
  sim.settle();
  assert.deepEqual(clients.map(tokens), [[], ["mine"]]);
  for (const question of questions) server.answer(question, { result: null });
  sim.settle();
  assert.deepEqual(
    asked.map(({ answers }) => answers.length),
    [1, 1],
  );
});

test("of a request to two backends: the first beginning and the last end", () => {
  const sim = new Sim({ backends: { one: { otherwise: () => "hold" }, two: { otherwise: () => "hold" } } });
  const client = sim.client();
  client.open(uri, "a");
  const asked = client.ask("textDocument/hover", {
    textDocument: { uri },
    position: { line: 0, character: 0 },
    workDoneToken: 7,
  });
  sim.settle();
  const legs = ["one", "two"].map((name) => {
    const server = sim.server(name);
    return { server, question: server.questions.at(-1) };
  });
  const tell = (i: number, kind: string): void => {
    const token = at(legs[i]?.question?.params, "workDoneToken");
    legs[i]?.server.tell("$/progress", { token, value: { ...begin, kind } });
    sim.settle();
  };
  tell(0, "begin");
  tell(1, "begin");
  tell(1, "report");
  tell(0, "end");
  tell(0, "end");
  assert.deepEqual(heard(client), ["begin", "report"]);
  client.tell("window/workDoneProgress/cancel", { token: 7 });
  sim.settle();
  // Answered without a word: that is an end as well.
  for (const { server, question } of legs) if (question !== undefined) server.answer(question, { result: null });
  sim.settle();
  assert.deepEqual(heard(client), ["begin", "report", "end"]);
  assert.deepEqual(tokens(client), [7, 7, 7]);
  assert.equal(asked.answers.length, 1);
  tell(1, "report");
  assert.equal(heard(client).length, 3, "the token died with its request");
  const cancels = legs[1]?.server.notifications.filter(({ method }) => method === "window/workDoneProgress/cancel");
  assert.equal(cancels?.length, 1);
});

test("a backend that dies before a client has accepted its token: no beginning without an end", () => {
  const { sim, clients, server } = stage(able);
  const [client] = clients;
  assert.ok(client);
  client.manner = "silent";
  server.ask(1, "window/workDoneProgress/create", { token: "t" });
  server.tell("$/progress", { token: "t", value: begin });
  sim.settle();
  server.exit();
  sim.settle();
  client.write(Buffer.from(`{"id":${client.requests[0]?.id},"result":null}`));
  sim.settle();
  assert.deepEqual(heard(client), []);
});

test("a client's cancel reaches the backend under its own token", () => {
  const { sim, clients, server } = stage(able);
  server.ask(1, "window/workDoneProgress/create", { token: 5 });
  server.tell("$/progress", { token: 5, value: begin });
  sim.settle();
  const [client] = clients;
  client?.tell("window/workDoneProgress/cancel", { token: tokens(client)[0] });
  client?.tell("window/workDoneProgress/cancel", { token: "unknown" });
  sim.settle();
  const told = server.notifications.filter(({ method }) => method === "window/workDoneProgress/cancel");
  assert.deepEqual(
    told.map(({ params }) => params),
    [{ token: 5 }],
  );
});

test("a token that nobody created is dropped, and counted", () => {
  const { sim, clients, server } = stage(able);
  server.tell("$/progress", { token: "x", value: begin });
  sim.settle();
  assert.deepEqual(clients.map(heard), [[]]);
  assert.equal(sim.mux.drops.all["progress under a token that was never created"], 1);
});

test("a request that is cancelled: what was begun for it ends at once", () => {
  const { sim, clients, server } = stage({});
  const [client] = clients;
  assert.ok(client);
  const asked = client.ask("textDocument/hover", {
    textDocument: { uri },
    position: { line: 0, character: 0 },
    workDoneToken: "mine",
  });
  sim.settle();
  const token = at(server.questions.at(-1)?.params, "workDoneToken");
  server.tell("$/progress", { token, value: begin });
  sim.settle();
  client.cancel(asked);
  server.tell("$/progress", { token, value: { kind: "report" } });
  sim.settle();
  assert.deepEqual(heard(client), ["begin", "end"]);
});

test("out of order: nothing before a beginning, and a token made anew ends what ran under it", () => {
  const { sim, clients, server } = stage(able);
  const [client] = clients;
  assert.ok(client);
  server.ask(1, "window/workDoneProgress/create", { token: "t" });
  sim.settle();
  server.tell("$/progress", { token: "t", value: { kind: "report" } });
  server.tell("$/progress", { token: "t", value: begin });
  sim.settle();
  server.ask(2, "window/workDoneProgress/create", { token: "t" });
  sim.settle();
  server.tell("$/progress", { token: "t", value: begin });
  server.tell("$/progress", { token: "t", value: { kind: "end" } });
  sim.settle();
  assert.deepEqual(heard(client), ["begin", "end", "begin", "end"]);
  assert.equal(new Set(tokens(client)).size, 2);
});
