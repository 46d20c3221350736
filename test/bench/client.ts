// The measuring client, a process of its own for every subject and job, so that none inherits another's warm code or
// garbage. usage: node client.js JOB-AS-JSON; prints the figures as one line of JSON. It blocks on what it asks for;
// the time limit is the caller's.
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Figures } from "./figures.ts";
import { median, quantile } from "./figures.ts";
import { frame } from "./frames.ts";
import type { Target } from "./session.ts";
import { question, Session } from "./session.ts";

/** One session's worth of scenarios, short, so that the subjects' turns lie close together. */
export type JobKind = "starts" | "small" | "large" | "ownership" | "memory";

export interface Job extends Target {
  readonly kind: JobKind;
  /** Folder, empty, that this job may fill. */
  readonly folder: string;
  /** Share of the full number of repetitions, 0..1. */
  readonly scale: number;
}

const MB = 1 << 20;
const HOVER_BYTES = 100;
const IN_FLIGHT = 64;
/** A scenario ends early when it has taken this long: peers may need seconds for one answer of 8 MB. */
const SCENARIO_MS = 4_000;
const LINE = 'value = compute(value, "text")\n';
/** The backend's items carry `data` on every line but this. */
const PLAIN_LINE = 3;
const DATA_LINE = 4;
/** The data of the backend's item 17, as it sends them. */
const DATA_17 = '{"entry":17,"file":"x"}';

const JOBS: Record<JobKind, (job: Job) => Promise<Figures>> = { starts, small, large, ownership, memory };

