/** Requests both ways: clients that answer nothing, settings, registrations, retry, cancel, and the cap on requests. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import type { Client } from "../client.ts";
import { type Fake, type Frame, refusal, silence, soon } from "./actors.ts";
import { Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
const place = { uri: "file:///elsewhere.x", range: { start: at, end: at } };
const ask = (client: Client, method: string, uri: string, more: object = {}): ReturnType<Client["ask"]> =>
  client.ask(method, { textDocument: { uri }, position: at, ...more });
const references = (client: Client, uri: string): Promise<unknown> =>
  ask(client, "textDocument/references", uri, { context: { includeDeclaration: true } }).answer;

/** Makes a client that answers nothing, or everything with -32601. */
function dumb(client: Client, how: "silent" | "refusing"): void {
  const send = client.send.bind(client);
  client.send = (message) => {
    if ("method" in message) send(message);
    else if (how === "refusing" && "id" in message)
      send({ id: message.id, error: { code: -32601, message: "Unhandled method" } });
  };
}

/** What servers ask of clients, and what each must get from a client that can nothing or does nothing. */
const everything: readonly (readonly [method: string, params: object, answer: (stage: Stage) => unknown])[] = [
  [
    "client/registerCapability",
    {
      registrations: [
        {
          id: "r",
          method: "workspace/didChangeWatchedFiles",
          registerOptions: { watchers: [{ globPattern: "**/*.x" }] },
        },
      ],
    },
    () => null,
  ],
  [
    "client/unregisterCapability",
    { unregisterations: [{ id: "r", method: "workspace/didChangeWatchedFiles" }] },
    () => null,
  ],
  ["window/workDoneProgress/create", { token: "t" }, () => null],
  ["workspace/configuration", { items: [{ section: "a.b" }, {}] }, () => [null, {}]],
  ["workspace/workspaceFolders", {}, (stage) => [{ uri: stage.uri, name: basename(stage.folder) }]],
  ["workspace/inlayHint/refresh", {}, () => null],
  ["workspace/diagnostic/refresh", {}, () => null],
];
/** Those that only a client itself could do. */
const refused: readonly (readonly [method: string, params: object, applied: object])[] = [
  ["workspace/applyEdit", { edit: { changes: {} } }, { applied: false }],
  ["window/showDocument", { uri: "file:///x" }, { success: false }],
];

const capable = {
  window: { workDoneProgress: true, showDocument: { support: true } },
  workspace: {
    configuration: true,
    applyEdit: true,
    workspaceFolders: true,
    inlayHint: { refreshSupport: true },
    diagnostics: { refreshSupport: true },
  },
};

for (const [how, capabilities] of [
  ["silent", {}],
  ["refusing", {}],
  ["refusing", capable],
  ["silent", capable],
] as const) {
  const what = capabilities === capable ? "that announces much" : "that can nothing";
  test(`a ${how} client ${what}: each request of a backend is answered`, async (t) => {
    const stage = await Stage.open(t, { fake1: { on: { "textDocument/references": () => [place] } } });
    const client = stage.client();
    dumb(client, how);
    await client.initialize([stage.folder], { capabilities });
    const uri = stage.uriOf("a.x");
    client.open(uri, "x", "");
    const fake = await stage.fake("fake1");
    await fake.until("textDocument/didOpen");
    for (const [method, params, answer] of everything) {
      const { result, error } = await fake.ask(method, params);
      assert.deepEqual([method, result, error], [method, answer(stage), undefined]);
    }
    // What its user must decide, a client that says that it can may take its time over.
    for (const [method, params, applied] of how === "silent" && capabilities === capable ? [] : refused) {
      const { result } = await fake.ask(method, params);
      assert.deepEqual({ ...(result as object), ...applied }, result, method);
    }
    const dialog = { type: 1, message: "?", actions: [{ title: "yes" }] };
    if (how === "refusing") assert.equal((await fake.ask("window/showMessageRequest", dialog)).result, null);
    assert.deepEqual(await references(client, uri), [place]);
  });
}

