/**
 * Several clients on one server (`switchboard serve`, or started by the first of them): how it is found, started and ended,
 * and that clients are told apart in all that is theirs.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { trust } from "../../server/config/trust.ts";
import { version } from "../../server/version.ts";
import type { Client } from "../client.ts";
import { type Fake, frameOf, type Line, type Script, silence, soon, throughAnEditor } from "./actors.ts";
import { posix, Stage, type StageOptions } from "./stage.ts";

const at = { line: 0, character: 0 };
const shared: StageOptions = { shared: true };

/** The text that a backend holds, as its answer to hover. */
const echo = (): Script => {
  const texts = new Map<string, string>();
  const of = (params: unknown) =>
    params as {
      textDocument: { uri: string; text: string };
      contentChanges: { text: string; range?: { start: { character: number }; end: { character: number } } }[];
    };
  return {
    on: {
      "textDocument/didOpen": ({ params }) => {
        const { uri, text } = of(params).textDocument;
        texts.set(uri, text);
      },
      "textDocument/didChange": ({ params }) => {
        const { textDocument, contentChanges } = of(params);
        let text = texts.get(textDocument.uri) ?? "";
        // Of one line.
        for (const { text: inserted, range } of contentChanges)
          text =
            range === undefined
              ? inserted
              : text.slice(0, range.start.character) + inserted + text.slice(range.end.character);
        texts.set(textDocument.uri, text);
      },
      "textDocument/hover": ({ params }) => ({ contents: texts.get(of(params).textDocument.uri) ?? "not open" }),
    },
  };
};

function socketOf(stage: Stage): string {
  return join(stage.runtime, "switchboard", `switchboard-${version}.sock`);
}

interface Status {
  readonly clients: number;
  readonly backends: readonly { readonly clients: number; readonly openDocuments: number; readonly pid: number }[];
}

async function statusOf(stage: Stage): Promise<Status> {
  const { code, stdout, stderr } = await stage.command("status", "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Status;
}

/** How often a server has been there for clients so far. */
function servers(stage: Stage): number {
  return stage.log().split("switchboard: serves at").length - 1;
}

async function joined(stage: Stage, text: string): Promise<{ client: Client; uri: string }> {
  const client = stage.client();
  await client.initialize([stage.folder]);
  const uri = stage.uriOf("a.x");
  client.open(uri, "x", text);
  return { client, uri };
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((go) => setTimeout(go, 20));
}

const hover = (client: Client, uri: string): Promise<unknown> =>
  client.request("textDocument/hover", { textDocument: { uri }, position: at });

test("fifty clients at once start one server, which has one backend for them all", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  const clients = Array.from({ length: 50 }, () => stage.client({ patience: 90_000 }));
  const uri = stage.uriOf("a.x");
  await Promise.all(
    clients.map(async (client) => {
      await client.initialize([stage.folder]);
      client.open(uri, "x", "same");
      assert.deepEqual(await hover(client, uri), { contents: "same" });
    }),
  );
  const { clients: count, backends } = await statusOf(stage);
  assert.equal(count, 50);
  assert.deepEqual(
    backends.map((backend) => [backend.clients, backend.openDocuments]),
    [[50, 1]],
  );
  assert.equal(servers(stage), 1);
  const ends = await Promise.all(clients.map((client) => client.stop()));
  assert.ok(ends.every(({ code }) => code === 0));
  assert.equal((await statusOf(stage)).clients, 0);
  assert.equal(stage.lives("fake1"), 1);
});

test("a folder's own file may share as well, once it is trusted", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() });
  const state = { XDG_STATE_HOME: stage.folder };
  writeFileSync(join(stage.folder, ".switchboard.toml"), "[shared]\nenabled = true\n");
  const counts: number[] = [];
  for (const trusted of [false, true]) {
    if (trusted)
      trust(stage.folder, readFileSync(join(stage.folder, ".switchboard.toml")), {
        env: state,
        platform: process.platform,
        home: stage.folder,
      });
    const client = stage.client({ cwd: stage.folder, env: state });
    await client.initialize([stage.folder]);
    counts.push(servers(stage));
    await client.stop();
  }
  assert.deepEqual(counts, [0, 1]);
});

