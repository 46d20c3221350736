/**
 * The shared server: one Switchboard for all clients of a user that connect to its socket. It ends when it is told to, or
 * when nobody has used it for a while. Each client has the environment and the configuration of the place that it comes from.
 */
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { logLevelOf, type Options } from "../cli/args.ts";
import type { Config, LogLevel } from "../config/config.ts";
import { ConfigError } from "../config/load.ts";
import { thisMachine } from "../config/places.ts";
import type { Origin } from "../core/clients.ts";
import { Mux } from "../core/mux.ts";
import type { ClientId } from "../core/ports.ts";
import { remember } from "../host/command-cache.ts";
import { Host } from "../host/host.ts";
import { isShown, type Log, logger, logLine } from "../host/log.ts";
import { signalCodes } from "../host/signals.ts";
import { configOf, setupFor } from "../setup.ts";
import { requests } from "../symbols/requests.ts";
import { statusOf } from "../symbols/status.ts";
import { version } from "../version.ts";
import { type End, type EndHandlers, type EndLimits, listenPrivately, pipesEnd, socketEnd } from "../wire/transport.ts";
import { workingFolderOf } from "../working-folder.ts";
import { type Address, addressOf, prepared } from "./address.ts";
import { type Hello, helloOf, readHello, readLine, sayLine } from "./hello.ts";
import { freeLock, takeLock } from "./lock.ts";
import { reach } from "./reach.ts";

/** How long one who connects may take to say who it is, ms. */
const HELLO_MS = 5_000;
/** A server that was started for somebody waits so long for the first one at least, ms. */
const FIRST_CLIENT_MS = 20_000;
/** How long clients may take to read our last answers once no backend runs; a backend that has not ended is left to its watchdog, ms. */
const LAST_WORDS_MS = 1_000;
const LAST_RESORT_MS = 10_000;
/** Lines of the log for one who does not read them are left out from here on, bytes. */
const MAX_UNREAD = 1 << 20;
/** How long the place is waited for while another process takes it, ms. */
const CLAIM_MS = 10_000;

/** Serves until it is ended. @returns the exit code; 2 where it cannot serve, which has been said */
export async function serve(options: Options): Promise<number> {
  // The one who has started us reads what we say until we are there, and then no more.
  process.stderr.on("error", () => {});
  const say = (text: string): 2 => {
    process.stderr.write(`switchboard: ${text}\n`);
    return 2;
  };
  let config: Config;
  try {
    config = configOf(options.config);
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    return say(fault.message);
  }
  const address = addressOf(thisMachine(), version);
  const log = logger(logLevelOf(options, config.log.level), config.log.file);
  const shared = new Shared(config, options, log);
  const trouble = prepared(address) ?? (await claim(address, shared.server));
  if (trouble !== null) return say(trouble);
  log("info", "switchboard", `serves at ${address.path}`);
  if (!options.quiet) process.stderr.write(`switchboard: serves at ${address.path}\n`);
  return shared.ended;
}

