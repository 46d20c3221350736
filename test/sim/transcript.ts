/**
 * Plays a scripted conversation (`transcripts/*.lspt`) on the core under a fake clock and says where the wire differs. The
 * format is that of `server/wire/transcript.ts`, one frame a line: its time in ms, its lane, `>` for what a peer sends to us
 * and `<` for what it is to get from us, at just that time. Beyond that:
 *
 * - The first line sets the scene: `0 scene > {"clients": {"A": {...capabilities}}, "backends": {"one": {...}}}`. Of a backend:
 *   `sync`, `encoding`, `capabilities`, `version` (as its `serverInfo` has it), `dies`, the text of a frame that ends its
 *   process, and `quirks`, the name of the adapter whose quirks it has. Handshakes are not shown.
 * - `@name` stands for a value of ours that is fixed on first use: an id, a token. `...` at the end of an object: and more.
 * - `!exit` is the end of a process, `!start` the birth of its successor, `!close` the end of a client's connection.
 * - Lanes are in order, each for itself. A frame that no line expects is a fault, as is a breach of the protocol.
 */
import { isDeepStrictEqual } from "node:util";
import type { Quirk } from "../../adapters/adapter.ts";
import { adapterOf } from "../../adapters/index.ts";
import { formatLine, readTranscript } from "../../server/wire/transcript.ts";
import { Sim } from "../sim.ts";
import type { FakeClient } from "./client.ts";
import { at, type Message, type ServerScript } from "./server.ts";
import type { Backend } from "./setup.ts";

interface Scene {
  readonly clients: Readonly<Record<string, object>>;
  readonly backends: Readonly<Record<string, Part>>;
  readonly limits?: object;
  readonly files?: Readonly<Record<string, string>>;
}

interface Part extends Omit<Backend, "dies"> {
  readonly dies?: string;
  readonly quirks?: string;
}

interface Frame {
  readonly ms: number;
  readonly lane: string;
  readonly direction: "<" | ">";
  readonly text: string;
}

export interface Played {
  readonly faults: readonly string[];
  /** What happened, in the format itself. */
  readonly text: string;
}

/** @param without the id of a quirk that no backend has this time */
export function play(source: string, without?: string): Played {
  const [, ...lines] = readTranscript(source);
  const stage = new Stage(sceneOf(source), without);
  const faults: string[] = [];
  for (const { ms, lane, direction, body } of lines) {
    const text = body.toString("utf8");
    stage.until(ms);
    const fault = direction === ">" ? stage.say(lane, text) : stage.expect(ms, lane, text);
    if (fault !== null) faults.push(`${ms} ${lane} ${direction} ${text}\n  ${fault}`);
  }
  return { faults: [...faults, ...stage.leftovers(), ...stage.sim.faults()], text: stage.text };
}

/** The adapters whose quirks a conversation is about. */
export function adaptersIn(source: string): readonly string[] {
  return Object.values(sceneOf(source).backends).flatMap(({ quirks }) => quirks ?? []);
}

function sceneOf(source: string): Scene {
  const [first] = readTranscript(source);
  if (first?.lane !== "scene") throw new Error("the first line sets the scene");
  return JSON.parse(first.body.toString("utf8")) as Scene;
}

class Stage {
  readonly sim: Sim;
  readonly #clients = new Map<string, FakeClient>();
  readonly #got = new Map<string, Frame[]>();
  readonly #names = new Map<string, unknown>();
  readonly #log: Frame[] = [];
  #acting = false;

  constructor({ clients, backends, limits = {}, files = {} }: Scene, without?: string) {
    this.sim = new Sim({
      backends: Object.fromEntries(Object.entries(backends).map(([name, one]) => [name, scriptOf(one, without)])),
      limits,
      files,
      spawned: ({ name, generation }) => {
        if (generation > 1) this.#put(name, "<", "!start");
      },
      tap: (lane, direction, body) => this.#tap(lane, direction, body.toString("utf8")),
    });
    for (const [name, capabilities] of Object.entries(clients)) {
      const client = this.sim.client(name, capabilities);
      client.manner = "silent";
      this.#clients.set(name, client);
    }
    this.#acting = true;
  }

  get text(): string {
    return this.#log.map((frame) => formatLine({ ...frame, body: Buffer.from(frame.text) })).join("");
  }

