/**
 * What users of TypeScript's language servers reported, with each of the three: nothing found until a file is open or
 * loaded, references and renames that leave files out, names and places that differ between open and closed files.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SymbolByNameParams, SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { backendFolder } from "../backends/paths.ts";
import { type Files, planted } from "../planted.ts";
import { edits, expected, locations, type SymbolFound, symbols, type Tree, type WorkspaceEdit } from "./expect.ts";
import { absent, inSession, type Session } from "./session.ts";

interface OutlineItem {
  readonly name: string;
  readonly selectionRange?: unknown;
  readonly location?: { readonly range: { readonly start: unknown } };
}

const PUBLISH = "textDocument/publishDiagnostics";

const library: Files = {
  "tsconfig.json": '{"include":["src"]}',
  "src/lib.ts": "export function shared(x: number) { return x + 1; }",
  "src/page.ts": 'import { shared } from "./lib";\nexport class Page { n() { return shared(3); } }',
};

/** A package of an npm workspace with a project of its own. */
function packaged(name: string, index: string): Files {
  return {
    [`packages/${name}/package.json`]: `{ "name": "@x/${name}", "version": "1.0.0", "types": "src/index.ts" }`,
    [`packages/${name}/tsconfig.json`]:
      '{ "compilerOptions": { "module": "preserve", "types": [] }, "include": ["src"] }',
    // Not of the project, and nearer to the top than its sources.
    [`packages/${name}/tool.config.ts`]: "export default {};\n",
    [`packages/${name}/src/index.ts`]: index,
  };
}

const workspaces: Files = {
  "package.json": '{ "private": true, "workspaces": ["packages/*"] }',
  "package-lock.json": "{}",
  ...packaged("a", "export function shared(x: number) { return x + 1; }\nexport class Alpha { solo() {} }\n"),
  ...packaged("b", 'import { shared } from "@x/a";\nexport class Beta { n() { return shared(3); } }\n'),
  ...packaged("c", 'import { shared } from "@x/a";\nexport class Gamma { n() { return shared(3); } }\n'),
};

const odd: Files = {
  "tsconfig.json":
    '{ "compilerOptions": { "jsx": "preserve", "module": "preserve", "types": [] }, "include": ["src"] }',
  "src/lib.ts": "export default function () { return 1; }\n",
  "src/page.tsx": "export default function Page() { return 0; }\n",
  "src/use.ts": 'import d from "./lib"; import Pg from "./page"; d(); Pg(); [1].map(() => 2);\n',
  "src/bom.ts": "\ufeffexport function bomFn() {}\n",
  "src/own.ts": 'import { target } from "dep";\nexport function targetOwn() { return target(); }\n',
  "src/broken.ts": 'const broken: number = "text";\nexport { broken };\n',
  "node_modules/dep/package.json": '{ "name": "dep", "version": "1.0.0", "types": "index.d.ts" }',
  "node_modules/dep/index.d.ts": "export declare function target(): void;\n",
};

