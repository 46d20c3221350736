/** Our own requests where no server is installed: the program as it is shipped, and syntax alone. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { adapters } from "../../adapters/index.ts";
import { type Files, type Planted, planted } from "../planted.ts";
import { inSession, type Session } from "./session.ts";

/** Every server is disabled. */
const syntaxOnly = {
  switchboard: {
    backends: Object.fromEntries(
      adapters.flatMap(({ name, lastResort }) => (lastResort ? [] : [[name, { enabled: false }]])),
    ) as object,
  },
};

/** A session on a folder with these files. */
function alone(
  name: string,
  files: Files,
  run: (session: Session, workspace: Planted) => Promise<void>,
  capabilities: object = {},
): void {
  test(name, async (t) => {
    const workspace = planted(files);
    try {
      await inSession(t, [workspace.root], async (session) => {
        await session.initialize({ initializationOptions: syntaxOnly, capabilities });
        await run(session, workspace);
      });
    } finally {
      workspace.remove();
    }
  });
}

/** The code that a failed request has in its data. */
async function failure(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    (result) => assert.fail(`an answer: ${JSON.stringify(result)}`),
    (fault: { code: number; data?: { code?: string } }) => fault.data?.code ?? fault.code,
  );
}

interface Symbol {
  readonly name: string;
  readonly body?: string;
  readonly selectionRange: { readonly start: { readonly line: number; readonly character: number } };
  readonly children?: readonly Symbol[];
}

/** `name line:column` (0-based), children in brackets. */
function sketch(symbols: readonly Symbol[]): string {
  return symbols
    .map(({ name, selectionRange: { start }, children }) => {
      const inside = children === undefined ? "" : ` (${sketch(children)})`;
      return `${name} ${start.line}:${start.character}${inside}`;
    })
    .join(" ");
}

const kv = `package kv

type Box struct{ n int }

func (b *Box) Set(v int) { b.n = v }
`;

alone(
  "$/outline: one file from syntax, against the client's buffer",
  {
    "kv/kv.go": kv,
    "e.py": 'x = "😀"; value = 1\n',
    "notes.txt": "",
    "bom.ts": "\ufeffexport function bomFn() {}\n",
    "nul.py": "x = 1\0\n",
  },
  async ({ client }, { uriOf }) => {
    const outline = (params: object) => client.request<Symbol[]>("$/outline", params);
    const textDocument = { uri: uriOf("kv/kv.go") };
    assert.equal(sketch(await outline({ textDocument })), "Box 2:5 (n 2:17) Box.Set 4:14");
    assert.equal(sketch(await outline({ path: "kv/kv.go", depth: 1 })), "Box 2:5 Box.Set 4:14");
    const [, set] = await outline({ textDocument, include: ["body"] });
    assert.equal(set?.body, "func (b *Box) Set(v int) { b.n = v }");
    assert.equal(sketch(await outline({ path: "bom.ts" })), "bomFn 0:16");

    client.notify("textDocument/didOpen", {
      textDocument: {
        ...textDocument,
        languageId: "go",
        version: 1,
        text: kv.replace("package kv\n", "package kv\n\n\n"),
      },
    });
    assert.equal(sketch(await outline({ textDocument, depth: 1 })), "Box 4:5 Box.Set 6:14");
    client.notify("textDocument/didChange", {
      textDocument: { ...textDocument, version: 2 },
      contentChanges: [{ range: { start: { line: 6, character: 14 }, end: { line: 6, character: 17 } }, text: "Put" }],
    });
    assert.equal(sketch(await outline({ path: "kv/kv.go", depth: 1 })), "Box 4:5 Box.Put 6:14");
    client.notify("textDocument/didClose", { textDocument });
    assert.equal(sketch(await outline({ textDocument, depth: 1 })), "Box 2:5 Box.Set 4:14");

    assert.equal(sketch(await outline({ path: "e.py" })), "x 0:0 value 0:10");
    assert.equal(await failure(outline({ path: "notes.txt" })), "NoGrammar");
    assert.equal(await failure(outline({ path: "gone.go" })), "Unreadable");
    assert.equal(await failure(outline({ path: "nul.py" })), "Unreadable");
    assert.equal(await failure(outline({ path: "kv/kv.go", depth: 0 })), -32602);
    assert.equal(await failure(outline({ path: "kv/kv.go", include: ["hover"] })), -32602);
    assert.equal(await failure(outline({})), -32602);
  },
);

