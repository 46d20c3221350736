/**
 * Two clients in different folders on one process of a server that takes several: each is told of its own folder, by search,
 * by name and in diagnostics, and of the other's as soon as that is its own too.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { StatusResult, SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { backendPath } from "../backends/paths.ts";
import { Client } from "../client.ts";
import { type Files, isolated, type Planted, planted } from "../planted.ts";
import { program } from "../program.ts";
import type { Location, SymbolFound } from "./expect.ts";
import { missing } from "./session.ts";

const PUBLISH = "textDocument/publishDiagnostics";

interface Kind {
  readonly fixture: "typescript" | "go";
  readonly server: string;
  readonly language: string;
  /** A tree that declares `Common` and a function of its own name in the first file, calls that in the second, and has an error there. */
  readonly tree: (name: string) => Files;
  readonly files: readonly [string, string];
}

const kinds: readonly Kind[] = [
  {
    fixture: "typescript",
    server: "tsgo",
    language: "typescript",
    files: ["src/lib.ts", "src/use.ts"],
    tree: (name) => ({
      "tsconfig.json": '{ "compilerOptions": { "module": "preserve", "types": [] }, "include": ["src"] }',
      "src/lib.ts": `export function Only${name}() { return 1; }\nexport class Common {}\n`,
      "src/use.ts": `import { Only${name} } from "./lib";\nOnly${name}();\nexport const wrong${name}: string = 1;\n`,
    }),
  },
  {
    fixture: "go",
    server: "gopls",
    language: "go",
    files: ["lib.go", "use.go"],
    tree: (name) => ({
      "go.mod": `module example.com/${name.toLowerCase()}\n\ngo 1.21\n`,
      "lib.go": `package p\n\nfunc Only${name}() int { return 1 }\n\ntype Common struct{}\n`,
      "use.go": `package p\n\nvar _ = Only${name}()\n\nvar wrong${name} string = 1\n`,
    }),
  },
];

for (const kind of kinds)
  test(`${kind.server} with two clients in different folders: one process, and each is told of its own`, {
    skip: missing(kind.fixture),
  }, async () => {
    const own = planted({ "config/switchboard/config.toml": "[shared]\nenabled = true\n" });
    const env = { PATH: backendPath(), XDG_RUNTIME_DIR: own.root, ...isolated(own.root) };
    const sides = ["One", "Two"].map((name) => ({
      name,
      tree: planted(kind.tree(name)),
      client: new Client([process.execPath, program, "--stdio"], { env, patience: 60_000 }),
    }));
    const [one, two] = sides;
    assert.ok(one && two);
    try {
      for (const { client, tree } of sides) {
        await client.initialize([tree.root], { capabilities: { workspace: { workspaceFolders: true } } });
        open(client, kind, tree);
      }
      for (const { client, tree, name } of sides) {
        const other = name === "One" ? "Two" : "One";
        await client.until("its own error", ({ method, params }) => method === PUBLISH && tells(params, tree, kind));
        assert.deepEqual(await found(client, "Common"), [tree.uriOf(kind.files[0])], name);
        assert.deepEqual(await found(client, `Only${name}`), [tree.uriOf(kind.files[0])], name);
        assert.deepEqual(await found(client, `Only${other}`), [], name);
        assert.deepEqual(await byName(client, "Common"), [tree.uriOf(kind.files[0])], name);
        assert.deepEqual(await byName(client, `Only${other}`), [], name);
        assert.deepEqual(await references(client, kind, tree, name), [...kind.files].map(tree.uriOf).sort(), name);
      }
      assert.deepEqual(await processes(one.client, kind), [2]);
      for (const [side, other] of [[one, two] as const, [two, one] as const])
        for (const { method, params } of side.client.seen)
          assert.ok(method !== PUBLISH || !JSON.stringify(params).includes(other.tree.uri), `${side.name}: ${method}`);

      // The other's folder becomes one's own as well, and no longer.
      const event = { uri: two.tree.uri, name: "two" };
      one.client.notify("workspace/didChangeWorkspaceFolders", { event: { added: [event], removed: [] } });
      const both = [one, two].map(({ tree }) => tree.uriOf(kind.files[0])).sort();
      assert.deepEqual(await found(one.client, "Common"), both);
      assert.deepEqual(
        await byName(one.client, "OnlyTwo"),
        both.filter((uri) => uri.startsWith(`${two.tree.uri}/`)),
      );
      one.client.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [event] } });
      assert.deepEqual(await found(one.client, "Common"), [one.tree.uriOf(kind.files[0])]);
      assert.deepEqual(await byName(one.client, "OnlyTwo"), []);
      assert.deepEqual(await found(two.client, "Common"), [two.tree.uriOf(kind.files[0])]);

      // One leaves: the other has what it had.
      assert.equal((await one.client.stop()).code, 0);
      assert.deepEqual(await found(two.client, "Common"), [two.tree.uriOf(kind.files[0])]);
      assert.deepEqual(await references(two.client, kind, two.tree, "Two"), [...kind.files].map(two.tree.uriOf).sort());
      assert.deepEqual(await processes(two.client, kind), [1]);
      assert.equal((await two.client.stop()).code, 0);
    } finally {
      for (const { client } of sides) await client.kill();
      spawnSync(process.execPath, [program, "stop"], { env: { ...process.env, ...env } });
      for (const one of [own, ...sides.map(({ tree }) => tree)]) one.remove();
    }
  });