for (const { server, pointsAt } of expected.filter(({ fixture }) => fixture === "typescript")) {
  const found = async ({ client }: Session, tree: Tree, query: string): Promise<readonly string[]> =>
    symbols(tree, await client.request<SymbolFound[]>("workspace/symbol", { query }), pointsAt);

  // Cases 2, 4, 18, 25, 28
  scene(`${server}: nothing is opened, and every name and place is right`, server, odd, async (session, tree) => {
    const { client } = session;
    await session.initialize();
    assert.deepEqual(await found(session, tree, "targetOwn"), ["src/own.ts 1:16-1:25"]);
    // An exact name in a dependency comes behind the project's own that only begins with it.
    assert.deepEqual((await found(session, tree, "target"))[0], "src/own.ts 1:16-1:25");
    const bom = { textDocument: { uri: tree.uriOf("src/bom.ts") } };
    const outline = async (): Promise<unknown> => {
      const items = await client.request<OutlineItem[]>("textDocument/documentSymbol", bom);
      return items.map(({ name, selectionRange, location }) => [name, selectionRange ?? location?.range]);
    };
    const range = { start: { line: 0, character: 16 }, end: { line: 0, character: 21 } };
    const closed = (await outline()) as [string, { start: object }][];
    assert.equal(closed[0]?.[0], "bomFn");
    const rows: readonly (readonly [name: string, places: readonly string[]])[] = [
      ["bomFn", ["src/bom.ts 0:16"]],
      ["Page", ["src/page.tsx 0:24"]],
      ["map", []],
      ["targetOwn", ["src/own.ts 1:16"]],
    ];
    for (const [name, places] of rows) assert.deepEqual(await byName(session, tree, { name, in: "src" }), places, name);
    assert.deepEqual(await byName(session, tree, { name: "default", in: "src/lib.ts" }), ["src/lib.ts 0:7"]);
    const { matches } = await ask(session, { name: "targetOwn", include: ["references", "callers", "hover"] });
    assert.match(matches[0]?.hover ?? "", /function targetOwn\(\): void/);
    assert.deepEqual(matches[0]?.callers, { items: [], total: 0, truncated: false });

    // Opened without its BOM, then closed: the same places, and what only we hold stays loaded.
    client.open(bom.textDocument.uri, "typescript", "export function bomFn() {}\n");
    assert.deepEqual(await outline(), closed);
    client.notify("textDocument/didClose", bom);
    assert.deepEqual(await found(session, tree, "bomFn"), [
      `src/bom.ts 0:${range.start.character}-0:${range.end.character}`,
    ]);

    // Under the client's spelling, and only of what it opened.
    const published = client.seen.filter(({ method }) => method === PUBLISH);
    assert.deepEqual(
      [...new Set(published.map(({ params }) => uriIn(params)))].filter((uri) => uri !== bom.textDocument.uri),
      [],
    );
    const spelled = tree.uriOf("src/broken.ts").replace("[", "%5B").replace("]", "%5D").replace("+", "%2B");
    client.open(spelled, "typescript", odd["src/broken.ts"] ?? "");
    const at = { textDocument: { uri: spelled }, position: { line: 1, character: 10 } };
    const answer = await client.request<{ uri: string }[]>("textDocument/definition", at);
    assert.deepEqual(
      [answer].flat().map(({ uri }) => uri),
      [spelled],
    );
    if (server !== "tsgo")
      await client.until("diagnostics", ({ method, params }) => method === PUBLISH && uriIn(params) === spelled);
    // Beside it stands syntax, which has looked for what no server knows.
    const servers = await session.servers();
    assert.deepEqual(
      servers.map(({ name }) => name),
      [server],
    );
  });

  // Case 3, and full texts
  scene(`${server}: whole from the first opening on`, server, library, async (session, tree) => {
    const { client } = session;
    await session.initialize();
    const uri = tree.uriOf("src/lib.ts");
    const text = library["src/lib.ts"] ?? "";
    client.open(uri, "typescript", text);
    const at = { textDocument: { uri }, position: { line: 0, character: 18 } };
    const [references, edit, page] = await Promise.all([
      client.request<never>("textDocument/references", { ...at, context: { includeDeclaration: true } }),
      client.request<WorkspaceEdit>("textDocument/rename", { ...at, newName: "renamed" }),
      found(session, tree, "Page"),
    ]);
    const all = ["src/lib.ts 0:16-0:22", "src/page.ts 0:9-0:15", "src/page.ts 1:33-1:39"];
    assert.deepEqual(locations(tree, references), all);
    assert.deepEqual(edits(tree, edit, "renamed"), all);
    assert.deepEqual(page, ["src/page.ts 1:13-1:17"]);
    // The whole text anew, longer and then shorter: no old tail stays.
    const names = async (): Promise<readonly string[]> => {
      const items = await client.request<OutlineItem[]>("textDocument/documentSymbol", { textDocument: { uri } });
      return items.map(({ name }) => name).sort();
    };
    client.notify("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: `// above\n${text}\nexport function more() {}\n` }],
    });
    assert.deepEqual(await names(), ["more", "shared"]);
    client.notify("textDocument/didChange", { textDocument: { uri, version: 3 }, contentChanges: [{ text }] });
    assert.deepEqual(await names(), ["shared"]);
    const again = await client.request<never>("textDocument/references", {
      ...at,
      context: { includeDeclaration: true },
    });
    assert.deepEqual(locations(tree, again), all);
    // The last file is closed: the project stays known.
    client.notify("textDocument/didClose", { textDocument: { uri } });
    assert.deepEqual(await found(session, tree, "Page"), ["src/page.ts 1:13-1:17"]);
  });

  // Case 52
  scene(`${server}: one process for three packages, each of them whole`, server, workspaces, async (session, tree) => {
    const { client } = session;
    mkdirSync(join(tree.root, "node_modules/@x"), { recursive: true });
    for (const name of ["a", "b", "c"])
      symlinkSync(join(tree.root, "packages", name), join(tree.root, "node_modules/@x", name), "dir");
    await session.initialize();
    const at = { textDocument: { uri: tree.uriOf("packages/a/src/index.ts") }, position: { line: 0, character: 18 } };
    const references = { ...at, context: { includeDeclaration: true } };
    const all = ["a/src/index.ts 0:16-0:22", "b/src/index.ts 0:9-0:15", "b/src/index.ts 1:33-1:39"]
      .concat("c/src/index.ts 0:9-0:15", "c/src/index.ts 1:34-1:40")
      .map((place) => `packages/${place}`);
    assert.deepEqual(locations(tree, await client.request<never>("textDocument/references", references)), all);
    const edit = await client.request<WorkspaceEdit>("textDocument/rename", { ...at, newName: "renamed" });
    assert.deepEqual(edits(tree, edit, "renamed"), all);
    for (const [name, place] of Object.entries({
      Alpha: "a/src/index.ts 1:13-1:18",
      Gamma: "c/src/index.ts 1:13-1:18",
    }))
      assert.deepEqual(await found(session, tree, name), [`packages/${place}`], name);
    assert.deepEqual(
      (await session.servers()).map(({ name }) => name),
      [server],
    );
  });
}

