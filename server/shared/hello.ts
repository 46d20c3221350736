/**
 * The first words on a connection to the shared server, a line of JSON each way; behind them a client's frames follow, both
 * ways, as over stdio. The server's last byte is the client's exit code.
 */
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { LogLevel } from "../config/config.ts";
import type { Env } from "../core/ports.ts";
import { isObject } from "../core/settings.ts";
import { version } from "../version.ts";
import type { Pipes } from "../wire/transport.ts";

/** Who connects, and what belongs to it and not to the server's process. */
export interface Hello {
  /** The version that it is of. */
  readonly switchboard: string;
  /** "log" is the second connection of a client, on which it is sent the lines of the log; "status" and "stop" ask. */
  readonly as: "client" | "log" | "status" | "stop";
  readonly pid: number;
  readonly cwd: string;
  readonly home: string;
  readonly env: Env;
  /** Absolute paths of `--config` files. */
  readonly config: readonly string[];
  readonly noBackends: boolean;
  readonly logLevel: LogLevel | null;
  /** Of a client: its pipes, if the server may use them itself. */
  readonly pipes: Pipes | null;
}

export type Welcome =
  | {
      readonly switchboard: string;
      readonly pid: number;
      /** The server reads and writes the client's pipes itself: what follows is no more than the exit code. */
      readonly direct?: boolean;
      readonly status?: unknown;
    }
  /** Nothing follows. */
  | { readonly refused: string };

/** Far more than an environment takes, in characters. */
const MAX_LINE = 4 << 20;

/** What we say of ourselves. */
export function helloOf(
  as: Hello["as"],
  options: { readonly config?: readonly string[]; readonly noBackends?: boolean; readonly logLevel?: LogLevel } = {},
  pipes: Pipes | null = null,
): Hello {
  return {
    switchboard: version,
    as,
    pid: process.pid,
    cwd: process.cwd(),
    home: homedir(),
    env: process.env,
    config: (options.config ?? []).map((file) => resolve(file)),
    noBackends: options.noBackends ?? false,
    logLevel: options.logLevel ?? null,
    pipes,
  };
}

/** A hello as it was sent by somebody of our own version; else why it is none. */
export function readHello(line: string): Hello | string {
  const value = parsed(line);
  if (!isObject(value) || typeof value.switchboard !== "string") return "this is no switchboard that connects";
  if (value.switchboard !== version) return `version ${value.switchboard} cannot use a server of version ${version}`;
  return isHello(value) ? value : "this is no hello";
}

/** Only processes of our user and version speak to each other: what the types say of a field is then so. */
function isHello(value: object): value is Hello {
  return "as" in value && "env" in value && isObject(value.env) && "config" in value && Array.isArray(value.config);
}

export function readWelcome(line: string): Welcome {
  const value = parsed(line);
  if (isObject(value) && typeof value.refused === "string") return { refused: value.refused };
  if (!isObject(value) || value.switchboard !== version || typeof value.pid !== "number")
    return { refused: "what listens there is no switchboard of this version" };
  return { switchboard: version, pid: value.pid, direct: value.direct === true, status: value.status };
}

export function sayLine(socket: Socket, value: Hello | Welcome): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

/** The first line that comes; what stands behind it stays unread, and the socket paused. Rejects when none comes in time. */
export function readLine(socket: Socket, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const failed = (why: string): void => done(() => reject(new Error(why)));
    const onData = (chunk: Buffer): void => {
      const end = chunk.indexOf("\n");
      text += chunk.toString("utf8", 0, end < 0 ? chunk.length : end);
      if (end < 0 && text.length <= MAX_LINE) return;
      if (end < 0) return failed("it says too much");
      done(() => resolve(text));
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
    };
    const onEnd = (): void => failed("it said nothing");
    const onError = (fault: Error): void => failed(fault.message);
    const timer = setTimeout(() => failed(`it said nothing for ${ms} ms`), ms);
    const done = (then: () => void): void => {
      clearTimeout(timer);
      socket.pause();
      socket.off("data", onData).off("end", onEnd).off("error", onError);
      then();
    };
    socket.on("data", onData).on("end", onEnd).on("error", onError).resume();
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
