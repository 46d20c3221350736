/** Several clients on one real server, each with its own process of ours between: texts, diagnostics, and a warm command. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { Client, Failed } from "../client.ts";
import { type Fixture, fixture } from "../fixture.ts";
import { program } from "../program.ts";

const run = promisify(execFile);
const patience = 60_000;

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly {
    readonly message: string;
    readonly range: { readonly start: { readonly line: number } };
  }[];
}

/** A place where a server is shared, and clients of it on one fixture. */
class Shared {
  readonly workspace: Fixture;
  readonly #home = realpathSync.native(mkdtempSync(join(tmpdir(), "shared-")));
  readonly #env: Readonly<Record<string, string>>;
  readonly #clients: Client[] = [];

  constructor(t: TestContext, name: "python" | "typescript") {
    this.workspace = fixture(name);
    const at = (folder: string): string => join(this.#home, folder);
    for (const folder of ["run", "config/switchboard"]) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at("config/switchboard/config.toml"), "[shared]\nenabled = true\n");
    this.#env = {
      XDG_RUNTIME_DIR: at("run"),
      XDG_CONFIG_HOME: at("config"),
      XDG_CACHE_HOME: at("cache"),
      SWITCHBOARD_LOG: at("log"),
    };
    t.after(async () => {
      for (const client of this.#clients) await client.kill();
      await this.command("stop");
      this.workspace.remove();
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  async client(capabilities: object = {}): Promise<Client> {
    const { root } = this.workspace;
    const client = new Client([process.execPath, program, "--stdio"], { cwd: root, env: this.#env, patience });
    this.#clients.push(client);
    await client.initialize([root], { capabilities });
    return client;
  }

  async command(...words: readonly string[]): Promise<string> {
    const env = { ...process.env, ...this.#env };
    const { stdout } = await run(process.execPath, [program, ...words], { cwd: this.workspace.root, env });
    return stdout;
  }

  async backends(): Promise<readonly { readonly name: string; readonly pid: number; readonly clients: number }[]> {
    const { backends } = JSON.parse(await this.command("status", "--json"));
    return backends;
  }
}

/** Waits until a client has been told just these lines (0-based) of errors in a file. */
async function errorsAt(client: Client, uri: string, lines: readonly number[]): Promise<void> {
  await client.until(`errors at ${lines}`, ({ method, params }) => {
    const { uri: of, diagnostics } = params as Published;
    if (method !== "textDocument/publishDiagnostics" || of !== uri) return false;
    return JSON.stringify(diagnostics.map(({ range }) => range.start.line)) === JSON.stringify(lines);
  });
}

test("pyright for two clients with different texts of one file: answers and diagnostics for each one's own", async (t) => {
  const shared = new Shared(t, "python");
  const uri = shared.workspace.uriOf("fresh.py");
  const [one, two] = await Promise.all([shared.client(), shared.client()]);
  one.open(uri, "python", "def first() -> int:\n    return 1\n\nwrong: str = first()\n");
  const hover = async (client: Client, line: number, character: number): Promise<string> => {
    for (let times = 0; ; times++)
      try {
        const params = { textDocument: { uri }, position: { line, character } };
        return JSON.stringify(await client.request("textDocument/hover", params));
      } catch (fault) {
        // On a busy machine: it gave way to the other's question, or took too long.
        if (times === 20 || !(fault instanceof Failed && [-32801, -32803].includes(fault.code))) throw fault;
      }
  };
  // It takes seconds to start.
  assert.match(await hover(one, 3, 14), /first/);
  two.open(uri, "python", "def second() -> str:\n    return ''\n\n\n\nfine: str = second()\nworse: int = second()\n");
  for (let i = 0; i < 3; i++) {
    const [a, b] = await Promise.all([hover(one, 3, 14), hover(two, 5, 13)]);
    assert.match(a, /first\(\) -> int/);
    assert.match(b, /second\(\) -> str/);
  }
  await errorsAt(one, uri, [3]);
  await errorsAt(two, uri, [6]);
  const said = (client: Client): string =>
    JSON.stringify(client.seen.filter(({ params }) => (params as Published)?.uri === uri));
  assert.doesNotMatch(said(one), /worse|"line":6/);
  assert.doesNotMatch(said(two), /"line":3,/);
  const backends = await shared.backends();
  assert.deepEqual(
    backends.map(({ name, clients }) => [name, clients]),
    [["pyright", 2]],
  );
  await one.stop();
  assert.match(await hover(two, 5, 13), /second/);
  assert.equal((await two.stop()).code, 0);
});

test("a command asks the server that runs: no other process is started", async (t) => {
  const shared = new Shared(t, "typescript");
  const client = await shared.client();
  const mark = shared.workspace.mark("use:Metrics.record");
  const file = mark.path.slice(shared.workspace.root.length + 1);
  client.open(mark.uri, "typescript", shared.workspace.textOf(file));
  await client.request("textDocument/hover", { textDocument: { uri: mark.uri }, position: mark.position });
  const [before] = await shared.backends();
  const found = await shared.command("symbol", "Metrics.record");
  assert.match(found, /: \[Method\] .*Metrics\.record\n$/);
  // Beside it only the index of names.
  const after = (await shared.backends()).filter(({ name }) => name !== "syntax");
  assert.deepEqual(
    after.map(({ name, pid, clients }) => [name, pid, clients]),
    [["tsgo", before?.pid, 1]],
  );
});
