/**
 * The index of names behind questions, over a whole session: `symbol`, absence and `mentions` by the clock of a client of the
 * built program, without servers and with gopls where it is installed, beside `rg -w`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { adapters } from "../../adapters/index.ts";
import { cacheFolder, thisMachine } from "../../server/config/places.ts";
import type { NameMentionsResult, StatusResult, SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { placeOf } from "../../server/syntax/index/store.ts";
import { S, type StatusAnswer } from "../../server/syntax/questions.ts";
import { backendPath } from "../backends/paths.ts";
import { Client } from "../client.ts";
import { program } from "../program.ts";

const PATIENCE_MS = 300_000;
const SAMPLE = 60;
const ROUNDS = 5;
const RG_ROUNDS = 5;

type Told = (what: string, value: string) => void;

/** @param tags as `ctags` wrote them: the names that are asked for */
export async function askedByClients(root: string, cache: string, tags: string, line: Told): Promise<void> {
  const names = sample(tags);
  const env = { XDG_CACHE_HOME: cache };
  const readMs = await readAhead(root, env);
  line("read ahead: what all files declare, s", (readMs / 1000).toFixed(0));
  const bytes = statSync(placeOf(cacheFolder({ ...thisMachine(), env: { ...process.env, ...env } }), root)).size;
  line("on disk with what all files declare, MB", (bytes / 1e6).toFixed(1));
  const servers = adapters.filter(({ lastResort }) => lastResort !== true).map(({ name }) => name);
  const backends = Object.fromEntries(servers.map((name) => [name, { enabled: false }]));
  await inSession(root, env, { backends }, async (client) => {
    const start = performance.now();
    await symbol(client, names[0] ?? "", "none");
    line("the first question after the start, its index on disk, ms", (performance.now() - start).toFixed(0));
    await bySymbol(client, names, "none", "without servers", line);
    await mentions(client, root, line);
    const { backends: running } = await client.request<StatusResult>("$/switchboard/status");
    for (const { name, rssBytes } of running)
      line(`resident memory of ${name}, MB`, ((rssBytes ?? 0) / 1e6).toFixed(0));
  });
  if (spawnSync("gopls", ["version"], { env: { ...process.env, PATH: backendPath() } }).status !== 0) return;
  const others = Object.fromEntries(
    servers.filter((name) => name !== "gopls").map((name) => [name, { enabled: false }]),
  );
  await inSession(root, { ...env, PATH: backendPath() }, { backends: others }, async (client) => {
    await client.request("$/symbolByName", { name: names[0], languages: ["go"], timeoutMs: PATIENCE_MS / 5 });
    await bySymbol(client, names.slice(0, SAMPLE / 3), "ready", "with gopls", line);
  });
}

/** Of the tags every so many-th name of a function, type or method, each once. */
function sample(tags: string): readonly string[] {
  const all = readFileSync(tags, "utf8").split("\n");
  const names = all.flatMap((tag) =>
    /;"\t[fstm](?:\t|$)/.test(tag) ? (/^(\w+)\t[^\t]*\.go\t/.exec(tag)?.[1] ?? []) : [],
  );
  const each = [...new Set(names)];
  const step = Math.max(1, Math.floor(each.length / SAMPLE));
  return each.filter((_, i) => i % step === 0).slice(0, SAMPLE);
}

/** @returns ms */
async function readAhead(root: string, env: Readonly<Record<string, string>>): Promise<number> {
  const client = new Client([process.execPath, program, "syntax", "--stdio"], { env, patience: PATIENCE_MS });
  await client.initialize([root]);
  const folders = [pathToFileURL(root).href];
  const start = performance.now();
  const rest = { match: "exact", languages: ["go"], served: [], path: null, limit: 1, waitMs: PATIENCE_MS };
  await client.request(S.candidates, { folders, name: "x", ...rest });
  for (;;) {
    const { index } = await client.request<StatusAnswer>(S.status);
    if (index.untold === 0 || performance.now() - start > PATIENCE_MS) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const ms = performance.now() - start;
  await client.stop();
  return ms;
}

async function inSession(
  root: string,
  env: Readonly<Record<string, string>>,
  switchboard: object,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client([process.execPath, program, "--stdio"], { env, patience: PATIENCE_MS });
  await client.initialize([root], { initializationOptions: { switchboard } });
  await work(client);
  await client.stop();
}

function symbol(client: Client, name: string, wait: "none" | "ready"): Promise<SymbolByNameResult> {
  return client.request("$/symbolByName", { name, languages: ["go"], wait });
}

async function bySymbol(
  client: Client,
  names: readonly string[],
  wait: "none" | "ready",
  what: string,
  line: Told,
): Promise<void> {
  const first: number[] = [];
  const again: number[] = [];
  const absent: number[] = [];
  let complete = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) {
      const [ms, found] = await timed(() => symbol(client, name, wait));
      (round === 0 ? first : again).push(ms);
      // More matches than are told are known all the same.
      if (round === 0 && found.total !== 0 && (found.complete || found.truncated)) complete++;
      absent.push((await timed(() => symbol(client, `${name}Nowhere${round}`, wait)))[0]);
    }
  line(`symbol ${what}, asked the first time, ms p50`, p50(first));
  line(`symbol ${what}, asked again, ms p50`, p50(again));
  line(`symbol ${what}, found and complete but for the limit`, `${complete} of ${names.length}`);
  line(`text absence ${what}, ms p50`, p50(absent));
}

async function mentions(client: Client, root: string, line: Told): Promise<void> {
  for (const name of ["Reader", "err"]) {
    const ours: number[] = [];
    const theirs: number[] = [];
    let told = "";
    let firstMs = 0;
    for (let round = 0; round < RG_ROUNDS; round++) {
      const [ms, { total, fileCount, complete, truncated }] = await timed(() =>
        client.request<NameMentionsResult>("$/nameMentions", { name, languages: ["go"] }),
      );
      // The first reads the outlines of the files that it shows.
      if (round === 0) firstMs = ms;
      else ours.push(ms);
      told = `${total} places in ${fileCount} files${complete || truncated ? "" : ", not complete"}, the first time ${firstMs.toFixed(0)} ms`;
      const [rg] = await timed(async () => spawnSync("rg", ["-w", "-t", "go", "--count-matches", name, root]));
      theirs.push(rg);
    }
    line(`mentions of ${name}, ms p50`, `${p50(ours)}; rg -w --count-matches ${p50(theirs)} (${told})`);
  }
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

function p50(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0).toFixed(1);
}