test("settings: one value for each item, whether the client pushed them or is asked for them", async (t) => {
  for (const workspace of [{}, { configuration: true }]) {
    const stage = await Stage.open(t, { fake1: {} });
    const client = stage.client();
    await client.initialize([stage.folder], { capabilities: { workspace }, settings: { a: { b: 1 } } });
    if (!("configuration" in workspace))
      client.notify("workspace/didChangeConfiguration", { settings: { a: { b: 1 } } });
    client.open(stage.uriOf("a.x"), "x", "");
    const fake = await stage.fake("fake1");
    await fake.until("textDocument/didOpen");
    const items = [{ section: "a.b" }, { section: "nope" }, {}, { section: "a", scopeUri: stage.uriOf("a.x") }];
    const { result } = await fake.ask("workspace/configuration", { items });
    assert.deepEqual(result, [1, null, { a: { b: 1 } }, { b: 1 }]);
  }
});

test("registrations of two backends under one id are two; a registered sync kind holds", async (t) => {
  const stage = await Stage.open(t, { fake1: {}, fake2: { role: "addon" } });
  const { client, uri } = await stage.ready("one\n", { workspace: { inlayHint: { refreshSupport: true } } });
  const [one, two] = await Promise.all([stage.fake("fake1"), stage.fake("fake2")]);
  await Promise.all([one.until("textDocument/didOpen"), two.until("textDocument/didOpen")]);
  const watched = {
    id: "x",
    method: "workspace/didChangeWatchedFiles",
    registerOptions: { watchers: [{ globPattern: "**/*.y" }] },
  };
  for (const fake of [one, two])
    assert.equal((await fake.ask("client/registerCapability", { registrations: [watched] })).result, null);
  await one.ask("client/unregisterCapability", { unregisterations: [{ id: "x", method: watched.method }] });
  client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: stage.uriOf("b.y"), type: 1 }] });
  await two.until("workspace/didChangeWatchedFiles");

  const full = {
    id: "x",
    method: "textDocument/didChange",
    registerOptions: { documentSelector: [{ pattern: "**/*.x" }], syncKind: 1 },
  };
  await one.ask("client/registerCapability", { registrations: [full] });
  const change = { range: { start: at, end: at }, text: "and " };
  client.notify("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [change] });
  const changes = async (fake: Fake): Promise<unknown> =>
    ((await fake.until("textDocument/didChange")).params as { contentChanges: unknown }).contentChanges;
  assert.deepEqual(await changes(one), [{ text: "and one\n" }]);
  assert.deepEqual(await changes(two), [change]);
  assert.equal(one.of("workspace/didChangeWatchedFiles").length, 0);

  assert.equal((await two.ask("workspace/inlayHint/refresh", null)).result, null);
  assert.equal((await two.ask("workspace/codeLens/refresh", null)).result, null);
  await client.until("the refresh", ({ method }) => method === "workspace/inlayHint/refresh");
  assert.equal(
    client.seen.some(({ method }) => method === "workspace/codeLens/refresh"),
    false,
  );
  assert.equal(
    client.seen.some(({ method }) => method === "client/registerCapability"),
    false,
  );
});

test("ContentModified of a question is asked again, and not for ever", async (t) => {
  let asked = 0;
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/references": () => {
          asked += 1;
          if (asked <= 2) throw refusal(-32801, "content modified");
          return [place];
        },
        "textDocument/definition": () => {
          throw refusal(-32801, "content modified");
        },
      },
    },
  });
  const { client, uri } = await stage.ready();
  assert.deepEqual(await references(client, uri), [place]);
  await assert.rejects(ask(client, "textDocument/definition", uri).answer, { code: -32801 });
  const fake = await stage.fake("fake1");
  const count = (method: string): number => fake.of(`textDocument/${method}`).length;
  assert.deepEqual(["references", "definition"].map(count), [3, 3]);
});

