/**
 * Real servers beside each other in one session: a linter beside the server that answers questions (of pyright and ruff:
 * `python.test.ts`), two general servers for one language, and two languages at once.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseToml } from "../../server/config/toml.ts";
import { have } from "../backends/paths.ts";
import { absent, inSession, type Session, serve } from "./session.ts";

/** As the README has it. */
const readme = readFileSync(fileURLToPath(new URL("../../../README.md", import.meta.url)), "utf8");
const [, example = ""] = /^```toml\n(\[backends\.eslint\]\n.*?)^```/ms.exec(readme) ?? [];
const parsed = parseToml(example);
const { eslint } = parsed.ok ? (parsed.value as { backends: { eslint: object } }).backends : { eslint: {} };

/** The server finds the project's own library. This one has a single rule: no variable is called foo. */
const library = `
class ESLint {
  async isPathIgnored() { return false; }
  async calculateConfigForFile() { return { rules: {} }; }
  getRulesMetaForResults() { return {}; }
  async lintText(text, { filePath } = {}) {
    const messages = [...text.matchAll(/\\bfoo\\b/g)].map(({ index }) => {
      const before = text.slice(0, index).split("\\n");
      const [line, column] = [before.length, before.at(-1).length + 1];
      return { ruleId: "no-foo", severity: 2, message: "Not foo.", line, column, endLine: line, endColumn: column + 3,
        fix: { range: [index, index + 3], text: "bar" } };
    });
    return [{ filePath, messages, errorCount: messages.length, warningCount: 0 }];
  }
}
ESLint.version = "8.57.0";
module.exports = { ESLint };
`;

const text = 'export const foo: number = "text";\n';

interface Diagnostic {
  readonly source?: string;
  readonly message: string;
}

async function inProject(t: TestContext, run: (s: Session, uri: string, root: string) => Promise<void>): Promise<void> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "pair-")));
  const files: Readonly<Record<string, string>> = {
    "package.json": '{"name":"pair"}',
    "tsconfig.json": '{"compilerOptions":{"strict":true,"types":[]}}',
    ".eslintrc.json": "{}",
    "node_modules/eslint/package.json": '{"name":"eslint","version":"8.57.0","main":"index.js"}',
    "node_modules/eslint/index.js": library,
    "a.ts": text,
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  try {
    await inSession(t, [root], (session) => run(session, pathToFileURL(join(root, "a.ts")).href, root));
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const sources = (list: readonly Diagnostic[]): readonly string[] =>
  [...new Set(list.map(({ source = "" }) => (source === "eslint" ? source : "types")))].toSorted();

/** Of a client that pulls, once both have told of the text; one that is late makes the client pull anew. */
async function pulled({ client }: Session, uri: string): Promise<readonly Diagnostic[]> {
  for (let refreshes = 0; ; refreshes++) {
    const { items } = await client.request<{ items: readonly Diagnostic[] }>("textDocument/diagnostic", {
      textDocument: { uri },
    });
    if (sources(items).length === 2) return items;
    const isNew = (): boolean =>
      client.seen.filter(({ method }) => method === "workspace/diagnostic/refresh").length > refreshes;
    await client.until("a refresh", isNew);
  }
}

const missing = have("vscode-eslint-language-server", []) === null && "vscode-eslint-language-server is not installed";

test("tsgo and eslint: diagnostics of both by either way, each one's own actions, hover while eslint is dead", {
  skip: missing,
}, async (t) => {
  const literals = { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } }, dataSupport: true };
  await inProject(t, async (session, uri) => {
    const { client } = session;
    await session.initialize({
      capabilities: {
        textDocument: { diagnostic: {}, codeAction: literals },
        workspace: { applyEdit: true, diagnostics: { refreshSupport: true } },
      },
      initializationOptions: {
        switchboard: { backends: { eslint }, languages: { typescript: { backends: ["tsgo", "eslint"] } } },
      },
    });
    client.open(uri, "typescript", text);
    const items = await pulled(session, uri);
    const actions = await client.request<readonly { title: string; command?: { command: string } }[]>(
      "textDocument/codeAction",
      {
        textDocument: { uri },
        range: { start: { line: 0, character: 13 }, end: { line: 0, character: 16 } },
        context: { diagnostics: items },
      },
    );
    assert.ok(
      actions.some(({ title }) => /no-foo/.test(title)),
      JSON.stringify(actions),
    );
    const fix = actions.find(({ command }) => command?.command === "eslint.applySingleFix")?.command;
    assert.ok(fix, JSON.stringify(actions));
    const edits: unknown[] = [];
    client.answer("workspace/applyEdit", (params) => {
      edits.push(params);
      return { applied: true };
    });
    await client.request("workspace/executeCommand", fix);
    assert.match(JSON.stringify(edits), /"newText":"bar"/);

    const dead = (await session.backends()).find(({ name }) => name === "eslint");
    assert.ok(dead?.pid);
    session.forgiven = /eslint: process \d ended/;
    process.kill(dead.pid, "SIGKILL");
    const hover = await client.request("textDocument/hover", {
      textDocument: { uri },
      position: { line: 0, character: 14 },
    });
    assert.match(JSON.stringify(hover), /foo: number/);
  });
  await inProject(t, async (session, uri) => {
    const { client } = session;
    await session.initialize({
      initializationOptions: {
        switchboard: { backends: { eslint }, languages: { typescript: { backends: ["tsgo", "eslint"] } } },
      },
    });
    client.open(uri, "typescript", text);
    await client.until("both by push", ({ method, params }) => {
      const { diagnostics = [] } = params as { diagnostics?: readonly Diagnostic[] };
      return method === "textDocument/publishDiagnostics" && sources(diagnostics).length === 2;
    });
  });
});