// The project's own TypeScript: its version chooses, and only where the folder is trusted its code is run.
for (const [trusted, others] of [
  [false, []],
  [true, []],
  [false, ["vtsls"]],
  [true, ["vtsls"]],
] as const) {
  const server = others.length === 0 ? "vtsls" : "typescript-language-server";
  const title = `${server} is asked where the project has TypeScript 6, ${trusted ? "and runs it" : "which stays untouched"}`;
  test(title, { skip: absent(server) }, async (t) => {
    const tree = planted(library);
    const { root } = tree;
    const real = join(backendFolder, "node/node_modules/typescript");
    const ran = tree.pathOf("ran");
    tree.write("node_modules/typescript/package.json", '{ "name": "typescript", "version": "6.0.3" }');
    tree.write(
      "node_modules/typescript/lib/tsserver.js",
      `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");\n` +
        `require(${JSON.stringify(join(real, "lib/tsserver.js"))});\n`,
    );
    const backends = Object.fromEntries(others.map((name) => [name, { enabled: false }]));
    try {
      await inSession(t, [root], async (session) => {
        if (trusted) session.trust(root);
        await session.initialize({ initializationOptions: { switchboard: { backends } } });
        const { client } = session;
        const found = await client.request<SymbolFound[]>("workspace/symbol", { query: "Page" });
        assert.deepEqual(
          found.map(({ location }) => location.uri),
          [tree.uriOf("src/page.ts")],
        );
        assert.deepEqual(
          (await session.servers()).map(({ name }) => name),
          [server],
        );
        assert.equal(existsSync(ran), trusted);
      });
    } finally {
      tree.remove();
    }
  });
}

// What the settings of the two servers are for: without them a project that loads is answered for from its open files.
for (const [server, option] of [
  ["vtsls", { settings: { typescript: { tsserver: { useSyntaxServer: "auto" } } } }],
  ["typescript-language-server", { initializationOptions: { tsserver: { useSyntaxServer: "auto" } } }],
] as const)
  scene(`${server} leaves files out while it loads, if it is let`, server, library, async (session, tree) => {
    const { client } = session;
    const languages = { typescript: { backends: [server] } };
    await session.initialize({ initializationOptions: { switchboard: { languages, backends: { [server]: option } } } });
    const uri = tree.uriOf("src/lib.ts");
    client.open(uri, "typescript", library["src/lib.ts"] ?? "");
    const at = { textDocument: { uri }, position: { line: 0, character: 18 } };
    const references = { ...at, context: { includeDeclaration: true } };
    const answer = await client.request<never>("textDocument/references", references);
    assert.deepEqual(locations(tree, answer), ["src/lib.ts 0:16-0:22"]);
  });

/** A test with a session on these files, below a folder whose name needs escapes; one TypeScript server. */
function scene(name: string, server: string, files: Files, run: (session: Session, tree: Tree) => Promise<void>): void {
  test(name, { skip: absent(server) }, async (t) => {
    const tree = planted(files, "sp ace+é%[x]");
    try {
      await inSession(t, [tree.root], (session) => run(session, tree), { typescript: server });
    } finally {
      tree.remove();
    }
  });
}

function ask({ client }: Session, params: SymbolByNameParams): Promise<SymbolByNameResult> {
  return client.request("$/symbolByName", { timeoutMs: 40_000, ...params });
}

async function byName(session: Session, tree: Tree, params: SymbolByNameParams): Promise<readonly string[]> {
  const { matches } = await ask(session, params);
  return matches.map(({ location: { uri, selectionRange } }) => {
    const [place] = locations(tree, { uri, range: selectionRange });
    return place?.split("-")[0] ?? "";
  });
}

function uriIn(params: unknown): string {
  return (params as { uri: string }).uri;
}
