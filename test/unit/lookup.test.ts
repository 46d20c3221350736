/** `$/symbolByName`: what is made of servers' lists, outlines and texts; and the whole way over the core with fakes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Text } from "../../server/core/documents/text.ts";
import { confirm, declared, hitsOf, nameAt, roleOf } from "../../server/symbols/candidates.ts";
import { macrosDeclaring } from "../../server/symbols/macros.ts";
import { declarations } from "../../server/symbols/outline.ts";
import type { FakeClient } from "../sim/client.ts";
import { answered, at, hierarchical, type Script, simOf } from "../sim/outlined.ts";
import { folder, type Sim } from "../sim.ts";

/** The param `then`: written as a property, it would make a promise of what holds it. */
const THEN = "then";
const follow = (value: object) => ({ [THEN]: value });

// ---- Lists, outlines, texts ---------------------------------------------------------------------------------------------

const hit = (name: string, range: object | null, containerName?: string) => ({
  name,
  kind: 6,
  ...(containerName !== undefined && { containerName }),
  location: { uri: "file:///w/a.x", ...(range !== null && { range }) },
});

test("outlines in both forms are one list with whole paths", () => {
  const tree = [
    {
      name: "geo",
      kind: 3,
      range: at(0, 0, 99),
      selectionRange: at(0, 0, 3),
      children: [
        {
          name: "(*Box).Set",
          kind: 6,
          detail: "func(v int)",
          range: at(0, 5, 20),
          selectionRange: at(0, 6, 9),
          children: [{ name: "v", kind: 13, range: at(0, 8), selectionRange: at(0, 8) }],
        },
      ],
    },
    { name: 7, kind: 3 },
  ];
  assert.deepEqual(
    declarations(tree).map(({ name, detail, local }) => [[...name.containers, name.leaf].join("."), detail, local]),
    [
      ["geo", null, false],
      ["geo.Box.Set", "func(v int)", false],
      ["geo.Box.Set.v", null, true],
    ],
  );
  const list = [
    {
      name: "E",
      kind: 5,
      location: { uri: "x", range: { start: { line: 0, character: 6 }, end: { line: 5, character: 0 } } },
    },
    { name: "speed", kind: 6, location: { uri: "x", range: at(2, 4, 9) } },
    { name: "after", kind: 12, location: { uri: "x", range: at(7, 0, 9) } },
  ];
  assert.deepEqual(
    declarations(list).map(({ name }) => [...name.containers, name.leaf].join(".")),
    ["E", "E.speed", "after"],
  );
  assert.deepEqual(declarations(null), []);
  // python-lsp-server: a class's members before what is in them; two names of one statement.
  const ranged = (name: string, kind: number, containerName: string | null, from: number, to: number) => ({
    name,
    kind,
    containerName,
    location: { uri: "x", range: { start: { line: from, character: 4 }, end: { line: to, character: 0 } } },
  });
  const late = [
    ranged("E", 5, null, 0, 9),
    ranged("__init__", 6, "E", 1, 5),
    ranged("speed", 6, "E", 6, 9),
    ranged("n", 8, "__init__", 2, 3),
    ranged("x", 13, "__init__", 3, 4),
    ranged("y", 13, "__init__", 3, 4),
  ];
  assert.deepEqual(
    declarations(late).map(({ name, local }) => [[...name.containers, name.leaf].join("."), local]),
    [
      ["E", false],
      ["E.__init__", false],
      ["E.n", false],
      ["E.__init__.x", true],
      ["E.__init__.y", true],
      ["E.speed", false],
    ],
  );
});