test("ContentModified of a rename goes to the client at once", async (t) => {
  const rename = (): never => {
    throw refusal(-32801, "content modified");
  };
  const stage = await Stage.open(t, { fake1: { on: { "textDocument/rename": rename } } });
  const { client, uri } = await stage.ready();
  await assert.rejects(ask(client, "textDocument/rename", uri, { newName: "x" }).answer, { code: -32801 });
  assert.equal((await stage.fake("fake1")).of("textDocument/rename").length, 1);
});

test("a cancel: one answer at once, the backend told under its own id, its late answer dropped", async (t) => {
  let late: Frame | undefined;
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/hover": () => silence,
        "$/cancelRequest": ({ fake, params }) => {
          const { id } = params as { id: number };
          late = { id, result: { contents: "late" } };
          fake.send({ jsonrpc: "2.0", ...late });
        },
      },
    },
  });
  const { client, uri } = await stage.ready();
  const { id, answer } = ask(client, "textDocument/hover", uri);
  const fake = await stage.fake("fake1");
  const sent = await fake.until("textDocument/hover");
  client.notify("$/cancelRequest", { id });
  client.notify("$/cancelRequest", { id: "of nothing" });
  await assert.rejects(answer, { code: -32800 });
  const told = await fake.until("$/cancelRequest");
  assert.deepEqual(told.params, { id: sent.id });
  assert.equal(late?.id, sent.id);
  // The client takes a second answer for a fault. What follows shows that the late one was read.
  assert.equal(await references(client, uri), null);
  const status = await client.request<{ drops: Record<string, number> }>("$/switchboard/status");
  assert.equal(status.drops["answer that nobody waits for"], 1);
  assert.equal(status.drops["cancel of an unknown request"], 1);
});

test("a client that dies: its questions are cancelled at the backend, each under the backend's id", async (t) => {
  const stage = await Stage.open(t, { fake1: { on: { "textDocument/hover": () => silence } } });
  const { client, uri } = await stage.ready();
  for (let i = 0; i < 3; i += 1) ask(client, "textDocument/hover", uri).answer.catch(() => {});
  const fake = await stage.fake("fake1");
  await fake.seen.until("three questions", () => fake.of("textDocument/hover").length === 3);
  client.process.stdin.end();
  await fake.seen.until("three cancels", () => fake.of("$/cancelRequest").length === 3);
  assert.deepEqual(
    fake.of("$/cancelRequest").map(({ params }) => (params as { id: unknown }).id),
    fake.of("textDocument/hover").map(({ id }) => id),
  );
  assert.equal((await soon("our end", client.exited)).code, 1);
});

test("unknown methods: a request is refused, a notification under $/ ignored", async (t) => {
  const stage = await Stage.open(t, { fake1: {}, fake2: { role: "addon" } });
  const { client, uri } = await stage.ready();
  await references(client, uri);
  await Promise.all(
    [stage.fake("fake1"), stage.fake("fake2")].map(async (fake) => (await fake).until("textDocument/didOpen")),
  );
  client.notify("$/foo", {});
  await assert.rejects(client.request("$/foo", {}), { code: -32601 });
  await assert.rejects(client.request("no/such", {}), { code: -32601 });
});

test("requests over the cap are refused, those under it are not; a cancel makes room", async (t) => {
  const stage = await Stage.open(
    t,
    { fake1: { on: { "textDocument/hover": () => silence } } },
    { toml: "[limits]\nmaxInFlight = 3\n" },
  );
  const { client, uri } = await stage.ready();
  const hovers = [1, 2, 3].map(() => ask(client, "textDocument/hover", uri));
  for (const { answer } of hovers) answer.catch(() => {});
  await assert.rejects(references(client, uri), { code: -32803, data: { code: "TooManyRequests" } });
  client.notify("$/cancelRequest", { id: hovers[0]?.id });
  assert.equal(await references(client, uri), null);
});
