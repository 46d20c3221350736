/**
 * A command's own session: the whole of Switchboard in this process, with the command as its one client, connected in
 * memory. It lasts for one command; backends end with it.
 */
import { basename } from "node:path";
import { ConfigError } from "../config/load.ts";
import type { Reply } from "../core/calls.ts";
import { Mux } from "../core/mux.ts";
import { isObject } from "../core/settings.ts";
import { uriOfPath } from "../core/uris.ts";
import { Host } from "../host/host.ts";
import { logger } from "../host/log.ts";
import { signalCodes } from "../host/signals.ts";
import type { ResponseError } from "../protocol/errors.ts";
import type { ClientCapabilities, InitializeParams } from "../protocol/messages.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { setupFor } from "../setup.ts";
import { requests } from "../symbols/requests.ts";
import { version } from "../version.ts";
import { error, notification, request, result } from "../wire/compose.ts";
import { isMalformed, type Packet, parseBody, readPacket } from "../wire/packet.ts";
import { type End, memoryPair } from "../wire/transport.ts";
import { logLevelOf, type Options } from "./args.ts";
import { exits } from "./print.ts";
import { rootOf } from "./root.ts";

export interface Session {
  readonly root: string;
  /** The Switchboard that answers, with this command as its only client. */
  readonly mux: Mux;
  /** Asks what any client could ask. */
  request(method: string, params: unknown): Promise<Reply>;
}

/**
 * Runs `use` in a session and ends all that was started.
 * @returns its exit code; 2 after a fault in the options, which has been said
 */
export async function inSession(options: Options, use: (session: Session) => Promise<number>): Promise<number> {
  const root = rootOf(options.root, process.cwd());
  if (root === null) return wrong(`\`${options.root}\` is no folder`);
  const setup = setupFor(options.config, options.noBackends);
  try {
    const { limits, log } = setup([], null);
    const host = new Host({
      log: logger(logLevelOf(options, log.level), log.file),
      limits,
      onClose: () => {},
    });
    const mux = new Mux({ ports: host, version, setup, ...requests });
    host.serve(mux);
    const client = new MemoryClient(options.quiet);
    host.attach((handlers) => {
      const [theirs, ours] = memoryPair(handlers, client.handlers);
      client.connected(ours);
      return theirs;
    });
    const stopped = (): Promise<void> => new Promise((done) => mux.stop(done));
    const heard = new AbortController();
    const interrupted = new Promise<number>((resolve) => {
      for (const [signal, code] of Object.entries(signalCodes)) {
        const stop = (): void => resolve(code);
        process.once(signal, stop);
        heard.signal.addEventListener("abort", () => process.off(signal, stop));
      }
    });
    try {
      await client.initialize(root);
      return await Promise.race([
        use({ root, mux, request: (method, params) => client.request(method, params) }),
        interrupted,
      ]);
    } finally {
      await stopped();
      heard.abort();
    }
  } catch (fault) {
    if (fault instanceof ConfigError) return wrong(fault.message);
    throw fault;
  }
}

/** Says what is wrong on stderr; returns the exit code for it. */
export function wrong(message: string): number {
  process.stderr.write(`switchboard: ${message}\n`);
  return exits.wrong;
}

class MemoryClient {
  readonly #quiet: boolean;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #end: End | null = null;
  #lastId = 0;

  readonly handlers = {
    onBody: (body: Buffer): void => {
      const packet = readPacket(body);
      if (!isMalformed(packet)) this.#receive(packet);
    },
    onProblem: (): void => {},
    onDrained: (): void => {},
    onClosed: (): void => {},
  };

  constructor(quiet: boolean) {
    this.#quiet = quiet;
  }

  connected(end: End): void {
    this.#end = end;
  }

  async initialize(root: string): Promise<void> {
    const uri = uriOfPath(root);
    const params: InitializeParams = {
      processId: process.pid,
      clientInfo: { name: "switchboard command", version },
      rootUri: uri,
      workspaceFolders: [{ uri, name: basename(root) }],
      capabilities,
    };
    await this.request(M.initialize, params);
    this.#end?.send([notification(M.initialized, {})]);
  }

  request(method: string, params: unknown): Promise<Reply> {
    this.#lastId++;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#end?.send([request(id, method, params)]);
    });
  }

  #receive(packet: Packet): void {
    const { id } = packet;
    if (packet.kind === "response") {
      const body = parseBody(packet);
      if (typeof id === "number") this.#waiting.get(id)?.(packet.failed ? { error: errorOf(body) } : { result: body });
      return;
    }
    const own = rowOf(packet.method ?? "")?.own;
    if (packet.kind === "notification") {
      if (own === "showMessage" && !this.#quiet) this.#show(parseBody(packet));
    } else if (id !== undefined && id !== null) {
      // Nothing that servers ask of an editor is announced; what is asked all the same is declined.
      const declined = { code: -32601, message: "a command has no such ability" };
      this.#end?.send([own === "configuration" ? result(id, []) : error(id, declined)]);
    }
  }

  #show(params: unknown): void {
    if (isObject(params) && typeof params.message === "string")
      process.stderr.write(`switchboard: ${params.message}\n`);
  }
}

function errorOf(body: unknown): ResponseError {
  if (isObject(body) && typeof body.code === "number" && typeof body.message === "string")
    return { code: body.code, message: body.message, data: body.data };
  return { code: -32603, message: "an error without words" };
}

/** What answers a command can read: the richest forms. It edits nothing and watches nothing. */
const capabilities: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: false },
  workspace: {
    workspaceFolders: true,
    symbol: { resolveSupport: { properties: ["location.range"] } },
    workspaceEdit: { documentChanges: true },
  },
  textDocument: {
    synchronization: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    callHierarchy: {},
    rename: { prepareSupport: true },
    publishDiagnostics: {},
  },
};
