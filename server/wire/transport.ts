/**
 * Where frames come from and go to: our own stdio, a socket, a backend's process. The only file with calls that exist
 * on POSIX alone: process groups, and the watchdog that leaves no orphans. When to start and to end what is the
 * core's business.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, existsSync, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { type End, type EndHandlers, type EndLimits, streamEnd } from "./ends.ts";

export { type End, type EndHandlers, type EndLimits, memoryPair, type OpenFrame, streamEnd } from "./ends.ts";

const POSIX = process.platform !== "win32";

/** Our stdin and stdout as one end. Nothing else may write to stdout. */
export function stdioEnd(handlers: EndHandlers, limits?: EndLimits): End {
  return streamEnd(process.stdin, standardOutput(), handlers, limits);
}

/**
 * Stdout as a stream whose writes never block. `process.stdout` is documented as synchronous for pipes on some
 * platforms and for files on all; there a client that stops reading would stop us from reading it, too.
 */
function standardOutput(): Writable {
  try {
    const stat = fstatSync(1);
    if (stat.isFIFO() || stat.isSocket()) return new Socket({ fd: 1, readable: false, writable: true });
    if (stat.isFile()) return createWriteStream("", { fd: 1, autoClose: false });
  } catch {
    // Closed: process.stdout then swallows what is written.
  }
  return process.stdout;
}

/** A socket as an end. Made with `allowHalfOpen`, it still takes answers after its peer has ended its side. */
export function socketEnd(socket: Socket, handlers: EndHandlers, limits?: EndLimits): End {
  socket.setNoDelay(true); // over TCP each request costs 44 ms otherwise
  return streamEnd(socket, socket, handlers, limits);
}

/** How to start a process. */
export interface Program {
  /** argv; `command[0]` is an absolute path or found on PATH. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Added to our own environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set when the process could not be started at all. */
  readonly error?: string;
}

export interface ProcessHandlers extends Omit<EndHandlers, "onClosed" | "onNoise"> {
  /** A line of stderr, or stray text on stdout; at most 100 a second, the rest is counted and said. */
  onLog(line: string): void;
  /** Called once, when all that the process wrote before it ended has been handed on. */
  onExit(exit: ProcessExit): void;
}

export interface ProcessEnd extends End {
  /** undefined when it could not be started. */
  readonly pid: number | undefined;
  /** "ask": ends its input and sends SIGTERM to its whole group; "force": SIGKILL. Nothing once the group is gone. */
  kill(how: "ask" | "force"): void;
}

/** How long a process that has closed its streams may go on, and how long pipes are read after its end; ms. */
const LINGER_MS = 2000;
const LAST_WORDS_MS = 500;
/** How often an ended process's group is looked at, when SIGTERM becomes SIGKILL, and when we give up; ms. */
const POLL_MS = 100;
const GROUP_TERM_MS = 1000;
const GROUP_GIVE_UP_MS = 5000;

/** Starts a process that speaks frames on its stdin and stdout. A failure to start is reported as its exit. */
export function spawnBackend(program: Program, handlers: ProcessHandlers, limits?: EndLimits): ProcessEnd {
  const log = new LineLog((line) => handlers.onLog(line));
  const [file = "", ...argv] = program.command;
  const failed = (error: string): void => handlers.onExit({ code: null, signal: null, error });
  let child: ChildProcess;
  try {
    child = spawn(file, argv, {
      cwd: program.cwd,
      env: { ...process.env, ...program.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: POSIX, // its own process group
      windowsHide: true,
    });
  } catch (e) {
    queueMicrotask(() => failed(String(e)));
    return NOT_STARTED;
  }
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || !stdin || !stdout || !stderr) {
    child.on("error", (e: NodeJS.ErrnoException) => {
      const folder = e.code === "ENOENT" && !existsSync(program.cwd);
      failed(folder ? `the folder ${program.cwd} does not exist` : e.message);
    });
    return NOT_STARTED;
  }
  const group = new Group(pid, (line) => handlers.onLog(line));

  let exit: ProcessExit | undefined;
  let reported = false;
  const report = (): void => {
    if (reported || exit === undefined) return;
    reported = true;
    log.end();
    handlers.onExit(exit);
  };
  child.on("error", () => {}); // a signal that could not be sent
  child.on("exit", (code, signal) => {
    exit ??= { code, signal };
    group.reap();
    // A grandchild may hold the pipes open for long.
    setTimeout(report, LAST_WORDS_MS).unref();
  });
  child.on("close", report);
  readLines(stderr, log);

  const end = streamEnd(
    stdout,
    stdin,
    {
      onBody: (body) => handlers.onBody(body),
      ...(handlers.onLong === undefined ? {} : { onLong: handlers.onLong.bind(handlers) }),
      onProblem: (problem) => handlers.onProblem(problem),
      onNoise: (text) => log.add(`${text}\n`),
      onDrained: () => handlers.onDrained(),
      onClosed(reason) {
        if (exit !== undefined) return;
        setTimeout(() => {
          if (exit !== undefined) return;
          handlers.onLog(`killed, since it cannot be talked to any more: ${reason}`);
          group.signal("SIGKILL");
        }, LINGER_MS).unref();
      },
    },
    limits,
  );
  return {
    pid,
    get queuedBytes() {
      return end.queuedBytes;
    },
    send: (body) => end.send(body),
    close: (done) => end.close(done),
    kill(how) {
      if (how === "ask") stdin.end();
      group.signal(how === "ask" ? "SIGTERM" : "SIGKILL");
    },
  };
}