test("a list says in which file, the outline where, the text has the last word", () => {
  const text = Text.of("\nclass E {\n  speed() {}\n}\nclass F {\n  speed() {}\n}\nspeed\n");
  const outline = declarations([
    {
      name: "E",
      kind: 5,
      range: at(1, 0, 9),
      selectionRange: at(1, 6, 7),
      children: [{ name: "speed", kind: 6, range: at(2, 2, 12), selectionRange: at(2, 2, 7) }],
    },
    {
      name: "F",
      kind: 5,
      range: at(4, 0, 9),
      selectionRange: at(4, 6, 7),
      children: [{ name: "speed", kind: 6, range: at(5, 2, 12), selectionRange: at(5, 2, 7) }],
    },
  ]);
  const places = (hits: unknown[], known: typeof outline | null = outline) =>
    confirm(hitsOf(hits), known, text, "utf-16").map(({ name, selectionRange: { start } }) => [
      [...name.containers, name.leaf].join("."),
      start.line,
      start.character,
    ]);
  // As listed.
  assert.deepEqual(places([hit("speed", at(2, 2, 7), "E")]), [["E.speed", 2, 2]]);
  // Of an older text: the container tells which, else the nearest.
  assert.deepEqual(places([hit("speed", at(1, 2, 7), "F")]), [["F.speed", 5, 2]]);
  assert.deepEqual(places([hit("speed", at(6, 2, 7))]), [["F.speed", 5, 2]]);
  assert.deepEqual(places([hit("speed", null, "E"), hit("speed", null, "F")]), [
    ["E.speed", 2, 2],
    ["F.speed", 5, 2],
  ]);
  // In no outline: the text itself must say the name there.
  assert.deepEqual(places([hit("speed", at(7, 0, 5))], null), [["speed", 7, 0]]);
  assert.deepEqual(places([hit("speed", at(6, 0, 5))], null), []);
});

test("names stand in the text as they are written", () => {
  const found = (line: string, character: number, leaf: string) => {
    const range = nameAt(Text.of(line), { line: 0, character }, leaf, "utf-16");
    return range === null ? null : line.slice(range.start.character, range.end.character);
  };
  assert.equal(found("int area()", 4, "area"), "area");
  assert.equal(found("int areas()", 4, "area"), null);
  assert.equal(found("int subarea()", 7, "area"), null);
  assert.equal(found("bool operator ==(A)", 5, "operator=="), "operator");
  assert.equal(found("bool operator==(A)", 5, "operator=="), "operator==");
  assert.equal(found("  ~Widget();", 2, "~Widget"), "~Widget");
  assert.equal(found("def size=(v)", 4, "size="), "size=");
  assert.equal(found("fn r#type()", 3, "type"), "type");
  assert.equal(found("fun `a b`()", 4, "a b"), "a b");
});

test("macros that declare a name are told from those that use it", () => {
  const text = Text.of(
    [
      "#define DECLARES(N) struct N { void body(); }; void N::body()",
      "  # define LINES(T) \\",
      "    T *body = nullptr; \\",
      "    int size;",
      "#define CALLS(x) do { if (x) return body(); else body(1); x.body(); std::body(x); } while (0)",
      "#define body(x) 1",
      "void body();",
    ].join("\n"),
  );
  assert.deepEqual(macrosDeclaring(text, "body"), ["DECLARES", "LINES"]);
  assert.deepEqual(macrosDeclaring(text, "bod"), ["DECLARES", "LINES"]);
  assert.deepEqual(macrosDeclaring(text, "size"), ["LINES"]);
  for (const odd of ["b+", "operator<", "operator->", "operator()", "~Widget", "a b", "n#"])
    assert.deepEqual(macrosDeclaring(Text.of(`#define X ${odd}`), odd), [], odd);
});

test("what an outline lacks lies in what is around it there, each segment once", () => {
  const block = (name: string, character: number, children: object[] = []) => ({
    name,
    kind: 3,
    range: at(0, character, 60),
    selectionRange: at(0, character, character + name.length),
    children,
  });
  const path = (name: string, character: number, container: string, outline: object[]) =>
    confirm(
      hitsOf([hit(name, at(0, character, character + name.length), container)]),
      declarations(outline),
      Text.of(`${" ".repeat(character)}${name}`),
      "utf-16",
    ).map((one) => [...one.name.containers, one.name.leaf].join("."));
  // `namespace a::b { template <class T> T Vec<T>::dot() ... }`
  const inside = [block("a", 0, [block("b", 3)])];
  assert.deepEqual(path("dot", 20, "a::b::Vec", inside), ["a.b.Vec.dot"]);
  assert.deepEqual(path("dot", 20, "b::Vec", inside), ["a.b.Vec.dot"]);
  assert.deepEqual(path("dot", 20, "Vec", inside), ["a.b.Vec.dot"]);
  assert.deepEqual(path("dot", 20, "", inside), ["a.b.dot"]);
  // A name is in nothing that it is a part of the name of.
  assert.deepEqual(path("Geo", 10, "", [block("Geo.Inner", 10)]), ["Geo"]);
});