test("tsgo with two folders of one client, one of them added later: one process for both, and none for what is removed", {
  skip: missing("typescript"),
}, async () => {
  const [kind] = kinds;
  assert.ok(kind);
  const own = planted();
  const trees = ["One", "Two"].map((name) => planted(kind.tree(name)));
  const [one, two] = trees;
  assert.ok(one && two);
  const client = new Client([process.execPath, program, "--stdio"], { env: isolated(own.root), patience: 60_000 });
  try {
    await client.initialize([one.root]);
    // Nothing is open.
    assert.deepEqual(await found(client, "Common"), [one.uriOf(kind.files[0])]);
    const event = { uri: two.uri, name: "two" };
    client.notify("workspace/didChangeWorkspaceFolders", { event: { added: [event], removed: [] } });
    assert.deepEqual(await found(client, "Common"), trees.map((tree) => tree.uriOf(kind.files[0])).sort());
    assert.deepEqual(await references(client, kind, two, "Two"), [...kind.files].map(two.uriOf).sort());
    assert.deepEqual(await byName(client, "OnlyTwo"), [two.uriOf(kind.files[0])]);
    client.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [event] } });
    assert.deepEqual(await found(client, "Common"), [one.uriOf(kind.files[0])]);
    assert.deepEqual(await found(client, "OnlyTwo"), []);
    assert.deepEqual(await references(client, kind, one, "One"), [...kind.files].map(one.uriOf).sort());
    assert.deepEqual(await processes(client, kind), [1]);
    assert.equal((await client.stop()).code, 0);
  } finally {
    await client.kill();
    for (const each of [own, ...trees]) each.remove();
  }
});

function open(client: Client, kind: Kind, tree: Planted): void {
  for (const file of kind.files) client.open(tree.uriOf(file), kind.language, tree.textOf(file));
}

function tells(params: unknown, tree: Planted, { files: [, use] }: Kind): boolean {
  const { uri, diagnostics } = params as { uri: string; diagnostics: readonly object[] };
  return uri === tree.uriOf(use) && diagnostics.length > 0;
}

/** Where `workspace/symbol` finds what is called so. */
async function found(client: Client, query: string): Promise<readonly string[]> {
  const list = (await client.request<SymbolFound[] | null>("workspace/symbol", { query })) ?? [];
  return list
    .filter(({ name }) => name.split(".").at(-1) === query)
    .map(({ location }) => location.uri)
    .sort();
}

async function byName(client: Client, name: string): Promise<readonly string[]> {
  const { matches } = await client.request<SymbolByNameResult>("$/symbolByName", { name });
  return matches.map(({ location }) => location.uri).sort();
}

/** The files with references to the function of a tree's own name, asked where it is declared. */
async function references(client: Client, kind: Kind, tree: Planted, name: string): Promise<readonly string[]> {
  const [lib] = kind.files;
  const lines = tree.textOf(lib).split("\n");
  const line = lines.findIndex((text) => text.includes(`Only${name}`));
  const places = await client.request<Location[]>("textDocument/references", {
    textDocument: { uri: tree.uriOf(lib) },
    position: { line, character: (lines[line] ?? "").indexOf(`Only${name}`) },
    context: { includeDeclaration: true },
  });
  return [...new Set(places.map(({ uri }) => uri))].sort();
}

/** How many clients each process of the server has. */
async function processes(client: Client, { server }: Kind): Promise<readonly number[]> {
  const { backends } = await client.request<StatusResult>("$/switchboard/status", {});
  return backends.filter(({ name }) => name === server).map(({ clients }) => clients);
}
