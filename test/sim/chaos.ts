/**
 * Chaos: clients, backends, edits, questions, cancels, crashes and delays in an order that a seed decides, on the core
 * under a fake clock. `chaos` plays one seed and returns what was wrong; the same seed plays the same way again.
 *
 * Each answer tells the text and the place that the backend saw, so that the asker can compare them with its own.
 */
import type { Adapter, Ready } from "../../adapters/adapter.ts";
import { Sim } from "../sim.ts";
import type { Asked, FakeClient } from "./client.ts";
import { wrongWhenQuiet } from "./quiet.ts";
import { pickFrom, randomOf } from "./random.ts";
import { at, type FakeServer, type Question, type Reaction } from "./server.ts";
import type { Backend } from "./setup.ts";
import { answerTo, methods, seenIn, speak } from "./speech.ts";
import { type Encoding, edges, offsetOf, type Position, positionOf } from "./text.ts";

export interface Played {
  readonly faults: readonly string[];
  /** The last frames, for the message of a failing test. */
  readonly trace: readonly string[];
  /** What happened how often: a run in which nothing happens proves nothing. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One within another; and one outside, of which a document is opened all the same. */
const folders = ["p", "q", "p/in", "r"].map((name) => `file:///w/${name}`);
const documents = ["p/a.x", "p/b.x", "q/c.x", "p/in/d%20e.x", "r/f.x"].map((name) => `file:///w/${name}`);
const MARKER = "project.json";
const projects = ["p", "q", "p/in"].map((name) => `file:///w/${name}/${MARKER}`);
const DISK = "disk\n";
const CLIENTS = 4;
const plain = ["x", "word", " ", "\n", "\r\n", "\r", "é", "日", "", "{\n}\n"];
const odd = [...plain, "𝒳", "\ud800"];
const TRACE = 60;

export function chaos(seed: number, steps: number, kept = TRACE): Played {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T | undefined => pickFrom(list, random);
  const chance = (p: number): boolean => random() < p;
  // A text that ever held a surrogate is never passed on as it came: half of the games do without.
  const pieces = chance(0.5) ? plain : odd;
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const faults: string[] = [];
  const trace: string[] = [];
  const offsets = new Map<Asked, number>();
  const cancelled = new Set<Asked>();
  const crashed = new Set<string>();
  const homes = new Map<FakeClient, Set<string>>();
  let spoken = 0;

  const react = (question: Question, server: FakeServer): Reaction => {
    if (chance(0.3)) return "hold";
    return reaction(question, server);
  };
  const reaction = (question: Question, server: FakeServer): Exclude<Reaction, "hold" | "die"> => {
    if (chance(0.05)) return { error: { code: -32801, message: "content modified" } };
    if (chance(0.02)) return { error: { code: -32603, message: "failed" } };
    return { result: answerTo(question, server) };
  };
  const capabilities = {
    signatureHelpProvider: {},
    documentHighlightProvider: true,
    workspaceSymbolProvider: true,
    executeCommandProvider: { commands: ["do"] },
  };
  const adapter = (): Partial<Adapter> => ({
    ready: pick<Ready>([{ on: "initialized" }, { on: "open" }, { on: "progress", match: /^t/, settle: 500 }]) ?? {
      on: "open",
    },
    warmUp: pick<Adapter["warmUp"]>(["none", "open", { each: [MARKER] }]) ?? "none",
  });
  const one: Backend = { otherwise: react, capabilities, adapter: { ...adapter(), multiRoot: true } };
  const two: Backend = { otherwise: react, sync: 1, encoding: "utf-8", capabilities, adapter: adapter() };
  const pulled = { signatureHelpProvider: {}, documentHighlightProvider: true, diagnosticProvider: {} };
  const three: Backend = {
    otherwise: react,
    encoding: "utf-32",
    capabilities: pulled,
    adapter: { ...adapter(), multiRoot: chance(0.5) },
  };
  const sim = new Sim({
    backends: chance(0.25) ? { one } : { one, two, three },
    inPieces: chance(0.5),
    limits: { starts: 10_000, idleMs: chance(0.5) ? 0 : 500 },
    files: Object.fromEntries([...documents, ...projects].map((uri) => [uri, DISK])),
    tap: (lane, direction, body) => {
      trace.push(`${sim.now()} ${lane} ${direction} ${body.toString("utf8", 0, 300)}`);
      if (trace.length > kept) trace.shift();
    },
  });

  const join = (): void => {
    const client = sim.connect();
    const offered = pick<Encoding>(["utf-16", "utf-16", "utf-8", "utf-32"]) ?? "utf-16";
    client.encoding = offered;
    client.manner = pick([(): unknown => null, "silent" as const, "unknown" as const]) ?? "silent";
    const window = { workDoneProgress: chance(0.5), showDocument: { support: chance(0.5) } };
    const workspace = { configuration: chance(0.5), applyEdit: chance(0.5) };
    const some = chance(0.1) ? [] : folders.filter(() => chance(0.5));
    client.initialize({ general: { positionEncodings: [offered] }, window, workspace }, some);
    homes.set(client, new Set(some));
    client.strayed = some.length === 0;
    count("joined");
  };

  const move = (client: FakeClient): void => {
    const home = homes.get(client) ?? new Set();
    const uris = folders.filter(() => chance(0.3));
    const [added, removed] = [uris.filter((uri) => !home.has(uri)), uris.filter((uri) => home.has(uri))];
    for (const uri of added) home.add(uri);
    for (const uri of removed) home.delete(uri);
    for (const uri of client.texts.keys()) strayed(client, uri);
    client.strayed ||= home.size === 0;
    const named = (list: readonly string[]): object[] => list.map((uri) => ({ uri, name: uri }));
    client.tell("workspace/didChangeWorkspaceFolders", { event: { added: named(added), removed: named(removed) } });
    count("folders changed");
  };

  const strayed = (client: FakeClient, uri: string): void => {
    client.strayed ||= ![...(homes.get(client) ?? [])].some((home) => uri.startsWith(`${home}/`));
  };

  const edit = (client: FakeClient, uri: string): void => {
    const text = client.text(uri);
    if (text === undefined) {
      strayed(client, uri);
      // A long one goes on to its server while it comes in.
      return client.open(
        uri,
        Array.from({ length: 3 }, () => pick(pieces)).join("") + (chance(0.7) ? " ".repeat(1_200) : ""),
        1 + Math.floor(random() * 5),
      );
    }
    if (chance(0.1)) return client.close(uri);
    if (chance(0.1)) return client.change(uri, [{ text: `${pick(pieces)}${text.slice(0, edges(text).at(-1))}` }]);
    const [start = 0, end = 0] = [pick(edges(text)) ?? 0, pick(edges(text)) ?? 0].sort((a, b) => a - b);
    const range = { start: positionOf(text, start, client.encoding), end: positionOf(text, end, client.encoding) };
    // Mostly the next version; weak clients repeat one, and some leap.
    const version = (client.texts.get(uri)?.version ?? 0) + (pick([1, 1, 1, 1, 0, 25]) ?? 1);
    client.change(uri, [{ range, text: pick(pieces) ?? "" }], version);
  };

  const ask = (client: FakeClient): void => {
    const uri = pick(chance(0.9) ? [...client.texts.keys()] : documents);
    if (uri === undefined) return;
    const text = client.text(uri) ?? "";
    const offset = pick(edges(text)) ?? 0;
    const position = positionOf(text, offset, client.encoding);
    const method = pick(methods) ?? "";
    if (client.text(uri) === undefined) strayed(client, uri);
    count(method);
    if (method === "workspace/executeCommand") return void client.ask(method, { command: "do" });
    if (method === "workspace/symbol") return void client.ask(method, { query: "q" });
    const more = { context: { includeDeclaration: true }, newName: "n", ...(chance(0.2) && { workDoneToken: 1 }) };
    offsets.set(client.ask(method, { textDocument: { uri }, position, ...more }), offset);
  };

  const act = (): void => {
    const client = pick(sim.clients.filter(({ gone }) => !gone));
    const servers = [...sim.servers.values()].flat().filter((server) => sim.runs(server));
    const server = pick(servers);
    const what = random();
    if (client === undefined || (sim.clients.filter(({ gone }) => !gone).length < CLIENTS && what < 0.02))
      return join();
    if (what < 0.03) return move(client);
    if (what < 0.3) return ask(client);
    if (what < 0.55) return edit(client, pick(documents) ?? "");
    if (what < 0.62) {
      const asked = pick(client.waiting.filter(({ method }) => method !== "initialize"));
      if (asked === undefined) return;
      client.cancel(asked);
      cancelled.add(asked);
      return count("cancelled");
    }
    if (what < 0.63) {
      if (sim.clients.length < 2) return;
      count("left");
      return sim.drop(client);
    }
    if (server === undefined) return;
    if (what < 0.64) {
      crashed.add(server.name);
      count("crashed");
      return server.exit();
    }
    if (what < 0.65) {
      // An answer to what another backend was asked.
      const id = pick(servers.flatMap((other) => (other === server ? [] : [...other.open.keys()])));
      if (id !== undefined) server.write(Buffer.from(`{"id":${id},"result":{"forged":true}}`));
      return;
    }
    if (what < 0.72) return speak(server, ++spoken, random, client);
    const question = pick([...server.open.values()]);
    if (question === undefined || question.method === "initialize") return;
    server.answer(question, reaction(question, server));
  };

  const check = (): void => {
    for (const client of sim.clients)
      for (const asked of client.asked.splice(0)) {
        if (asked.answers.length === 0) {
          unanswered.push({ client, asked });
          continue;
        }
        judge(client, asked);
      }
    for (const waiting of unanswered.splice(0)) {
      if (waiting.asked.answers.length > 0) judge(waiting.client, waiting.asked);
      else unanswered.push(waiting);
      if (unanswered.length > 10_000) break;
    }
  };
  const unanswered: { client: FakeClient; asked: Asked }[] = [];

  const judge = (client: FakeClient, asked: Asked): void => {
    const [answer] = asked.answers;
    if (answer?.error !== undefined) {
      const { code, data } = answer.error;
      count(`error ${code}`);
      const backend = at(data, "backend");
      if (at(data, "code") === "BackendCrashed" && !crashed.has(String(backend)))
        faults.push(`${backend} did not crash`);
      if (code === -32800 && !cancelled.has(asked)) faults.push(`${asked.method} was not cancelled`);
      if (![-32800, -32801, -32803, -32603, -32602].includes(code))
        faults.push(`${asked.method}: ${JSON.stringify(answer.error)}`);
      return;
    }
    count("answered");
    if (at(answer?.result, "forged") !== undefined) faults.push(`${asked.method}: answered by a stranger`);
    for (const seen of seenIn(answer?.result)) {
      if (asked.texts[0] === undefined) count("closed file");
      else if (!asked.texts.some((text) => (text ?? DISK).toWellFormed() === seen.text))
        faults.push(
          `${client.name} ${asked.method}: text ${JSON.stringify(seen.text)}, not of ${JSON.stringify(asked.texts)}`,
        );
      else if (asked.texts.length === 1 && seen.offset !== offsets.get(asked))
        faults.push(
          `${client.name} ${asked.method}: at ${seen.offset}, not ${offsets.get(asked)} of ${JSON.stringify(seen.text)}`,
        );
      else count("text compared");
    }
    const [first] = Array.isArray(answer?.result) ? answer.result : [];
    const start = at(first, "range", "start") as Position | undefined;
    const [text] = asked.texts;
    if (
      asked.method !== "textDocument/documentHighlight" ||
      start === undefined ||
      asked.texts.length > 1 ||
      text === undefined
    )
      return;
    const offset = offsetOf(text, start, client.encoding);
    if (offset !== offsets.get(asked))
      faults.push(`${client.name} ${asked.method}: range at ${offset}, not ${offsets.get(asked)}`);
    count("range compared");
  };

  join();
  for (let step = 0; step < steps && faults.length === 0; step++) {
    const lane = pick(sim.ready());
    if (lane !== undefined && chance(0.6)) sim.move(lane);
    else if (chance(0.12)) sim.advance(pick([1, 20, 300, 2_500]) ?? 1, "still");
    else act();
    if (step % 20 === 0) check();
    faults.push(...sim.faults());
  }
  if (faults.length === 0) faults.push(...ended());
  return { faults, trace, counts };

  /** All answer now, and time passes: nothing is left over, and every text is right. */
  function ended(): string[] {
    for (let round = 0; round < 40; round++) {
      sim.settle();
      for (const list of sim.servers.values())
        for (const server of list)
          for (const question of server.open.values())
            if (sim.runs(server))
              server.answer(
                question,
                question.method === "initialize"
                  ? { result: { capabilities: server.capabilities() } }
                  : reaction(question, server),
              );
      sim.advance(5_000);
    }
    check();
    const wrong = [...faults, ...sim.faults()];
    for (const { client, asked } of unanswered)
      if (!client.gone) wrong.push(`${client.name}: ${asked.method} ${asked.id} was never answered`);
    const { calls, legs } = sim.mux.calls.size;
    if (calls + legs > 0) wrong.push(`${calls} calls and ${legs} legs are left in the ledger`);
    wrong.push(...wrongWhenQuiet(sim, documents, homes, count));
    return wrong;
  }
}
