/**
 * clangd 14, 19 and 22, each asked the same through our own program: at the first ask with nothing opened, with a cold, a
 * warm and no index, and after every kind of change. What the bare server gets wrong is told beside each part.
 */
import assert from "node:assert/strict";
import { unlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { have } from "../backends/paths.ts";
import { Failed } from "../client.ts";
import { type Files, type Planted, planted } from "../planted.ts";
import { type Location, locations, place, type SymbolFound, symbols, type Tree } from "./expect.ts";
import { insert } from "./questions.ts";
import { inSession, type Session } from "./session.ts";

const shapes: Files = {
  "shape.h": "#pragma once\nnamespace geo {\nstruct Shape {\n  int area() const;\n  int area(int s) const;\n};\n}",
  "shape.cpp":
    '#include "shape.h"\nnamespace geo {\nint Shape::area() const { return 3; }\n' +
    "int Shape::area(int s) const { return area()*s; }\n}",
  "main.cpp":
    '#include "shape.h"\nint use() { geo::Shape s; return s.area(); }\nnamespace { int tucked() { return 1; } }\n',
};

const macros: Files = {
  "deftest.h": "#pragma once\n\n\n#define DEFTEST(N) struct N { void body(); }; void N::body()",
  "t.cpp":
    '#include "deftest.h"\nDEFTEST(Alpha) { }\nDEFTEST(Beta) { }\nvoid use(Alpha a, Beta b) { a.body(); b.body(); }\n',
  "d.h": '#pragma once\n#define PART "part.h"',
  "part.h": "",
  "links.cpp": '#include "d.h"\n#include PART\n#include "bad.h"',
  "bad.h": "int broken( { return 1; }",
};

const odd: Files = {
  "sp ace+é%[x]/x.cpp":
    'int emo() { const char *s = "😀é"; int after = 1; return after; }\nint bad() { return nope; }\n',
  "CMakeLists.txt": "",
  "lib/CMakeLists.txt": "",
  "lib/shape.h": shapes["shape.h"] ?? "",
  "lib/shape.cpp": shapes["shape.cpp"] ?? "",
  "app/CMakeLists.txt": "",
  "app/main.cpp": '#include "../lib/shape.h"\nint use() { geo::Shape s; return s.area(); }\n',
  "app/bom.cpp": "\ufeffint bomFn() { return 1; }\n",
};

const rich = {
  textDocument: {
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    publishDiagnostics: { relatedInformation: true, versionSupport: true },
  },
};

/** On `area` in main.cpp. */
const use = { line: 1, character: 37 };

for (const [name, command] of [
  ["clangd 14", "clangd-14"],
  ["clangd 19", "clangd-19"],
  ["clangd 22", "clangd"],
] as const) {
  const path = have(command);
  const skip = path === null ? `${command} is not installed` : false;

  /** A session on files with a compilation database in the given folder (null: none), which must end well. */
  const scene = (
    title: string,
    files: Files,
    run: (session: Session, tree: Planted, round: number) => Promise<void>,
    { database = ".", sessions = 1, capabilities = rich, limits = {} }: Partial<Options> = {},
  ): void => {
    test(`${name}: ${title}`, { skip }, async (t: TestContext) => {
      const tree = plant(files, database);
      const switchboard = { backends: { clangd: { command: [path, "--background-index"] } }, limits };
      try {
        for (let round = 0; round < sessions; round++)
          await inSession(t, [tree.root], async (session) => {
            await session.initialize({ initializationOptions: { switchboard }, capabilities });
            await run(session, tree, round);
          });
      } finally {
        tree.remove();
      }
    });
  };

  // Cases 1, 4, 16, 20, 47. Bare: `[]` for ever; -32602; `[]` without data; bare names in hierarchies.
  scene("nothing is opened, and symbols, names, outlines and callers are right", shapes, async (session, tree) => {
    const { client } = session;
    const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "area" });
    assert.deepEqual(symbols(tree, found), ["shape.cpp 2:11-2:15", "shape.cpp 3:11-3:15"]);
    assert.deepEqual(
      found.map(({ containerName }) => containerName),
      ["geo::Shape", "geo::Shape"],
    );

    const both = ["shape.cpp 2:11-2:15", "shape.cpp 3:11-3:15"];
    const named: Readonly<Record<string, readonly string[]>> = {
      "Shape::area": both,
      "::geo::Shape::area": both,
      "geo.Shape.area": both,
      area: both,
      "area()": both.slice(0, 1),
      "Shape::area(int)": both.slice(1),
      "geo::Shape::area(int s)": both.slice(1),
      "area(double)": [],
      tucked: ["main.cpp 2:16-2:22"],
      "(anonymous namespace)::tucked": ["main.cpp 2:16-2:22"],
      Area: [],
      are: [],
      "Other::area": [],
    };
    for (const [address, wanted] of Object.entries(named))
      assert.deepEqual(matched(tree, await byName(session, { name: address })), wanted, address);
    const detailed = await byName(session, { name: "geo::Shape::area", include: ["callers", "signature"] });
    const signatures = detailed.matches.map(({ signature }) => signature);
    assert.equal(new Set(signatures).size, 2, `signatures tell overloads apart: ${signatures.join("; ")}`);
    const [plain] = detailed.matches;
    assert.ok(plain?.callers !== undefined && "items" in plain.callers, JSON.stringify(plain));
    assert.deepEqual(
      new Set(plain.callers.items.map((item) => item.qualifiedName)),
      new Set(["geo::Shape::area", "use"]),
    );

    for (const file of ["shape.cpp", "shape.h"]) {
      const uri = tree.uriOf(file);
      const unopened = await client.request("textDocument/documentSymbol", { textDocument: { uri } });
      client.open(uri, "cpp", tree.textOf(file));
      const opened = await client.request("textDocument/documentSymbol", { textDocument: { uri } });
      client.notify("textDocument/didClose", { textDocument: { uri } });
      const closed = await client.request("textDocument/documentSymbol", { textDocument: { uri } });
      assert.ok(Array.isArray(opened) && opened.length > 0);
      assert.deepEqual([unopened, closed], [opened, opened], file);
    }

    const [item] = await client.request<Item[]>("textDocument/prepareCallHierarchy", at(tree, "shape.h", 3, 6));
    assert.ok(item !== undefined);
    const { data, ...bare } = item;
    assert.notEqual(data, undefined);
    for (const asked of [item, bare, { ...item, data: 'sb1:9:9:"lost"' }]) {
      const calls = await client.request<{ from: Item }[]>("callHierarchy/incomingCalls", { item: asked });
      assert.deepEqual(calls.map(({ from }) => from.name).sort(), ["area", "use"], JSON.stringify(asked));
    }
    const shown = published(session).filter(({ diagnostics }) => diagnostics.length > 0);
    assert.deepEqual(shown, [], "nobody asked for diagnostics");
  });

  // Case 7. Bare: the header, and 1 of 4 references; with a warm index of other texts the old lines, for good.
  scene(
    "the first definition and references are whole, with a cold index and with a warm one of older files",
    shapes,
    async (session, tree, round) => {
      const { client } = session;
      const down = round === 0 ? 0 : 2;
      if (round > 0) tree.write("shape.cpp", `\n\n${shapes["shape.cpp"]}`);
      client.open(tree.uriOf("main.cpp"), "cpp", tree.textOf("main.cpp"));
      const asked = at(tree, "main.cpp", use.line, use.character);
      const [definition, references, found, edit] = await Promise.all([
        client.request<Location[]>("textDocument/definition", asked),
        client.request<Location[]>("textDocument/references", { ...asked, context: { includeDeclaration: true } }),
        client.request<SymbolFound[]>("workspace/symbol", { query: "area" }),
        client.request<{ changes: Record<string, object[]> }>("textDocument/rename", { ...asked, newName: "size" }),
      ]);
      assert.deepEqual(locations(tree, definition), [`shape.cpp ${2 + down}:11-${2 + down}:15`]);
      assert.deepEqual(locations(tree, references), whole(down));
      assert.deepEqual(symbols(tree, found), defined(down));
      assert.deepEqual(Object.keys(edit.changes).length, 3);
    },
    { sessions: 3 },
  );

  // What takes a minute in a large project takes longer than a millisecond in any.
  scene(
    "an index that takes longer than its cap: a rename is refused, the rest answered, and said to be partial",
    shapes,
    async ({ client }, tree) => {
      client.open(tree.uriOf("main.cpp"), "cpp", tree.textOf("main.cpp"));
      const asked = at(tree, "main.cpp", use.line, use.character);
      const [refused, definition, references] = await Promise.all([
        client.request("textDocument/rename", { ...asked, newName: "size" }).catch((fault: unknown) => fault),
        client.request<Location[]>("textDocument/definition", asked),
        client.request<Location[]>("textDocument/references", { ...asked, context: { includeDeclaration: true } }),
      ]);
      assert.ok(refused instanceof Failed, JSON.stringify(refused));
      assert.equal(refused.code, -32803);
      assert.match(refused.message, /clangd/);
      assert.equal(definition.length, 1);
      assert.ok(references.length > 0);
      const said = client.seen.filter(({ method }) => method === "window/logMessage");
      assert.equal(said.filter(({ params }) => /clangd.*may be partial/.test(JSON.stringify(params))).length, 1);
      // The gate opens once the index stands, whoever ran into the cap.
      await client.until(
        "the index",
        ({ method, params }) => method === "$/progress" && (params as { value: { kind: string } }).value.kind === "end",
      );
      const all = { ...asked, context: { includeDeclaration: true } };
      assert.deepEqual(locations(tree, await client.request<Location[]>("textDocument/references", all)), whole(0));
      const edit = await client.request<{ changes: object }>("textDocument/rename", { ...asked, newName: "size" });
      assert.equal(Object.keys(edit.changes).length, 3);
    },
    {
      limits: { definitionMs: 1, referencesMs: 1, renameMs: 1, symbolMs: 1 },
      capabilities: { ...rich, window: { workDoneProgress: true } },
    },
  );

  // Bare: old lines for 100 ms after an edit, for good after a close or a change on disk, and a new file never.
  scene("places are right at once after every kind of change", shapes, async (session, tree) => {
    const { client } = session;
    const asked = at(tree, "main.cpp", use.line, use.character);
    const right = async (down: number, when: string, more: readonly string[] = [], head = 0): Promise<void> => {
      const [found, definition, references] = await Promise.all([
        client.request<SymbolFound[]>("workspace/symbol", { query: "area" }),
        client.request<Location[]>("textDocument/definition", asked),
        client.request<Location[]>("textDocument/references", { ...asked, context: { includeDeclaration: true } }),
      ]);
      assert.deepEqual(symbols(tree, found), defined(down), `${when}: ${JSON.stringify(found)}`);
      assert.deepEqual(locations(tree, definition), defined(down).slice(0, 1), when);
      assert.deepEqual(locations(tree, references), [...whole(down, head), ...more].sort(), when);
    };
    const uri = tree.uriOf("shape.cpp");
    client.open(tree.uriOf("main.cpp"), "cpp", tree.textOf("main.cpp"));
    await right(0, "at first");
    client.open(uri, "cpp", tree.textOf("shape.cpp"));
    for (let i = 1; i <= 3; i++) {
      insert(session, uri, i + 1, "\n");
      await right(i, `after edit ${i}`);
    }
    client.notify("textDocument/didClose", { textDocument: { uri } });
    await right(0, "after didClose");
    await change(session, tree, "shape.cpp", `\n\n\n\n${shapes["shape.cpp"]}`);
    await right(4, "after a change on disk");
    await change(session, tree, "shape.cpp", `\n${shapes["shape.cpp"]}`);
    await right(1, "after another");
    const more = '#include "shape.h"\nint fresh() { geo::Shape s; return s.area(); }\n';
    await change(session, tree, "new.cpp", more);
    const fresh = await client.request<SymbolFound[]>("workspace/symbol", { query: "fresh" });
    assert.deepEqual(symbols(tree, fresh), ["new.cpp 1:4-1:9"]);
    await right(1, "with a new file", ["new.cpp 1:37-1:41"]);
    await change(session, tree, "shape.h", `\n\n${shapes["shape.h"]}`);
    await right(1, "after a change of the header", ["new.cpp 1:37-1:41"], 2);
    const type = await client.request<Location[]>("textDocument/definition", at(tree, "main.cpp", 1, 20));
    assert.deepEqual(locations(tree, type), ["shape.h 4:7-4:12"], "what the header defines");
    unlinkSync(tree.pathOf("new.cpp"));
    client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: tree.uriOf("new.cpp"), type: 3 }] });
    const gone = await client.request<SymbolFound[]>("workspace/symbol", { query: "fresh" });
    assert.deepEqual(symbols(tree, gone), [], "after its end");
  });

  // Cases 5, 54. Bare: members in the header that holds the #define; 14 and 19: links that run into the next line.
  scene("macros: members at their use, links on their line, errors of headers told", macros, async (session, tree) => {
    const { client } = session;
    const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "body" });
    assert.deepEqual(
      found
        .map(
          ({ location, containerName }) =>
            `${place(tree, location.uri, location.range).split(":")[0]} ${containerName}`,
        )
        .sort(),
      ["t.cpp 1 Alpha", "t.cpp 2 Beta"],
    );
    const named = await byName(session, { name: "Beta::body" });
    assert.deepEqual(
      matched(tree, named).map((one) => one.split(":")[0]),
      ["t.cpp 2"],
    );
    // Bare: the body of the #define, for both.
    for (const [column, wanted] of [
      [31, "t.cpp 1"],
      [41, "t.cpp 2"],
    ] as const) {
      const asked = at(tree, "t.cpp", 3, column);
      const definition = await client.request<Location[]>("textDocument/definition", asked);
      assert.deepEqual(
        locations(tree, definition).map((one) => one.split(":")[0]),
        [wanted],
      );
    }
    const uri = tree.uriOf("links.cpp");
    client.open(uri, "cpp", tree.textOf("links.cpp"));
    const links = await client.request<{ range: Location["range"] }[]>("textDocument/documentLink", {
      textDocument: { uri },
    });
    const ranges = links.map(({ range }) => place(tree, uri, range));
    assert.deepEqual(ranges, ["links.cpp 0:9-0:14", "links.cpp 1:9-1:13", "links.cpp 2:9-2:16"]);
    await client.until("the header's error", () => {
      const last = published(session).findLast((one) => one.uri === uri);
      return JSON.stringify(last?.diagnostics[0]?.relatedInformation ?? "").includes("bad.h");
    });
  });

  // Bare: nothing, for good.
  scene("a header that was opened hides nothing that its macros make", macros, async (session, tree) => {
    const { client } = session;
    const uri = tree.uriOf("deftest.h");
    client.open(uri, "cpp", tree.textOf("deftest.h"));
    const right = async (when: string): Promise<void> => {
      const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "body" });
      const places = found.map(({ location }) => place(tree, location.uri, location.range).split(":")[0]);
      assert.deepEqual(places.sort(), ["t.cpp 1", "t.cpp 2"], when);
      const named = await byName(session, { name: "Alpha::body" });
      assert.deepEqual(
        matched(tree, named).map((one) => one.split(":")[0]),
        ["t.cpp 1"],
        when,
      );
    };
    await right("open");
    client.notify("textDocument/didClose", { textDocument: { uri } });
    await right("closed");
  });

  // Cases 28, 22, 27, 25, 52. Bare: its own escapes; `Shape::area` without container; a database in build/ is found.
  scene(
    "a flat client, odd names, columns in utf-8, a database in build/, folders with a CMakeLists.txt each",
    odd,
    async (session, tree) => {
      const { client } = session;
      const uri = `${tree.uri}/sp%20ace+é%25[x]/x.cpp`;
      client.open(uri, "cpp", tree.textOf("sp ace+é%[x]/x.cpp"));
      await client.until("diagnostics under the client's spelling", ({ method, params }) => {
        if (method !== "textDocument/publishDiagnostics") return false;
        const { uri: said, diagnostics } = params as Published;
        return said === uri && diagnostics.length > 0;
      });
      const asked = { textDocument: { uri }, position: { line: 0, character: 61 } };
      const start = { line: 0, character: 42 };
      const range = { start, end: { line: 0, character: 47 } };
      assert.deepEqual(await client.request("textDocument/definition", asked), [{ uri, range }]);
      const context = { includeDeclaration: true };
      const references = await client.request<Location[]>("textDocument/references", { ...asked, context });
      assert.deepEqual(new Set(references.map((one) => one.uri)), new Set([uri]));
      const edit = await client.request<{ changes: object }>("textDocument/rename", { ...asked, newName: "later" });
      assert.deepEqual(Object.keys(edit.changes), [uri]);
      const contentChanges = [{ range: { start, end: start }, text: " " }];
      client.notify("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges });
      const moved = { ...asked, position: { line: 0, character: 62 } };
      const [later] = await client.request<Location[]>("textDocument/definition", moved);
      assert.deepEqual(later?.range.start, { line: 0, character: 43 });

      const flat = await client.request<SymbolFound[]>("textDocument/documentSymbol", {
        textDocument: { uri: tree.uriOf("lib/shape.cpp") },
      });
      assert.deepEqual(
        flat.map(
          ({ name: own, containerName, location }) =>
            `${containerName ?? ""} ${own} ${place(tree, location.uri, location.range).split("-")[0]}`,
        ),
        [" geo lib/shape.cpp 1:10", "geo Shape::area lib/shape.cpp 2:11", "geo Shape::area lib/shape.cpp 3:11"],
      );
      const bom = await byName(session, { name: "bomFn" });
      assert.deepEqual(matched(tree, bom), ["app/bom.cpp 0:4-0:9"]);
      client.open(tree.uriOf("app/bom.cpp"), "cpp", "int bomFn() { return 1; }\n");
      assert.deepEqual(matched(tree, await byName(session, { name: "bomFn" })), ["app/bom.cpp 0:4-0:9"]);
      client.open(tree.uriOf("app/main.cpp"), "cpp", tree.textOf("app/main.cpp"));
      const away = await client.request<Location[]>("textDocument/definition", at(tree, "app/main.cpp", 1, 37));
      assert.deepEqual(locations(tree, away), ["lib/shape.cpp 2:11-2:15"]);
      const servers = await session.servers();
      assert.equal(servers.length, 1, "one process for all folders");
    },
    { database: "build", capabilities: { general: { positionEncodings: ["utf-8"] } } },
  );

  // Bare: what the header declares, since it has indexed nothing.
  scene(
    "without a compilation database the project is what holds the name",
    shapes,
    async ({ client }, tree) => {
      const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "area" });
      assert.deepEqual(symbols(tree, found), defined(0));
      const asked = at(tree, "main.cpp", use.line, use.character);
      const definition = await client.request<Location[]>("textDocument/definition", asked);
      assert.deepEqual(locations(tree, definition), defined(0).slice(0, 1));
      const context = { includeDeclaration: true };
      const references = await client.request<Location[]>("textDocument/references", { ...asked, context });
      assert.deepEqual(locations(tree, references), whole(0));
    },
    { database: null },
  );
}

