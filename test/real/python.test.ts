/**
 * Virtual environments on the real servers of Python: what is installed in one is found, and its interpreter is run only
 * once the user has trusted the folder. And ruff beside the server that answers questions.
 */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { backendFolder } from "../backends/paths.ts";
import { type Planted, planted } from "../planted.ts";
import { edits, locations, place, type WorkspaceEdit } from "./expect.ts";
import { absent, inSession, type Session } from "./session.ts";

async function inFolder(t: TestContext, server: string, run: (s: Session, folder: Planted) => Promise<void>) {
  const folder = planted();
  try {
    await inSession(t, [folder.root], (session) => run(session, folder), server === "" ? {} : { python: server });
  } finally {
    folder.remove();
  }
}

/** `python3.11`, of the interpreter that `test/backends/install` has made an environment with; undefined without it. */
const libraries = join(backendFolder, "venv", "lib");
const python = existsSync(libraries) ? readdirSync(libraries).find((name) => /^python3\.\d+$/.test(name)) : undefined;
const real = (): string => realpathSync(join(backendFolder, "venv", "bin", "python3"));
const packages = `.venv/lib/${python}/site-packages`;

/** An environment with a package, and one more that only the interpreter's own start adds (`.pth`). */
function environment({ write, root }: Planted): void {
  write(
    ".venv/pyvenv.cfg",
    `home = ${dirname(real())}\ninclude-system-site-packages = false\nversion = ${python?.slice("python".length)}\n`,
  );
  write(`${packages}/dep/__init__.py`, "def installed(x: int) -> int:\n    return x\n");
  write("elsewhere/linked/__init__.py", "def added(x: int) -> int:\n    return x\n");
  write(`${packages}/more.pth`, `${join(root, "elsewhere")}\n`);
  write("pyproject.toml", "");
  write("use.py", "from dep import installed\nfrom linked import added\ninstalled(1)\nadded(1)\n");
  mkdirSync(join(root, ".venv/bin"));
}

async function definitions({ client }: Session, folder: Planted): Promise<readonly (readonly string[])[]> {
  const uri = folder.uriOf("use.py");
  const at = (line: number) => ({ textDocument: { uri }, position: { line, character: 2 } });
  const ask = async (line: number) =>
    locations(folder, await client.request<never>("textDocument/definition", at(line)));
  return [await ask(2), await ask(3)];
}

const noPython =
  process.platform === "win32"
    ? "its interpreters here are shell scripts"
    : python === undefined && "there is no Python of test/backends/install";

for (const server of ["pyright", "basedpyright", "pylsp", "jedi", "ty"]) {
  const skip = noPython || absent(server);
  test(`${server}: an environment is read without trust, and run with it`, { skip }, async (t) => {
    await inFolder(t, server, async (session, folder) => {
      environment(folder);
      const ran = join(folder.root, "ran");
      for (const name of ["python", "python3"])
        chmodSync(folder.write(`.venv/bin/${name}`, `#!/bin/sh\necho "$0 $*" >> ${ran}\nexec ${real()} "$@"\n`), 0o755);
      await session.initialize();
      const [installed] = await definitions(session, folder);
      assert.deepEqual(installed, [`${packages}/dep/__init__.py 0:4-0:13`]);
      assert.ok(!existsSync(ran), "an interpreter of an untrusted folder was run");
    });
    await inFolder(t, server, async (session, folder) => {
      environment(folder);
      for (const name of ["python", "python3"]) symlinkSync(real(), join(folder.root, ".venv/bin", name));
      session.trust(folder.root);
      await session.initialize();
      assert.deepEqual(await definitions(session, folder), [
        [`${packages}/dep/__init__.py 0:4-0:13`],
        ["elsewhere/linked/__init__.py 0:4-0:9"],
      ]);
    });
  });
}

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly { readonly source: string; readonly range: Parameters<typeof place>[2] }[];
}