  until(ms: number): void {
    this.sim.advance(ms - this.sim.now());
  }

  say(lane: string, text: string): string | null {
    const client = this.#clients.get(lane);
    const server = client === undefined ? this.sim.servers.get(lane)?.at(-1) : undefined;
    if (client === undefined && server === undefined) return "it was never started";
    if (text === "!exit") server?.exit(1);
    else if (text === "!close" && client !== undefined) this.sim.drop(client);
    else {
      for (const [, name = ""] of text.matchAll(PLACEHOLDER))
        if (!this.#names.has(name)) return `nothing before it gave @${name} a value`;
      const body = text.replace(PLACEHOLDER, (_, name: string) => `:${JSON.stringify(this.#names.get(name))}`);
      (client ?? server)?.write(Buffer.from(body.replace(/^\{/, '{"jsonrpc":"2.0",')));
    }
    this.sim.settle();
    return null;
  }

  expect(ms: number, lane: string, text: string): string | null {
    const frame = this.#got.get(lane)?.shift();
    if (frame === undefined) return "nothing came";
    const came = `came at ${frame.ms}: ${frame.text}`;
    if (text.startsWith("!") || frame.text.startsWith("!")) return text === frame.text && ms === frame.ms ? null : came;
    const wanted: unknown = JSON.parse(text.replace(PLACEHOLDER, ':"@$1"').replace(/,\s*\.\.\.\s*\}/g, ',"...":0}'));
    const { jsonrpc: _, ...got } = JSON.parse(frame.text) as Record<string, unknown>;
    return this.#fits(wanted, got) && ms === frame.ms ? null : came;
  }

  leftovers(): readonly string[] {
    return [...this.#got.values()].flat().map(({ ms, lane, text }) => `${ms} ${lane} < ${text}\n  was not expected`);
  }

  #fits(wanted: unknown, got: unknown): boolean {
    if (typeof wanted === "string" && wanted.startsWith("@")) {
      const name = wanted.slice(1);
      if (!this.#names.has(name)) this.#names.set(name, got);
      return isDeepStrictEqual(this.#names.get(name), got);
    }
    if (Array.isArray(wanted) && Array.isArray(got))
      return wanted.length === got.length && wanted.every((item, i) => this.#fits(item, got[i]));
    if (!isFields(wanted) || !isFields(got)) return isDeepStrictEqual(wanted, got);
    const { "...": more, ...named } = wanted;
    if (more === undefined && Object.keys(named).length !== Object.keys(got).length) return false;
    return Object.entries(named).every(([key, value]) => Object.hasOwn(got, key) && this.#fits(value, got[key]));
  }

  #tap(lane: string, direction: "<" | ">", text: string): void {
    if (this.#acting && !isHandshake(text)) this.#put(lane.replace(/#\d+$/, ""), direction, text);
  }

  #put(lane: string, direction: "<" | ">", text: string): void {
    const frame: Frame = { ms: this.sim.now(), lane, direction, text };
    this.#log.push(frame);
    if (direction === ">") return;
    const list = this.#got.get(frame.lane);
    if (list === undefined) this.#got.set(frame.lane, [frame]);
    else list.push(frame);
  }
}

function isHandshake(text: string): boolean {
  const { method, result } = JSON.parse(text) as Message;
  if (method === "initialize" || method === "initialized") return true;
  return method === undefined && at(result, "capabilities") !== undefined;
}

/** `:@name`, `:@name2` */
const PLACEHOLDER = /:\s*@(\w+)/g;

/** Requests are answered by the script only, the handshake by the server itself. */
function scriptOf({ dies, quirks, ...script }: Part, without?: string): Backend {
  const ends: Pick<ServerScript, "dies"> =
    dies === undefined ? {} : { dies: (message) => JSON.stringify(message).includes(dies) };
  return {
    ...script,
    ...ends,
    adapter: { ...script.adapter, quirks: quirksOf(quirks, without) },
    otherwise: () => "hold",
  };
}

function quirksOf(adapter: string | undefined, without: string | undefined): readonly Quirk[] {
  if (adapter === undefined) return [];
  const found = adapterOf(adapter);
  if (found === undefined) throw new Error(`no adapter ${adapter}`);
  return found.quirks.filter(({ id }) => id !== without);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
