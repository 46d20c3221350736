/**
 * `npm run bench:servers [SERVER...]`: what Switchboard adds to each real server: hover and completion on its fixture, through
 * us and on the bare server, in one run. Both are asked by turns (direct, ours, ours, direct) once both have come to rest;
 * each turn gives one difference of medians and one of 95th percentiles, and the median of these is told, with its quartiles:
 * what else the machine does at one moment then counts once. And the first definition, from the start of the process, with
 * cold caches: a question about the project may wait for the server to be ready, within its gate.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterOf } from "../../adapters/index.ts";
import { backendPath, launchOf } from "../backends/paths.ts";
import { capabilitiesFor } from "../backends/record.ts";
import { richCapabilities } from "../backends/rich.ts";
import { Client, Failed } from "../client.ts";
import { type Fixture, fixture, startWith } from "../fixture.ts";
import { program } from "../program.ts";
import { type Expected, expected } from "../real/expect.ts";
import { median, quantile } from "./figures.ts";

const TURNS = 20;
/** Requests of a turn to each, in two halves. */
const BLOCK = 40;
/** Starts of each for the first definition. */
const STARTS = 3;
/** How long both may take to come to rest, ms: gopls and clangd work for a minute on what they have no cache of. */
const PATIENCE = 60_000;
/** After so long there are no more turns than FEWEST, ms. */
const ENOUGH = 40_000;
const FEWEST = 8;

/** One that is asked, and the position to ask at: servers that count code points, whatever they say, are asked in theirs. */
interface Asked {
  readonly client: Client;
  readonly params: { readonly textDocument: { readonly uri: string }; readonly position: object };
  /** Asks again where the server says that the content was modified (-32801), as it may while it loads. */
  readonly again: boolean;
}

const wanted = process.argv.slice(2);
console.log(
  "| server | first definition, ms: direct, through | hover, ms added: p50, p95 (quartiles) | completion, ms added: p50, p95 (quartiles) |",
);
console.log("|---|---|---|---|");
for (const one of expected) {
  if (wanted.length > 0 && !wanted.includes(one.server)) continue;
  try {
    console.log(await measured(one));
  } catch (fault) {
    console.log(`| ${one.server} | ${fault instanceof Error ? fault.message : String(fault)} | | |`);
  }
}

async function measured(one: Expected): Promise<string> {
  const workspace = fixture(one.fixture);
  const cache = realpathSync.native(mkdtempSync(join(tmpdir(), "bench-")));
  const running = new Set<Client>();
  try {
    const first: [number[], number[]] = [[], []];
    const pair: Asked[] = [];
    for (let i = 0; i < STARTS; i++) {
      for (const old of pair.splice(0)) {
        running.delete(old.client);
        await old.client.kill();
      }
      // Who is first finds the program's files not yet read: each in its turn.
      for (const which of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const began = performance.now();
        const started = await (which === 0 ? bare : through)(one, workspace, join(cache, `${which}-${i}`));
        running.add(started.client);
        const { uri, path } = workspace.mark(`use:Metrics.${one.method}`);
        started.client.open(uri, one.language, workspace.textOf(path.slice(workspace.root.length + 1)));
        await answered(started, "textDocument/definition");
        first[which].push(performance.now() - began);
        pair[which] = started;
      }
    }
    const [direct, ours] = pair;
    if (direct === undefined || ours === undefined) throw new Error("not started");
    const hover = await added("textDocument/hover", direct, ours);
    const completion = await added("textDocument/completion", direct, ours);
    return `| ${one.server} | ${first.map((times) => Math.round(median(times))).join(", ")} | ${hover} | ${completion} |`;
  } finally {
    for (const client of running) await client.kill();
    workspace.remove();
    rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What a method takes longer through us; throws where the two answer unlike things, which nobody can compare. */
async function added(method: string, direct: Asked, ours: Asked): Promise<string> {
  await atRest(method, [direct, ours]);
  const [theirs, our] = [await answered(direct, method), await answered(ours, method)];
  if (extent(theirs) !== extent(our)) throw new Error(`${method}: ${extent(theirs)} direct, ${extent(our)} through us`);
  const differences: [number[], number[]] = [[], []];
  const until = performance.now() + ENOUGH;
  for (let turn = 0; turn < TURNS && (turn < FEWEST || performance.now() < until); turn++) {
    const before = await block(direct, method);
    const through = [...(await block(ours, method)), ...(await block(ours, method))];
    const plain = [...before, ...(await block(direct, method))];
    differences[0].push(median(through) - median(plain));
    differences[1].push(quantile(through, 0.95) - quantile(plain, 0.95));
  }
  return differences
    .map((values) => {
      const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(values, q).toFixed(2));
      return `${middle} (${low} to ${high})`;
    })
    .join(", ");
}

/** Until three blocks in a row of each are about as fast as the fastest so far. */
async function atRest(method: string, pair: readonly Asked[]): Promise<void> {
  const until = performance.now() + PATIENCE;
  const fastest = pair.map(() => Number.POSITIVE_INFINITY);
  for (let calm = 0; calm < 3 && performance.now() < until; calm++)
    for (const [i, one] of pair.entries()) {
      const slowest = quantile(await block(one, method), 0.9);
      const best = Math.min(fastest[i] ?? slowest, slowest);
      fastest[i] = best;
      if (slowest > 2 * best + 1) calm = -1;
    }
}

/** The times of half a turn, ms. */
async function block(one: Asked, method: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < BLOCK / 2; i++) {
    const began = performance.now();
    await answered(one, method);
    times.push(performance.now() - began);
  }
  return times;
}