alone(
  "$/outline counts as the client does",
  { "e.py": 'x = "😀"; value = 1\n' },
  async ({ client }, { uriOf }) => {
    const found = await client.request<Symbol[]>("$/outline", { textDocument: { uri: uriOf("e.py") } });
    assert.equal(sketch(found), "x 0:0 value 0:12");
  },
  { general: { positionEncodings: ["utf-8"] } },
);

// ---- By name ---------------------------------------------------------------------------------------------------------

interface Match {
  readonly qualifiedName: string;
  readonly kindName: string;
  readonly backend: string;
  readonly confidence: string;
  readonly symbolKey: string;
  readonly location: { readonly uri: string; readonly selectionRange: Symbol["selectionRange"] };
  readonly body?: string;
  readonly references?: { readonly error?: { readonly code: string } };
}

interface ByName {
  readonly matches: readonly Match[];
  readonly complete: boolean;
  readonly absence: string;
  readonly suggestions?: readonly string[];
  readonly coverage: { readonly unparsed: number };
  readonly sources: readonly { readonly backend: string; readonly state: string }[];
}

/** `qualified.name path:line:column` (0-based) of each match. */
function places({ matches }: Pick<ByName, "matches">, { uriOf }: Planted): readonly string[] {
  return matches.map(({ qualifiedName, location: { uri, selectionRange } }) => {
    const { line, character } = selectionRange.start;
    return `${qualifiedName} ${uri.slice(uriOf("").length + 1)}:${line}:${character}`;
  });
}

const project = {
  "kv/kv.go": `package kv

type Store[K comparable, V any] struct{ m map[K]V }

func (s *Store[K, V]) Get(k K) V { return s.m[k] }

type Box struct{ n int }

func (b Box) Get() int { return b.n }
func (b *Box) Set(v int) { b.n = v }
`,
  "kv/tagged.go": "//go:build never\n\npackage kv\n\nfunc OnlyTagged() int { return 9 }\n",
  "kv/w_windows.go": "package kv\n\nfunc WinOnly() {}\n",
  "web/lib.ts": "export default function () { return 1; }\n",
  "web/page.tsx": "export default function Page() { return 0; }\n",
  "web/use.ts":
    'import d from "./lib"; import Pg from "./page"; d(); Pg();\nfunction useX() { const b = 1; return b; }\n',
  "pkg/__init__.py": 'from .core import Engine\n__all__ = ["Engine"]\n',
  "pkg/core.py": "class Engine: pass\n# Ghost is only told of\nprint(Spirit)\n",
  "t.py": "from pkg import Engine; Engine()\n",
  "geo/shape.h": "namespace geo {\nstruct Shape {\n  int area() const;\n  int area(int s) const;\n};\n}\n",
  "geo/shape.cpp":
    '#include "shape.h"\nnamespace geo {\nint Shape::area() const { return 3; }\nint Shape::area(int s) const { return area()*s; }\n}\n' +
    "namespace { int tucked() { return 1; } }\n",
};