test("the socket and its folder are for nobody else", posix, async (t) => {
  const stage = await Stage.open(t, {}, shared);
  await stage.client().initialize([stage.folder]);
  const modes = [join(stage.runtime, "switchboard"), socketOf(stage)].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);
});

test(
  "a folder that others may enter is not used: the client is served in its own process, and told why",
  posix,
  async (t) => {
    const stage = await Stage.open(t, { fake1: echo() }, shared);
    mkdirSync(join(stage.runtime, "switchboard"));
    chmodSync(join(stage.runtime, "switchboard"), 0o755);
    const { client, uri } = await joined(stage, "own");
    assert.deepEqual(await hover(client, uri), { contents: "own" });
    assert.match(client.stderr, /not shared, but in a process of its own: .*open to other users \(mode 755\)/);
    assert.equal((await client.stop()).code, 0);
    assert.equal(servers(stage), 0);
    assert.equal((await stage.command("serve")).code, 2);
  },
);

test(
  "a process of another version, or none of ours, gets nothing of a server; nor is a client attached to one",
  posix,
  async (t) => {
    const stage = await Stage.open(t, { fake1: echo() }, shared);
    const first = await joined(stage, "one");
    for (const [said, answer] of [
      [
        `${JSON.stringify({ switchboard: "0.0.0", as: "client", env: {}, config: [] })}\n`,
        /version 0\.0\.0 cannot use/,
      ],
      ["GET / HTTP/1.1\n", /no switchboard/],
      [`${JSON.stringify({ switchboard: version })}\n`, /no hello/],
    ] as const) {
      const socket = connect(socketOf(stage)).setEncoding("utf8");
      socket.write(said);
      const [text] = (await soon("the refusal", once(socket, "data"))) as [string];
      assert.match(text, answer);
      await soon("its end", once(socket, "close"));
    }
    assert.equal((await statusOf(stage)).clients, 1);
    assert.deepEqual(await hover(first.client, first.uri), { contents: "one" });

    // Somebody else's program at the address.
    const other = await Stage.open(t, { fake1: echo() }, shared);
    mkdirSync(join(other.runtime, "switchboard"), { mode: 0o700 });
    const stranger = createServer((socket) => socket.end('{"switchboard":"0.0.0","pid":1}\n'));
    const mask = process.umask(0o177);
    stranger.listen(socketOf(other));
    process.umask(mask);
    t.after(() => stranger.close());
    const { client, uri } = await joined(other, "own");
    assert.deepEqual(await hover(client, uri), { contents: "own" });
    assert.match(client.stderr, /in a process of its own: what listens there is no switchboard of this version/);
  },
);

test("one server at a time: a second is refused, and a socket that a killed one left is replaced", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  const { client, uri } = await joined(stage, "one");
  await hover(client, uri);
  const second = await stage.command("serve");
  assert.equal(second.code, 2);
  const pid = Number(/\(process (\d+)\); `switchboard stop` ends it/.exec(second.stderr)?.[1]);
  assert.ok(pid > 0, second.stderr);
  process.kill(pid, "SIGKILL");
  assert.equal((await soon("the client's end", client.exited)).code, 1);
  assert.match(client.stderr, new RegExp(`the shared server \\(process ${pid}\\) has ended`));
  assert.ok(statSync(socketOf(stage)).isSocket(), "it is still there");
  const next = await joined(stage, "two");
  assert.deepEqual(await hover(next.client, next.uri), { contents: "two" });
  assert.equal(servers(stage), 2);
});

test("status and stop say that nothing runs, with 1; stop waits until all has ended", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  for (const command of ["status", "stop"]) {
    const { code, stdout, stderr } = await stage.command(command);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /no shared server runs/);
  }
  const { client, uri } = await joined(stage, "one");
  await hover(client, uri);
  const status = await stage.command("status");
  assert.match(
    status.stdout,
    new RegExp(`^switchboard ${version}, process \\d+, up \\d+ s, 1 client\n  fake1 +running `),
  );
  const { code, stderr } = await stage.command("stop");
  assert.equal(code, 0);
  assert.match(stderr, /the shared server \(process \d+\) has ended/);
  assert.equal((await soon("the client's end", client.exited)).code, 1);
  await (await stage.fake("fake1")).until("shutdown");
  assert.equal((await stage.command("status")).code, 1);
  assert.throws(() => statSync(socketOf(stage)), /ENOENT/);
});