test("a linter that is not there leaves the rest as it is", async (t) => {
  const absentOne = { ...eslint, command: ["no-such-linter-anywhere"] };
  await inProject(t, async (session, uri) => {
    const { client } = session;
    await session.initialize({ initializationOptions: { switchboard: { backends: { absentOne } } } });
    client.open(uri, "typescript", text);
    await client.until(
      "the faults of types",
      ({ method, params }) =>
        method === "textDocument/publishDiagnostics" &&
        (params as { diagnostics: readonly Diagnostic[] }).diagnostics.length > 0,
    );
    const said = client.seen.filter(({ method }) => method === "window/showMessage");
    assert.match(JSON.stringify(said), /no-such-linter-anywhere/);
  });
});

test("tsgo and vtsls: the first is asked, the second is not even started", { skip: absent("vtsls") }, async (t) => {
  await inProject(t, async (session, uri) => {
    const { client } = session;
    await session.initialize({
      initializationOptions: { switchboard: { languages: { typescript: { backends: ["tsgo", "vtsls"] } } } },
    });
    client.open(uri, "typescript", text);
    const place = { textDocument: { uri }, position: { line: 0, character: 14 } };
    for (const method of ["hover", "definition", "references", "documentHighlight", "completion"])
      await client.request(`textDocument/${method}`, {
        ...place,
        context: { includeDeclaration: true, triggerKind: 1 },
      });
    await client.request("workspace/symbol", { query: "foo" });
    assert.deepEqual(
      (await session.backends()).map(({ name }) => name),
      ["tsgo"],
    );
  });
});

interface Reported {
  readonly token: number | string;
  readonly value: { readonly kind: string; readonly title?: string };
}

serve(
  "clangd and gopls: the progress of each, under tokens of its own, each begun once and ended",
  ["cpp", "go"],
  async (session, cpp, go) => {
    const { client } = session;
    await session.initialize({ capabilities: { window: { workDoneProgress: true } } });
    client.open(cpp.uriOf("page.cpp"), "cpp", cpp.textOf("page.cpp"));
    client.open(go.uriOf("page/page.go"), "go", go.textOf("page/page.go"));
    const reports = (): readonly Reported[] =>
      client.seen.flatMap(({ method, params }) => (method === "$/progress" ? [params as Reported] : []));
    const titles = /index/i;
    const began = (isFirst: boolean) =>
      reports().find(({ value }) => value.kind === "begin" && titles.test(value.title ?? "") === isFirst);
    const hasEnded = (one: Reported | undefined): boolean =>
      one !== undefined && reports().some(({ token, value }) => token === one.token && value.kind === "end");
    await client.until("the end of both", () => hasEnded(began(true)) && hasEnded(began(false)));
    const begun = reports()
      .filter(({ value }) => value.kind === "begin")
      .map(({ token }) => token);
    assert.equal(new Set(begun).size, begun.length, "a token for each");
    const created = client.seen.flatMap(({ method, params }) =>
      method === "window/workDoneProgress/create" ? [(params as Reported).token] : [],
    );
    for (const token of begun) assert.ok(created.includes(token), String(token));
  },
);