alone("by name where no server is installed: found, placed, and absent", project, async ({ client }, workspace) => {
  const ask = (name: string, more: object = {}) => client.request<ByName>("$/symbolByName", { name, ...more });
  const found = async (name: string, more: object = {}) => places(await ask(name, more), workspace);

  for (const name of ["Set", "Box.Set", "(*Box).Set", "kv.Box.Set", "Box::Set"])
    assert.deepEqual(await found(name), ["kv.Box.Set kv/kv.go:9:14"], name);
  assert.deepEqual(await found("Get"), ["kv.Store.Get kv/kv.go:4:22", "kv.Box.Get kv/kv.go:8:13"]);
  assert.deepEqual(await found("Store.Get"), ["kv.Store.Get kv/kv.go:4:22"]);
  assert.deepEqual(await found("OnlyTagged"), ["kv.OnlyTagged kv/tagged.go:4:5"]);
  assert.deepEqual(await found("WinOnly"), ["kv.WinOnly kv/w_windows.go:2:5"]);
  assert.deepEqual(await found("Page"), ["Page web/page.tsx:0:24"]);
  assert.deepEqual(await found("default"), ["default web/lib.ts:0:7"]);
  assert.deepEqual(await found("useX.b"), ["useX.b web/use.ts:1:24"]);
  for (const name of ["Engine", "pkg.Engine", "pkg.core.Engine"])
    assert.deepEqual(await found(name), ["Engine pkg/core.py:0:6"], name);
  const areas = ["geo::Shape::area geo/shape.cpp:2:11", "geo::Shape::area geo/shape.cpp:3:11"];
  for (const name of ["Shape::area", "::geo::Shape::area", "geo.Shape.area", "area"])
    assert.deepEqual((await found(name)).slice(0, 2), areas, name);
  assert.deepEqual((await found("area(int)"))[0], areas[1]);
  assert.deepEqual((await found("tucked")).length, 1);
  assert.deepEqual((await found("(anonymous namespace)::tucked")).length, 1);

  const box = await ask("Box.Set", { include: ["body", "references"] });
  const [set] = box.matches;
  assert.deepEqual([set?.backend, set?.confidence, set?.kindName], ["syntax", "syntactic", "method"]);
  assert.equal(set?.body, "func (b *Box) Set(v int) { b.n = v }");
  assert.ok(set?.references?.error, "what has the same name is no reference");
  assert.equal(box.complete, true);
  assert.deepEqual(
    box.sources.map(({ backend, state }) => [backend, state]),
    [["syntax", "ready"]],
  );
  assert.deepEqual(await found(set?.symbolKey ?? ""), ["kv.Box.Set kv/kv.go:9:14"]);

  const absent = async (name: string, more: object = {}) => {
    const { matches, complete, absence } = await ask(name, more);
    return [matches.length, complete, absence];
  };
  assert.deepEqual(await absent("LateFn"), [0, true, "text"]);
  assert.deepEqual(await absent("Bx"), [0, true, "text"]);
  assert.deepEqual(await absent("set"), [0, true, "text"]);
  assert.deepEqual(await absent("Ghost"), [0, true, "text"], "a comment is none of the code");
  assert.deepEqual(await absent("Spirit"), [0, true, "semantic"]);
  assert.deepEqual(await absent("Spirit", { wait: "none" }), [0, true, "semantic"]);
  assert.equal((await ask("Sprit")).suggestions?.[0], "Spirit");
  assert.deepEqual(await found("set", { match: "ignoreCase" }), ["kv.Box.Set kv/kv.go:9:14"]);
  assert.equal(await failure(ask("Spirit", { unique: true })), "NotFound");
  assert.equal(await failure(ask("Get", { unique: true })), "Ambiguous");
  assert.equal(await failure(ask("Get", { languages: ["cobol"] })), "NoBackend");

  // The client's text counts, not the disk's.
  client.open(workspace.uriOf("t.py"), "python", "class Fresh:\n  def start(self): pass\n");
  assert.deepEqual(await found("Fresh.start"), ["Fresh.start t.py:1:6"]);
  const symbols = await client.request<{ name: string }[]>("workspace/symbol", { query: "Box.Set" });
  assert.deepEqual(
    symbols.map(({ name }) => name),
    ["Set"],
  );
});

// ---- Mentions --------------------------------------------------------------------------------------------------------

interface Mentions {
  readonly total: number;
  readonly fileCount: number;
  readonly files: readonly {
    readonly path: string;
    readonly hits: number;
    readonly lines: readonly {
      readonly line: number;
      readonly columns: readonly number[];
      readonly text: string;
      readonly owner: string;
      readonly isDeclaration: boolean;
    }[];
  }[];
  readonly truncated: boolean;
  readonly complete: boolean;
  readonly basis: string;
}

const told = {
  "geo/shape.go":
    "package geo\n\n// Size is told of here.\ntype Size int\n\n" +
    'func (s Size) Twice() Size { return s + Size(len("Size")) } // Size\n',
  "geo/use.go": "package geo\n\nvar one Size = 1\n",
  "a.py": 'é = "😀"; Size = 1; print(Size)\n',
  "test/b.ts": `/* Size */ const Sizes = "Size" + Size;\n`,
};

const taken: Files = {
  ".git/HEAD": "",
  "a.py": "def here(): pass\n",
  "vendor/z/z.c": "int inflate_all(void) { return 0; }\n",
  "dist/tool.rb": "def tool; end\n",
};

alone("a language that occurs only in what others made is looked in as well", taken, async ({ client }, workspace) => {
  const ask = (name: string, more: object = {}) => client.request<ByName>("$/symbolByName", { name, ...more });
  assert.deepEqual(places(await ask("inflate_all"), workspace), ["inflate_all vendor/z/z.c:0:4"]);
  assert.deepEqual(places(await ask("tool"), workspace), ["tool dist/tool.rb:0:4"]);
  assert.equal((await ask("inflate_all", { languages: ["python"] })).absence, "text");
  assert.equal((await ask("deflate_all")).absence, "text");
});

