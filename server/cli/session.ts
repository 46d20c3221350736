/**
 * A command's session: with the shared server where one runs, else with the whole of Switchboard in this process, the command
 * being its one client, connected in memory. The latter lasts for one command; its backends end with it.
 */
import { ConfigError } from "../config/load.ts";
import { thisMachine } from "../config/places.ts";
import type { Reply } from "../core/calls.ts";
import { Mux } from "../core/mux.ts";
import { Host } from "../host/host.ts";
import { isShown, logger } from "../host/log.ts";
import { signalCodes } from "../host/signals.ts";
import { checkConfig, setupFor } from "../setup.ts";
import { addressOf } from "../shared/address.ts";
import { helloOf } from "../shared/hello.ts";
import { reach } from "../shared/reach.ts";
import { requests } from "../symbols/requests.ts";
import { version } from "../version.ts";
import { memoryPair, socketEnd } from "../wire/transport.ts";
import { logLevelOf, type Options } from "./args.ts";
import { CommandClient } from "./client.ts";
import { exits } from "./print.ts";
import { rootOf } from "./root.ts";

export interface Session {
  readonly root: string;
  /** Asks what any client could ask. */
  request(method: string, params: unknown): Promise<Reply>;
}

export interface OwnSession extends Session {
  /** The Switchboard that answers, with this command as its only client. */
  readonly mux: Mux;
}

/**
 * Runs `use` in a session and ends all that was started for it.
 * @returns its exit code; 2 after a fault in the options, which has been said
 */
export function inSession(options: Options, use: (session: Session) => Promise<number>): Promise<number> {
  return withRoot(options, async (root) => {
    const found = await reach(addressOf(thisMachine(), version), helloOf("client", options));
    if (found === null) return ownSession(options, root, use);
    if ("refused" in found) return wrong(found.refused);
    if ("trouble" in found) {
      if (!options.quiet) process.stderr.write(`switchboard: not asked of the shared server: ${found.trouble}\n`);
      return ownSession(options, root, use);
    }
    const client = new CommandClient(() => options.quiet);
    client.connected(socketEnd(found.socket, client.handlers));
    found.socket.resume();
    return untilInterrupted(
      async () => {
        await client.initialize(root);
        return use({ root, request: (method, params) => client.request(method, params) });
      },
      async () => client.close(),
    );
  });
}

/** The same with a Switchboard of its own in any case. */
export function inOwnSession(options: Options, use: (session: OwnSession) => Promise<number>): Promise<number> {
  return withRoot(options, (root) => ownSession(options, root, use));
}

async function ownSession(
  options: Options,
  root: string,
  use: (session: OwnSession) => Promise<number>,
): Promise<number> {
  const setup = setupFor(options.config, { syntaxOnly: options.noBackends });
  const { limits, log } = setup([], null);
  const least = logLevelOf(options, log.level);
  const write = logger(least, log.file);
  const logged = new Set<string>();
  const host = new Host({
    log: (level, source, text) => {
      if (isShown(level, least)) logged.add(text);
      write(level, source, text);
    },
    limits,
    onClose: () => {},
  });
  const mux = new Mux({ ports: host, version, setup, ...requests });
  host.serve(mux);
  const client = new CommandClient((text) => options.quiet || logged.has(text));
  host.attach((handlers) => {
    const [theirs, ours] = memoryPair(handlers, client.handlers);
    client.connected(ours);
    return theirs;
  });
  return untilInterrupted(
    async () => {
      await client.initialize(root);
      return use({ root, mux, request: (method, params) => client.request(method, params) });
    },
    () => new Promise((done) => mux.stop(done)),
  );
}

async function withRoot(options: Options, use: (root: string) => Promise<number>): Promise<number> {
  const root = rootOf(options.root, process.cwd());
  if (root === null) return wrong(`\`${options.root}\` is no folder`);
  try {
    checkConfig(options.config, [root]);
    return await use(root);
  } catch (fault) {
    if (fault instanceof ConfigError) return wrong(fault.message);
    throw fault;
  }
}

/** What `use` gives, or the code of a signal that comes before; `end` in any case. */
async function untilInterrupted(use: () => Promise<number>, end: () => Promise<void>): Promise<number> {
  const heard = new AbortController();
  const interrupted = new Promise<number>((resolve) => {
    for (const [signal, code] of Object.entries(signalCodes)) {
      const stop = (): void => resolve(code);
      process.once(signal, stop);
      heard.signal.addEventListener("abort", () => process.off(signal, stop));
    }
  });
  try {
    return await Promise.race([use(), interrupted]);
  } finally {
    await end();
    heard.abort();
  }
}

/** Says what is wrong on stderr; returns the exit code for it. */
export function wrong(message: string): number {
  process.stderr.write(`switchboard: ${message}\n`);
  return exits.wrong;
}