test("each namespace of a dotted one is declared", () => {
  const item = { name: "b.c", kind: 3, range: at(0, 0, 40), selectionRange: at(0, 20, 23) };
  const outline = declarations([
    { name: "a", kind: 3, range: at(0, 0, 60), selectionRange: at(0, 10, 11), children: [item] },
  ]);
  assert.deepEqual(
    outline.map(({ name }) => [...name.containers, name.leaf].join(".")),
    ["a", "a.b", "a.b.c"],
  );
});

test("a value's name stands before it", () => {
  const place = (text: string, name: string, from: number) => {
    const outline = declarations([{ name, kind: 12, range: at(0, from, text.length), selectionRange: at(0, from) }]);
    const [one] = outline;
    assert.ok(one);
    const { start, end } = declared(one, one.name, Text.of(text), "utf-16").selectionRange;
    return [start.character, end.character];
  };
  assert.deepEqual(place("export default () => 3;", "default", 15), [7, 14]);
  assert.deepEqual(place("exports.made = () => 2;", "made", 15), [8, 12]);
  assert.deepEqual(place("exports.unmade = () => 2;", "made", 17), [17, 17]);
});

test("a function or class without a body is a declaration, where languages part the two", () => {
  assert.equal(roleOf("cpp", 6, "void record(int value)"), "declaration");
  assert.equal(roleOf("cpp", 6, "void Metrics::record(int value) { n = value; }"), "definition");
  assert.equal(roleOf("cpp", 9, "Widget() = default"), "definition");
  assert.equal(roleOf("cpp", 23, "struct Metrics { int n; }"), "definition");
  assert.equal(roleOf("cpp", 23, "struct Metrics"), "declaration");
  assert.equal(roleOf("cpp", 5, "template <class T = int> class Box"), "declaration");
  assert.equal(roleOf("cpp", 5, "using Box = std::vector<int>"), "definition");
  assert.equal(roleOf("cpp", 5, "Metrics"), "definition");
  assert.equal(roleOf("typescript", 7, "run"), "declaration");
  assert.equal(roleOf("typescript", 7, "run: 1"), "definition");
  assert.equal(roleOf("cpp", 7, "static int count"), "declaration");
  assert.equal(roleOf("cpp", 7, "int Widget::count = 0"), "definition");
  assert.equal(roleOf("cpp", 8, "int size"), "definition");
  for (const value of ["static inline int count", "static const int MAX = 3", "constexpr static int N{3}"])
    assert.equal(roleOf("cpp", 7, value), "definition", value);
  assert.equal(roleOf("c", 13, "extern int total"), "declaration");
  assert.equal(roleOf("c", 13, "static int total"), "definition");
  assert.equal(roleOf("typescript", 6, "record(): void"), "definition");
});

// ---- The whole way --------------------------------------------------------------------------------------------------------

async function byName(sim: Sim, client: FakeClient, params: object): Promise<Record<string, unknown>> {
  return answered(sim, client.ask("$/symbolByName", params));
}

/** `qualified.name path:line:character` of all matches, and the verdicts. */
function told(answer: Record<string, unknown>): unknown {
  const { matches, complete, absence, total } = answer.result as {
    matches: { qualifiedName: string; location: { uri: string; selectionRange: ReturnType<typeof at> } }[];
    complete: boolean;
    absence: string;
    total: number;
  };
  const places = matches.map(({ qualifiedName, location: { uri, selectionRange } }) => {
    const { line, character } = selectionRange.start;
    return `${qualifiedName} ${uri.slice(folder.length + 1)}:${line}:${character}`;
  });
  return [places, { complete, absence, total }];
}

