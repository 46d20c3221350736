/** Languages without a server: what syntax alone answers through Switchboard, and that it is asked nothing where a server is. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { isObject } from "../../server/core/settings.ts";
import type { NameMentionsResult, StatusResult, SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { Client } from "../client.ts";
import { type Files, isolated, type Planted, planted } from "../planted.ts";
import { program } from "../program.ts";

interface Place {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
  readonly basis?: string;
}

const files = {
  "kv.go":
    "package kv\n\ntype Store[K comparable, V any] struct{ m map[K]V }\n\n" +
    "func (s *Store[K, V]) Get(k K) V { return s.m[k] }\n\ntype Box struct{ n int }\n\n" +
    "func (b Box) Get() int { return b.n }\nfunc (b *Box) Set(v int) { b.n = v }\n// Set\n",
  "use.go": 'package kv\n\nfunc use(b *Box) { b.Set(1) }\nvar text = "Set"\n',
  "Only.java": "package com.x;\nclass Only { void onlyHere() {} }\n",
  "page.ts": "export function shared() { return 1; }\n",
};

/** Our program, initialized, on a folder with these files, where nothing is installed. */
async function alone(
  files: Files,
  capabilities: object,
  run: (client: Client, tree: Planted) => Promise<void>,
  ...options: readonly string[]
): Promise<void> {
  const [tree, own] = [planted(files), planted()];
  const client = new Client([process.execPath, program, "--stdio", ...options], {
    env: { PATH: "", ...isolated(own.root) },
    patience: 60_000,
  });
  try {
    await client.initialize([tree.root], { capabilities });
    await run(client, tree);
    await client.stop();
  } finally {
    await client.kill();
    for (const folder of [tree, own]) folder.remove();
  }
}

const hierarchical = { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } };

test("without a server, syntax answers, and says that nobody confirmed it", async () => {
  const told = ({ uri: of, range: { start } }: Place): string =>
    `${of.slice(of.lastIndexOf("/") + 1)} ${start.line}:${start.character}`;
  await alone(files, hierarchical, async (client, { uriOf: uri }) => {
    // golang/go#38273: one method, five spellings.
    for (const name of ["Set", "Box.Set", "(*Box).Set", "kv.Box.Set", "Box::Set"]) {
      const { matches, complete } = await client.request<SymbolByNameResult>("$/symbolByName", { name });
      assert.deepEqual(
        matches.map(({ location, qualifiedName, confidence, backend }) => [
          told({ uri: location.uri, range: location.selectionRange }),
          qualifiedName,
          confidence,
          backend,
        ]),
        [["kv.go 9:14", "kv.Box.Set", "syntactic", "syntax"]],
        name,
      );
      assert.ok(complete, name);
    }
    const { matches } = await client.request<SymbolByNameResult>("$/symbolByName", { name: "Store.Get" });
    assert.deepEqual(
      matches.map(({ location }) => location.selectionRange.start),
      [{ line: 4, character: 22 }],
    );
    const absent = await client.request<SymbolByNameResult>("$/symbolByName", { name: "Box.Gone" });
    assert.deepEqual([absent.total, absent.absence, absent.complete], [0, "text", true]);

    const listed = await client.request<(Place & { location: Place; name: string; containerName?: string })[]>(
      "workspace/symbol",
      { query: "onlyHere" },
    );
    assert.deepEqual(
      listed.map(({ name, containerName, location }) => [name, containerName, told(location)]),
      [["onlyHere", "com.x.Only", "Only.java 1:18"]],
    );
    const outline = await client.request<{ name: string; children?: { name: string }[] }[]>(
      "textDocument/documentSymbol",
      { textDocument: { uri: uri("kv.go") } },
    );
    assert.deepEqual(
      outline.map(({ name }) => name),
      ["Store", "Store.Get", "Box", "Box.Get", "Box.Set"],
    );

    const position = { line: 2, character: 21 };
    const definition = await client.request<Place[]>("textDocument/definition", {
      textDocument: { uri: uri("use.go") },
      position,
    });
    assert.deepEqual(definition.map(told), ["kv.go 9:14"]);
    const references = await client.request<Place[]>("textDocument/references", {
      textDocument: { uri: uri("use.go") },
      position,
      context: { includeDeclaration: true },
    });
    // Neither the comment nor the string.
    assert.deepEqual(references.map(told).toSorted(), ["kv.go 9:14", "use.go 2:21"]);
    assert.ok([...definition, ...references].every(({ basis }) => basis === "name"));

    // A buffer counts before the file.
    client.open(uri("use.go"), "go", "package kv\n\n\nfunc inBuffer() {}\n");
    const buffer = await client.request<SymbolByNameResult>("$/symbolByName", { name: "inBuffer" });
    assert.deepEqual(
      buffer.matches.map(({ location }) => location.selectionRange.start.line),
      [3],
    );

    // TypeScript has a server: syntax lists nothing of it and has none of its documents.
    const shared = await client.request<SymbolByNameResult>("$/symbolByName", { name: "shared" });
    assert.deepEqual(
      shared.matches.map(({ backend, confidence }) => [backend, confidence]),
      [["tsgo", "semantic"]],
    );
    const { backends } = await client.request<StatusResult>("$/switchboard/status", {});
    assert.ok(backends.some(({ name }) => name === "syntax"));
  });
});

