/**
 * `$/symbolByName` on real servers through our own program, with nothing opened by the client: exact places right at the
 * first ask, in every spelling; absence; two languages in one session; then, at the place that by-name gave, definition,
 * references, hover and rename.
 */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapters, type Recording, recorded } from "../../adapters/index.ts";
import type { Candidate, SymbolByNameParams, SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { backendPath } from "../backends/paths.ts";
import { richCapabilities } from "../backends/rich.ts";
import { Client, Failed } from "../client.ts";
import { type Fixture, fixture, type Mark, quickNames, startWith, writeCompileCommands } from "../fixture.ts";
import { type Files, isolated, type Planted, planted } from "../planted.ts";
import { program } from "../program.ts";
import { absent, missing } from "./session.ts";

/** With our program on a folder, initialized, which must end well; what servers cost too much by default is turned off. */
async function inSession(
  root: string,
  run: (client: Client) => Promise<void>,
  languages: Languages = {},
): Promise<void> {
  const own = planted();
  const client = new Client([process.execPath, program, "--stdio"], {
    env: { PATH: backendPath(), ...isolated(own.root) },
    patience: 60_000,
  });
  const switchboard = { backends: { "rust-analyzer": { initializationOptions: startWith.rust ?? {} } }, languages };
  try {
    await client.initialize([root], { capabilities: richCapabilities, initializationOptions: { switchboard } });
    await run(client);
    assert.equal((await client.stop()).code, 0);
  } finally {
    await client.kill();
    own.remove();
  }
}

/** Which servers are asked, where not those that rank first. */
type Languages = Readonly<Record<string, { readonly backends: readonly string[] }>>;

const ask = (client: Client, params: SymbolByNameParams) =>
  client.request<SymbolByNameResult>("$/symbolByName", { timeoutMs: 40_000, ...params });

/** `path:line:character` of matches, relative to a folder. */
function placesOf({ matches }: SymbolByNameResult, root: string): readonly string[] {
  return matches.map(({ location: { uri, selectionRange } }) => placeOf(uri, selectionRange.start, root));
}

function placeOf(uri: string, { line, character }: Mark["position"], root: string): string {
  const path = fileURLToPath(uri).replaceAll("\\", "/");
  return `${path.startsWith(root) ? path.slice(root.length + 1) : path}:${line}:${character}`;
}

/** What differs between the languages. */
interface Expected {
  /** In the language's own spelling. */
  readonly record: string;
  readonly leaf: string;
  /** All of these mean Metrics' record. */
  readonly spellings: readonly string[];
  readonly shared: string;
}

const expected: Readonly<Record<(typeof quickNames)[number], Expected>> = {
  typescript: {
    record: "Metrics.record",
    leaf: "record",
    spellings: ["Metrics.record", "Metrics::record", "Metrics#record", "signal.Metrics.record", "Metrics.record()"],
    shared: "shared",
  },
  python: {
    record: "Metrics.record",
    leaf: "record",
    spellings: ["Metrics.record", "fx.signal.Metrics.record", "Metrics::record", "::Metrics.record"],
    shared: "shared",
  },
  go: {
    record: "signal.Metrics.Record",
    leaf: "Record",
    spellings: ["Metrics.Record", "(*Metrics).Record", "signal.Metrics.Record", "Metrics::Record"],
    shared: "Shared",
  },
  cpp: {
    record: "fx::Metrics::record",
    leaf: "record",
    spellings: ["Metrics::record", "::fx::Metrics::record", "fx.Metrics.record", "fx::Metrics::record(int)"],
    shared: "shared",
  },
  rust: {
    record: "Metrics::record",
    leaf: "record",
    spellings: ["Metrics::record", "crate::signal::Metrics::record", "Metrics.record", "<Metrics as X>::record"],
    shared: "shared",
  },
};

// What syntax tells alone has tests of its own.
for (const adapter of adapters.filter(({ role, name }) => role === "general" && name !== "syntax")) {
  const language = quickNames.find((name) => name === adapter.languages[0]);
  if (language === undefined) continue;
  test(`by name, then at the place, with ${adapter.name}`, { skip: absent(adapter.name) }, async () => {
    const workspace = fixture(language);
    const run = async (client: Client): Promise<void> => {
      const { record, leaf, spellings, shared } = expected[language];
      const wanted = workspace.mark(`def:Metrics.${leaf}`);
      const place = placeOf(wanted.uri, wanted.position, workspace.root);

      // The very first question.
      const first = await ask(client, { name: record });
      assert.deepEqual(placesOf(first, workspace.root), [place], JSON.stringify(first));
      const [match] = first.matches;
      assert.equal(match?.qualifiedName, record);
      assert.equal(match?.backend, adapter.name);
      assert.equal(match?.language, language);
      assert.equal(match?.role, "definition");
      assert.equal(match?.version, null);
      assert.ok(first.complete, JSON.stringify(first));

      for (const name of [...spellings, match?.symbolKey ?? ""]) {
        const { matches } = await ask(client, { name, unique: true });
        assert.equal(matches.length, 1, name);
        assert.deepEqual(matches[0]?.location, match?.location, name);
      }
      const both = await ask(client, { name: leaf });
      assert.deepEqual(
        both.matches.map(({ name }) => name),
        [leaf, leaf],
        JSON.stringify(both),
      );
      assert.equal(both.total, 2);
      await assert.rejects(ask(client, { name: leaf, unique: true }), (fault: unknown) => {
        assert.ok(fault instanceof Failed);
        const { code, candidates } = fault.data as { code: string; candidates: Candidate[] };
        assert.equal(code, "Ambiguous");
        assert.deepEqual(
          candidates.map(({ location }) => location),
          both.matches.map(({ location }) => location),
        );
        return true;
      });
      await notThere(client, shared);
      // Where outlines stand in for a list, files are looked for by the name as it is asked.
      if (hasList(adapter)) await loose(client, shared);
      await atThePlace(client, workspace, leaf, recorded(adapter.name)?.capabilities ?? {});
    };
    try {
      await inSession(workspace.root, run, { [language]: { backends: [adapter.name] } });
    } finally {
      workspace.remove();
    }
  });
}

/** Names that are not there, in every degree of nearness (case 20). */
async function notThere(client: Client, shared: string): Promise<void> {
  for (const name of ["LateFn", "Metrcs", shared.slice(0, 4), shared.toUpperCase()]) {
    const { matches, absence, complete, total } = await ask(client, { name });
    assert.deepEqual(
      { matches, absence, complete, total },
      { matches: [], absence: "text", complete: true, total: 0 },
      name,
    );
  }
  await assert.rejects(ask(client, { name: "LateFn", unique: true }), (fault: unknown) => {
    return fault instanceof Failed && (fault.data as { code: string }).code === "NotFound";
  });
}

function hasList({ name, withholds }: Adapter): boolean {
  const { capabilities = {} } = recorded(name) ?? {};
  return "workspaceSymbolProvider" in capabilities && !withholds?.includes("workspaceSymbolProvider");
}

async function loose(client: Client, shared: string): Promise<void> {
  const any = await ask(client, { name: shared.toUpperCase(), match: "ignoreCase" });
  assert.deepEqual(
    any.matches.map(({ name }) => name),
    [shared],
  );
  const prefixed = await ask(client, { name: shared.slice(0, 4), match: "prefix", kinds: ["function"] });
  assert.ok(
    prefixed.matches.some(({ name }) => name === shared),
    JSON.stringify(prefixed),
  );
}

interface Place {
  readonly uri: string;
  readonly range: { readonly start: Mark["position"] };
}

/** Definition, references, hover and rename where by-name said that the symbol is. */
/** @param able what the server is able of */
async function atThePlace(
  client: Client,
  workspace: Fixture,
  leaf: string,
  able: Recording["capabilities"],
): Promise<void> {
  const wanted = workspace.mark(`def:Metrics.${leaf}`);
  const used = workspace.mark(`use:Metrics.${leaf}`);
  const own = placeOf(wanted.uri, wanted.position, workspace.root);
  const use = placeOf(used.uri, used.position, workspace.root);
  const { matches } = await ask(client, {
    name: `Metrics.${leaf}`,
    include: ["hover", "references", "callers", "body"],
  });
  const [match] = matches;
  assert.ok(match !== undefined);
  const { uri, selectionRange } = match.location;
  const at = { textDocument: { uri }, position: selectionRange.start };

  const definition = await client.request<(Place & { targetUri?: string; targetSelectionRange?: Place["range"] })[]>(
    "textDocument/definition",
    { textDocument: { uri: used.uri }, position: used.position },
  );
  const [target] = [definition].flat();
  const range = target?.targetSelectionRange ?? target?.range;
  assert.equal(placeOf(target?.targetUri ?? target?.uri ?? "", range?.start ?? at.position, workspace.root), own);

  const references = await client.request<Place[]>("textDocument/references", {
    ...at,
    context: { includeDeclaration: true },
  });
  const places = references.map((one) => placeOf(one.uri, one.range.start, workspace.root));
  assert.ok(places.includes(own) && places.includes(use), places.join(" "));
  assert.match(match.body ?? "", new RegExp(leaf));
  const { callers } = match;
  assert.ok(callers !== undefined);
  if (able.callHierarchyProvider === undefined)
    assert.ok("error" in callers && callers.error.backend === match.backend, JSON.stringify(callers));
  else {
    assert.ok("items" in callers, JSON.stringify(callers));
    const [caller, ...others] = callers.items;
    assert.deepEqual(others, []);
    assert.match(caller?.qualifiedName ?? "", /show|Show/);
    const calls = caller?.ranges.map(({ start }) => placeOf(caller.location.uri, start, workspace.root));
    assert.deepEqual(calls, [use]);
  }
  // What only names are known of has neither hover nor rename, and no references but by name, which are none here.
  if (able.hoverProvider === undefined && able.renameProvider === undefined) {
    assert.ok(match.references !== undefined && "error" in match.references);
    return;
  }
  assert.ok(match.references !== undefined && "items" in match.references);
  assert.deepEqual(
    match.references.items.map((one) => placeOf(one.uri, one.range.start, workspace.root)).sort(),
    places.sort(),
  );

  const hover = await client.request<{ contents: unknown }>("textDocument/hover", at);
  assert.match(JSON.stringify(hover.contents), new RegExp(leaf));
  assert.match(match.hover ?? "", new RegExp(leaf));

  const edit = await client.request<{
    changes?: Record<string, object[]>;
    documentChanges?: { textDocument: { uri: string }; edits: object[] }[];
  }>("textDocument/rename", { ...at, newName: leaf === "Record" ? "Renamed" : "renamed" });
  const edited = new Set(
    [...Object.keys(edit.changes ?? {}), ...(edit.documentChanges ?? []).map((change) => change.textDocument.uri)].map(
      (one) => fileURLToPath(one),
    ),
  );
  assert.ok(edited.has(wanted.path) && edited.has(used.path), JSON.stringify(edit));
}

// ---- Cases ----------------------------------------------------------------------------------------------------------------

/** A folder with these files, and our program on it. */
async function on(files: Files, run: (client: Client, root: string, tree: Planted) => Promise<void>): Promise<void> {
  const tree = planted(files);
  if (Object.keys(files).some((file) => file.endsWith(".cpp"))) writeCompileCommands(tree.root);
  try {
    await inSession(tree.root, (client) => run(client, tree.root, tree));
  } finally {
    tree.remove();
  }
}

const kv = `package kv

type Store[K comparable, V any] struct{ m map[K]V }

func (s *Store[K, V]) Get(k K) V { return s.m[k] }

type Box struct{ n int }

func (b Box) Get() int { return b.n }
func (b *Box) Set(v int) { b.n = v }
`;

test("case 15: one method, however gopls spells it; case 9: files that the build leaves out", {
  skip: missing("go"),
}, async () => {
  const files = {
    "go.mod": "module example.com/kv\n\ngo 1.21\n",
    "kv/kv.go": kv,
    "kv/tagged.go": "//go:build never\n\npackage kv\n\nfunc OnlyTagged() int { return 9 }\n",
    "kv/w_windows.go": "package kv\n\nfunc WinOnly() {}\n",
  };
  await on(files, async (client, root, { write }) => {
    const rows: readonly (readonly [name: string, places: readonly string[]])[] = [
      ["Set", ["9:14"]],
      ["Box.Set", ["9:14"]],
      ["(*Box).Set", ["9:14"]],
      ["kv.Box.Set", ["9:14"]],
      ["Box::Set", ["9:14"]],
      ["Get", ["4:22", "8:13"]],
      ["Store.Get", ["4:22"]],
      ["Store[K, V].Get", ["4:22"]],
      ["LateFn", []],
      ["Bx", []],
      ["set", []],
      ["Se", []],
    ];
    for (const [name, places] of rows) {
      const result = await ask(client, { name, in: "kv" });
      assert.deepEqual(
        placesOf(result, root),
        places.map((place) => `kv/kv.go:${place}`),
        `${name} ${JSON.stringify(result)}`,
      );
    }
    assert.deepEqual(placesOf(await ask(client, { name: "set", match: "ignoreCase" }), root).slice(0, 1), [
      "kv/kv.go:9:14",
    ]);
    assert.deepEqual(placesOf(await ask(client, { name: "OnlyTagged" }), root), ["kv/tagged.go:4:5"]);
    assert.deepEqual(placesOf(await ask(client, { name: "kv.WinOnly" }), root), ["kv/w_windows.go:2:5"]);
    // Case 48: the disk has changed under a file that only we hold, and nobody says so.
    write("kv/kv.go", `// one\n// two\n// three\n${kv}`);
    write("kv/more.go", "package kv\n\nfunc Late() {}\n");
    assert.deepEqual(placesOf(await ask(client, { name: "Set", in: "kv" }), root), ["kv/kv.go:12:14"]);
    assert.deepEqual(placesOf(await ask(client, { name: "kv.Late" }), root), ["kv/more.go:2:5"]);
  });
});

test("case 16: partly qualified names of C++, overloads, the unnamed namespace", { skip: missing("cpp") }, async () => {
  const files = {
    "shape.h": "#pragma once\nnamespace geo {\nstruct Shape {\n  int area() const;\n  int area(int s) const;\n};\n}\n",
    "shape.cpp":
      '#include "shape.h"\nnamespace geo {\nint Shape::area() const { return 3; }\nint Shape::area(int s) const { return area()*s; }\n}\n',
    "main.cpp":
      '#include "shape.h"\nint use() { geo::Shape s; return s.area(); }\nnamespace { int tucked() { return 1; } }\n',
  };
  await on(files, async (client, root) => {
    const overloads = ["shape.cpp:2:11", "shape.cpp:3:11"];
    for (const name of ["Shape::area", "::geo::Shape::area", "geo.Shape.area", "area"]) {
      const result = await ask(client, { name });
      assert.deepEqual(placesOf(result, root), overloads, `${name} ${JSON.stringify(result)}`);
      assert.deepEqual(new Set(result.matches.map(({ detail }) => detail)).size, 2);
      assert.deepEqual(
        result.matches.map(({ qualifiedName }) => qualifiedName),
        ["geo::Shape::area", "geo::Shape::area"],
      );
    }
    assert.deepEqual(placesOf(await ask(client, { name: "Shape::area(int)", unique: true }), root), overloads.slice(1));
    assert.deepEqual(placesOf(await ask(client, { name: "area[0]", unique: true }), root), overloads.slice(0, 1));
    for (const name of ["tucked", "(anonymous namespace)::tucked"])
      assert.deepEqual(placesOf(await ask(client, { name, unique: true }), root), ["main.cpp:2:16"], name);
    const { matches } = await ask(client, { name: "area[0]", include: ["callers"] });
    const callers = matches[0]?.callers;
    assert.ok(callers !== undefined && "items" in callers, JSON.stringify(matches));
    assert.deepEqual(callers.items.map(({ qualifiedName }) => qualifiedName).sort(), ["geo::Shape::area", "use"]);
    // A local is in no outline of this server's: its definition tells.
    assert.deepEqual(placesOf(await ask(client, { name: "use.s", unique: true }), root), ["main.cpp:1:23"]);
    for (const query of ["Shape::area", "geo.Shape.area"]) {
      const listed = await client.request<{ location: { uri: string; range: { start: Mark["position"] } } }[]>(
        "workspace/symbol",
        { query },
      );
      assert.deepEqual(
        listed.map(({ location: { uri, range } }) => placeOf(uri, range.start, root)),
        overloads,
      );
    }
  });
});

test("case 2: TypeScript with nothing open", async () => {
  const ts = {
    "tsconfig.json": '{"include":["src"]}',
    "src/lib.ts": "export function shared(x: number) { return x + 1; }\n",
  };
  await on(ts, async (client, root) => {
    assert.deepEqual(placesOf(await ask(client, { name: "shared", unique: true }), root), ["src/lib.ts:0:16"]);
  });
});

test("case 12: functions that a type hides in Rust", { skip: missing("rust") }, async () => {
  const rust = {
    "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub struct SyncParams {}\npub fn sync() {}\npub fn sync2() {}\npub enum E { SyncNow }\n",
  };
  await on(rust, async (client, root) => {
    assert.deepEqual(placesOf(await ask(client, { name: "sync", unique: true }), root), ["src/lib.rs:1:7"]);
    assert.deepEqual(placesOf(await ask(client, { name: "E::SyncNow", unique: true }), root), ["src/lib.rs:3:13"]);
  });
});

test("case 18: default exports; case 19: re-exports of Python; case 25: a BOM", async () => {
  const ts = {
    "tsconfig.json": '{"compilerOptions":{"jsx":"preserve"}}',
    "lib.ts": "export default function () { return 1; }\n",
    "page.tsx": "export default function Page() { return 0; }\n",
    "use.ts":
      'import d from "./lib"; import Pg from "./page"; d(); Pg(); [1].map((x) => { const inner = x; return inner; });\n',
    "over.ts": "export class Over {\n  run(a: string): void;\n  run(a: number): void;\n  run(a: unknown) {}\n}\n",
    "bom.ts": "\ufeffexport function bomFn() {}\n",
  };
  await on(ts, async (client, root) => {
    assert.deepEqual(placesOf(await ask(client, { name: "Page" }), root), ["page.tsx:0:24"]);
    assert.deepEqual(placesOf(await ask(client, { name: "default", in: "lib.ts" }), root), ["lib.ts:0:7"]);
    assert.deepEqual(placesOf(await ask(client, { name: "map", in: "*.ts" }), root), []);
    assert.deepEqual(placesOf(await ask(client, { name: "bomFn" }), root), ["bom.ts:0:16"]);
    // A callback's stand-in is around nothing: its variable has no function to be addressed through.
    assert.deepEqual(placesOf(await ask(client, { name: "inner" }), root), ["use.ts:0:82"]);
    // No server tells the parameters of these: the text does.
    assert.deepEqual(placesOf(await ask(client, { name: "Over.run(number)" }), root), ["over.ts:2:2"]);
    const { matches } = await ask(client, { name: "Page", include: ["callers", "signature", "diagnostics"] });
    const [page] = matches;
    assert.equal(page?.signature, "function Page(): number");
    assert.deepEqual(page?.diagnostics, { items: [], total: 0, truncated: false });
    assert.ok(page?.callers !== undefined && "items" in page.callers);
    assert.deepEqual(
      page.callers.items.map(({ qualifiedName }) => qualifiedName),
      ["use.ts"],
    );
  });
  const python = {
    "pyproject.toml": "",
    "pkg/__init__.py": 'from .core import Engine\nfrom .sub import *\n__all__ = ["Engine"]\n',
    "pkg/sub/__init__.py": "from .deep import Deep\n",
    "pkg/sub/deep.py": "class Deep: pass\n",
    "pkg/sub/far.py": "class Far: pass\n",
    "pkg/core.py": "class Engine: pass\n",
    "t.py": "from pkg import Engine; Engine()\n",
  };
  await on(python, async (client, root) => {
    for (const name of ["Engine", "pkg.Engine", "pkg.core.Engine"])
      assert.deepEqual(placesOf(await ask(client, { name, unique: true }), root), ["pkg/core.py:0:6"], name);
    for (const name of ["pkg.Deep", "pkg.sub.Deep", "pkg.sub.deep.Deep"])
      assert.deepEqual(placesOf(await ask(client, { name, unique: true }), root), ["pkg/sub/deep.py:0:6"], name);
    for (const name of ["pkg.Far", "pkg.sub.Far"])
      assert.deepEqual(placesOf(await ask(client, { name }), root), [], name);
  });
});

test("two languages in one session, asked at once", async () => {
  const [both, ts, python] = [planted(), fixture("typescript"), fixture("python")];
  const { root } = both;
  cpSync(ts.root, root, { recursive: true });
  cpSync(python.root, root, { recursive: true });
  const run = async (client: Client): Promise<void> => {
    const [found, one, other] = await Promise.all([
      ask(client, { name: "Metrics.record" }),
      ask(client, { name: "Metrics.record", languages: ["python"], unique: true }),
      ask(client, { name: "Metrics.record", path: "src", unique: true }),
    ]);
    const place = (from: Fixture) => {
      const { path, position } = from.mark("def:Metrics.record");
      return placeOf(pathToFileURL(path).href, position, from.root);
    };
    assert.deepEqual(placesOf(found, root), [place(python), place(ts)]);
    assert.deepEqual(
      found.matches.map(({ backend, language }) => `${backend} ${language}`),
      ["pyright python", "tsgo typescript"],
    );
    assert.deepEqual(placesOf(one, root), [place(python)]);
    assert.deepEqual(placesOf(other, root), [place(ts)]);
    assert.deepEqual(
      found.sources.map(({ backend, state }) => `${backend} ${state}`),
      ["tsgo ready", "pyright ready"],
    );
  };
  try {
    await inSession(root, run);
  } finally {
    for (const folder of [both, ts, python]) folder.remove();
  }
});