alone("$/nameMentions: where a name stands in code, and in what", told, async ({ client }, { uriOf }) => {
  const ask = (params: object) => client.request<Mentions>("$/nameMentions", { name: "Size", ...params });
  const all = await ask({});
  assert.deepEqual(
    all.files.map(({ path, hits }) => [path, hits]),
    [
      ["geo/shape.go", 3],
      ["a.py", 1],
      ["geo/use.go", 1],
      ["test/b.ts", 1],
    ],
  );
  assert.deepEqual([all.total, all.fileCount, all.truncated, all.complete, all.basis], [6, 4, false, true, "name"]);
  assert.deepEqual(all.files[0]?.lines, [
    {
      line: 5,
      columns: [8, 22, 40],
      text: 'func (s Size) Twice() Size { return s + Size(len("Size")) } // Size',
      owner: "geo.Size.Twice",
      isDeclaration: false,
    },
  ]);
  assert.deepEqual(all.files[1]?.lines[0]?.columns, [26]);
  const [first] = (await ask({ includeDeclarations: true, in: "geo", perFile: 1 })).files;
  assert.deepEqual(
    [first?.hits, first?.lines.map(({ line, isDeclaration }) => [line, isDeclaration])],
    [4, [[3, true]]],
  );
  const cut = await ask({ limit: 1 });
  assert.deepEqual([cut.files.length, cut.total, cut.truncated, cut.complete], [1, 6, true, false]);
  const counts = await ask({ limit: 0, languages: ["go"] });
  assert.deepEqual([counts.files, counts.total, counts.fileCount, counts.complete], [[], 4, 2, true]);
  assert.deepEqual((await ask({ name: "size" })).total, 0);
  for (const wrong of [{ name: "a b" }, { name: "" }, { limit: -1 }, { perFile: 0.5 }, { in: "[" }])
    assert.equal(await failure(ask(wrong)), -32602, JSON.stringify(wrong));
  client.open(uriOf("geo/use.go"), "go", "package geo\n");
  assert.equal((await ask({ languages: ["go"] })).fileCount, 1);
  const twin = await client.request<Mentions>("workspace/executeCommand", {
    command: "switchboard.nameMentions",
    arguments: [{ name: "Size", limit: 0 }],
  });
  assert.equal(twin.total, 5);
});

// ---- Search ----------------------------------------------------------------------------------------------------------

interface Page {
  readonly total: number;
  readonly paging: { readonly returned: number; readonly hasMore: boolean; readonly nextSkip: number | null };
  readonly matches: readonly {
    readonly qualifiedName: string;
    readonly path: string;
    readonly line: number;
    readonly column: number;
    readonly symbolKey: string;
    readonly access: string;
  }[];
  readonly generation: number;
  readonly changed?: boolean;
  readonly complete: boolean;
  readonly coverage: { readonly files: number };
}

const searched = {
  ...project,
  "kv/box_test.go": "package kv\n\nfunc TestBox() {}\n",
  "kv/made.go": "// Code generated by hand. DO NOT EDIT.\npackage kv\n\nfunc BoxMade() {}\n",
  "web/access.ts": "export class Box { private hidden = 1; shown = 2; }\n",
};