test("ruff beside pyright: diagnostics of both, its formatting, and no start for a question", {
  skip: absent("ruff"),
}, async (t) => {
  await inFolder(t, "", async (session, folder) => {
    const { client } = session;
    const text = "import os\n\n\nbroken: int = 'text'\n";
    folder.write("pyproject.toml", "");
    folder.write("both.py", text);
    const uri = folder.uriOf("both.py");
    // To a client without literals an action that is an edit cannot be told.
    const literals = { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source"] } } };
    await session.initialize({ capabilities: { textDocument: { codeAction: literals } } });
    await client.request("workspace/symbol", { query: "broken" });
    await client.request("$/symbolByName", { name: "broken" });
    assert.deepEqual(
      (await session.servers()).map(({ name }) => name),
      ["pyright"],
      "a linter finds no symbols",
    );

    client.open(uri, "python", text);
    const said = (params: unknown): readonly string[] => {
      const { uri: about, diagnostics } = params as Published;
      return about === uri
        ? diagnostics.map(({ source, range }) => `${source} ${place(folder, uri, range)}`).sort()
        : [];
    };
    const isWhole = (lines: readonly string[]) =>
      lines.includes("Pyright both.py 3:14-3:20") && lines.includes("Ruff both.py 0:7-0:9");
    await client.until(
      "the faults of both",
      ({ method, params }) => method === "textDocument/publishDiagnostics" && isWhole(said(params)),
    );
    const options = { tabSize: 4, insertSpaces: true };
    const edits = await client.request<{ newText: string }[]>("textDocument/formatting", {
      textDocument: { uri },
      options,
    });
    assert.ok(
      edits.some(({ newText }) => newText.includes('"')),
      JSON.stringify(edits),
    );

    const range = { start: { line: 0, character: 7 }, end: { line: 0, character: 9 } };
    const actions = await client.request<{ title: string }[]>("textDocument/codeAction", {
      textDocument: { uri },
      range,
      context: { diagnostics: [] },
    });
    assert.ok(
      actions.some(({ title }) => /Ruff/.test(title)),
      JSON.stringify(actions),
    );

    // Its death is nobody else's.
    const ruff = (await session.backends()).find(({ name }) => name === "ruff");
    assert.ok(ruff?.pid);
    session.forgiven = /ruff: process 1 ended/;
    process.kill(ruff.pid, "SIGKILL");
    const hover = await client.request<{ contents: unknown } | null>("textDocument/hover", {
      textDocument: { uri },
      position: { line: 3, character: 1 },
    });
    assert.match(JSON.stringify(hover), /int/);
    const before = client.seen.length;
    client.notify("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: `${text}\n` }],
    });
    await client.until(
      "both again",
      (seen) =>
        client.seen.indexOf(seen) >= before &&
        seen.method === "textDocument/publishDiagnostics" &&
        isWhole(said(seen.params)),
    );
  });
});

// ---- Cases ------------------------------------------------------------------------------------------------------------

interface Outlined {
  readonly name: string;
  readonly children?: readonly Outlined[];
}

const tree = (symbols: readonly Outlined[] | undefined): string =>
  (symbols ?? []).map(({ name, children }) => name + (children?.length ? `(${tree(children)})` : "")).join(" ");

const hierarchical = { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } };

