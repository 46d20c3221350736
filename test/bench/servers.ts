/**
 * `npm run bench:servers [SERVER...]`: what Switchboard adds to each real server: hover and completion on its fixture, through
 * us and on the bare server by turns, in one run. And the first definition, from the start of the process: a question about
 * the project may wait for the server to be ready, within its gate.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterOf } from "../../adapters/index.ts";
import { backendPath, launchOf } from "../backends/paths.ts";
import { capabilitiesFor } from "../backends/record.ts";
import { richCapabilities } from "../backends/rich.ts";
import { Client } from "../client.ts";
import { type Fixture, fixture, startWith } from "../fixture.ts";
import { program } from "../program.ts";
import { type Expected, expected } from "../real/expect.ts";
import { quantile } from "./figures.ts";

const TURNS = 10;
const BLOCK = 20;

const wanted = process.argv.slice(2);
console.log(
  "| server | first definition, ms: direct, through | hover p50, p95 added, ms | completion p50, p95 added, ms |",
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
  const clients: Client[] = [];
  try {
    const first: number[] = [];
    for (const start of [bare, through]) {
      const began = performance.now();
      const client = await start(one, workspace, join(cache, start.name));
      clients.push(client);
      const mark = workspace.mark(`use:Metrics.${one.method}`);
      const file = mark.path.slice(workspace.root.length + 1).replaceAll("\\", "/");
      client.open(mark.uri, one.language, workspace.textOf(file));
      await client.request("textDocument/definition", { textDocument: { uri: mark.uri }, position: mark.position });
      first.push(performance.now() - began);
    }
    const added = async (method: string): Promise<string> => {
      const times: number[][] = [[], []];
      for (let turn = 0; turn <= TURNS; turn++)
        for (const [i, client] of clients.entries()) {
          const block = await asked(client, method, one, workspace);
          // The first turn warms up.
          if (turn > 0) times[i]?.push(...block);
        }
      const [direct = [], ours = []] = times;
      return [0.5, 0.95].map((q) => (quantile(ours, q) - quantile(direct, q)).toFixed(2)).join(", ");
    };
    const [hover, completion] = [await added("textDocument/hover"), await added("textDocument/completion")];
    return `| ${one.server} | ${first.map(Math.round).join(", ")} | ${hover} | ${completion} |`;
  } finally {
    for (const client of clients) await client.kill();
    workspace.remove();
    rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function asked(
  client: Client,
  method: string,
  { method: name }: Expected,
  workspace: Fixture,
): Promise<number[]> {
  const { uri, position } = workspace.mark(`use:Metrics.${name}`);
  const times: number[] = [];
  for (let i = 0; i < BLOCK; i++) {
    const began = performance.now();
    await client.request(method, { textDocument: { uri }, position });
    times.push(performance.now() - began);
  }
  return times;
}

async function bare({ server, fixture: name }: Expected, workspace: Fixture, cache: string): Promise<Client> {
  const adapter = adapterOf(server);
  const launch = adapter === undefined ? `${server} is no adapter` : launchOf(adapter, workspace.root, cache);
  if (adapter === undefined || typeof launch === "string") throw new Error(String(launch));
  // As cold as that of the other: gopls and clangd work for a minute on what they have no cache of.
  const env = { ...launch.env, XDG_CACHE_HOME: cache };
  const client = new Client(launch.argv, { cwd: workspace.root, env, patience: 60_000 });
  await client.initialize([workspace.root], {
    capabilities: capabilitiesFor(adapter),
    settings: adapter.settings ?? {},
    initializationOptions: { ...launch.initializationOptions, ...startWith[name] },
  });
  return client;
}

async function through(
  { server, language, fixture: name }: Expected,
  workspace: Fixture,
  cache: string,
): Promise<Client> {
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
  return client;
}