test("a server that nobody uses ends by itself, with its backends and its socket", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, { shared: true, toml: "idleMinutes = 0\n" });
  const { client, uri } = await joined(stage, "one");
  await hover(client, uri);
  const { pid } = await stage.fake("fake1");
  await client.stop();
  await stage.gone([pid]);
  await soon(
    "no server",
    (async () => {
      while ((await stage.command("status")).code === 0);
    })(),
  );
});

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`${signal} ends a server as stop does`, posix, async (t) => {
    const stage = await Stage.open(t, { fake1: echo() }, shared);
    const { client, uri } = await joined(stage, "one");
    await hover(client, uri);
    const { stderr } = await stage.command("serve");
    process.kill(Number(/\(process (\d+)\)/.exec(stderr)?.[1]), signal);
    assert.equal((await soon("the client's end", client.exited)).code, 1);
    await (await stage.fake("fake1")).until("shutdown");
    await stage.gone([(await stage.fake("fake1")).pid]);
    assert.throws(() => statSync(socketOf(stage)), /ENOENT/);
  });

async function spoken(stage: Stage): Promise<Line> {
  const line = stage.line();
  await line.initialize(stage.uri);
  return line;
}

test("the process of a client ends as it does without a server", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: {} }, shared);
  const ends: readonly [code: number, end: (line: Line) => unknown][] = [
    [
      0,
      (line) =>
        line.write(
          frameOf({ jsonrpc: "2.0", id: 1, method: "shutdown" }) + frameOf({ jsonrpc: "2.0", method: "exit" }),
        ),
    ],
    [1, (line) => line.send({ method: "exit" })],
    [1, (line) => line.process.stdin.end()],
    [
      0,
      async (line) => {
        line.send({ id: 1, method: "shutdown" });
        await line.answer(1);
        line.process.stdin.end();
      },
    ],
    [130, (line) => line.process.kill("SIGINT")],
    [143, (line) => line.process.kill("SIGTERM")],
    [129, (line) => line.process.kill("SIGHUP")],
    [
      1,
      (line) => {
        line.process.stdout.destroy();
        line.send({ id: 1, method: "$/switchboard/status" });
      },
    ],
  ];
  for (const [code, end] of ends) {
    const line = await spoken(stage);
    await end(line);
    assert.equal(await soon("its end", line.exited), code, String(end));
  }
  await soon(
    "nobody",
    (async () => {
      while ((await statusOf(stage)).clients > 0);
    })(),
  );
});

const linux = { skip: process.platform === "linux" ? false : "only Linux lets a process open another's pipes" };

test("a client on pipes is served without a process between, and ends as others do", linux, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  // The tests' own pipes are sockets; a shell makes real ones.
  const line = stage.line(["sh", "-c", 'cat | { "$@"; echo "ended with $?" >&2; } | cat', "sh"]);
  await line.initialize(stage.uri);
  const uri = stage.uriOf("a.x");
  const textDocument = { uri, languageId: "x", version: 1, text: "piped" };
  line.send({ method: "textDocument/didOpen", params: { textDocument } });
  line.send({ id: 1, method: "textDocument/hover", params: { textDocument, position: at } });
  assert.deepEqual((await line.answer(1)).result, { contents: "piped" });
  assert.match(stage.log(), /process \d+ in .*, through its own pipes/);
  const said = once(line.process.stderr, "data");
  line.send({ id: 2, method: "shutdown" });
  line.send({ method: "exit" });
  await line.answer(2);
  assert.match(String(await soon("its end", said)), /ended with 0/);

  const killed = stage.line(["sh", "-c", 'cat | sh -c \'echo $$ >&2; exec "$@"\' sh "$@" | cat', "sh"]);
  const [pid] = (await soon("its id", once(killed.process.stderr, "data"))) as [Buffer];
  await killed.initialize(stage.uri);
  process.kill(Number(pid.toString()), "SIGKILL");
  await soon(
    "nobody is left",
    until(async () => (await statusOf(stage)).clients === 0),
  );
});

