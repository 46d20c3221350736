/** `$/symbolByName` where servers' lists do not say all, or not in the words of the source. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Text } from "../../server/core/documents/text.ts";
import { isConditional, isPreprocessed } from "../../server/symbols/conditional.ts";
import { declarations } from "../../server/symbols/outline.ts";
import { answered, at, outlineIn, type Script, simOf } from "../sim/outlined.ts";
import { folder } from "../sim.ts";

interface Found {
  readonly matches: { readonly qualifiedName: string; readonly location: { readonly uri: string } }[];
  readonly complete: boolean;
  readonly absence: string;
}

function told({ result }: Record<string, unknown>): readonly [places: readonly string[], complete: boolean] {
  const { matches, complete } = result as Found;
  return [matches.map((one) => `${one.qualifiedName} ${one.location.uri.slice(folder.length + 1)}`), complete];
}

test("the file that is hinted at is read to its end, whatever was found elsewhere", async () => {
  const files = { "a.x": "class Box\n  def set\n", "b.x": "class Bag\n  def set\n", "c.x": "class Can\n  def set\n" };
  const on: Script = {
    "workspace/symbol": () => ({
      result: [{ name: "set", kind: 6, containerName: "Box", location: { uri: `${folder}/a.x`, range: at(1, 6, 9) } }],
    }),
    // Slow in all but the listed one.
    "textDocument/documentSymbol": ({ text = "" }) => (text.includes("Box") ? { result: outlineIn(text) } : "hold"),
  };
  const { sim, client } = simOf(files, on);
  const asked = client.ask("$/symbolByName", { name: "set", path: "c.x" });
  await answered(sim, asked);
  sim.advance(3_000);
  await answered(sim, asked);
  assert.deepEqual(asked.answers, [], "c.x is still being read");
  const server = sim.server("one");
  const held = [...server.open.values()].find(({ text }) => text?.includes("Can"));
  assert.ok(held !== undefined);
  const can = { name: "Can", kind: 5, range: at(0, 0, 9), selectionRange: at(0, 6, 9) };
  const set = { name: "set", kind: 6, range: at(1, 2, 9), selectionRange: at(1, 6, 9) };
  server.answer(held, { result: [{ ...can, children: [set] }] });
  // b.x was not waited for, and the answer says that it is not all.
  assert.deepEqual(told(await answered(sim, asked)), [["Can.set c.x", "Box.set a.x"], false]);
});

test("a Go symbol is in the package that its file declares, whatever the path", async () => {
  const { sim, client } = simOf(
    { "cmd/tool/run.go": "package main\nfunc Run() {}\n" },
    {
      "workspace/symbol": () => ({
        result: [
          {
            name: "Run",
            kind: 12,
            containerName: "example.com/cmd/tool",
            location: { uri: `${folder}/cmd/tool/run.go`, range: at(1, 5, 8) },
          },
        ],
      }),
      "textDocument/documentSymbol": () => ({
        result: [{ name: "Run", kind: 12, range: at(1, 0, 13), selectionRange: at(1, 5, 8) }],
      }),
    },
    { languages: ["go"], symbol: { separator: ".", container: "path" } },
  );
  for (const name of ["Run", "main.Run"])
    assert.deepEqual(told(await answered(sim, client.ask("$/symbolByName", { name }))), [
      ["main.Run cmd/tool/run.go"],
      true,
    ]);
});

test("callees come once, with each call site once", async () => {
  const used = { name: "use", kind: 12, uri: `${folder}/b.x`, range: at(1, 0, 9), selectionRange: at(1, 6, 9) };
  const able = { workspaceSymbolProvider: true, documentSymbolProvider: true, callHierarchyProvider: true };
  const { sim, client } = simOf(
    { "a.x": "class Box\n  def set use() use()\n", "b.x": "class Other\n  def use\n" },
    {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/prepareCallHierarchy": () => ({ result: [{ ...used, name: "set", uri: `${folder}/a.x` }] }),
      "callHierarchy/outgoingCalls": () => ({
        result: [
          { to: used, fromRanges: [at(1, 10, 13), at(1, 10, 13)] },
          { to: used, fromRanges: [at(1, 16, 19), at(1, 10, 13)] },
        ],
      }),
    },
    {},
    { textDocumentSync: 2, ...able },
  );
  const answer = await answered(sim, client.ask("$/symbolByName", { name: "Box.set", include: ["callees"] }));
  const [match] = (answer.result as { matches: { callees: { items: object[] } }[] }).matches;
  assert.deepEqual(match?.callees.items, [
    {
      qualifiedName: "Other.use",
      kindName: "function",
      location: { uri: `${folder}/b.x`, range: at(1, 6, 9) },
      ranges: [at(1, 10, 13), at(1, 16, 19)],
    },
  ]);
});

const rust = { languages: ["rust"], symbol: { separator: "::", container: "nearest" } };
const lines = (from: number, to: number) => ({ start: { line: from, character: 0 }, end: { line: to, character: 9 } });

test("what a Rust macro makes stands at its use, in what is around that", async () => {
  const { sim, client } = simOf(
    { "src/lib.rs": "macro_rules! make { () => { fn made() {} } }\nmod sub {\n  make!();\n}\nmade\n" },
    {
      "workspace/symbol": () => ({
        result: [2, 3].map((line) => ({
          name: "made",
          kind: 12,
          location: { uri: `${folder}/src/lib.rs`, range: at(line, 2, 6) },
        })),
      }),
      "textDocument/documentSymbol": () => ({
        result: [{ name: "sub", kind: 2, range: lines(1, 3), selectionRange: at(1, 4, 7), children: [] }],
      }),
    },
    rust,
  );
  // The other place is neither the name nor a use of a macro.
  const answer = await answered(sim, client.ask("$/symbolByName", { name: "sub::made" }));
  assert.deepEqual(told(answer), [["sub::made src/lib.rs"], true]);
});

test("code under #[cfg(test)] is test code", async () => {
  const source = "fn run() {}\n#[cfg(test)]\nmod a {\n  fn run() {}\n}\n#[cfg(not(test))]\nmod b {\n  fn run() {}\n}\n";
  const run = (line: number, from: number) => ({
    name: "run",
    kind: 12,
    range: at(line, from - 3, from + 8),
    selectionRange: at(line, from, from + 3),
  });
  const mod = (name: string, from: number) => ({
    name,
    kind: 2,
    range: lines(from, from + 3),
    selectionRange: at(from + 1, 4, 5),
    children: [run(from + 2, 5)],
  });
  const { sim, client } = simOf(
    { "src/lib.rs": source },
    {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/documentSymbol": () => ({ result: [run(0, 3), mod("a", 1), mod("b", 5)] }),
    },
    rust,
  );
  const { result } = await answered(sim, client.ask("$/symbolByName", { name: "run" }));
  const { matches } = result as { matches: { qualifiedName: string; test: boolean; score: number }[] };
  assert.deepEqual(
    matches.map(({ qualifiedName, test: isTest }) => [qualifiedName, isTest]),
    [
      ["run", false],
      ["b::run", false],
      ["a::run", true],
    ],
  );
});

test("where macros can make a name, servers prove its absence and not the text", async () => {
  const verdicts = async (languages: string[], path: string, text: string) => {
    const found: unknown[] = [];
    for (const wait of ["ready", "none"]) {
      const { sim, client } = simOf(
        { [path]: text },
        { "workspace/symbol": () => ({ result: [] }) },
        { languages, symbol: { separator: "::", container: "nearest" } },
      );
      const { result } = await answered(sim, client.ask("$/symbolByName", { name: "get_size", wait }));
      found.push((result as Found).absence, (result as Found).complete);
    }
    return found;
  };
  const proven = ["text", true, "text", true];
  const asked = ["semantic", true, "unknown", false];
  assert.deepEqual(await verdicts(["cpp"], "a.cpp", "#define MAX(a) a\n"), proven);
  assert.deepEqual(await verdicts(["cpp"], "a.cpp", "#define GET(x) int get_##x()\n"), asked);
  assert.deepEqual(await verdicts(["rust"], "a.rs", "#[derive(Debug, Clone)]\nstruct A;\n"), proven);
  assert.deepEqual(await verdicts(["rust"], "a.rs", "#[derive(Debug, Getters)]\nstruct A;\n"), asked);
  assert.deepEqual(await verdicts(["rust"], "a.rs", "paste! { fn [<get_ $x>]() {} }\n"), asked);
});

test("a variable of a callback at the top level goes by its own name, after everything else", async () => {
  const source = "test(() => { const size = 1 })\nfunction use() { const size = 2 }\n";
  const variable = (line: number, from: number) => ({
    name: "size",
    kind: 14,
    range: at(line, from, from + 4),
    selectionRange: at(line, from, from + 4),
  });
  const around = (name: string, line: number, child: object) => ({
    name,
    kind: 12,
    range: at(line, 0, 40),
    selectionRange: at(line, 0, 40),
    children: [child],
  });
  const outline = [around('test("") callback', 0, variable(0, 19)), around("use", 1, variable(1, 23))];
  const simWith = (files: Record<string, string>) =>
    simOf(files, {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/documentSymbol": ({ text = "" }) => ({
        result: text === source ? outline : outlineIn(text),
      }),
    });
  const alone = simWith({ "a.x": source });
  assert.deepEqual(told(await answered(alone.sim, alone.client.ask("$/symbolByName", { name: "size" }))), [
    ["size a.x"],
    true,
  ]);
  const { sim, client } = simWith({ "a.x": source, "b.x": "class size\n" });
  const { result } = await answered(sim, client.ask("$/symbolByName", { name: "size", unique: true }));
  assert.deepEqual(told({ result })[0], ["size b.x"]);
});

test("variables of functions are known as such in flat outlines too", () => {
  const item = (name: string, kind: number, from: number, to: number) => ({
    name,
    kind,
    location: { uri: "x", range: lines(from, to) },
  });
  const found = declarations([item("size", 13, 0, 0), item("run", 12, 1, 3), item("size", 13, 2, 2)]);
  assert.deepEqual(
    found.map(({ name, local }) => [[...name.containers, name.leaf].join("."), local]),
    [
      ["size", false],
      ["run", false],
      ["run.size", true],
    ],
  );
});

test("of Python's repeated declarations each is found, though the outline tells the last alone", async () => {
  const source = [
    "class A:",
    "    @property",
    "    def size(self): return 1",
    "",
    "    @size.setter",
    "    def size(self, v):",
    "        def size(): pass",
    "",
    "class B:",
    "    def size(self): pass",
    "    def run(",
    "        self, a: int",
    "    ): ...",
    "    def run(self, a: str): ...",
    "    if quick:",
    "        def go(self):",
    '            """As',
    '    def go(self) in a text."""',
    "    else:",
    "        def go(self): pass",
    "",
  ].join("\n");
  const item = (name: string, kind: number, line: number, from: number, children: object[] = []) => {
    const selectionRange = at(line, from, from + name.length);
    return { name, kind, range: at(line, from - 4, 40), selectionRange, children };
  };
  const outline = [
    item("A", 5, 0, 6, [item("size", 6, 5, 8, [item("size", 12, 6, 12)])]),
    item("B", 5, 8, 6, [item("size", 6, 9, 8), item("run", 6, 13, 8), item("go", 6, 19, 12)]),
  ];
  const { sim, client } = simOf(
    { "a.py": source },
    { "workspace/symbol": () => ({ result: [] }), "textDocument/documentSymbol": () => ({ result: outline }) },
    { languages: ["python"] },
  );
  const linesOf = async (name: string) => {
    const { result } = await answered(sim, client.ask("$/symbolByName", { name, include: ["body"] }));
    const { matches } = result as {
      matches: { body: string; location: { selectionRange: { start: { line: number } } } }[];
    };
    return matches.map(({ body, location }) => [location.selectionRange.start.line, body]);
  };
  assert.deepEqual(
    (await linesOf("A.size")).map(([line]) => line),
    [2, 5],
  );
  assert.deepEqual(
    (await linesOf("B.size")).map(([line]) => line),
    [9],
  );
  assert.deepEqual(
    (await linesOf("B.go")).map(([line]) => line),
    [15, 19],
  );
  assert.deepEqual(await linesOf("B.run(int)"), [[10, "def run(\n        self, a: int\n    ): ..."]]);
});

test("however many files a list names, what is around a symbol is what their outlines say", async () => {
  const paths = Array.from({ length: 40 }, (_, i) => `f${String(i).padStart(2, "0")}.x`);
  const { sim, client } = simOf(Object.fromEntries(paths.map((path) => [path, "class Box\n  def set\n"])), {
    "workspace/symbol": () => ({
      result: paths.map((path) => ({
        name: "set",
        kind: 6,
        location: { uri: `${folder}/${path}`, range: at(1, 6, 9) },
      })),
    }),
  });
  const [places] = told(await answered(sim, client.ask("$/symbolByName", { name: "set" })));
  assert.deepEqual(
    places,
    paths.map((path) => `Box.set ${path}`),
  );
});

test("what is declared in a variable or a property is local: its value is a function", () => {
  const item = (name: string, kind: number, children: object[] = []) => ({
    name,
    kind,
    range: at(0, 0, 9),
    selectionRange: at(0, 0, 9),
    children,
  });
  const size = item("size", 14);
  const outline = [item("run", 13, [size]), item("A", 5, [size, item("go", 7, [size])]), item("m", 2, [size])];
  assert.deepEqual(
    declarations(outline).flatMap(({ name, local }) => (local ? [name.containers.join(".")] : [])),
    ["run", "A.go"],
  );
});

test("macros, and what stands under a condition, may be left out by a server; a header's guard is no condition", () => {
  const text = Text.of(
    "#ifndef A_H\n#define A_H\nint always();\n#if X\nint some();\n# ifdef Y\nint few();\n# endif\n#else\nint other();\n#endif\n#define M 1\nint end();\n#endif\n",
  );
  const found = Array.from({ length: 13 }, (_, line) => line).filter((line) => isConditional(text, line));
  assert.deepEqual(found, [1, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.ok(isPreprocessed("cpp", text));
  assert.ok(!isPreprocessed("rust", text));
  assert.ok(!isPreprocessed("cpp", Text.of('#include "a.h"\nint a;\n')));
});

test("a macro is of no namespace, and defined where it stands", async () => {
  const source = "namespace a {\n#define SWAP(x) (x)\nint SWAP(int);\n}\n";
  const named = (line: number, from: number) => ({
    name: "SWAP",
    kind: 12,
    range: at(line, 0, 19),
    selectionRange: at(line, from, from + 4),
  });
  const { sim, client } = simOf(
    { "a.cpp": source },
    {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/documentSymbol": () => ({
        result: [
          {
            name: "a",
            kind: 3,
            range: lines(0, 3),
            selectionRange: at(0, 10, 11),
            children: [named(1, 8), named(2, 4)],
          },
        ],
      }),
    },
    { languages: ["cpp"], symbol: { separator: "::", container: "path" } },
  );
  const rolesOf = async (name: string) => {
    const { result } = await answered(sim, client.ask("$/symbolByName", { name }));
    return (result as { matches: { qualifiedName: string; role: string }[] }).matches.map(
      ({ qualifiedName, role }) => `${qualifiedName} ${role}`,
    );
  };
  assert.deepEqual(await rolesOf("SWAP"), ["SWAP definition", "a::SWAP declaration"]);
  assert.deepEqual(await rolesOf("a::SWAP"), ["a::SWAP declaration"]);
});

test("what may stand under a condition and nobody has read is not complete", async () => {
  const outcome = async (source: string, line: number): Promise<unknown> => {
    const { sim, client } = simOf(
      { "a.cpp": source },
      {
        "workspace/symbol": () => ({ result: [] }),
        "textDocument/documentSymbol": () => ({
          result: [{ name: "area", kind: 13, range: at(line, 0, 9), selectionRange: at(line, 4, 8) }],
        }),
      },
      { languages: ["cpp"], symbol: { separator: "::", container: "path" } },
    );
    const { result } = await answered(sim, client.ask("$/symbolByName", { name: "area" }));
    const { total, complete } = result as { total: number; complete: boolean };
    return { total, complete };
  };
  assert.deepEqual(await outcome("int area;\n", 0), { total: 1, complete: true });
  // Syntax would have to tell, and is not there.
  assert.deepEqual(await outcome("#if X\nint area;\n#endif\nint area;\n", 3), { total: 1, complete: false });
});
