/** A command as a client: it asks, shows what it is told, and declines what only editors can do. */
import { basename } from "node:path";
import type { Reply } from "../core/calls.ts";
import { uriOfPath } from "../core/documents/uris.ts";
import { isObject } from "../core/settings.ts";
import { Code, type ResponseError } from "../protocol/errors.ts";
import type { ClientCapabilities, InitializeParams } from "../protocol/messages.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { version } from "../version.ts";
import { error, notification, request, result } from "../wire/compose.ts";
import { type Body, isMalformed, type Packet, parseBody, readPacket } from "../wire/packet.ts";
import type { End, EndHandlers } from "../wire/transport.ts";

export class CommandClient {
  readonly #isHeldBack: (text: string) => boolean;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #end: End | null = null;
  #lastId = 0;

  readonly handlers: EndHandlers = {
    onBody: (body: Body): void => {
      const packet = readPacket(body);
      if (!isMalformed(packet)) this.#receive(packet);
    },
    onProblem: (): void => {},
    onDrained: (): void => {},
    onClosed: (reason): void => {
      const lost = { code: Code.internalError, message: `the server that was asked is gone: ${reason}` };
      for (const answer of this.#waiting.values()) answer({ error: lost });
      this.#waiting.clear();
    },
  };

  /** Ends the connection. */
  close(): void {
    this.#end?.close();
  }

  /** @param isHeldBack which messages are not shown: all of them, or those that stderr has already */
  constructor(isHeldBack: (text: string) => boolean) {
    this.#isHeldBack = isHeldBack;
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
      if (typeof id !== "number") return;
      this.#waiting.get(id)?.(packet.failed ? { error: errorOf(body) } : { result: body });
      this.#waiting.delete(id);
      return;
    }
    const own = rowOf(packet.method ?? "")?.own;
    if (packet.kind === "notification") {
      if (own === "showMessage") this.#show(parseBody(packet));
    } else if (id !== undefined && id !== null) {
      // Nothing that servers ask of an editor is announced; what is asked all the same is declined.
      const declined = { code: -32601, message: "a command has no such ability" };
      this.#end?.send([own === "configuration" ? result(id, []) : error(id, declined)]);
    }
  }

  #show(params: unknown): void {
    if (isObject(params) && typeof params.message === "string" && !this.#isHeldBack(params.message))
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