const files = {
  "a.x": "class Box\n  def set\nclass Bag\n  def set\n",
  "b.x": "class Other\n  def use\n  set\n",
};
const listing: Script = {
  "workspace/symbol": () => ({
    result: [
      { name: "set", kind: 6, containerName: "Box", location: { uri: `${folder}/a.x`, range: at(1, 6, 9) } },
      { name: "set", kind: 6, containerName: "Bag", location: { uri: `${folder}/a.x`, range: at(3, 6, 9) } },
      { name: "reset", kind: 6, containerName: "Bag", location: { uri: `${folder}/a.x`, range: at(3, 6, 9) } },
    ],
  }),
};

test("what servers list is answered with proof that there is no more", async () => {
  const { sim, client } = simOf(files, listing);
  assert.deepEqual(told(await byName(sim, client, { name: "set" })), [
    ["Box.set a.x:1:6", "Bag.set a.x:3:6"],
    { complete: true, absence: "unknown", total: 2 },
  ]);
  assert.deepEqual(told(await byName(sim, client, { name: "Bag.set" })), [
    ["Bag.set a.x:3:6"],
    { complete: true, absence: "unknown", total: 1 },
  ]);
  assert.deepEqual(told(await byName(sim, client, { name: "set", limit: 1 })), [
    ["Box.set a.x:1:6"],
    { complete: false, absence: "unknown", total: 2 },
  ]);
  assert.deepEqual(told(await byName(sim, client, { name: "set[1]" })), [
    ["Bag.set a.x:3:6"],
    { complete: true, absence: "unknown", total: 1 },
  ]);
  assert.deepEqual(sim.faults(), []);
});

test("a list at its server's cap is no proof, also where another client's symbols fill it", async () => {
  const [box, bag] = ["a/m.x", "b/n.x"];
  const listed = (path: string) => ({
    name: "set",
    kind: 6,
    containerName: "",
    location: { uri: `${folder}/${path}`, range: at(0, 4, 7) },
  });
  const script: Script = { "workspace/symbol": () => ({ result: [listed(box), listed(bag)] }) };
  for (const [cap, complete] of [
    [3, true],
    [2, false],
  ] as const) {
    const symbol = { separator: ".", container: "nearest", cap };
    const { sim } = simOf({ [box]: "def set\n", [bag]: "def set\n" }, script, { multiRoot: true, symbol });
    const [first, second] = ["a", "b"].map((name) => {
      const client = sim.connect();
      client.initialize(hierarchical, [`${folder}/${name}`]);
      client.open(`${folder}/${name}/${name === "a" ? "m" : "n"}.x`, "def set\n");
      sim.settle();
      return client;
    });
    assert.ok(first && second);
    const verdict = { complete, absence: "unknown", total: 1 };
    assert.deepEqual(told(await byName(sim, first, { name: "set" })), [["set a/m.x:0:4"], verdict]);
    assert.deepEqual(told(await byName(sim, second, { name: "set" })), [["set b/n.x:0:4"], verdict]);
    assert.equal(sim.servers.get("one")?.length, 1);
  }
});

test("absence is told from silence", async () => {
  const { sim, client } = simOf(files, listing);
  const nothing = (absence: string, complete = true) => [[], { complete, absence, total: 0 }];
  assert.deepEqual(told(await byName(sim, client, { name: "LateFn" })), nothing("text"));
  assert.deepEqual(told(await byName(sim, client, { name: "Set" })), nothing("text"));
  assert.deepEqual(told(await byName(sim, client, { name: "Other.set" })), nothing("semantic"));
  assert.deepEqual(told(await byName(sim, client, { name: "LateFn", match: "ignoreCase" })), nothing("text"));
  assert.deepEqual(told(await byName(sim, client, { name: "BAG.set", match: "ignoreCase" })), nothing("semantic"));
});

