/** Backends that misbehave: noise, silence, crash loops, a command that is not there. Others serve on beside them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Client, Seen } from "../client.ts";
import { type Fake, frameOf, silence } from "./actors.ts";
import { Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
const hover = (client: Client, uri: string): Promise<unknown> =>
  client.request("textDocument/hover", { textDocument: { uri }, position: at });
const references = (client: Client, uri: string): Promise<unknown> =>
  client.request("textDocument/references", {
    textDocument: { uri },
    position: at,
    context: { includeDeclaration: true },
  });

/** Serves hover beside fake1, and nothing else. */
const healthy = {
  role: "addon",
  capabilities: { textDocumentSync: 2, hoverProvider: true },
  on: { "textDocument/hover": () => ({ contents: "healthy" }) },
} as const;
const isShown = (seen: Seen): boolean => seen.method === "window/showMessage";
const messageOf = (seen: Seen | undefined): string => (seen?.params as { message: string } | undefined)?.message ?? "";

test("noise on stdout is logged under the backend's name and hides no frame", async (t) => {
  const noises = ["Info: 3 decls\n\n", "\x1b[2J", "cont\n", "\r\n", "a line without an end "];
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/hover": async ({ fake, id, params }) => {
          const { line } = (params as { position: { line: number } }).position;
          await fake.write(noises[line] + frameOf({ jsonrpc: "2.0", id, result: { contents: `${line}` } }));
          return silence;
        },
      },
    },
  });
  const { client, uri } = await stage.ready("\n".repeat(10));
  for (let line = 0; line < noises.length; line += 1) {
    const position = { line, character: 0 };
    assert.deepEqual(await client.request("textDocument/hover", { textDocument: { uri }, position }), {
      contents: `${line}`,
    });
  }
  for (const text of ["Info: 3 decls", "cont", "a line without an end"])
    assert.match(stage.log(), new RegExp(`fake1: ${text}`));
});

test("10 MB on stderr before an answer block nothing and fill no log", async (t) => {
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/hover": ({ fake }) => {
          fake.order({ do: "stderr", bytes: 10_000_000 });
          return { contents: "after all" };
        },
      },
    },
  });
  const { client, uri } = await stage.ready();
  assert.deepEqual(await hover(client, uri), { contents: "after all" });
  assert.match(stage.log(), /fake1: noise/);
  assert.ok(stage.log().length < 1_000_000, `${stage.log().length} characters of log`);
});

test("a backend that never answers initialize: its questions get an error that names it", async (t) => {
  const stage = await Stage.open(
    t,
    { fake1: { on: { initialize: () => silence } } },
    { toml: "[limits]\nstartMs = 300\nstarts = 2\n" },
  );
  const { client, uri } = await stage.ready();
  await assert.rejects(hover(client, uri), { code: -32803, message: /fake1/ });
  assert.match(messageOf(await client.until("a message", isShown)), /fake1/);
  // By the log: a life may be over before the process has said its name.
  assert.equal(stage.log().match(/fake1: starting/g)?.length, 2);
});

test("a command that is not there is said once, by its name; the others serve", async (t) => {
  const stage = await Stage.open(t, { fake1: { command: ["no-such-server-here"] }, fake2: healthy });
  const { client, uri } = await stage.ready();
  client.open(stage.uriOf("b.x"), "x", "");
  assert.deepEqual(await hover(client, uri), { contents: "healthy" });
  await client.request("$/switchboard/status");
  const said = client.seen.filter(isShown);
  assert.equal(said.length, 1, JSON.stringify(said));
  assert.match(messageOf(said[0]), /no-such-server-here/);
});

test("a backend that ends at once on each start: five starts, one message, and the other serves throughout", async (t) => {
  const stage = await Stage.open(t, {
    fake1: { started: (fake) => fake.die(1) },
    fake2: healthy,
  });
  const { client, uri } = await stage.ready();
  const asked = references(client, uri);
  asked.catch(() => {});
  assert.deepEqual(await hover(client, uri), { contents: "healthy" });
  await stage.fake("fake1", 3);
  assert.deepEqual(await hover(client, uri), { contents: "healthy" });
  const message = await client.until("a message", isShown);
  assert.match(messageOf(message), /fake1.*5 times/);
  await assert.rejects(asked, { code: -32803, message: /fake1/ });
  await assert.rejects(references(client, uri), { code: -32803, message: /fake1/ });
  assert.deepEqual(await hover(client, uri), { contents: "healthy" });
  assert.equal(stage.lives("fake1"), 5);
  assert.equal(client.seen.filter(isShown).length, 1);
  assert.equal(stage.lives("fake2"), 1);
});

interface Opened {
  readonly textDocument: { readonly uri: string; readonly text: string; readonly version: number };
}
const documentOf = (params: unknown): Opened["textDocument"] => (params as Opened).textDocument;
const opened = (fake: Fake): Opened["textDocument"][] =>
  fake.of("textDocument/didOpen").map(({ params }) => documentOf(params));