// Case 21: python-lsp-server#343; case 27: pyrefly#3555; case 19: python-lsp-server#53; case 25.
for (const server of ["pyright", "basedpyright", "pylsp", "jedi", "ty"])
  for (const encoding of ["utf-16", "utf-8"]) {
    const title = `${server}: columns behind an emoji, outlines, re-exports and a BOM, for a client that counts ${encoding}`;
    test(title, { skip: absent(server) }, async (t) => {
      await inFolder(t, server, async (session, folder) => {
        const { client } = session;
        const text = 'x = "😀"; value = 1; print(value)\n';
        folder.write("pyproject.toml", "");
        folder.write("emoji.py", text);
        folder.write("bom.py", "\ufeffdef bom_fn(): pass\n");
        folder.write("pkg/__init__.py", 'from .core import Engine\n__all__ = ["Engine"]\n');
        folder.write("pkg/core.py", "class Engine: pass\n");
        folder.write("t.py", "from pkg import Engine; Engine()\n");
        const setter = "    @speed.setter\n    def speed(self, v): self.n = v\n";
        folder.write(
          "core.py",
          `class E:\n    def __init__(self): self.n = 0\n    @property\n    def speed(self): return self.n\n${setter}`,
        );
        folder.write(
          "locals.py",
          "class L:\n    def __init__(self):\n        self.own = 0\n        hidden = 3\n        print(hidden)\n" +
            "    def other(self): pass\n",
        );
        await session.initialize({ capabilities: { ...hierarchical, general: { positionEncodings: [encoding] } } });
        const uri = folder.uriOf("emoji.py");
        client.open(uri, "python", text);
        const wide = encoding === "utf-8" ? 2 : 0;
        const [first, second] = [`emoji.py 0:${10 + wide}-0:${15 + wide}`, `emoji.py 0:${27 + wide}-0:${32 + wide}`];
        for (const character of [10 + wide, 12 + wide, 31 + wide]) {
          const at = { textDocument: { uri }, position: { line: 0, character } };
          const found = await client.request<never>("textDocument/references", {
            ...at,
            context: { includeDeclaration: true },
          });
          assert.deepEqual(locations(folder, found), [first, second], `at ${character}`);
          const edit = await client.request<WorkspaceEdit>("textDocument/rename", { ...at, newName: "thing" });
          assert.deepEqual(edits(folder, edit, "thing"), [first, second]);
        }

        const outline = async (file: string): Promise<string> =>
          tree(await client.request("textDocument/documentSymbol", { textDocument: { uri: folder.uriOf(file) } }));
        // pylsp says it in a flat list; what the others say is their own tree.
        if (server === "pylsp") assert.equal(await outline("core.py"), "E(__init__(n) speed speed(n))");
        else assert.match(await outline("core.py"), /^E\(__init__/);

        const places = async (name: string): Promise<readonly string[]> => {
          const { matches } = await client.request<SymbolByNameResult>("$/symbolByName", { name });
          return matches.map(({ location }) => place(folder, location.uri, location.selectionRange));
        };
        for (const name of ["Engine", "pkg.core.Engine", "pkg.Engine"])
          assert.deepEqual(await places(name), ["pkg/core.py 0:6-0:12"], name);
        assert.deepEqual(await places("bom_fn"), ["bom.py 0:4-0:10"]);
        // A local only through its function, a member through its class.
        assert.deepEqual(await places("hidden"), []);
        assert.deepEqual(await places("L.__init__.hidden"), ["locals.py 3:8-3:14"]);
        for (const name of ["own", "L.own"]) assert.deepEqual(await places(name), ["locals.py 2:13-2:16"], name);
      });
    });
  }

for (const server of ["pyright", "basedpyright", "pylsp", "jedi", "ty"])
  test(`${server}: an edit behind a form feed stands where it was made`, { skip: absent(server) }, async (t) => {
    await inFolder(t, server, async (session, folder) => {
      const { client } = session;
      folder.write("pyproject.toml", "");
      await session.initialize();
      const uri = folder.uriOf("fed.py");
      client.open(uri, "python", "\f\n# \u2028\ndef first(): pass\n\ndef second(): pass\n");
      await client.request("textDocument/documentSymbol", { textDocument: { uri } });
      const range = { start: { line: 4, character: 4 }, end: { line: 4, character: 10 } };
      client.notify("textDocument/didChange", {
        textDocument: { uri, version: 2 },
        contentChanges: [{ range, text: "changed" }],
      });
      const symbols = await client.request<readonly { readonly name: string }[]>("textDocument/documentSymbol", {
        textDocument: { uri },
      });
      assert.deepEqual(
        symbols.map(({ name }) => name),
        ["first", "changed"],
      );
    });
  });