const NOT_STARTED: ProcessEnd = {
  pid: undefined,
  queuedBytes: 0,
  send: () => "ok",
  close: (done) => done?.(),
  kill: () => {},
};

/**
 * A backend's process group, and its watchdog: a shell in a session of its own that waits on a pipe from us and kills
 * the group when the pipe closes, that is, when we are gone, however we went. It is ended as soon as the group is
 * empty, so that it can never hit a group that has got the same number later.
 */
class Group {
  readonly #pid: number;
  readonly #watchdog: ChildProcess | undefined;
  #gone = false;

  constructor(pid: number, onLog: (line: string) => void) {
    this.#pid = pid;
    if (!POSIX) return;
    const script = `read _; kill -s KILL -- -${pid}`; // dash refuses `kill -9 --`
    this.#watchdog = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    this.#watchdog.on("error", (e) => onLog(`no watchdog: ${e.message}; a crash of ours would leave it running`));
    this.#watchdog.stdin?.on("error", () => {});
    this.#watchdog.unref();
    // The pipe must live as long as we do, and keep us alive no longer.
    if (this.#watchdog.stdin instanceof Socket) this.#watchdog.stdin.unref();
  }

  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#gone) return;
    try {
      if (POSIX) process.kill(-this.#pid, signal);
      // Windows has no groups and no SIGTERM: ask the tree to close, or end it.
      else
        spawn("taskkill", ["/pid", String(this.#pid), "/T", ...(signal === "SIGKILL" ? ["/F"] : [])]).on(
          "error",
          () => {},
        );
    } catch {
      // Gone between our last look and now.
    }
  }

  /** The leader has ended: ends what it left behind, then the watchdog. */
  reap(): void {
    if (!POSIX) {
      this.#gone = true;
      return;
    }
    let waited = 0;
    const look = (): void => {
      if (waited >= GROUP_GIVE_UP_MS || this.#isEmpty()) {
        this.#gone = true;
        this.#watchdog?.kill("SIGKILL");
        return;
      }
      if (waited === 0) this.signal("SIGTERM");
      else if (waited >= GROUP_TERM_MS) this.signal("SIGKILL");
      waited += POLL_MS;
      setTimeout(look, POLL_MS).unref();
    };
    look();
  }

  #isEmpty(): boolean {
    try {
      process.kill(-this.#pid, 0);
      return false;
    } catch {
      return true; // ESRCH; macOS says EPERM where only zombies are left
    }
  }
}

const LINES_A_SECOND = 100;
const LINE_LENGTH = 1000;

/** Hands on lines at a bounded rate; a flood costs no more than counting it. */
class LineLog {
  readonly #onLine: (line: string) => void;
  #rest = "";
  #left = LINES_A_SECOND;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    this.#timer ??= setTimeout(() => this.#nextSecond(), 1000).unref();
    if (this.#left === 0) {
      this.#dropped += text.length;
      return;
    }
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, LINE_LENGTH);
    for (const line of lines) this.#say(line);
  }

  /** Says what has not been said yet. */
  end(): void {
    this.#say(this.#rest);
    this.#rest = "";
    this.#nextSecond();
  }

  #say(line: string): void {
    const text = line.trim();
    if (text === "") return;
    if (this.#left === 0) this.#dropped += text.length;
    else {
      this.#left -= 1;
      this.#onLine(text.slice(0, LINE_LENGTH));
    }
  }

  #nextSecond(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = LINES_A_SECOND;
    if (this.#dropped > 0) this.#onLine(`(${this.#dropped} more characters of output left out)`);
    this.#dropped = 0;
  }
}

function readLines(stream: Readable, log: LineLog): void {
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => log.add(text));
  stream.on("error", () => {});
}
