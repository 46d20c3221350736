/** What users of these servers reported, as the smallest inputs: what the bare server gets wrong must come out right. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { type FixtureName, writeCompileCommands } from "../fixture.ts";
import { type Files, type Planted, planted } from "../planted.ts";
import { edits, locations, place, type SymbolFound, symbols, type Tree, type WorkspaceEdit } from "./expect.ts";
import { inSession, missing, type Session, withVersions } from "./session.ts";
import { frame, type Message, type Reply, Wire } from "./wire.ts";

const shapes: Files = {
  "shape.h": "#pragma once\nnamespace geo {\nstruct Shape {\n  int area() const;\n  int area(int s) const;\n};\n}",
  "shape.cpp":
    '#include "shape.h"\nnamespace geo {\nint Shape::area() const { return 3; }\n' +
    "int Shape::area(int s) const { return area()*s; }\n}",
  "main.cpp": '#include "shape.h"\nint use() { geo::Shape s; return s.area(); }',
};

const library: Files = {
  "tsconfig.json": '{"include":["src"]}',
  "src/lib.ts": "export function shared(x: number) { return x + 1; }",
};

const box: Files = {
  "go.mod": "module example.com/kv\n\ngo 1.24\n",
  "kv/kv.go":
    "package kv\n\ntype Store[K comparable, V any] struct{ m map[K]V }\n\n" +
    "func (s *Store[K, V]) Get(k K) V { return s.m[k] }\n\ntype Box struct{ n int }\n\n" +
    "func (b Box) Get() int { return b.n }\nfunc (b *Box) Set(v int) { b.n = v }\n",
};

// Case 12: rust-lang/rust-analyzer#14553
const sync: Files = {
  "Cargo.toml": '[package]\nname = "sy"\nversion = "0.1.0"\nedition = "2021"\n',
  "src/lib.rs": "pub struct SyncParams {}\npub fn sync() {}\npub fn sync2() {}\npub enum E { SyncNow }\n",
};
scene("rust-analyzer hides no function behind a type", ["rust"], sync, async (session, tree) => {
  await session.initialize();
  const found = await session.client.request<SymbolFound[]>("workspace/symbol", { query: "sync" });
  const names = found.map(({ name }) => name);
  assert.deepEqual(new Set(names), new Set(["SyncParams", "sync", "sync2", "SyncNow"]));
  assert.equal(names.length, new Set(names).size, "nothing twice");
  assert.equal(names[0], "sync", "the exact name first");
  assert.equal(symbols(tree, found).length, 4);
});

// Case 9: golang/go#38963, #50536
const tagged: Files = {
  ...box,
  "kv/tagged.go": "//go:build never\n\npackage kv\n\nfunc OnlyTagged() int { return 9 }\n",
  "kv/w_windows.go": "package kv\n\nfunc WinOnly() {}\n",
  "kv/testdata/td.go": "package td\n\nfunc InTestdata() {}\n",
};
scene("gopls lists what its build leaves out", ["go"], tagged, async (session, tree) => {
  const { client } = session;
  await session.initialize();
  client.open(tree.uriOf("kv/tagged.go"), "go", tagged["kv/tagged.go"] ?? "");
  for (const [query, file, line, from] of [
    ["OnlyTagged", "kv/tagged.go", 4, 5],
    ["WinOnly", "kv/w_windows.go", 2, 5],
    ["InTestdata", "kv/testdata/td.go", 2, 5],
    ["Box", "kv/kv.go", 6, 5],
  ] as const) {
    const found = await client.request<SymbolFound[]>("workspace/symbol", { query });
    const places = symbols(tree, found.slice(0, 1));
    assert.deepEqual(places, [`${file} ${line}:${from}-${line}:${from + query.length}`], query);
  }
});

// A folder opened through a link: clangd knows its files by both paths.
test("clangd: a folder behind a link has each place once", { skip: missing("cpp") }, async (t) => {
  const tree = plant(shapes);
  const own = planted();
  const link = own.pathOf("link");
  symlinkSync(tree.root, link);
  try {
    await inSession(t, [link], async (session) => {
      const { client } = session;
      await session.initialize({ capabilities: withVersions });
      const linked = {
        root: link,
        uri: pathToFileURL(link).href,
        uriOf: (file: string) => pathToFileURL(join(link, file)).href,
      };
      const uri = linked.uriOf("main.cpp");
      client.open(uri, "cpp", shapes["main.cpp"] ?? "");
      const at = { textDocument: { uri }, position: { line: 1, character: 37 } };
      const wanted = ["main.cpp 1:35-1:39", "shape.cpp 2:11-2:15", "shape.cpp 3:38-3:42", "shape.h 3:6-3:10"];
      const context = { includeDeclaration: true };
      const references = await client.request<never>("textDocument/references", { ...at, context });
      assert.deepEqual(locations(linked, references), wanted);
      const edit = await client.request<WorkspaceEdit>("textDocument/rename", { ...at, newName: "size" });
      assert.deepEqual(edits(linked, edit, "size"), wanted);
      const files = edit.documentChanges?.map(({ textDocument }) => textDocument.uri) ?? [];
      assert.equal(files.length, new Set(files).size, "each document once");
    });
  } finally {
    for (const each of [tree, own]) each.remove();
  }
});

// Case 24: atusy/kakehashi#710, vscode-languageserver-node#1285
scene("lone CR, and positions past the end of a line", ["python"], { "d.py": "" }, async (session, tree) => {
  const { client } = session;
  await session.initialize();
  const uri = tree.uriOf("d.py");
  client.open(uri, "python", "a\rb\r\nc\nd");
  change(session, uri, 2, [0, 999, 0, 999], "X");
  change(session, uri, 3, [1, 1, 1, 999], "Y");
  change(session, uri, 4, [2, 0, 3, 0], "");
  // Each line is a name that nobody has defined, so that its fault tells where the server sees it.
  const wanted = ["d.py 0:0-0:2", "d.py 1:0-1:2", "d.py 2:0-2:1"];
  const published = await client.until("the faults of the last text", ({ method, params }) => {
    if (method !== "textDocument/publishDiagnostics") return false;
    return (params as { version?: number }).version === 4 && undefinedIn(tree, params).length > 0;
  });
  assert.deepEqual(undefinedIn(tree, published.params), wanted);
});

// Case 26: texpresso#106, vscode#12165
const halves: readonly (readonly [FixtureName, string, string, string])[] = [
  ["cpp", "h.cpp", "const char *s = ", ";\nint after = 1;\nint use = after;\n"],
  ["typescript", "h.ts", "const s: string = ", ";\nconst after = 1;\nconst use = after;\n"],
  ["python", "h.py", "s = ", "\nafter = 1\nuse = after\n"],
];
for (const [language, file, before, after] of halves) {
  const title = `${language}: half of a surrogate pair is deleted, then the other half`;
  scene(title, [language], { [file]: `${before}"😀"${after}` }, async (session, tree) => {
    const { client } = session;
    await session.initialize();
    const uri = tree.uriOf(file);
    client.open(uri, language, `${before}"😀"${after}`);
    const high = before.length + 1;
    const definition = async (): Promise<readonly string[]> => {
      const character = after.split("\n")[2]?.indexOf("after") ?? 0;
      const at = { textDocument: { uri }, position: { line: 2, character } };
      return locations(tree, await client.request<never>("textDocument/definition", at));
    };
    const column = after.split("\n")[1]?.indexOf("after") ?? 0;
    const wanted = [`${file} 1:${column}-1:${column + 5}`];
    assert.deepEqual(await definition(), wanted);
    change(session, uri, 2, [0, high + 1, 0, high + 2], "");
    assert.deepEqual(await definition(), wanted, "with half a pair in the text");
    change(session, uri, 3, [0, high, 0, high + 1], "");
    assert.deepEqual(await definition(), wanted, "with both halves gone");
    // What is typed now stands where the client says.
    change(session, uri, 4, [0, high, 0, high + 1], '" ');
    assert.deepEqual(await definition(), wanted);
    const [backend] = await session.backends();
    assert.equal(backend?.restarts, 0);
  });
}

// ---- Weak clients -------------------------------------------------------------------------------------------------------

const three = { ...box, ...library, ...shapes };

// Case 31: rust-analyzer#15197, lsp-client#84, verible#1987
test("every form of a header, in pieces of one byte", { skip: missing("go", "cpp", "typescript") }, async (t) => {
  await wired(
    t,
    three,
    () => ({ result: null }),
    async (wire, tree) => {
      const folders = [{ uri: tree.uri, name: "all" }];
      const initialize = { processId: null, rootUri: null, workspaceFolders: folders, capabilities: {} };
      wire.write(frame({ id: 1, method: "initialize", params: initialize }, (n) => `content-length: ${n}`));
      await wire.answer(1);
      wire.write(frame({ method: "initialized", params: {} }, (n) => `Content-Length:${n}`));
      const ask = (id: number, query: string, header: (n: number) => string): Buffer =>
        frame({ id, method: "workspace/symbol", params: { query } }, header);
      for (const byte of ask(2, "Box", (n) => `CONTENT-LENGTH:   ${n}`)) wire.write(Buffer.from([byte]));
      const typed = "Content-Type: application/vscode-jsonrpc; charset=utf-8";
      const two = [
        ask(3, "shared", (n) => `${typed}\r\nContent-Length: ${n}`),
        ask(4, "area", (n) => `X-Content-Length: 5\r\nContent-Length: ${n}`),
      ];
      wire.write(Buffer.concat(two));
      wire.write(ask(5, "😀", (n) => `Content-Length: ${n}`));
      assert.deepEqual(symbols(tree, listIn(await wire.answer(2)).slice(0, 1)), ["kv/kv.go 6:5-6:8"]);
      assert.deepEqual(symbols(tree, listIn(await wire.answer(3))), ["src/lib.ts 0:16-0:22"]);
      assert.deepEqual(symbols(tree, listIn(await wire.answer(4))), ["shape.cpp 2:11-2:15", "shape.cpp 3:11-3:15"]);
      assert.deepEqual(listIn(await wire.answer(5)), []);
    },
  );
});

// Case 35: claude-code#32595, #52693; bash-language-server#645
const weak: Readonly<Record<string, { readonly capabilities: object; readonly reply: Reply }>> = {
  "can nothing and answers nothing": { capabilities: {}, reply: () => null },
  "refuses everything": { capabilities: {}, reply: () => ({ error: { code: -32601, message: "no" } }) },
  "takes progress and then is silent": {
    capabilities: { window: { workDoneProgress: true } },
    reply: () => null,
  },
  "announces much and refuses everything": {
    capabilities: {
      window: { workDoneProgress: true },
      workspace: { configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
    },
    reply: () => ({ error: { code: -32601, message: "no" } }),
  },
};
for (const [name, { capabilities, reply }] of Object.entries(weak)) {
  test(`gopls answers a client that ${name}`, { skip: missing("go") }, async (t) => {
    await wired(t, box, reply, async (wire, tree) => {
      const folders = [{ uri: tree.uri, name: "kv" }];
      const params = { processId: null, rootUri: tree.uri, workspaceFolders: folders, capabilities };
      wire.send({ id: 1, method: "initialize", params });
      await wire.answer(1);
      wire.send({ method: "initialized", params: {} });
      wire.send({ id: 2, method: "workspace/symbol", params: { query: "Box" } });
      assert.deepEqual(symbols(tree, listIn(await wire.answer(2)).slice(0, 1)), ["kv/kv.go 6:5-6:8"]);
    });
  });
}

// ---- Stage --------------------------------------------------------------------------------------------------------------

function scene(
  name: string,
  needs: readonly FixtureName[],
  files: Files,
  run: (session: Session, tree: Tree) => Promise<void>,
): void {
  test(name, { skip: missing(...needs) }, async (t) => {
    const tree = plant(files);
    try {
      await inSession(t, [tree.root], (session) => run(session, tree));
    } finally {
      tree.remove();
    }
  });
}

async function wired(
  t: TestContext,
  files: Files,
  reply: Reply,
  run: (wire: Wire, tree: Tree) => Promise<void>,
): Promise<void> {
  const [tree, own] = [plant(files), planted()];
  const wire = new Wire(tree.root, own.root, reply);
  t.after(() => {
    wire.process.kill("SIGKILL");
    for (const folder of [tree, own]) folder.remove();
  });
  await run(wire, tree);
  assert.equal(await wire.end(), 0);
}

function plant(files: Files): Planted {
  const tree = planted(files);
  if (Object.keys(files).some((file) => file.endsWith(".cpp"))) writeCompileCommands(tree.root);
  return tree;
}

type Corners = readonly [number, number, number, number];

function change({ client }: Session, uri: string, version: number, [line, from, end, to]: Corners, text: string): void {
  const range = { start: { line, character: from }, end: { line: end, character: to } };
  client.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ range, text }] });
}

function listIn({ result, error }: Message): readonly SymbolFound[] {
  assert.equal(error, undefined);
  assert.ok(Array.isArray(result), JSON.stringify(result));
  return result;
}

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly { readonly code?: unknown; readonly range: Parameters<typeof place>[2] }[];
}

function undefinedIn(tree: Tree, params: unknown): readonly string[] {
  const { uri, diagnostics } = params as Published;
  const faults = diagnostics.filter(({ code }) => code === "reportUndefinedVariable");
  return faults.map(({ range }) => place(tree, uri, range)).sort();
}