/** Takes the address, from a server that is gone if need be. @returns why it cannot be had, null when it is ours */
async function claim(address: Address, server: Server): Promise<string | null> {
  const lock = `${address.path}.start`;
  for (const until = Date.now() + CLAIM_MS; Date.now() < until; ) {
    const other = await reach(address, helloOf("status"));
    if (other !== null) {
      if ("socket" in other) other.socket.destroy();
      const who = "pid" in other ? ` (process ${other.pid})` : "";
      return "trouble" in other
        ? other.trouble
        : `a server of this version serves at ${address.path} already${who}; \`switchboard stop\` ends it`;
    }
    try {
      if (takeLock(lock)) {
        if (address.folder !== null) rmSync(address.path, { force: true });
        await listenPrivately(server, address.path);
        return null;
      }
    } catch (fault) {
      return `cannot listen at ${address.path}: ${fault instanceof Error ? fault.message : fault}`;
    } finally {
      freeLock(lock);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  return `another process has been starting a server for ${CLAIM_MS} ms (${lock})`;
}

class Shared {
  readonly server: Server;
  readonly ended: Promise<number>;
  readonly #host: Host;
  readonly #mux: Mux;
  readonly #clients = new Set<ClientId>();
  /** Processes of clients that show the log to their users, and from which level up. */
  readonly #readers = new Map<Socket, LogLevel>();
  readonly #idleMs: number;
  readonly #log: Log;
  #idle: NodeJS.Timeout | undefined;
  #ending = false;
  #done: (code: number) => void = () => {};

  /** @param keep takes what is logged, beside those who show it */
  constructor(config: Config, { config: files }: Options, keep: Log) {
    const log: Log = (level, source, text) => {
      keep(level, source, text);
      for (const [socket, least] of this.#readers)
        if (isShown(level, least) && socket.writableLength < MAX_UNREAD) socket.write(logLine(level, source, text));
    };
    this.#log = log;
    this.#idleMs = config.shared.idleMinutes * 60_000;
    this.#host = new Host({ log, limits: config.limits, onClose: (client) => this.#left(client) });
    const setup = setupFor(files, { shared: true });
    this.#mux = new Mux({ ports: this.#host, version, setup, remember, shared: true, ...requests });
    this.#host.serve(this.#mux);
    this.ended = new Promise((done) => {
      this.#done = done;
    });
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#meet(socket).catch((fault) => {
        log("error", "switchboard", `a fault of ours: ${fault instanceof Error ? fault.stack : fault}`);
        socket.destroy();
      });
    });
    for (const [signal, code] of Object.entries(signalCodes)) process.on(signal, () => this.#end(code));
    this.#idleSoon(Math.max(this.#idleMs, FIRST_CLIENT_MS));
  }

  async #meet(socket: Socket): Promise<void> {
    socket.on("error", () => {});
    const line = await readLine(socket, HELLO_MS).catch(() => null);
    if (line === null) return void socket.destroy();
    const hello = readHello(line);
    if (typeof hello === "string") return refuse(socket, hello);
    if (this.#ending) return refuse(socket, "the server is ending");
    const welcome = { switchboard: version, pid: process.pid };
    switch (hello.as) {
      case "status":
        sayLine(socket, { ...welcome, status: await statusOf(this.#mux) });
        return void socket.end();
      case "log":
        this.#readers.set(socket, hello.logLevel ?? "error");
        socket.on("close", () => this.#readers.delete(socket));
        socket.on("end", () => socket.end());
        sayLine(socket, welcome);
        return void socket.resume();
      case "stop":
        // Its connection ends when we do.
        sayLine(socket, welcome);
        return this.#end(0);
      case "client":
        try {
          const origin = originOf(hello);
          origin.setup([], null);
          this.#attach(socket, hello, origin);
        } catch (fault) {
          if (!(fault instanceof ConfigError)) throw fault;
          refuse(socket, fault.message);
        }
    }
  }

  #attach(socket: Socket, { pid, cwd, pipes }: Hello, origin: Origin): void {
    clearTimeout(this.#idle);
    const direct = pipes === null ? null : pipesEnd(pipes);
    sayLine(socket, { switchboard: version, pid: process.pid, direct: direct !== null });
    const id = this.#host.attach(
      (handlers, limits) =>
        direct === null ? socketEnd(socket, handlers, limits) : besides(socket, direct, handlers, limits),
      { pid, origin },
    );
    this.#clients.add(id);
    this.#log("info", `client ${id}`, `process ${pid} in ${cwd}${direct === null ? "" : ", through its own pipes"}`);
    socket.resume();
  }

  #left(client: ClientId): void {
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#idleSoon(this.#idleMs);
  }

  #idleSoon(ms: number): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#log("info", "switchboard", `ends: no client for ${ms} ms`);
      this.#end(0);
    }, ms);
  }

  #end(code: number): void {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#idle);
    // Takes its file along: who comes now starts another one.
    this.server.close();
    setTimeout(() => this.#done(code), LAST_RESORT_MS).unref();
    this.#host.leave();
    this.#mux.stop(() => this.#host.whenWritten(LAST_WORDS_MS, () => this.#done(code)));
  }
}

/** A client's own pipes as an end; its process, at the other end of the socket, is told no more than the exit code. */
function besides(
  socket: Socket,
  connect: (handlers: EndHandlers, limits?: EndLimits) => End,
  handlers: EndHandlers,
  limits: EndLimits,
): End {
  const end = connect(handlers, limits);
  let closed = false;
  socket.on("close", () => !closed && handlers.onClosed("its process has ended"));
  socket.on("end", () => socket.end());
  return {
    send: (body) => end.send(body),
    open: (length) => end.open?.(length) ?? null,
    get queuedBytes() {
      return end.queuedBytes;
    },
    close: (done, last = Buffer.alloc(0)) => {
      closed = true;
      end.close(() => {
        socket.end(last);
        done?.();
      });
    },
  };
}

function refuse(socket: Socket, refused: string): void {
  sayLine(socket, { refused });
  socket.end();
}

function originOf({ config, noBackends, env, home, cwd }: Hello): Origin {
  const machine = { ...thisMachine(), env, home, cwd };
  return {
    setup: setupFor(config, { syntaxOnly: noBackends, machine, shared: true }),
    env,
    ...workingFolderOf(cwd, home),
  };
}