// ---- Stage --------------------------------------------------------------------------------------------------------------

interface Options {
  /** Folder of the compilation database, null for none. */
  readonly database: string | null;
  /** So many sessions, one after the other, on the same files. */
  readonly sessions: number;
  readonly capabilities: object;
  readonly limits: object;
}

interface Item {
  readonly name: string;
  readonly uri: string;
  readonly data?: unknown;
}

interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly { readonly range: Location["range"]; readonly relatedInformation?: unknown }[];
}

function plant(files: Files, database: string | null): Planted {
  const tree = planted(files);
  if (database !== null) {
    const sources = Object.keys(files).filter((file) => file.endsWith(".cpp"));
    const commands = sources.map((file) => ({
      directory: tree.root,
      file,
      arguments: ["clang++", "-std=c++17", "-c", file],
    }));
    tree.write(`${database}/compile_commands.json`, JSON.stringify(commands));
  }
  return tree;
}

function defined(down: number): readonly string[] {
  return [2, 3].map((line) => `shape.cpp ${line + down}:11-${line + down}:15`);
}

/** All places of the overload without parameters; `head`: how much lower the header's lines stand. */
function whole(down: number, head = 0): readonly string[] {
  return [
    "main.cpp 1:35-1:39",
    `shape.cpp ${2 + down}:11-${2 + down}:15`,
    `shape.cpp ${3 + down}:38-${3 + down}:42`,
    `shape.h ${3 + head}:6-${3 + head}:10`,
  ];
}

function at(tree: Tree, file: string, line: number, character: number): object {
  return { textDocument: { uri: tree.uriOf(file) }, position: { line, character } };
}

function byName({ client }: Session, params: object): Promise<SymbolByNameResult> {
  return client.request<SymbolByNameResult>("$/symbolByName", { timeoutMs: 40_000, ...params });
}

function matched(tree: Tree, { matches }: SymbolByNameResult): readonly string[] {
  return matches.map(({ location: { uri, selectionRange } }) => place(tree, uri, selectionRange));
}

/** Changes a file on disk as an editor does that tells its servers. */
async function change({ client }: Session, tree: Planted, file: string, text: string): Promise<void> {
  tree.write(file, text);
  client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: tree.uriOf(file), type: 2 }] });
}

function published({ client }: Session): readonly Published[] {
  return client.seen
    .filter(({ method }) => method === "textDocument/publishDiagnostics")
    .map(({ params }) => params as Published);
}