test("a document that kills a backend is kept from it after two deaths; the others come back as they are", async (t) => {
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/didOpen": ({ fake, params }) => documentOf(params).text === "bad" && fake.die(1),
        "textDocument/references": ({ fake }) => [{ uri: `file:///life-${fake.life}`, range: { start: at, end: at } }],
      },
    },
    fake2: healthy,
  });
  const { client, uri } = await stage.ready("one\n");
  await references(client, uri);
  const change = { range: { start: at, end: { line: 0, character: 3 } }, text: "two" };
  client.notify("textDocument/didChange", { textDocument: { uri, version: 7 }, contentChanges: [change] });
  await references(client, uri);
  const poison = stage.uriOf("poison.x");
  client.open(poison, "x", "bad");
  const pending = references(client, poison);
  assert.deepEqual(await hover(client, poison), { contents: "healthy" });
  await assert.rejects(pending, { code: -32803, message: /fake1/ });
  const third = await stage.fake("fake1", 3);
  await third.until("textDocument/didOpen");
  assert.deepEqual(await references(client, uri), [{ uri: "file:///life-3", range: { start: at, end: at } }]);
  assert.deepEqual(
    opened(third).map(({ uri: u, text, version }) => [u, text, version]),
    [[uri, "two\n", 7]],
  );
  await assert.rejects(references(client, poison), { code: -32803, message: /poison\.x/ });
  assert.deepEqual(await hover(client, poison), { contents: "healthy" });
  assert.match(messageOf(client.seen.find(isShown)), /poison\.x.*fake1/);
  client.notify("textDocument/didClose", { textDocument: { uri: poison } });
  client.open(poison, "x", "good");
  assert.ok(await references(client, poison), "opened anew it is tried again");
  assert.equal(stage.lives("fake1"), 3);
  assert.equal(stage.lives("fake2"), 1);
});

test("a crash in the middle of a question: an error that names the backend, then a new process", async (t) => {
  const stage = await Stage.open(t, {
    fake1: {
      on: {
        "textDocument/references": ({ fake }) => (fake.life === 1 ? fake.die(9) : []),
      },
    },
  });
  const { client, uri } = await stage.ready();
  await assert.rejects(references(client, uri), { code: -32803, message: /fake1 ended \(exit code 9\)/ });
  assert.deepEqual(await references(client, uri), []);
});

test("a crashed backend's children are ended too", {
  skip: process.platform === "win32" ? "process groups are POSIX" : false,
}, async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const { client, uri } = await stage.ready();
  await hover(client, uri);
  const fake = await stage.fake("fake1");
  const child = await fake.child();
  fake.die(1);
  await stage.gone([fake.pid, child]);
});

test("frames of a backend that are no messages are logged and survived", async (t) => {
  const stage = await Stage.open(t, { fake1: {} });
  const { client, uri } = await stage.ready();
  await hover(client, uri);
  const fake = await stage.fake("fake1");
  const bodies = [
    "{oops",
    "[]",
    "{}",
    '{"jsonrpc":"2.0","id":4711,"result":null}',
    '{"jsonrpc":"2.0","id":"4711","result":null}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
    '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":tru}}',
    '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":[1]}',
    '{"jsonrpc":"2.0","method":"$/progress","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[null,7,{"id":"x"}]}}',
    '{"jsonrpc":"2.0","id":2,"method":"workspace/configuration","params":{"items":[null,7]}}',
    '{"jsonrpc":"2.0","id":3,"method":"workspace/applyEdit"}',
    '{"jsonrpc":"2.0","method":"window/showMessage","params":null}',
    '{"jsonrpc":"2.0","method":"exit"}',
  ];
  for (const body of bodies) fake.sendText(body);
  await fake.seen.until("answers to its requests", () =>
    [1, 2, 3].every((id) => fake.seen.all.some((f) => f.id === id && !f.method)),
  );
  assert.equal(await hover(client, uri), null);
  assert.equal(stage.lives("fake1"), 1);
  assert.match(stage.log(), /fake1: sent a frame that is no message/);
  const { drops } = await client.request<{ drops: Record<string, number> }>("$/switchboard/status");
  assert.equal(drops["fault of our own"], undefined, stage.log());
});

for (const end of ["stdin", "stdout"] as const) {
  test(`a backend that closes its ${end} and runs on is replaced`, async (t) => {
    const stage = await Stage.open(t, { fake1: {} });
    const { client, uri } = await stage.ready();
    await hover(client, uri);
    const fake = await stage.fake("fake1");
    await fake.done(fake.order({ do: "close", end }));
    const asked = hover(client, uri);
    asked.catch(() => {});
    await stage.fake("fake1", 2);
    await assert.rejects(asked, { code: -32803, message: /fake1/ });
    assert.equal(await hover(client, uri), null);
    await stage.gone([fake.pid]);
  });
}

test("a question about the whole project starts the backends of what lies in the folder", async (t) => {
  const symbol = { name: "found", kind: 12, location: { uri: "file:///elsewhere.x", range: { start: at, end: at } } };
  const stage = await Stage.open(t, {
    fake1: { capabilities: { workspaceSymbolProvider: true }, on: { "workspace/symbol": () => [symbol] } },
  });
  writeFileSync(join(stage.folder, "lib.x"), "found\n");
  const client = stage.client();
  await client.initialize([stage.folder]);
  assert.deepEqual(await client.request("workspace/symbol", { query: "found" }), [symbol]);
});