test("a question by name that runs out of its time says so, and is no empty answer", async () => {
  const { sim, client } = simOf(files, { "workspace/symbol": () => "hold" });
  const asked = client.ask("$/symbolByName", { name: "Bag.set" });
  sim.settle();
  const [own] = [...sim.mux.calls.openCalls()];
  assert.ok(own !== undefined && own.legs.length === 0);
  sim.advance(own.deadline - sim.mux.ports.now() + 500);
  const { error } = (await answered(sim, asked)) as { error?: { data: unknown; message: string } };
  assert.deepEqual(error?.data, { code: "TimedOut", backend: "switchboard" });
  assert.match(error?.message ?? "", /hardMs/);
});

test("a list that hides a symbol is not believed", async () => {
  const { sim, client } = simOf(files, { "workspace/symbol": () => ({ result: [] }) });
  assert.deepEqual(told(await byName(sim, client, { name: "Bag.set" })), [
    ["Bag.set a.x:3:6"],
    { complete: true, absence: "unknown", total: 1 },
  ]);
});

test("places are those of the client's text, whatever the list says", async () => {
  const { sim, client } = simOf(files, listing);
  client.open(`${folder}/a.x`, `\n\n${files["a.x"]}`, 7);
  const answer = await byName(sim, client, { name: "Box.set" });
  assert.deepEqual((told(answer) as unknown[])[0], ["Box.set a.x:3:6"]);
  const [match] = (answer.result as { matches: { version: number; contentHash: string }[] }).matches;
  assert.equal(match?.version, 7);
  assert.match(match?.contentHash ?? "", /^sha256:[0-9a-f]{64}$/);
  // The name is gone from the buffer, though not from the disk.
  client.change(`${folder}/a.x`, [{ text: "class Empty\n" }]);
  assert.deepEqual((told(await byName(sim, client, { name: "Box.set" })) as unknown[])[0], []);
});

test("unique: the one, or which there are, or that there is none", async () => {
  const { sim, client } = simOf(files, listing);
  const codeOf = (answer: Record<string, unknown>) =>
    answer.error as { code: number; data: { code: string; candidates?: { hint: string }[] } };
  const ambiguous = codeOf(await byName(sim, client, { name: "set", unique: true }));
  assert.equal(ambiguous.data.code, "Ambiguous");
  const hints = ambiguous.data.candidates?.map(({ hint }) => hint) ?? [];
  assert.deepEqual(hints, ["Box.set", "Bag.set"]);
  for (const name of hints) {
    const [places] = told(await byName(sim, client, { name, unique: true })) as [string[]];
    assert.equal(places.length, 1);
    assert.ok(places[0]?.startsWith(`${name} `));
  }
  assert.equal(codeOf(await byName(sim, client, { name: "LateFn", unique: true })).data.code, "NotFound");
});

test("a client that takes only flat lists, or counts in bytes, gets the same", async () => {
  const { sim } = simOf(
    { "a.x": "class Bag\n  def 😀 set\nclass Box\n  def 😀 set\n" },
    { "workspace/symbol": () => ({ result: [] }) },
  );
  const weak = sim.client("weak", {});
  assert.deepEqual((told(await byName(sim, weak, { name: "Box.set" })) as unknown[])[0], ["Box.set a.x:3:9"]);
  const bytes = sim.client("bytes", { ...hierarchical, general: { positionEncodings: ["utf-8"] } });
  assert.deepEqual((told(await byName(sim, bytes, { name: "Box.set" })) as unknown[])[0], ["Box.set a.x:3:11"]);
  assert.deepEqual(sim.faults(), []);
});

test("a symbolKey means its symbol, also after edits elsewhere", async () => {
  const { sim, client } = simOf(files, { "workspace/symbol": () => ({ result: [] }) });
  const { matches } = (await byName(sim, client, { name: "Bag.set" })).result as { matches: { symbolKey: string }[] };
  sim.files.set(`${folder}/a.x`, `class New\n  def set\n${files["a.x"]}`);
  const again = await byName(sim, client, { name: matches[0]?.symbolKey ?? "", unique: true });
  assert.deepEqual((told(again) as unknown[])[0], ["Bag.set a.x:5:6"]);
});

