/**
 * Where frames come from and go to: our own stdio, a socket, a backend's process. The only file with calls that exist
 * on POSIX alone: process groups, and the watchdog that leaves no orphans. When to start and to end what is the
 * core's business.
 */
import type { ChildProcess } from "node:child_process";
import {
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
} from "node:fs";
import { type Server, Socket } from "node:net";
import type { Writable } from "node:stream";
import { type End, type EndHandlers, type EndLimits, streamEnd } from "./ends.ts";
import { LineLog, readLines } from "./lines.ts";

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
export function standardOutput(): Writable {
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

/** Our user's number, by which others are told apart where the system has such; null elsewhere. */
export function userId(): number | null {
  return process.getuid?.() ?? null;
}

/** Makes a folder for ourselves alone. @returns why what is there must not be used, null when it may */
export function privateFolder(path: string): string | null {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) return String(fault);
  }
  return notPrivate(path);
}

/** Why a file or folder is not ours alone, null when it is. Where files have no owners, it always is. */
export function notPrivate(path: string): string | null {
  if (!POSIX) return null;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return `${path} does not exist`;
  if (stat.isSymbolicLink()) return `${path} is a link`;
  if (stat.uid !== userId()) return `${path} belongs to another user (${stat.uid})`;
  const mode = stat.mode & 0o777;
  return (mode & 0o077) === 0 ? null : `${path} is open to other users (mode ${mode.toString(8)})`;
}

/** Has a server listen on a local socket that only our user may connect to, in a folder that is private already. */
export function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Made with the right mode: the address is bound before `listen` returns.
    const mask = POSIX ? process.umask(0o177) : 0;
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    if (POSIX) process.umask(mask);
  });
}

/** Which pipes a process has as stdin and stdout. */
export interface Pipes {
  readonly pid: number;
  /** Inode numbers, by which a process of another container with the same number is told apart. */
  readonly input: number;
  readonly output: number;
}

/** Our own stdin and stdout, where another process could read and write them itself; null where it could not. */
export function ownPipes(): Pipes | null {
  if (process.platform !== "linux") return null;
  try {
    const [input, output] = [fstatSync(0), fstatSync(1)];
    return input.isFIFO() && output.isFIFO() ? { pid: process.pid, input: input.ino, output: output.ino } : null;
  } catch {
    return null;
  }
}

/**
 * An end on the stdin and stdout of another process of our user (proc(5), /proc/PID/fd), which is to leave them alone; null
 * where they are not those pipes, or cannot be had.
 */
export function pipesEnd({ pid, input, output }: Pipes): ((handlers: EndHandlers, limits?: EndLimits) => End) | null {
  const opened: number[] = [];
  try {
    for (const [fd, mode, inode] of [
      [0, constants.O_RDONLY, input],
      [1, constants.O_WRONLY, output],
    ] as const) {
      const file = openSync(`/proc/${pid}/fd/${fd}`, mode | constants.O_NONBLOCK);
      opened.push(file);
      const stat = fstatSync(file);
      if (!stat.isFIFO() || stat.ino !== inode) throw new Error("another pipe");
    }
  } catch {
    for (const file of opened) closeSync(file);
    return null;
  }
  const [from, to] = opened;
  const reader = new Socket({ fd: from, readable: true, writable: false });
  const writer = new Socket({ fd: to, readable: false, writable: true });
  return (handlers, limits) => streamEnd(reader, writer, handlers, limits);
}

/** How to start a process. */
export interface Program {
  /** argv; `command[0]` is an absolute path or found on PATH. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The environment that it inherits; ours if not said otherwise. */
  readonly inherited?: Readonly<Record<string, string | undefined>>;
  /** Added to that. */
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
    child = processes().spawn(file, argv, {
      cwd: program.cwd,
      env: { ...(program.inherited ?? process.env), ...program.env },
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
    open: (length) => end.open?.(length) ?? null,
    close: (done) => end.close(done),
    kill(how) {
      if (how === "ask") stdin.end();
      group.signal(how === "ask" ? "SIGTERM" : "SIGKILL");
    },
  };
}

/** Not imported: `initialize` is answered before any process is started, and would wait for it to be loaded. */
function processes(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
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
    this.#watchdog = processes().spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
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
        processes()
          .spawn("taskkill", ["/pid", String(this.#pid), "/T", ...(signal === "SIGKILL" ? ["/F"] : [])])
          .on("error", () => {});
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