test("the end of the process that a client names ends that client alone", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  const other = await joined(stage, "other");
  const line = stage.line(throughAnEditor);
  t.after(() => line.process.kill("SIGKILL"));
  const [said] = (await soon("the editor", once(line.process.stderr, "data"))) as [Buffer];
  const pid = Number(said.toString());
  line.send({ id: 1, method: "initialize", params: { processId: pid, rootUri: stage.uri, capabilities: {} } });
  await line.answer(1);
  assert.equal((await statusOf(stage)).clients, 2);
  process.kill(pid, "SIGKILL");
  await soon(
    "its end",
    until(async () => (await statusOf(stage)).clients === 1),
  );
  assert.match(stage.log(), new RegExp(`its process ${pid} has ended`));
  line.process.kill("SIGKILL");
  assert.deepEqual(await hover(other.client, other.uri), { contents: "other" });
});

test("a client that is killed leaves nothing of its own, and nobody else notices", posix, async (t) => {
  let asked = 0;
  const stage = await Stage.open(
    t,
    {
      fake1: {
        on: {
          "textDocument/hover": () => {
            asked += 1;
            return asked === 1 ? silence : { contents: "answered" };
          },
        },
      },
    },
    shared,
  );
  const one = await joined(stage, "text of one");
  const two = await joined(stage, "text of two");
  const mine = stage.uriOf("mine.x");
  one.client.open(mine, "x", "mine");
  const fake = await stage.fake("fake1");
  void hover(one.client, one.uri).catch(() => {});
  await fake.until("textDocument/hover");
  one.client.process.kill("SIGKILL");
  await fake.until("$/cancelRequest");
  await fake.until("textDocument/didClose", ({ params }) => JSON.stringify(params).includes("mine.x"));
  assert.deepEqual(await hover(two.client, two.uri), { contents: "answered" });
  const { clients, backends } = await statusOf(stage);
  assert.deepEqual([clients, backends.map(({ openDocuments }) => openDocuments)], [1, [1]]);
});

test("two clients with other texts of one file are each answered for their own", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  const one = await joined(stage, "one");
  const two = await joined(stage, "two");
  for (let i = 0; i < 5; i++) {
    const answers = await Promise.all([hover(one.client, one.uri), hover(two.client, two.uri)]);
    assert.deepEqual(answers, [{ contents: "one" }, { contents: "two" }]);
  }
  assert.equal(stage.lives("fake1"), 1);
});

test(
  "one who comes late hears of registrations, and of no progress that others were shown the beginning of",
  posix,
  async (t) => {
    const stage = await Stage.open(t, { fake1: {} }, shared);
    const capabilities = {
      window: { workDoneProgress: true },
      // No server that we know has it, so that it is not announced.
      textDocument: { moniker: { dynamicRegistration: true } },
    };
    const came = async (): Promise<Client> => {
      const client = stage.client();
      await client.initialize([stage.folder], { capabilities });
      client.open(stage.uriOf("a.x"), "x", "");
      return client;
    };
    const early = await came();
    const fake = await stage.fake("fake1");
    await fake.until("textDocument/didOpen");
    await fake.ask("window/workDoneProgress/create", { token: "t" });
    fake.notify("$/progress", { token: "t", value: { kind: "begin", title: "loading" } });
    await early.until("the beginning", ({ method }) => method === "$/progress");
    const registrations = [{ id: "r", method: "textDocument/moniker", registerOptions: {} }];
    await fake.ask("client/registerCapability", { registrations });
    const late = await came();
    await late.until("the registration", ({ method, params }) =>
      method === "client/registerCapability" ? JSON.stringify(params).includes("moniker") : false,
    );
    fake.notify("$/progress", { token: "t", value: { kind: "end" } });
    await early.until("its end", ({ params }) => (params as { value?: { kind?: string } })?.value?.kind === "end");
    await hover(late, stage.uriOf("a.x"));
    assert.deepEqual(
      late.seen.filter(({ method }) => method === "$/progress"),
      [],
    );
  },
);