test("a server that is silent or gone is named, not waited for beyond the time", async () => {
  const silent = simOf(files, { "workspace/symbol": () => "hold", "textDocument/documentSymbol": () => "hold" });
  const asked = silent.client.ask("$/symbolByName", { name: "Box.set", unique: true, timeoutMs: 3000 });
  await answered(silent.sim, asked);
  assert.deepEqual(asked.answers, []);
  for (let s = 0; s < 8 && asked.answers.length === 0; s++) {
    silent.sim.advance(1000);
    await answered(silent.sim, asked);
  }
  const { error } = (await answered(silent.sim, asked)) as {
    error: { data: { code: string; sources: { backend: string; state: string }[] } };
  };
  assert.equal(error.data.code, "NotReady");
  assert.deepEqual(
    error.data.sources.map(({ backend, state }) => [backend, state]),
    [["one", "failed"]],
  );
});

test("a cancelled question ends, answered once", async () => {
  const { sim, client } = simOf(files, { "workspace/symbol": () => "hold" });
  const asked = client.ask("$/symbolByName", { name: "Box.set" });
  await answered(sim, asked);
  client.cancel(asked);
  assert.equal(((await answered(sim, asked)).error as { code: number }).code, -32800);
  sim.advance(200_000);
  assert.equal(asked.answers.length, 1);
});

test("a question whose client leaves starts no server anew: nobody would end it", async () => {
  const { sim, client } = simOf(files, {
    "workspace/symbol": () => "hold",
    "textDocument/documentSymbol": () => "hold",
  });
  const asked = client.ask("$/symbolByName", { name: "Box.set" });
  await answered(sim, asked);
  sim.drop(client);
  await answered(sim, asked);
  sim.advance(60_000);
  assert.equal([...sim.mux.pool.all].length, 0);
  assert.equal(sim.servers.get("one")?.length, 1);
});

test("wait none starts nothing; the command's twin asks the same", async () => {
  const { sim, client } = simOf(files, listing);
  assert.deepEqual(told(await byName(sim, client, { name: "set", wait: "none" })), [
    [],
    { complete: false, absence: "unknown", total: 0 },
  ]);
  assert.equal(sim.servers.size, 0);
  const twin = client.ask("workspace/executeCommand", {
    command: "switchboard.symbolByName",
    arguments: [{ name: "Box.set" }],
  });
  assert.deepEqual((told(await answered(sim, twin)) as unknown[])[0], ["Box.set a.x:1:6"]);
});

test("include and then are asked at the match; what the server lacks is an error in its place", async () => {
  const { sim, client } = simOf(files, {
    ...listing,
    "textDocument/references": ({ params }) => ({ result: [{ uri: `${folder}/b.x`, range: at(2, 2, 5), params }] }),
  });
  const answer = await byName(sim, client, {
    name: "Box.set",
    include: ["body", "references", "callers"],
    ...follow({ method: "textDocument/references" }),
  });
  const [match] = (answer.result as { matches: Record<string, unknown>[] }).matches;
  assert.equal(match?.body, "  def set");
  assert.deepEqual(match?.references, {
    items: [{ uri: `${folder}/b.x`, range: at(2, 2, 5) }],
    total: 1,
    truncated: false,
  });
  assert.equal((match?.callers as { error?: { code: string } } | undefined)?.error?.code, "ThenUnsupported");
  assert.deepEqual((match?.then as { result: { params: object }[] } | undefined)?.result[0]?.params, {
    context: { includeDeclaration: true },
    textDocument: { uri: `${folder}/a.x` },
    position: { line: 1, character: 6 },
  });
  const unsupported = await byName(sim, client, { name: "Box.set", ...follow({ method: "textDocument/formatting" }) });
  assert.equal((unsupported.error as { data: { code: string } }).data.code, "ThenUnsupported");
});

test("no server for a language is said", async () => {
  const { sim, client } = simOf({ "a.rb": "def found; end" }, listing);
  const answer = await byName(sim, client, { name: "found" });
  const { data } = answer.error as { data: { code: string; languages: string[] } };
  assert.deepEqual([data.code, data.languages], ["NoBackend", ["ruby"]]);
});

