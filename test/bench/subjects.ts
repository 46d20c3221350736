// Who is measured: how each is found on this machine and started in front of the fast backend.
// A subject that is not installed is told apart from one that is there and fails.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../server/version.ts";
import { program } from "../program.ts";
import type { JobKind } from "./client.ts";
import type { Target } from "./session.ts";

export interface Subject {
  readonly name: string;
  /** Sessions that say something about it. */
  readonly jobs: readonly JobKind[];
  /** Makes it ready for one job in `folder`, which is empty and its own. */
  prepare(job: JobKind, folder: string): Promise<Prepared>;
}

export interface Prepared extends Target {
  /** Ends what `prepare` has started. */
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL(".", import.meta.url));
const BACKEND = [process.execPath, join(HERE, "backend.js")];
const PIPE = [process.execPath, join(HERE, "pipe.js")];
const LISTENS_WITHIN_MS = 10_000;

/**
 * The subjects found, in the order of the table, and the names of those that are not here.
 * @param also further ones as `NAME=COMMAND LINE`, where `{}` stands for the backend's command
 */
export function findSubjects(also: readonly string[]): { subjects: Subject[]; missing: string[] } {
  const lspmux = process.env.LSPMUX ?? which("lspmux");
  const rass = process.env.RASS ?? which("rass");
  const missing: string[] = [];
  const found = (name: string, subject: Subject | null): Subject[] => {
    if (subject === null) missing.push(name);
    return subject === null ? [] : [subject];
  };
  const subjects = [
    plain("direct", BACKEND),
    plain("pipe", [...PIPE, ...BACKEND]),
    ...found("lspmux", lspmux === null ? null : lspmuxSubject(lspmux)),
    ...found("rass", rass === null ? null : plain("rass", [rass, ...RASS_OPTIONS, "--", ...BACKEND])),
    ...found("switchboard", existsSync(program) ? switchboardSubject() : null),
    ...found("shared", existsSync(program) ? sharedSubject() : null),
    ...also.map(parseSubject),
  ];
  return { subjects, missing };
}

const RASS_OPTIONS = ["--quiet-server", "--log-level", "silent"];

function plain(name: string, command: readonly string[]): Subject {
  return {
    name,
    jobs: ["starts", "small", "large", "memory"],
    prepare: async () => ({ command, env: {}, pids: [], stop: async () => {} }),
  };
}

function switchboardSubject(): Subject {
  return {
    name: "switchboard",
    jobs: ["starts", "small", "large", "ownership", "memory"],
    async prepare(job, folder) {
      const config = join(folder, "bench.toml");
      writeFileSync(config, job === "ownership" ? `${ONE_BACKEND}\n${SECOND_BACKEND}` : ONE_BACKEND);
      // Neither the user's configuration nor what an earlier run has learnt.
      const env = { XDG_CONFIG_HOME: join(folder, "config"), XDG_CACHE_HOME: join(folder, "cache") };
      const command = [process.execPath, program, "--stdio", "--config", config];
      return { command, env, pids: [], stop: async () => {} };
    },
  };
}

/** The same with a server that is there already: each session is a client of it. */
function sharedSubject(): Subject {
  return {
    name: "shared",
    jobs: ["starts", "small", "large", "memory"],
    async prepare(_job, folder) {
      const config = join(folder, "bench.toml");
      writeFileSync(config, `${ONE_BACKEND}\n[shared]\nenabled = true\n`);
      const env = {
        XDG_CONFIG_HOME: join(folder, "config"),
        XDG_CACHE_HOME: join(folder, "cache"),
        XDG_RUNTIME_DIR: folder,
      };
      const options = ["--quiet", "--config", config];
      const server = await started([process.execPath, program, "serve", ...options], env, socketIn(folder));
      return { command: [process.execPath, program, "--stdio", ...options], env, ...server };
    },
  };
}

function socketIn(folder: string): string {
  return join(folder, "switchboard", `switchboard-${version}.sock`);
}

/** Starts a server, and waits until it listens. */
async function started(
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  socket: string,
): Promise<Pick<Prepared, "pids" | "stop">> {
  const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
  const exited = new Promise<void>((resolve, reject) => {
    server.once("exit", () => resolve());
    server.once("error", reject);
  });
  await listening(socket, exited);
  return {
    pids: server.pid === undefined ? [] : [server.pid],
    stop: async () => {
      server.kill();
      await exited;
    },
  };
}

// JSON's strings and arrays are TOML's too.
const ONE_BACKEND = `[backends.bench]
command = ${JSON.stringify(BACKEND)}
languages = ["python"]
extensions = [".py"]

[languages.python]
backends = ["bench"]
`;
const SECOND_BACKEND = `[backends.second]
command = ${JSON.stringify(BACKEND)}
languages = ["javascript"]
extensions = [".js"]

[languages.javascript]
backends = ["second"]
`;

/** lspmux: a server listens on a unix socket (over TCP a request costs 44 ms), each session is a client of it. */
function lspmuxSubject(lspmux: string): Subject {
  return {
    name: "lspmux",
    jobs: ["starts", "small", "large", "memory"],
    async prepare(_job, folder) {
      const socket = join(folder, "s");
      const config = `listen = ${JSON.stringify(socket)}\nconnect = ${JSON.stringify(socket)}\nlog_filters = "off"\n`;
      // It reads its configuration from the platform's usual place below HOME.
      for (const place of [".config", "Library/Application Support"]) {
        mkdirSync(join(folder, place, "lspmux"), { recursive: true });
        writeFileSync(join(folder, place, "lspmux", "config.toml"), config);
      }
      const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
      const server = await started([lspmux, "server"], env, socket);
      const [node = "", ...args] = BACKEND;
      return {
        command: [lspmux, "client", "--server-path", node, "--", ...args],
        env,
        ...server,
      };
    },
  };
}

/** Resolves once something accepts on the socket; throws when its owner ends before, or the time is over. */
async function listening(socket: string, ownerExited: Promise<void>): Promise<void> {
  let gone = false;
  const exited = ownerExited.then(() => {
    gone = true;
  });
  for (const until = Date.now() + LISTENS_WITHIN_MS; !gone && Date.now() < until; ) {
    const accepted = await new Promise<boolean>((resolve) => {
      const connection = connect(socket, () => {
        connection.destroy();
        resolve(true);
      });
      connection.once("error", () => resolve(false));
    });
    if (accepted) return;
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  throw new Error(gone ? "ended before it listened" : `did not listen within ${LISTENS_WITHIN_MS} ms`);
}

function parseSubject(text: string): Subject {
  const [, name, line] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || line === undefined) throw new Error(`want NAME=COMMAND LINE, got ${text}`);
  return plain(
    name,
    line.split(/\s+/).flatMap((word) => (word === "{}" ? BACKEND : [word])),
  );
}

function which(command: string): string | null {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return join(folder, command);
    } catch {
      // Not here; the next folder may have it.
    }
  }
  return null;
}