async function answered(one: Asked, method: string): Promise<unknown> {
  for (;;)
    try {
      return await one.client.request(method, one.params);
    } catch (fault) {
      if (!(one.again && fault instanceof Failed && fault.code === -32801)) throw fault;
    }
}

/** How much an answer holds: the number of a list's items, or the length of a hover. */
function extent(answer: unknown): string {
  const { items = answer, contents } = Object(answer);
  return Array.isArray(items) ? `${items.length} items` : `a text of ${JSON.stringify(contents ?? null).length}`;
}

async function bare({ server, fixture: name, method }: Expected, workspace: Fixture, cache: string): Promise<Asked> {
  const adapter = adapterOf(server);
  const launch = adapter === undefined ? `${server} is no adapter` : launchOf(adapter, workspace.root, cache);
  if (adapter === undefined || typeof launch === "string") throw new Error(String(launch));
  // As cold as that of the other.
  const env = { ...launch.env, XDG_CACHE_HOME: cache };
  const client = new Client(launch.argv, { cwd: workspace.root, env, patience: 60_000 });
  await client.initialize([workspace.root], {
    capabilities: capabilitiesFor(adapter),
    settings: adapter.settings ?? {},
    initializationOptions: { ...launch.initializationOptions, ...startWith[name] },
  });
  const { uri, path, position } = workspace.mark(`use:Metrics.${method}`);
  const line = workspace.textOf(path.slice(workspace.root.length + 1)).split("\n")[position.line] ?? "";
  const before = line.slice(0, position.character);
  const character = adapter.encoding === "utf-32" ? [...before].length : before.length;
  return { client, params: { textDocument: { uri }, position: { line: position.line, character } }, again: true };
}

async function through(
  { server, language, fixture: name, method }: Expected,
  workspace: Fixture,
  cache: string,
): Promise<Asked> {
  const client = new Client([process.execPath, program, "--stdio"], {
    cwd: workspace.root,
    env: { PATH: backendPath(), XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: cache },
    patience: 60_000,
  });
  const backends = { "rust-analyzer": { initializationOptions: startWith[name] ?? {} } };
  const switchboard = { languages: { [language]: { backends: [server] } }, ...(name === "rust" && { backends }) };
  await client.initialize([workspace.root], {
    capabilities: richCapabilities,
    initializationOptions: { switchboard },
  });
  const { uri, position } = workspace.mark(`use:Metrics.${method}`);
  return { client, params: { textDocument: { uri }, position }, again: false };
}