test("diagnostics are those of the symbol: asked for where the server answers that, else awaited", async () => {
  const fault = (line: number, message: string) => ({ range: at(line, 2, 5), message, severity: 1 });
  const known = [fault(0, "in Box"), fault(1, "in set"), fault(3, "in the other set")];
  const asked = { name: "Box.set", include: ["diagnostics"] };
  const listOf = (answer: Record<string, unknown>): unknown =>
    (answer.result as { matches: { diagnostics: unknown }[] }).matches[0]?.diagnostics;
  const right = { items: [fault(1, "in set")], total: 1, truncated: false };

  const pulled = simOf(
    files,
    { ...listing, "textDocument/diagnostic": () => ({ result: { kind: "full", items: known } }) },
    {},
    { workspaceSymbolProvider: true, documentSymbolProvider: true, diagnosticProvider: {} },
  );
  assert.deepEqual(listOf(await byName(pulled.sim, pulled.client, asked)), right);

  for (const published of [known, []]) {
    const { sim, client } = simOf(files, listing);
    const question = client.ask("$/symbolByName", asked);
    await answered(sim, question);
    sim
      .server("one")
      .tell("textDocument/publishDiagnostics", { uri: `${folder}/a.x`, version: 1, diagnostics: published });
    const expected = published.length > 0 ? right : { items: [], total: 0, truncated: false };
    assert.deepEqual(listOf(await answered(sim, question)), expected);
    // Now it is known.
    assert.deepEqual(listOf(await byName(sim, client, asked)), expected);
  }

  const silent = simOf(files, listing);
  const question = silent.client.ask("$/symbolByName", asked);
  await answered(silent.sim, question);
  silent.sim.advance(10_000);
  const { error } = listOf(await answered(silent.sim, question)) as { error: { code: string; backend: string } };
  assert.deepEqual([error.code, error.backend], ["TimedOut", "one"]);
});

test("a server without a list is asked for outlines, named as a source, and counted on", async () => {
  const able = { textDocumentSync: 2, documentSymbolProvider: true };
  const { sim, client } = simOf(files, {}, {}, able);
  const answer = await byName(sim, client, { name: "Box.set" });
  assert.deepEqual(told(answer), [["Box.set a.x:1:6"], { complete: true, absence: "unknown", total: 1 }]);
  const { sources, coverage } = answer.result as {
    sources: { backend: string; state: string; reason: string }[];
    coverage: { files: number; unparsed: number };
  };
  assert.deepEqual(
    sources.map(({ backend, state }) => [backend, state]),
    [["one", "ready"]],
  );
  assert.match(sources[0]?.reason ?? "", /outlines/);
  assert.deepEqual([coverage.files, coverage.unparsed], [2, 0]);
});

test("stand-ins for what has no name are around nothing and are nobody's match", () => {
  const inner = { name: "inner", kind: 13, range: at(0, 20, 25), selectionRange: at(0, 20, 25) };
  const callback = {
    name: "map() callback",
    kind: 12,
    range: at(0, 4, 30),
    selectionRange: at(0, 4, 30),
    children: [inner],
  };
  const empty = { ...callback, name: "<function>", children: [] };
  assert.deepEqual(
    declarations([callback, empty]).map(({ name, local }) => [[...name.containers, name.leaf].join("."), local]),
    [["inner", true]],
  );
  // The use of a macro, as clangd tells it to clients that know null and to those that do not.
  for (const kind of [21, 15])
    assert.deepEqual(
      declarations([{ ...callback, name: "TEST_F", kind }]).map(({ name }) => [...name.containers, name.leaf]),
      [["inner"]],
    );
});

