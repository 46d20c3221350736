/**
 * One client's session with the built `switchboard --stdio` on real servers: the fixtures it opens as folders, the log,
 * and an end that leaves nothing behind. What is asked, and what is right, is for the tests.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { adapterOf } from "../../adapters/index.ts";
import { thisMachine } from "../../server/config/places.ts";
import { trust } from "../../server/config/trust.ts";
import { backendPath, launchOf } from "../backends/paths.ts";
import { Client, type InitializeOptions } from "../client.ts";
import { type Fixture, type FixtureName, fixture, startWith } from "../fixture.ts";
import { isolated } from "../planted.ts";
import { program } from "../program.ts";

/** The server that is asked about each fixture unless a test says another. */
export const serverOf: Readonly<Record<FixtureName, string>> = {
  typescript: "tsgo",
  python: "pyright",
  go: "gopls",
  cpp: "clangd",
  rust: "rust-analyzer",
  java: "jdtls",
  mixed: "json",
};

/** A test with a session of its own on fixtures, one folder each, which must end well. */
export function serve(
  name: string,
  names: readonly FixtureName[],
  run: (session: Session, workspace: Fixture, ...others: Fixture[]) => Promise<void>,
  servers: Servers = {},
): void {
  test(name, {
    skip: names.map((each) => absent(servers[each] ?? serverOf[each])).find(Boolean) ?? false,
  }, async (t) => {
    const workspaces = names.map((each) => fixture(each));
    const [first, ...others] = workspaces;
    assert.ok(first);
    try {
      const roots = workspaces.map(({ root }) => root);
      await inSession(t, roots, (session) => run(session, first, ...others), servers);
    } finally {
      for (const workspace of workspaces) workspace.remove();
    }
  });
}

/** Runs with a session, which must end well; its log is told when anything fails. */
export async function inSession(
  t: TestContext,
  roots: readonly string[],
  run: (session: Session) => Promise<void>,
  servers: Servers = {},
): Promise<void> {
  const session = new Session(roots, servers);
  try {
    await run(session);
    await session.end();
  } catch (fault) {
    t.diagnostic(session.log().slice(-40).join("\n"));
    throw fault;
  } finally {
    await session.dispose();
  }
}

/** Other servers than those of `serverOf`, the only ones for the language of their fixture. */
export type Servers = Readonly<Partial<Record<FixtureName, string>>>;

/** Why tests with these fixtures cannot run here, or false. */
export function missing(...names: readonly FixtureName[]): string | false {
  return names.map((name) => absent(serverOf[name])).find(Boolean) ?? false;
}

/** Why a server cannot be tested here, or false. */
export function absent(name: string): string | false {
  const adapter = adapterOf(name);
  if (adapter === undefined) return `${name} is no adapter`;
  const nowhere = mkdtempSync(join(tmpdir(), "missing-"));
  const launch = launchOf(adapter, nowhere, nowhere);
  rmSync(nowhere, { recursive: true });
  return typeof launch === "string" && launch;
}

/** Capabilities of a client that takes edits with the versions of their documents. */
export const withVersions = { workspace: { workspaceEdit: { documentChanges: true } } };

export interface BackendStatus {
  readonly name: string;
  readonly pid: number | null;
  readonly state: string;
  readonly openDocuments: number;
  readonly requests: number;
  readonly restarts: number;
}

export class Session {
  readonly client: Client;
  readonly #folder = realpathSync.native(mkdtempSync(join(tmpdir(), "session-")));
  readonly #logFile = join(this.#folder, "switchboard.log");
  /** In the environment of every process of this session. */
  readonly #mark = randomUUID();
  readonly #roots: readonly string[];
  readonly #servers: Servers;
  /** Whether the client takes edits as `documentChanges`. */
  takesVersions = false;
  /** Lines of the log that are what the test has brought about. */
  forgiven: RegExp | null = null;

  /** @param roots paths of the client's folders */
  constructor(roots: readonly string[], servers: Servers = {}) {
    this.#roots = roots;
    this.#servers = servers;
    this.client = new Client([process.execPath, program, "--stdio"], {
      cwd: this.#folder,
      // jdtls on busy cores; a wait ends with the fact that it waits for.
      patience: 120_000,
      env: {
        PATH: backendPath(),
        SWITCHBOARD_LOG: this.#logFile,
        SESSION_MARK: this.#mark,
        // Also for an index of clangd's that is really cold.
        ...isolated(this.#folder),
      },
    });
  }

  initialize<T = unknown>(options: InitializeOptions = {}): Promise<T> {
    this.takesVersions = options.capabilities === withVersions;
    const backends = { "rust-analyzer": { initializationOptions: startWith.rust } };
    const chosen = Object.entries(this.#servers).map(([language, server]) => [language, { backends: [server] }]);
    const switchboard = { backends, languages: Object.fromEntries(chosen) as object };
    return this.client.initialize<T>(this.#roots, { initializationOptions: { switchboard }, ...options });
  }

  /** As `switchboard trust` in a folder without a file. */
  trust(root: string): void {
    trust(root, null, { ...thisMachine(), env: isolated(this.#folder) });
  }

  async backends(): Promise<readonly BackendStatus[]> {
    const { backends } = await this.client.request<{ backends: BackendStatus[] }>("$/switchboard/status");
    return backends;
  }

  /** Those that are no part of ours: the index of names is kept by one that is. */
  async servers(): ReturnType<Session["backends"]> {
    return (await this.backends()).filter(({ name }) => name !== "syntax");
  }

  /** All lines so far, of all levels. */
  log(): readonly string[] {
    try {
      return readFileSync(this.#logFile, "utf8").split("\n");
    } catch {
      return [];
    }
  }

  /** The first line of the log that fits, once it is there. */
  async logged(pattern: RegExp, patience = 20_000): Promise<string> {
    const end = Date.now() + patience;
    for (;;) {
      const line = this.log().find((each) => pattern.test(each));
      if (line !== undefined) return line;
      assert.ok(Date.now() < end, `no line ${pattern} in the log:\n${this.log().join("\n")}`);
      await pause(10);
    }
  }

  /** shutdown, exit; fails unless that is clean: exit code 0, no process left, no backend that complained. */
  async end(): Promise<void> {
    const outcome = await this.client.stop();
    assert.deepEqual(outcome, { code: 0, signal: null });
    if (process.platform === "linux") assert.deepEqual(await this.#leftovers(), [], "processes are left");
    const lines = this.log().filter((line) => !this.forgiven?.test(line));
    const complaints = lines.filter((line) => /\[error\]|: E\[\d|already open|not open|non-added|unopened/i.test(line));
    assert.deepEqual(complaints, []);
  }

  /** After any outcome. */
  async dispose(): Promise<void> {
    await this.client.kill();
    await this.#leftovers();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Command lines of this session's processes that are still there after `patience` ms, grandchildren included. */
  async #leftovers(patience = 5000): Promise<readonly string[]> {
    const end = Date.now() + patience;
    let left = this.#marked();
    while (left.length > 0 && Date.now() < end) {
      await pause(20);
      left = this.#marked();
    }
    return left;
  }

  /** Only Linux shows the environment of other processes, in /proc. */
  #marked(): readonly string[] {
    if (process.platform !== "linux") return [];
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`).includes(this.#mark)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
      } catch {
        return []; // it has just ended, or is not ours to look at
      }
    });
  }
}
