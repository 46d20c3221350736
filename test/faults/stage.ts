/**
 * The stage of a test on real processes: our own program, configured with backends that the test plays itself. At the end
 * of each test it is checked that no process of it is left. Those who play are in `actors.ts`.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, type StartOptions } from "../client.ts";
import type { Report } from "../fake.ts";
import { program } from "../program.ts";
import { Facts, Fake, Line, type Script, soon } from "./actors.ts";

export const posix = { skip: process.platform === "win32" ? "signals and process groups are POSIX" : false };

/** By when nothing of ours may run any more, ms. */
const GONE_MS = 5_000;

export interface StageOptions {
  /** TOML put after that of the backends. */
  readonly toml?: string;
  /** Clients share one server, in a runtime folder of the stage. */
  readonly shared?: boolean;
}

export class Stage {
  /** The folder, a real path, and its URI. */
  readonly folder: string;
  readonly uri: string;
  /** Where a shared server listens. */
  readonly runtime: string;
  readonly argv: readonly [string, string, ...string[]];
  readonly #env: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #lives = new Facts<Fake>();
  readonly #programs: (Client | Line)[] = [];
  readonly #sockets = new Set<Socket>();

  /** Makes a stage for backends by name, in rank order, that serve files `*.x`; it is cleared after the test. */
  static async open(
    t: TestContext,
    scripts: Readonly<Record<string, Script>>,
    { toml = "", shared = false }: StageOptions = {},
  ): Promise<Stage> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const sharing = shared ? "[shared]\nenabled = true\n" : "";
    const stage = new Stage(server, scripts, configOf(scripts, address.port) + sharing + toml);
    t.after(() => stage.#clear());
    return stage;
  }

  private constructor(server: Server, scripts: Readonly<Record<string, Script>>, toml: string) {
    this.folder = realpathSync.native(mkdtempSync(join(tmpdir(), "stage-")));
    this.uri = pathToFileURL(this.folder).href;
    this.runtime = join(this.folder, "run");
    mkdirSync(this.runtime);
    const config = join(this.folder, "switchboard-test.toml");
    writeFileSync(config, toml);
    this.argv = [process.execPath, program, "--stdio", "--config", config];
    this.#env = {
      XDG_CONFIG_HOME: this.folder,
      XDG_CACHE_HOME: this.folder,
      XDG_RUNTIME_DIR: this.runtime,
      SWITCHBOARD_LOG: join(this.folder, "log"),
    };
    this.#server = server;
    server.on("connection", (socket) => this.#meet(socket, scripts));
  }

  /** Starts our program, with further options if any, and a client that speaks properly. */
  client({ options: words = [], ...options }: StartOptions & { readonly options?: readonly string[] } = {}): Client {
    const client = new Client([...this.argv, ...words], { ...options, env: { ...this.#env, ...options.env } });
    this.#programs.push(client);
    return client;
  }

  /** Starts our program with nothing but its bytes, by another program if given: our command is put behind it. */
  line(by?: readonly [string, ...string[]]): Line {
    const line = new Line(by === undefined ? this.argv : [...by, ...this.argv], this.#env);
    this.#programs.push(line);
    return line;
  }

  /** Starts our program, initialized, with one document open; most tests begin so. */
  async ready(text = "one\n", capabilities: object = {}): Promise<{ client: Client; uri: string }> {
    const client = this.client();
    await client.initialize([this.folder], { capabilities });
    const uri = this.uriOf("a.x");
    client.open(uri, "x", text);
    return { client, uri };
  }

  /** Runs one command of ours beside the clients. */
  command(...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const [node, program] = this.argv;
    const env = { ...process.env, ...this.#env };
    return new Promise((resolve) => {
      const child = execFile(node, [program, ...words], { env, cwd: this.folder }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  /** A life of a backend, the first if not said otherwise; waits for it. */
  fake(name: string, life = 1): Promise<Fake> {
    return this.#lives.until(`life ${life} of ${name}`, (fake) => fake.name === name && fake.life === life);
  }

  /** Lives of a backend so far. */
  lives(name: string): number {
    return this.#lives.all.filter((fake) => fake.name === name).length;
  }

  uriOf(file: string): string {
    return `${this.uri}/${file}`;
  }

  /** What our program wrote to its log. */
  log(): string {
    const file = join(this.folder, "log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Resolves when none of these processes runs any more, nor a watchdog of theirs. */
  async gone(pids: readonly number[], name = "the processes' end"): Promise<void> {
    const until = Date.now() + GONE_MS;
    for (let left = running(pids); left.length > 0; left = running(pids)) {
      if (Date.now() > until) assert.fail(`${name}: after ${GONE_MS} ms there are still ${left.join("; ")}`);
      await new Promise((go) => setTimeout(go, 20));
    }
  }

  #meet(socket: Socket, scripts: Readonly<Record<string, Script>>): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.setEncoding("utf8");
    let rest = "";
    let fake: Fake | undefined;
    socket.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const report = JSON.parse(line) as Report;
        if (report.is === "up") {
          fake = new Fake(socket, scripts[report.name] ?? {}, report, this.lives(report.name) + 1);
          this.#lives.add(fake);
        } else fake?.take(report);
      }
    });
  }

  /** Ends our program if the test has not, and sees that it leaves nothing behind and sent nothing but proper frames. */
  async #clear(): Promise<void> {
    try {
      for (const { process: program, exited } of this.#programs) {
        program.stdin.end();
        program.stdout.resume();
        await soon<unknown>("the end of our program", exited);
      }
      if (existsSync(join(this.runtime, "switchboard"))) await this.command("stop");
      await this.gone(this.#pids(), "the end of the backends");
      for (const fake of this.#lives.all)
        assert.deepEqual(fake.stray, [], `${fake.name} got what is no canonical frame`);
    } finally {
      for (const { process: program } of this.#programs) program.kill("SIGKILL");
      for (const pid of this.#lives.all.flatMap((fake) => fake.children).filter(isThere)) process.kill(pid, "SIGKILL");
      // Fakes end with their socket, whatever has happened.
      for (const socket of this.#sockets) socket.destroy();
      this.#server.close();
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** All processes of the test's backends, with those that they started. */
  #pids(): number[] {
    return this.#lives.all.flatMap((fake) => [fake.pid, ...fake.children]);
  }
}

function configOf(scripts: Readonly<Record<string, Script>>, port: number): string {
  const program = fileURLToPath(new URL("../fake.js", import.meta.url));
  const names = Object.keys(scripts);
  const backends = Object.entries(scripts).map(([name, { command, role }]) => {
    const argv = command ?? [process.execPath, program, name, String(port)];
    return `[backends.${name}]\ncommand = ${JSON.stringify(argv)}\nlanguages = ["x"]\nextensions = [".x"]\n${role ? `role = "${role}"\n` : ""}`;
  });
  return `${backends.join("")}[languages.x]\nbackends = ${JSON.stringify(names)}\n`;
}

/** Those of the processes that run (a zombie does not), and their watchdogs. */
function running(pids: readonly number[]): string[] {
  if (process.platform === "win32") return pids.filter(isThere).map(String);
  if (pids.length === 0) return [];
  const { stdout } = spawnSync("ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => {
    const [pid, stat] = line.trim().split(/\s+/);
    return stat?.startsWith("Z") === false && pids.some((id) => String(id) === pid || line.endsWith(`KILL -- -${id}`));
  });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