test("a name is found however its language lets it be written", async () => {
  const written = {
    "k.kt": "package a\nclass K {\n  fun `with spaces`() {}\n  val `is` = 1\n}\n",
    "w.swift": "enum E { case `default` }\n",
    "r.rs": "pub fn r#type() {}\n",
    "c.cs": "class C { int @event; }\n",
    "q.ts": "class Q {\n  'quoted name'() {}\n  ['in brackets'] = 1;\n}\nexport const o = { 'a-b': 1, c: 'd' };\n",
    "p.php": "<?php\nclass Foo { function barIt() {} }\n",
    "Cargo.toml": '[package]\nauthors = ["a"]\nname = "my-crate"\n\n[[bin]]\nname = "other"\n',
    "src/geo.rs": "pub struct Shape;\n",
    "n.php": "<?php\nnamespace App\\Http;\nclass Ctl {}\n",
    "v.c": "int f(void) { return 0; }\nint f2(int n) { return n; }\n",
  };
  const cases: readonly (readonly [name: string, found: string])[] = [
    ["`with spaces`", "k.kt 2:7"],
    ["a.K.`is`", "k.kt 3:7"],
    ["E.default", "w.swift 0:15"],
    ["type", "r.rs 0:9"],
    ["r#type", "r.rs 0:9"],
    ["event", "c.cs 0:15"],
    ["C.@event", "c.cs 0:15"],
    ["Q.`quoted name`", "q.ts 1:3"],
    ["`in brackets`", "q.ts 2:4"],
    ["o.`a-b`", "q.ts 4:20"],
    ["d", ""],
    ["barit", "p.php 1:21"],
    ["foo::BarIt", "p.php 1:21"],
    ["f(void)", "v.c 0:4"],
    ["crate::geo::Shape", "geo.rs 0:11"],
    ["my_crate::geo::Shape", "geo.rs 0:11"],
    ["other::geo::Shape", ""],
    ["App\\Http\\Ctl", "n.php 2:6"],
  ];
  await alone(
    written,
    {},
    async (client) => {
      // Twice: once what files declare is known, they are not read again.
      for (const round of [1, 2])
        for (const [name, found] of cases) {
          const { matches, complete } = await client.request<SymbolByNameResult>("$/symbolByName", { name });
          const places = matches.map(({ location: { uri, selectionRange } }) => {
            const { line, character } = selectionRange.start;
            return `${uri.slice(uri.lastIndexOf("/") + 1)} ${line}:${character}`;
          });
          assert.deepEqual([places.join(" "), complete], [found, true], `${name}, round ${round}`);
        }
      const missed = await client.request<SymbolByNameResult>("$/symbolByName", { name: "Other.barIt" });
      assert.deepEqual([missed.total, missed.suggestions], [0, ["Foo::barIt"]]);
      const gone = await client.request("$/symbolByName", { name: "sb:aaaa", unique: true }).catch(String);
      assert.match(String(gone), /No symbol has the key "sb:aaaa"/);
      const then = { method: "textDocument/documentSymbol" };
      const refused = await client.request("$/symbolByName", { name: "event", then }).catch(String);
      assert.match(String(refused), /syntax cannot run "textDocument\/documentSymbol" at a symbol/);
    },
    "--no-backends",
  );
});