alone("$/symbolSearch: patterns, filters, pages, and what has changed", searched, async ({ client }, workspace) => {
  const ask = (query: string, more: object = {}) => client.request<Page>("$/symbolSearch", { query, ...more });
  const found = async (query: string, more: object = {}) =>
    (await ask(query, more)).matches.map(({ qualifiedName, path, line }) => `${qualifiedName} ${path}:${line}`);

  assert.deepEqual(await found("box"), ["Box web/access.ts:0", "kv.Box kv/kv.go:6"].reverse());
  assert.deepEqual(await found("box", { sourceOnly: false, languages: ["go"] }), [
    "kv.Box kv/kv.go:6",
    "kv.BoxMade kv/made.go:3",
    "kv.TestBox kv/box_test.go:2",
  ]);
  assert.deepEqual(await found("kv.Box.*"), ["kv.Box.n kv/kv.go:6", "kv.Box.Get kv/kv.go:8", "kv.Box.Set kv/kv.go:9"]);
  assert.deepEqual(await found("Get", { in: "kv", sortBy: "container" }), [
    "kv.Box.Get kv/kv.go:8",
    "kv.Store.Get kv/kv.go:4",
  ]);
  assert.deepEqual(await found("*", { namespace: "geo::Shape", kinds: ["method"], in: "*.cpp" }), [
    "geo::Shape::area geo/shape.cpp:2",
    "geo::Shape::area geo/shape.cpp:3",
  ]);
  assert.deepEqual(await found("", { access: "private", languages: ["typescript"] }), ["Box.hidden web/access.ts:0"]);

  const all = await ask("");
  assert.equal(all.complete, true);
  assert.equal(all.paging.hasMore, false);
  const keys: string[] = [];
  for (let skip: number | null = 0; skip !== null; ) {
    const page: Page = await ask("", { skip, take: 4, generation: all.generation, sortBy: "name" });
    assert.equal(page.changed, undefined);
    keys.push(...page.matches.map(({ symbolKey }) => symbolKey));
    skip = page.paging.nextSkip;
  }
  assert.equal(keys.length, all.total);
  assert.equal(new Set(keys).size, all.total, "each once");
  assert.deepEqual((await ask("", { skip: 10_000 })).matches, []);
  const counts = await ask("area", { take: 0 });
  assert.deepEqual([counts.total > 0, counts.matches, counts.paging.nextSkip], [true, [], null]);

  // Each key is an address.
  for (const { qualifiedName, symbolKey, path, line } of all.matches) {
    const { matches } = await client.request<ByName>("$/symbolByName", { name: symbolKey });
    const [match] = matches;
    assert.equal(matches.length, 1, qualifiedName);
    assert.deepEqual(
      [match?.qualifiedName, match?.location.uri, match?.location.selectionRange.start.line],
      [qualifiedName, workspace.uriOf(path), line],
    );
  }

  workspace.write("kv/new.go", "package kv\n\nfunc Brandnew() {}\n");
  const later = await ask("Brandnew", { generation: all.generation });
  assert.deepEqual([later.total, later.changed, later.complete], [1, true, true]);
  // One that was never ours is another one as well; null is what is left out.
  assert.equal((await ask("Brandnew", { generation: "of yesterday" })).changed, true);
  assert.equal((await ask("Brandnew", { generation: null, kinds: null, in: null })).changed, undefined);
  const named = async (sortOrder: string) =>
    (await ask("*o*", { sortBy: "name", sortOrder })).matches.map(({ qualifiedName }) =>
      qualifiedName.split(/[.:]/).at(-1),
    );
  assert.deepEqual(await named("desc"), (await named("asc")).toReversed());
  assert.deepEqual(await named("descending"), await named("desc"));
  client.open(workspace.uriOf("kv/new.go"), "go", "package kv\n\n\nfunc Unsaved() {}\n");
  assert.deepEqual([(await ask("Brandnew")).total, await found("Unsaved")], [0, ["kv.Unsaved kv/new.go:3"]]);
  assert.equal((await ask("Box", { pathStyle: "uri" })).matches[0]?.path, workspace.uriOf("kv/kv.go"));
  for (const wrong of [
    { query: 1 },
    { take: 1001 },
    { skip: -1 },
    { sortBy: "size" },
    { kinds: ["thing"] },
    { in: "[" },
  ])
    assert.equal(await failure(ask("a", wrong)), -32602, JSON.stringify(wrong));
  const twin = await client.request<Page>("workspace/executeCommand", {
    command: "switchboard.symbolSearch",
    arguments: [{ query: "Unsaved" }],
  });
  assert.equal(twin.total, 1);
});

// ---- Odd folders -----------------------------------------------------------------------------------------------------

const odd = {
  "ok.py": "def found(): pass\n",
  "blob.py": "\0".repeat(3_000_000),
  "locked/in.py": "",
  "a/a.txt": "",
  "c/c.txt": "",
  "b/b.txt": "",
};

alone(
  "links in circles, pipes, locked folders and blobs: found once, and passed over",
  odd,
  async ({ client }, { root }) => {
    for (const [target, path] of [
      ["..", "a/up"],
      ["../c", "b/foo"],
      ["../b", "c/b"],
      ["self", "self"],
      ["nowhere", "dead"],
    ] as const)
      symlinkSync(target, join(root, path));
    assert.equal(spawnSync("mkfifo", [join(root, "pipe.py")]).status, 0);
    chmodSync(join(root, "locked"), 0);
    try {
      const { matches, complete } = await client.request<ByName>("$/symbolByName", { name: "found" });
      assert.deepEqual([matches.length, complete], [1, true]);
      const mentions = await client.request<Mentions>("$/nameMentions", { name: "found", includeDeclarations: true });
      assert.deepEqual([mentions.total, mentions.fileCount], [1, 1]);
      assert.equal((await client.request<Page>("$/symbolSearch", { query: "found" })).total, 1);
      assert.equal(await failure(client.request("$/outline", { path: "pipe.py" })), "Unreadable");
    } finally {
      chmodSync(join(root, "locked"), 0o700);
    }
  },
);
