/** What questions wait for, in which order they are sent, and that clients take turns (`queue.ts`), on the simulator. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { oneOfEach } from "../../server/core/route/warmup.ts";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer } from "../sim/server.ts";
import type { Backend } from "../sim/setup.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const other = `${folder}/b.x`;
const hold: Backend = { otherwise: () => "hold" };
const place = (of = uri) => ({ textDocument: { uri: of }, position: { line: 0, character: 0 } });

/** Answers what is open, oldest first, each with the text that it saw. */
function answerAll(sim: Sim, server: FakeServer, most = Number.POSITIVE_INFINITY): number {
  let n = 0;
  for (const question of [...server.open.values()]) {
    if (n >= most) break;
    server.answer(question, {
      result:
        question.method === "initialize"
          ? { capabilities: server.capabilities() }
          : { contents: question.text ?? null },
    });
    n++;
  }
  sim.settle();
  return n;
}

function slow(more: Partial<Backend> = {}): { sim: Sim; a: FakeClient; b: FakeClient; server: FakeServer } {
  const sim = new Sim({ backends: { one: { ...hold, ...more } } });
  const [a, b] = [sim.client("A"), sim.client("B")];
  a.open(uri, "a");
  sim.settle();
  return { sim, a, b, server: sim.server("one") };
}

test("what comes before the start is done is sent after it, in order", () => {
  const sim = new Sim({ backends: { one: { ...hold, on: { initialize: () => "hold" } } } });
  const a = sim.client();
  a.open(uri, "1");
  a.ask("textDocument/hover", place());
  a.change(uri, [{ range: { start: { line: 0, character: 1 }, end: { line: 0, character: 1 } }, text: "2" }]);
  a.open(other, "x");
  a.ask("textDocument/hover", place(other));
  sim.settle();
  const server = sim.server("one");
  assert.deepEqual(
    server.questions.map(({ method }) => method),
    ["initialize"],
  );
  answerAll(sim, server);
  assert.deepEqual(
    server.questions.slice(1).map(({ text }) => text),
    ["12", "x"],
  );
  assert.deepEqual(sim.faults(), []);
});

test("clients with different texts take turns: nobody's second question comes before the other's first", () => {
  const { sim, a, b, server } = slow();
  b.open(uri, "b");
  sim.settle();
  for (let i = 0; i < 3; i++) {
    a.ask("textDocument/hover", place());
    b.ask("textDocument/hover", place());
  }
  sim.settle();
  while (server.open.size > 0) answerAll(sim, server);
  const seen = server.questions.flatMap(({ method, text }) => (method === "textDocument/hover" ? [text] : []));
  assert.deepEqual(seen, ["a", "b", "a", "b", "a", "b"]);
  assert.deepEqual(
    a.asked.concat(b.asked).flatMap(({ answers }) => answers.flatMap(({ error }) => error ?? [])),
    [],
  );
});

test("questions about another document do not wait", () => {
  const { sim, a, b, server } = slow();
  b.open(other, "o");
  a.ask("textDocument/hover", place());
  sim.settle();
  b.open(uri, "b");
  b.ask("textDocument/hover", place());
  b.ask("textDocument/hover", place(other));
  sim.settle();
  assert.deepEqual(
    server.questions.slice(1).map(({ text }) => text),
    ["a", "o"],
  );
});

test("clients with one text do not wait for each other", () => {
  const { sim, a, b, server } = slow();
  b.open(uri, "a");
  a.ask("textDocument/hover", place());
  b.ask("textDocument/hover", place());
  sim.settle();
  assert.deepEqual(
    server.questions.slice(1).map(({ text }) => text),
    ["a", "a"],
  );
});

test("a cancelled question holds its text until the backend is done with it", () => {
  const { sim, a, b, server } = slow();
  const asked = a.ask("textDocument/hover", place());
  sim.settle();
  a.cancel(asked);
  b.open(uri, "b");
  b.ask("textDocument/hover", place());
  sim.settle();
  assert.equal(server.text(uri), "a");
  answerAll(sim, server, 1);
  assert.equal(server.text(uri), "b");
  assert.deepEqual(server.questions.at(-1)?.text, "b");
});

test("a backend that never answers a cancelled question is not waited for longer than the fence", () => {
  const { sim, a, b, server } = slow();
  const asked = a.ask("textDocument/hover", place());
  sim.settle();
  a.cancel(asked);
  b.open(uri, "b");
  sim.advance(2_000);
  assert.equal(server.text(uri), "b");
  assert.equal(asked.answers.length, 1);
  // The ledger forgets it after its minute.
  sim.advance(61_000);
  assert.deepEqual(sim.mux.calls.size, { calls: 0, legs: 0 });
});

