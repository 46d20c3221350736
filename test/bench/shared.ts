/**
 * `npm run bench:shared`: what it costs that several clients share a server, and what it saves.
 *   --clients   1, 10 and 100 clients on one fast backend: memory, latency, fairness
 *   --memory    five sessions on one crate with rust-analyzer: five of everything beside one of everything
 * Without either, both. Memory is the resident memory of all processes that a session starts, ours and the servers'.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { backendPath } from "../backends/paths.ts";
import { richCapabilities } from "../backends/rich.ts";
import { Client } from "../client.ts";
import { program } from "../program.ts";
import { repositories, workspaceOf } from "../survey/repositories.ts";
import { quantile } from "./figures.ts";

const BACKEND = [process.execPath, fileURLToPath(new URL("backend.js", import.meta.url))];
const patience = 240_000;
const both = process.argv.length < 3;
/** Questions of the one who asks alone, and of each when all ask at once. */
const ALONE = 2_000;
const TOGETHER = 40;
/** On one crate. */
const SESSIONS = 5;

const home = realpathSync.native(mkdtempSync(join(tmpdir(), "shared-")));
const places: Place[] = [];
try {
  if (both || process.argv.includes("--clients")) await clients();
  if (both || process.argv.includes("--memory")) await memory();
} finally {
  for (const place of places) place.run("stop");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

// ---- Many clients of a fast backend -------------------------------------------------------------------------------------

async function clients(): Promise<void> {
  const place = placeOf("clients", `[backends.bench]\ncommand = ${JSON.stringify(BACKEND)}\nlanguages = ["python"]\n`);
  const file = join(place.folder, "a.py");
  writeFileSync(file, "x = 1\n");
  const uri = pathToFileURL(file).href;
  const params = { textDocument: { uri }, position: { line: 0, character: 0 } };
  const attached: Client[] = [];
  const timed = async (client: Client, times: number): Promise<number[]> => {
    const took: number[] = [];
    for (let i = 0; i < times; i++) {
      const began = performance.now();
      await client.request("textDocument/hover", params);
      took.push(performance.now() - began);
    }
    return took;
  };
  console.log(
    "| clients | server, MB | each client's process, MB | one asks, p50, us | all ask: requests/s | slowest p50 / fastest |",
  );
  console.log("| ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const count of [1, 10, 100]) {
    while (attached.length < count) {
      const client = place.client();
      attached.push(client);
      await client.initialize([place.folder], { capabilities: richCapabilities });
      client.open(uri, "python", "x = 1\n");
      await timed(client, 20);
    }
    const [first] = attached;
    if (first === undefined) continue;
    const alone = quantile(await timed(first, ALONE), 0.5);
    const began = performance.now();
    const each = await Promise.all(attached.map((client) => timed(client, TOGETHER)));
    const perSecond = (count * TOGETHER * 1000) / (performance.now() - began);
    const medians = each.map((took) => quantile(took, 0.5));
    const server = residentMb([serverOf(place)]);
    const pipes = residentMb(attached.map(({ process: { pid = 0 } }) => pid)) / count;
    const fair = Math.max(...medians) / Math.min(...medians);
    console.log(
      `| ${count} | ${server.toFixed(1)} | ${pipes.toFixed(1)} | ${Math.round(alone * 1000)} | ${Math.round(perSecond)} | ${fair.toFixed(2)} |`,
    );
  }
  await Promise.all(attached.map((client) => client.stop()));
}

// ---- Five sessions on a crate -------------------------------------------------------------------------------------------

async function memory(): Promise<void> {
  const repository = repositories.find(({ name }) => name === "serde_json");
  if (repository === undefined) throw new Error("there is no serde_json");
  const root = join(home, "crate");
  cpSync(workspaceOf(repository), root, { recursive: true });
  const figures: number[] = [];
  for (const shared of [true, false]) {
    const place = placeOf(shared ? "one" : "five", "", shared);
    const sessions: Client[] = [];
    for (let i = 0; i < SESSIONS; i++) {
      const client = place.client(root);
      sessions.push(client);
      await client.initialize([root], {
        capabilities: richCapabilities,
        // A check writes into the folder, and is the compiler's memory.
        initializationOptions: {
          switchboard: { backends: { "rust-analyzer": { initializationOptions: { checkOnSave: false } } } },
        },
      });
      const file = join(root, "src", "de.rs");
      client.open(pathToFileURL(file).href, "rust", readFileSync(file, "utf8"));
      for (let found: unknown[] = []; found.length === 0; )
        // On a busy machine it is not ready within the limits of a question.
        found = (await client.request<unknown[]>("workspace/symbol", { query: "from_reader" }).catch(() => [])) ?? [];
    }
    const pids = sessions.flatMap(({ process: { pid = 0 } }) => pid);
    const all = withChildren(shared ? [...pids, serverOf(place)] : pids);
    figures.push(residentMb(all));
    console.log(
      `${shared ? "shared" : "separate"}: ${SESSIONS} sessions, ${all.length} processes, ${residentMb(all).toFixed(0)} MB`,
    );
    for (const client of sessions) await client.stop();
    place.run("stop");
  }
  const [one = 0, five = 1] = figures;
  console.log(`five sessions on one rust-analyzer: ${(one / five).toFixed(2)} of the memory of five separate ones`);
}

// ---- Common -------------------------------------------------------------------------------------------------------------

interface Place {
  readonly folder: string;
  client(cwd?: string): Client;
  run(...words: readonly string[]): string;
}

/** A configuration, a cache and a runtime folder of its own. */
function placeOf(name: string, toml: string, shared = true): Place {
  const folder = join(home, name);
  const at = (part: string): string => join(folder, part);
  for (const part of ["run", "config/switchboard"]) mkdirSync(at(part), { recursive: true });
  writeFileSync(at("config/switchboard/config.toml"), `${toml}[shared]\nenabled = ${shared}\n`);
  const env = {
    XDG_RUNTIME_DIR: at("run"),
    XDG_CONFIG_HOME: at("config"),
    XDG_CACHE_HOME: at("cache"),
    PATH: backendPath(),
  };
  const place: Place = {
    folder,
    client: (cwd = folder) => new Client([process.execPath, program, "--stdio"], { cwd, env, patience }),
    run: (...words) =>
      spawnSync(process.execPath, [program, ...words], { env: { ...process.env, ...env }, encoding: "utf8" }).stdout,
  };
  places.push(place);
  return place;
}

/** The process id of the server that is shared. */
function serverOf(place: Place): number {
  return Number(/process (\d+)/.exec(place.run("status"))?.[1]);
}

function withChildren(pids: readonly number[]): readonly number[] {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const all = new Set(pids);
  for (let before = 0; before < all.size; ) {
    before = all.size;
    for (const [pid = 0, parent = 0] of pairs) if (all.has(parent)) all.add(pid);
  }
  return [...all];
}

function residentMb(pids: readonly number[]): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", pids.join(",")], { encoding: "utf8" });
  return (
    stdout
      .trim()
      .split(/\s+/)
      .reduce((sum, kb) => sum + Number(kb), 0) / 1024
  );
}