test("parameters that no server tells are read behind the name", () => {
  const source =
    "class E {\n  run(a: string): void;\n  run<T extends (x: T) => void>(a: number, b?: T) {}\n  size = (1)\n}\n";
  const text = Text.of(source);
  const outline = declarations(
    [1, 2, 3].map((line) => ({
      name: line === 3 ? "size" : "run",
      kind: line === 3 ? 7 : 6,
      range: at(line, 2, 30),
      selectionRange: at(line, 2, line === 3 ? 6 : 5),
    })),
  );
  const shown = confirm(
    hitsOf([hit("run", at(1, 2, 5)), hit("run", at(2, 2, 5)), hit("size", at(3, 2, 6))]),
    outline,
    text,
    "utf-16",
  );
  assert.deepEqual(
    shown.map(({ name }) => name.parameters),
    [["a: string"], ["a: number", "b?: T"], undefined],
  );
});

test("a local that no outline shows is found through its function, by its definition", async () => {
  const source = "class Box\n  def use x = 1; x\n";
  const definition: Script = {
    "workspace/symbol": () => ({ result: [] }),
    "textDocument/definition": () => ({ result: { uri: `${folder}/a.x`, range: at(1, 10, 11) } }),
  };
  const able = {
    textDocumentSync: 2,
    workspaceSymbolProvider: true,
    documentSymbolProvider: true,
    definitionProvider: true,
  };
  const { sim, client } = simOf({ "a.x": source }, definition, {}, able);
  for (const name of ["use.x", "Box.use.x"])
    assert.deepEqual(told(await byName(sim, client, { name })), [
      ["Box.use.x a.x:1:10"],
      { complete: true, absence: "unknown", total: 1 },
    ]);
  for (const name of ["x", "Bag.x"]) {
    const { result } = await byName(sim, client, { name });
    assert.equal((result as { total: number }).total, 0, name);
  }
});

test("a member is meant, not a variable of the constructor that is called like its class", async () => {
  const inner = (name: string, kind: number, line: number, children: object[] = []) => {
    const from = name === "Box" ? 2 * line : 4;
    return { name, kind, range: at(line, 0, 20), selectionRange: at(line, from, from + name.length), children };
  };
  const outlined = [inner("Box", 5, 0, [inner("Box", 9, 1, [inner("size", 13, 2)]), inner("size", 8, 3)])];
  const { sim, client } = simOf(
    { "a.x": "Box {\n  Box() {\n    size = 1\n    size\n" },
    {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/documentSymbol": () => ({ result: outlined }),
    },
  );
  const matches = async (name: string) => (told(await byName(sim, client, { name })) as unknown[])[0];
  assert.deepEqual(await matches("Box.size"), ["Box.size a.x:3:4"]);
  assert.deepEqual(await matches("Box.Box.size"), ["Box.Box.size a.x:2:4"]);
});

test("a local is addressed through the innermost function around it, be it a variable's value", async () => {
  const source = "use\n  emit = (x) => {\n    x\n  }\n  for x\n";
  const entry = (name: string, kind: number, from: number, to: number, children: object[] = []) => {
    const character = from === 0 ? 0 : 2;
    const range = { start: { line: from, character }, end: { line: to, character: 3 } };
    return { name, kind, range, selectionRange: at(from, character, character + name.length), children };
  };
  const able = {
    textDocumentSync: 2,
    workspaceSymbolProvider: true,
    documentSymbolProvider: true,
    definitionProvider: true,
  };
  const script: Script = {
    "workspace/symbol": () => ({ result: [] }),
    "textDocument/documentSymbol": () => ({ result: [entry("use", 12, 0, 5, [entry("emit", 13, 1, 3)])] }),
    "textDocument/definition": ({ params }) => {
      const { line } = (params as { position: { line: number } }).position;
      return { result: { uri: `${folder}/a.x`, range: line < 4 ? at(1, 10, 11) : at(4, 6, 7) } };
    },
  };
  const { sim, client } = simOf({ "a.x": source }, script, {}, able);
  const matches = async (name: string) => (told(await byName(sim, client, { name })) as unknown[])[0];
  assert.deepEqual(await matches("use.x"), ["use.x a.x:4:6"]);
  assert.deepEqual(await matches("use.emit.x"), ["use.emit.x a.x:1:10"]);
});