test("a project question sees all texts of its asker", () => {
  const { sim, a, b, server } = slow();
  a.open(other, "oa");
  b.open(uri, "b");
  b.open(other, "ob");
  sim.settle();
  a.ask("textDocument/references", { ...place(), context: { includeDeclaration: true } });
  sim.settle();
  assert.deepEqual([server.text(uri), server.text(other)], ["a", "oa"]);
  // And holds them: B's hover on the other document waits.
  b.ask("textDocument/hover", place(other));
  sim.settle();
  assert.equal(server.questions.at(-1)?.method, "textDocument/references");
  answerAll(sim, server);
  assert.equal(server.questions.at(-1)?.text, "ob");
});

const ready = { on: "progress", match: /^load/, settle: 60_000 } as const;

test("a gate opens on the server's word", () => {
  const { sim, a, server } = slow({ adapter: { ready } });
  a.ask("textDocument/definition", place());
  a.ask("textDocument/hover", place());
  sim.advance(1_000);
  assert.deepEqual(
    server.questions.slice(1).map(({ method }) => method),
    ["textDocument/hover"],
    "typed at: passes",
  );
  server.ask("p", "window/workDoneProgress/create", { token: "t" });
  server.tell("$/progress", { token: "t", value: { kind: "begin", title: "loading" } });
  server.tell("$/progress", { token: "t", value: { kind: "end" } });
  sim.settle();
  assert.equal(server.questions.at(-1)?.method, "textDocument/definition");
});

test("caps of the gates count from initialized; a rename at its cap is refused, the rest is asked and may be partial", () => {
  const { sim, a, server } = slow({ adapter: { ready } });
  const caps = { "textDocument/definition": 1_500, "textDocument/references": 5_000 };
  sim.advance(500);
  const rename = a.ask("textDocument/rename", { ...place(), newName: "n" });
  for (const method of Object.keys(caps)) a.ask(method, place());
  server.ask("p", "window/workDoneProgress/create", { token: "t" });
  server.tell("$/progress", { token: "t", value: { kind: "begin", title: "loading 40%" } });
  sim.settle();
  let passed = 500;
  for (const [method, cap] of Object.entries(caps)) {
    sim.advance(cap - passed - 1);
    assert.notEqual(server.questions.at(-1)?.method, method);
    sim.advance(1);
    assert.equal(server.questions.at(-1)?.method, method);
    passed = cap;
  }
  assert.equal(a.shown("window/logMessage").length, 1);
  sim.advance(3_000);
  const error = rename.answers[0]?.error;
  assert.equal(error?.code, -32803);
  assert.deepEqual(error?.data, { code: "NotReady", backend: "one", progress: "loading 40%" });
  assert.ok(!server.questions.some(({ method }) => method === "textDocument/rename"));
});

test("a warm-up opens a file that holds the name, on our account, and shows nobody", () => {
  const files = { [`${folder}/n.x`]: "nothing", [`${folder}/k.x`]: "class Kit" };
  const capabilities = { workspaceSymbolProvider: true };
  const sim = new Sim({
    backends: { one: { ...hold, capabilities, adapter: { ready: { on: "open" }, warmUp: "open" } } },
    files,
  });
  const a = sim.client();
  const asked = a.ask("workspace/symbol", { query: "Kit" });
  sim.settle();
  const server = sim.server("one");
  assert.deepEqual([...server.documents.keys()], [`${folder}/k.x`]);
  server.tell("textDocument/publishDiagnostics", { uri: `${folder}/k.x`, diagnostics: [] });
  const question = server.questions.at(-1);
  assert.equal(question?.method, "workspace/symbol");
  if (question !== undefined) server.answer(question, { result: null });
  sim.settle();
  assert.deepEqual(asked.answers[0]?.result, []);
  assert.deepEqual(a.shown("textDocument/publishDiagnostics"), []);
});