test(
  "what the server logs is on the stderr of each client's process, from the level that this asks for",
  posix,
  async (t) => {
    const stage = await Stage.open(t, { fake1: {} }, shared);
    const loud = stage.client({ options: ["--log-level", "info"] });
    await loud.initialize([stage.folder]);
    const { client, uri } = await joined(stage, "");
    await hover(client, uri);
    const fake = await stage.fake("fake1");
    await fake.done(fake.order({ do: "stderr", bytes: 10 }));
    await soon(
      "the line",
      until(async () => /\[info\] fake1: /.test(loud.stderr)),
    );
    void fake.die(3);
    await stage.fake("fake1", 2);
    await soon(
      "the error",
      until(async () => /\[error\] fake1: process 1 ended: exit code 3/.test(client.stderr)),
    );
    assert.doesNotMatch(client.stderr, /\[info\]/);
  },
);

test("diagnostics go to the client whose text they describe", posix, async (t) => {
  const said: Script = {
    on: {
      "textDocument/didOpen": ({ fake, params }) =>
        publish(fake, params as Opened, (params as Opened).textDocument.text),
      "textDocument/didChange": ({ fake, params }) => publish(fake, params as Opened, "of another"),
    },
  };
  const stage = await Stage.open(t, { fake1: said }, shared);
  const messages = (client: Client): string[] =>
    client.seen.flatMap(({ method, params }) =>
      method === "textDocument/publishDiagnostics"
        ? (params as { diagnostics: { message: string }[] }).diagnostics.map(({ message }) => message)
        : [],
    );
  const published = (client: Client): Promise<unknown> =>
    client.until("diagnostics", ({ method }) => method === "textDocument/publishDiagnostics");
  const one = await joined(stage, "of one");
  await published(one.client);
  const late = await joined(stage, "of one");
  await published(late.client);
  assert.deepEqual(messages(late.client), ["of one"], "one who comes later is told what is known");
  const other = await joined(stage, "of another");
  await hover(other.client, other.uri);
  await published(other.client);
  assert.deepEqual(
    [one, late, other].map(({ client }) => messages(client)),
    [["of one"], ["of one"], ["of another"]],
  );
});

interface Opened {
  readonly textDocument: { readonly uri: string; readonly version: number; readonly text: string };
}

function publish(fake: Fake, { textDocument: { uri, version: number } }: Opened, message: string): void {
  const diagnostics = [{ range: { start: at, end: at }, message }];
  fake.notify("textDocument/publishDiagnostics", { uri, version: number, diagnostics });
}

test("a client that reads nothing delays nobody: another is answered within a second", posix, async (t) => {
  const stage = await Stage.open(
    t,
    { fake1: { on: { "textDocument/references": () => [{ uri: `x:${mega}`, range: { start: at, end: at } }] } } },
    shared,
  );
  const line = await spoken(stage);
  const uri = stage.uriOf("a.x");
  const textDocument = { uri, languageId: "x", version: 1, text: "" };
  line.send({ method: "textDocument/didOpen", params: { textDocument } });
  const { client } = await joined(stage, "");
  await hover(client, uri);
  line.process.stdout.pause();
  // Far more than pipes hold.
  for (let id = 1; id <= 20; id++)
    line.send({ id, method: "textDocument/references", params: { textDocument: { uri }, position: at } });
  const fake = await stage.fake("fake1");
  await fake.until("textDocument/references", () => fake.of("textDocument/references").length === 19);
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await hover(client, uri);
    const took = performance.now() - began;
    assert.ok(took < 1000, `${took} ms`);
  }
  line.process.stdout.resume();
  for (let id = 1; id <= 20; id++) assert.ok((await line.answer(id)).result, "it misses nothing");
});

/** 1 MiB. */
const mega = "x".repeat(1 << 20);