const job = JSON.parse(process.argv[2] ?? "null") as Job;
try {
  process.stdout.write(`${JSON.stringify(await JOBS[job.kind](job))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

/** Several sessions, each in a new folder, that only start, ask once and end. */
async function starts(job: Job): Promise<Figures> {
  const start: number[] = [];
  const first: number[] = [];
  const exit: number[] = [];
  for (let i = 0; i < times(job, 7); i++) {
    const session = begin(job, `start${i}`);
    first.push(session.sinceSpawn());
    start.push(session.startMs);
    exit.push(await session.close());
  }
  return { startMs: median(start), firstMs: median(first), exitMs: median(exit) };
}

async function small(job: Job): Promise<Figures> {
  const session = begin(job);
  const uri = session.uri("bench.py");
  const hover = question("textDocument/hover", at(uri, PLAIN_LINE));
  const early = repeat(500, () => session.ask(hover, HOVER_BYTES));
  // A session lasts for hours: what counts is the code once it has been compiled.
  repeat(times(job, 5000), () => session.ask(hover, HOVER_BYTES));
  const ping = repeat(times(job, 2000), () => session.ask(hover, HOVER_BYTES));
  const batches = [1, 2, 3, 4, 5];
  const figures: Figures = {
    pingEarly: median(early),
    pingP50: median(ping),
    pingP99: quantile(ping, 0.99),
    perSecond: median(batches.map(() => pipelined(session, times(job, 4000), () => session.post(hover)))),
    edit: edits(session, uri, times(job, 1000)),
  };
  await session.close();
  return figures;
}

async function large(job: Job): Promise<Figures> {
  const session = begin(job);
  const uri = session.uri("bench.py");
  const referencesParams = { ...at(uri, PLAIN_LINE), context: { includeDeclaration: true } };
  const figures: Figures = {
    plain: completion(session, uri, PLAIN_LINE, times(job, 40)),
    data: completion(session, uri, DATA_LINE, times(job, 40)),
    huge: huge(session, "textDocument/documentSymbol", { textDocument: { uri } }, times(job, 12)),
    tail: huge(session, "textDocument/references", referencesParams, times(job, 12)),
    open: opens(session, times(job, 20)),
  };
  const peak = session.residentMb("VmHWM");
  await session.close();
  return peak === null ? figures : { ...figures, peakMb: peak };
}

/** Resident memory in a session that forwards small messages only: edits, requests and their answers. */
async function memory(job: Job): Promise<Figures> {
  const session = begin(job);
  const uri = session.uri("bench.py");
  const hover = question("textDocument/hover", at(uri, PLAIN_LINE));
  let version = 1;
  const forward = (messages: number) =>
    pipelined(session, Math.floor(messages / 3), () => {
      session.send(change(uri, ++version));
      session.post(hover);
    });
  forward(10_000);
  const after10k = session.residentMb();
  forward(90_000);
  const after100k = session.residentMb();
  forward(200_000);
  const after300k = session.residentMb();
  await session.close();
  if (after10k === null || after100k === null || after300k === null) return {};
  return { resident10k: after10k, resident100k: after100k, resident300k: after300k };
}

/** Completion with data while a second backend runs, of another language: whose the data is must be kept. */
async function ownership(job: Job): Promise<Figures> {
  const session = begin(job);
  session.open("bench.js", "javascript", LINE.repeat(50));
  session.ask(question("textDocument/hover", at(session.uri("bench.js"), PLAIN_LINE)), HOVER_BYTES);
  const uri = session.uri("bench.py");
  const otherData = completion(session, uri, DATA_LINE, times(job, 40));
  session.ask(question("textDocument/completion", at(uri, DATA_LINE)), MB);
  if (JSON.stringify(item17(session).data) === DATA_17) throw new Error("data without an owner: nothing to measure");
  await session.close();
  return { otherData };
}

/** A session with `bench.py` open and its first question answered. */
function begin(job: Job, name: string = job.kind): Session {
  const root = join(realpathSync(job.folder), name);
  mkdirSync(root);
  const session = new Session(job, root);
  session.open("bench.py", "python", LINE.repeat(50));
  session.ask(question("textDocument/hover", at(session.uri("bench.py"), PLAIN_LINE)), HOVER_BYTES);
  return session;
}

/** Requests a second, while 64 are always on their way. Each is written as it would be by an editor: alone. */
function pipelined(session: Session, total: number, post: () => void): number {
  const since = performance.now();
  let posted = 0;
  for (; posted < Math.min(IN_FLIGHT, total); posted++) post();
  for (let answered = 0; answered < total; answered++) {
    session.next(HOVER_BYTES);
    if (posted < total) {
      posted++;
      post();
    }
  }
  return (total / (performance.now() - since)) * 1000;
}

/** us; afterwards one item is resolved, which shows that its data comes back to the backend as it was sent. */
function completion(session: Session, uri: string, line: number, count: number): number {
  const complete = question("textDocument/completion", at(uri, line));
  repeat(Math.ceil(count / 8), () => session.ask(complete, MB));
  const p50 = median(repeat(count, () => session.ask(complete, MB)));
  if (line === DATA_LINE) {
    session.ask(question("completionItem/resolve", item17(session)), HOVER_BYTES);
    const { detail } = session.result() as { detail: string };
    if (detail !== DATA_17) throw new Error(`data came back to the backend as ${detail}`);
  }
  return p50;
}

function item17(session: Session): { data?: unknown } {
  return (session.result() as { items: { data?: unknown }[] }).items[17] ?? {};
}

function huge(session: Session, method: string, params: object, count: number): number {
  const what = question(method, params);
  session.ask(what, 8 * MB);
  return median(repeat(count, () => session.ask(what, 8 * MB)));
}

function edits(session: Session, uri: string, count: number): number {
  const hover = question("textDocument/hover", at(uri, PLAIN_LINE));
  let version = 1;
  return median(
    repeat(count, () => {
      session.send(change(uri, ++version));
      session.ask(hover, HOVER_BYTES);
    }),
  );
}

/** Each time another document, which on disk is empty still. */
function opens(session: Session, count: number): number {
  const text = LINE.repeat(Math.ceil(MB / LINE.length));
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const name = `large${i}.py`;
    const uri = session.uri(name);
    session.open(name, "python", "");
    session.notify("textDocument/didClose", { textDocument: { uri } });
    const textDocument = { uri, languageId: "python", version: 1, text };
    const open = frame(JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument } }));
    const hover = question("textDocument/hover", at(uri, PLAIN_LINE));
    session.ask(hover, HOVER_BYTES);
    taken.push(
      ...repeat(1, () => {
        session.send(open);
        session.ask(hover, HOVER_BYTES);
      }),
    );
    session.notify("textDocument/didClose", { textDocument: { uri } });
  }
  return median(taken);
}

/** Replaces a word by one as long, so that the document never grows; about 250 B. */
function change(uri: string, version: number): Buffer {
  const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 5 } };
  const params = { textDocument: { uri, version }, contentChanges: [{ range, text: "valux" }] };
  return frame(JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didChange", params }));
}

function at(uri: string, line: number): object {
  return { textDocument: { uri }, position: { line, character: 5 } };
}

/** Durations of `count` runs, us; of fewer, but three at least, when they take too long. */
function repeat(count: number, run: () => void): number[] {
  const taken: number[] = [];
  const until = performance.now() + SCENARIO_MS;
  for (let i = 0; i < count && (i < 3 || performance.now() < until); i++) {
    const since = performance.now();
    run();
    taken.push((performance.now() - since) * 1000);
  }
  return taken;
}

/** How often, at this job's scale: at least 3 times. */
function times(job: Job, count: number): number {
  return Math.max(3, Math.round(count * job.scale));
}