test("one file of each project is open whenever a project is asked about, whoever opens and closes what", () => {
  const files = { "t.json": "", "a.x": "a", "p/t.json": "", "p/tool.x": "tool", "p/src/b.x": "b", "q/c.x": "c" };
  const capabilities = { workspaceSymbolProvider: true, referencesProvider: true };
  const sim = new Sim({
    backends: {
      one: {
        capabilities,
        adapter: { ready: { on: "open" }, warmUp: { each: ["t.json"] } },
        otherwise: () => ({ result: [] }),
      },
    },
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])),
  });
  const a = sim.client();
  const standing = [`${folder}/p/src/b.x`, `${folder}/q/c.x`];
  a.open(`${folder}/q/c.x`, "mine");
  const first = a.ask("textDocument/references", {
    ...place(`${folder}/q/c.x`),
    context: { includeDeclaration: true },
  });
  sim.settle();
  const server = sim.server("one");
  const open = (): readonly string[] => [...server.documents.keys()].sort();
  assert.deepEqual(open(), standing, "below the markers rather than beside them, and not another of the same project");
  assert.equal(server.documents.get(`${folder}/q/c.x`)?.text, "mine");
  assert.equal(first.answers.length, 1);
  // The client's closing takes a project away until the next question.
  a.close(`${folder}/q/c.x`);
  sim.settle();
  assert.deepEqual(open(), standing.slice(0, 1));
  sim.advance(60_000);
  const later = a.ask("workspace/symbol", { query: "c" });
  sim.settle();
  assert.deepEqual(open(), standing);
  assert.equal(later.answers.length, 1);
  // One more project, and one whose file goes.
  sim.files.set(`${folder}/r/t.json`, "").set(`${folder}/r/d.x`, "d");
  sim.files.delete(`${folder}/q/c.x`);
  a.tell("workspace/didChangeWatchedFiles", {
    changes: [
      { uri: `${folder}/r/t.json`, type: 1 },
      { uri: `${folder}/q/c.x`, type: 3 },
    ],
  });
  sim.settle();
  a.ask("workspace/symbol", { query: "d" });
  sim.settle();
  assert.deepEqual(open(), [`${folder}/a.x`, `${folder}/p/src/b.x`, `${folder}/r/d.x`]);
  assert.deepEqual(sim.faults(), []);
});

test("which file stands for a project", () => {
  const uris = [
    "f:/loose.js",
    "f:/p/t.json",
    "f:/p/tool.ts",
    "f:/p/src/a.js",
    "f:/p/src/b.ts",
    "f:/q/t.json",
    "f:/q/c.js",
  ];
  assert.deepEqual(oneOfEach(uris, ["t.json"], [".ts", ".js"]), {
    projects: ["f:/p/src/b.ts", "f:/q/c.js"],
    loose: "f:/loose.js",
  });
  assert.deepEqual(oneOfEach(uris.slice(1, 2), ["t.json"], [".ts"]), { projects: [], loose: null });
});

test("a question about a file that is open nowhere: read from disk, and read again when it is asked again", () => {
  const sim = new Sim({ backends: { one: hold }, files: { [other]: "disk 1" } });
  const a = sim.client();
  a.open(uri, "a");
  sim.settle();
  const server = sim.server("one");
  a.ask("textDocument/hover", place(other));
  sim.settle();
  assert.equal(server.questions.at(-1)?.text, "disk 1");
  sim.files.set(other, "disk 2");
  a.ask("textDocument/hover", place(other));
  sim.settle();
  assert.equal(server.questions.at(-1)?.text, "disk 2");
  // The client's own opening wins, until it closes.
  a.open(other, "mine");
  a.ask("textDocument/hover", place(other));
  sim.settle();
  assert.equal(server.questions.at(-1)?.text, "mine");
  a.close(other);
  a.ask("textDocument/hover", place(other));
  sim.settle();
  assert.equal(server.questions.at(-1)?.text, "disk 2");
  a.ask("textDocument/hover", place(`${folder}/none.x`));
  sim.settle();
  assert.equal(server.questions.at(-1)?.text, undefined, "unreadable: the backend says what it thinks of it");
  assert.deepEqual(sim.faults(), []);
});

test("two hundred rounds in one write, two clients interleaved: each question after just the changes before it", () => {
  const sim = new Sim({ backends: { one: { otherwise: ({ text }) => ({ result: [{ name: text }] }) } } });
  const clients = [sim.client(), sim.client()];
  for (const [i, client] of clients.entries()) client.open(i === 0 ? uri : other, "");
  for (let round = 0; round < 200; round++)
    for (const [i, client] of clients.entries()) {
      const of = i === 0 ? uri : other;
      for (const text of ["x", "y\n"]) {
        client.change(of, [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text }]);
        client.ask("textDocument/documentSymbol", { textDocument: { uri: of } });
      }
    }
  sim.settle();
  for (const client of clients) {
    const asked = client.asked.filter(({ method }) => method === "textDocument/documentSymbol");
    assert.equal(asked.length, 400);
    for (const { texts, answers } of asked) assert.equal(at(answers[0]?.result, "0", "name"), texts[0]);
  }
  assert.deepEqual(sim.faults(), []);
});
