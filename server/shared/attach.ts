/**
 * `switchboard --stdio` where the configuration shares one server: this process is then no more than a pipe between its client
 * and that server, which it starts if need be; where that can use our own pipes, no more than what its client waits for.
 * Where it cannot be had, the whole program runs here instead. So little is loaded here that a start costs next to nothing.
 */
import { logLevelOf, type Options, parseCommandLine } from "../cli/args.ts";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/load.ts";
import { thisMachine } from "../config/places.ts";
import { signalCodes } from "../host/signals.ts";
import { configOf } from "../setup.ts";
import { version } from "../version.ts";
import { ownPipes, standardOutput } from "../wire/transport.ts";
import { addressOf } from "./address.ts";
import { helloOf } from "./hello.ts";
import { type Found, type Reached, reach, reachOrStart } from "./reach.ts";

/** Given by the launcher (`bin/main.cts`): runs the whole program in this process. */
declare const whole: () => void;

/** How long our client may take to read the last of what the server said, ms. */
const LAST_WORDS_MS = 1_000;
/** A last byte below this is the exit code: no message ends with one. */
const CODES = 9;

const call = parseCommandLine(process.argv.slice(2), [], process.stdin.isTTY !== true);
const options = call.mode === "stdio" ? call.options : null;
const config = options === null ? null : configured(options);
if (options === null || config?.shared.enabled !== true) whole();
else void attach(options, config);

/** Null after a fault, which the whole program tells. */
function configured({ config: files }: Options): Config | null {
  try {
    // A folder's own file counts once it is trusted; our client has named none yet.
    return configOf(files, [process.cwd()]);
  } catch (fault) {
    if (fault instanceof ConfigError) return null;
    throw fault;
  }
}

async function attach(options: Options, { log }: Config): Promise<void> {
  const hello = { ...options, logLevel: logLevelOf(options, log.level) };
  const address = addressOf(thisMachine(), version);
  const found = await reachOrStart(address, helloOf("client", hello, ownPipes()));
  if ("socket" in found) {
    if (found.direct) wait(found);
    else pass(found);
    return showLog(await reach(address, helloOf("log", hello)));
  }
  const why = "refused" in found ? found.refused : found.trouble;
  if (!options.quiet) process.stderr.write(`switchboard: not shared, but in a process of its own: ${why}\n`);
  whole();
}

/** The server reads our input and writes our output itself; all that comes is the exit code. */
function wait({ socket, pid }: Reached): void {
  exitOnSignals();
  let code: number | undefined;
  socket.on("data", (chunk: Buffer) => {
    code = chunk.at(-1);
  });
  socket.on("end", () => socket.end());
  socket.on("close", () => process.exit(code ?? lost(pid)));
  socket.resume();
}

/** What the server logs goes to our stderr, as it would without a server; without that we do as well. */
function showLog(found: Found): void {
  if (found === null || !("socket" in found)) return;
  found.socket.on("data", (lines: Buffer) => process.stderr.write(lines));
  found.socket.on("end", () => found.socket.end());
  found.socket.unref().resume();
}

function exitOnSignals(): void {
  for (const [signal, code] of Object.entries(signalCodes)) process.on(signal, () => process.exit(code));
}

/** The exit code when the server has ended without one. */
function lost(pid: number): 1 {
  process.stderr.write(`switchboard: the shared server (process ${pid}) has ended\n`);
  return 1;
}

/** Bytes both ways until either side ends; the exit code is what the server says last. */
function pass({ socket, pid }: Reached): void {
  const { stdin } = process;
  const stdout = standardOutput();
  /** It may be the last one, which is not our client's. */
  let held: Buffer | null = null;
  let ended = false;
  const end = (code: number): void => {
    if (ended) return;
    ended = true;
    socket.destroy();
    stdin.pause();
    setTimeout(() => process.exit(code), LAST_WORDS_MS).unref();
    stdout.end(() => process.exit(code));
  };
  exitOnSignals();

  stdin.on("data", (chunk: Buffer) => {
    if (!socket.write(chunk)) stdin.pause();
  });
  socket.on("drain", () => stdin.resume());
  stdin.on("end", () => socket.end());
  stdin.on("error", () => socket.end());

  socket.on("data", (chunk: Buffer) => {
    if (held !== null) stdout.write(held);
    const last = chunk.length - 1;
    held = (chunk[last] ?? CODES) < CODES ? chunk.subarray(last) : null;
    if (!stdout.write(held === null ? chunk : chunk.subarray(0, last))) socket.pause();
  });
  stdout.on("drain", () => socket.resume());
  // It reads no more: as if it had ended.
  stdout.on("error", () => end(1));
  socket.on("close", () => {
    if (!ended) end(held?.[0] ?? lost(pid));
  });
  socket.on("end", () => socket.end());
  socket.resume();
}
