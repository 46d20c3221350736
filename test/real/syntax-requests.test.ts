/** Our own requests where no server is installed: the program as it is shipped, and syntax alone. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { adapters } from "../../adapters/index.ts";
import { inSession, type Session } from "./session.ts";

/** Every server is disabled. */
const syntaxOnly = {
  switchboard: {
    backends: Object.fromEntries(
      adapters.flatMap(({ name, lastResort }) => (lastResort ? [] : [[name, { enabled: false }]])),
    ) as object,
  },
};

interface Workspace {
  readonly root: string;
  uriOf(path: string): string;
  write(path: string, text: string): void;
}

/** A session on a folder with these files. */
function alone(
  name: string,
  files: Readonly<Record<string, string>>,
  run: (session: Session, workspace: Workspace) => Promise<void>,
  capabilities: object = {},
): void {
  test(name, async (t) => {
    const root = realpathSync.native(mkdtempSync(join(tmpdir(), "syntax-")));
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    for (const [path, text] of Object.entries(files)) write(path, text);
    try {
      await inSession(t, [root], async (session) => {
        await session.initialize({ initializationOptions: syntaxOnly, capabilities });
        await run(session, { root, write, uriOf: (path) => pathToFileURL(join(root, path)).href });
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
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
  { "kv/kv.go": kv, "e.py": 'x = "😀"; value = 1\n', "notes.txt": "", "bom.ts": "\ufeffexport function bomFn() {}\n" },
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