test("a backend is told of the richest abilities, and each client gets what it takes", posix, async (t) => {
  const item = { label: "f", insertText: "f($1)", insertTextFormat: 2 };
  const stage = await Stage.open(
    t,
    {
      fake1: {
        capabilities: {
          textDocumentSync: 2,
          hoverProvider: true,
          completionProvider: {},
          codeActionProvider: { resolveProvider: true },
        },
        on: {
          "textDocument/completion": () => [item],
          "textDocument/codeAction": () => [{ title: "fix", data: { n: 1 } }],
          "codeAction/resolve": ({ params }) => ({ ...(params as object), edit: { changes: {} } }),
        },
      },
    },
    shared,
  );
  const poor = await joined(stage, "");
  const { params } = await (await stage.fake("fake1")).until("initialize");
  const told = (params as { capabilities: typeof rich }).capabilities;
  assert.equal(told.textDocument.completion.completionItem.snippetSupport, true, "though the first client cannot");
  const rich = {
    textDocument: {
      completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
      codeAction: {
        codeActionLiteralSupport: { codeActionKind: { valueSet: [] } },
        disabledSupport: true,
        resolveSupport: { properties: ["edit"] },
      },
    },
    workspace: { workspaceEdit: { documentChanges: true } },
  };
  const other = stage.client();
  await other.initialize([stage.folder], { capabilities: rich });
  other.open(poor.uri, "x", "");
  const asked = { textDocument: { uri: poor.uri }, position: at };
  assert.deepEqual(await poor.client.request("textDocument/completion", asked), [{ label: "f", insertText: "f()" }]);
  assert.deepEqual(await other.request("textDocument/completion", asked), [item]);
  const range = { textDocument: { uri: poor.uri }, range: { start: at, end: at }, context: { diagnostics: [] } };
  const literals = {
    capabilities: { textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } } },
  };
  const third = stage.client();
  await third.initialize([stage.folder], literals);
  third.open(poor.uri, "x", "");
  const [resolved] = await third.request<{ edit?: object }[]>("textDocument/codeAction", range);
  assert.deepEqual(resolved?.edit, { changes: {} }, "it could not ask for the edit itself");
  const [bare] = await other.request<{ edit?: object }[]>("textDocument/codeAction", range);
  assert.equal(bare?.edit, undefined);
});

test("each client has the working folder, the environment and the files of its own process", posix, async (t) => {
  const stage = await Stage.open(t, { fake1: echo() }, shared);
  const folders = ["a", "b"].map((name) => {
    const folder = join(stage.folder, name);
    mkdirSync(folder);
    return realpathSync.native(folder);
  });
  const roots: unknown[] = [];
  for (const [i, folder] of folders.entries()) {
    const client = stage.client({ cwd: folder });
    await client.request("initialize", { processId: null, rootUri: null, capabilities: {} });
    client.notify("initialized", {});
    const uri = `${pathToFileURL(folder).href}/f.x`;
    client.open(uri, "x", folder);
    assert.deepEqual(await hover(client, uri), { contents: folder });
    roots.push(((await (await stage.fake("fake1", i + 1)).until("initialize")).params as { rootUri: string }).rootUri);
  }
  assert.deepEqual(
    roots,
    folders.map((folder) => pathToFileURL(folder).href),
  );

  // A server of the user's own heeds PATH, for what it runs is found there.
  const bin = join(stage.folder, "bin");
  mkdirSync(bin);
  const away = stage.client({ cwd: folders[0] ?? "", env: { PATH: `${bin}:${process.env.PATH}` } });
  await away.initialize([folders[0] ?? ""]);
  const uri = `${pathToFileURL(folders[0] ?? "").href}/f.x`;
  away.open(uri, "x", "away");
  assert.deepEqual(await hover(away, uri), { contents: "away" });
  assert.equal(stage.lives("fake1"), 3);

  const wrong = join(stage.folder, "wrong.toml");
  writeFileSync(wrong, "[limits]\nnone = 1\n");
  const [node, program, ...rest] = stage.argv;
  const faulty = spawn(node, [program, ...rest, "--config", wrong], {
    env: { ...process.env, XDG_RUNTIME_DIR: stage.runtime },
  });
  const [code] = (await soon("its end", once(faulty, "exit"))) as [number];
  assert.equal(code, 2);
});