test("a request of ours with a token is shown to be under way, until its answer", async () => {
  await alone({ "page.ts": files["page.ts"] }, { window: { workDoneProgress: true } }, async (client) => {
    for (const [method, params, title] of [
      ["$/symbolByName", { name: "shared" }, "looking for shared"],
      ["$/symbolSearch", { query: "" }, "search"],
      ["$/nameMentions", { name: "shared" }, "mentions"],
    ] as const) {
      await client.request(method, { ...params, workDoneToken: method });
      const shown = client.seen.flatMap(({ method: told, params: one }) =>
        told === "$/progress" && isObject(one) && one.token === method ? [one.value] : [],
      );
      assert.deepEqual(shown, [{ kind: "begin", title }, { kind: "end" }]);
    }
  });
});

test("a file in UTF-16 is read as what it is, also by name", async () => {
  await alone({ "page.ts": files["page.ts"] }, {}, async (client, tree) => {
    for (const [file, text] of [
      ["little.ts", Buffer.from("\ufeffconst é = 1, little = 2;\n", "utf16le")],
      ["big.ts", Buffer.from("\ufeffconst é = 1, big = 2;\n", "utf16le").swap16()],
    ] as const)
      writeFileSync(tree.pathOf(file), text);
    for (const name of ["little", "big"]) {
      const { matches, complete } = await client.request<SymbolByNameResult>("$/symbolByName", { name, wait: "none" });
      const places = matches.map(({ location: { selectionRange } }) => selectionRange.start);
      assert.deepEqual([places, complete], [[{ line: 0, character: 13 }], true], name);
    }
  });
});

test("--no-backends serves as if no server were installed", async () => {
  const run = async (client: Client): Promise<void> => {
    const { matches, complete } = await client.request<SymbolByNameResult>("$/symbolByName", { name: "shared" });
    assert.deepEqual(
      matches.map(({ backend, location }) => [backend, location.selectionRange.start]),
      [["syntax", { line: 0, character: 16 }]],
    );
    assert.ok(complete);
  };
  await alone({ "page.ts": files["page.ts"] }, {}, run, "--no-backends");
});

test("where every language has a server, no syntax backend is started before somebody asks by name", async () => {
  await alone({ "page.ts": files["page.ts"] }, {}, async (client) => {
    const running = async (): Promise<readonly string[]> => {
      const { backends } = await client.request<StatusResult>("$/switchboard/status", {});
      return backends.map(({ name }) => name);
    };
    await client.request("workspace/symbol", { query: "shared" });
    assert.deepEqual(await running(), ["tsgo"]);
    const { total, coverage } = await client.request<SymbolByNameResult>("$/symbolByName", { name: "shared" });
    assert.deepEqual([total, coverage.files], [1, 1]);
    assert.deepEqual(await running(), ["tsgo", "syntax"], "which keeps the index of names");
  });
});

test("a home folder has no index: its files are read for each question, and what is absent is known all the same", async () => {
  const tree = planted({ "one.rb": "def shared\n  other\nend\n", "two.rb": "shared\nshared\n" });
  const own = planted();
  const client = new Client([process.execPath, program, "--stdio"], {
    env: { PATH: "", HOME: tree.root, USERPROFILE: tree.root, ...isolated(own.root) },
    patience: 60_000,
  });
  try {
    await client.initialize([tree.root]);
    const ask = (name: string) => client.request<SymbolByNameResult>("$/symbolByName", { name });
    const { matches, complete, coverage } = await ask("shared");
    assert.deepEqual(
      matches.map(({ location }) => location.uri),
      [tree.uriOf("one.rb")],
    );
    assert.deepEqual([complete, coverage.files], [true, 2]);
    assert.equal((await ask("nowhere")).absence, "text");
    const mentions = await client.request<NameMentionsResult>("$/nameMentions", { name: "shared" });
    assert.deepEqual([mentions.total, mentions.fileCount, mentions.complete], [2, 1, true]);
    const { index } = await client.request<StatusResult>("$/switchboard/status", {});
    assert.deepEqual([index?.state, index?.files], ["none", 0]);
    await client.stop();
  } finally {
    await client.kill();
    for (const folder of [tree, own]) folder.remove();
  }
});
