/**
 * Records what real servers announce: starts each one that is installed here as a rich client would and writes its answer
 * to `initialize` to `adapters/capabilities/<name>.json`. Switchboard announces the union of these before any server has
 * started.
 *
 *     npm run record [NAME...]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterOf, adapters, plainVersion, type Recording } from "../../adapters/index.ts";
import { Client } from "../client.ts";
import { type FixtureName, fixture, fixtureNames, startWith } from "../fixture.ts";
import { launchOf } from "./paths.ts";
import { richCapabilities } from "./rich.ts";

/** What a server announces now, in the form of the file; null when it is not installed. */
export async function record(adapter: Adapter): Promise<Recording | null> {
  const workspace = fixture(fixtureOf(adapter));
  const cache = mkdtempSync(join(tmpdir(), "record-"));
  const launch = launchOf(adapter, workspace.root, cache);
  if (typeof launch === "string") {
    workspace.remove();
    rmSync(cache, { recursive: true });
    return null;
  }
  const client = new Client(launch.argv, { cwd: workspace.root, env: launch.env, patience: 60_000 });
  try {
    const answer = await client.initialize<Recording>([workspace.root], {
      capabilities: capabilitiesFor(adapter),
      initializationOptions: { ...launch.initializationOptions, ...startWith[fixtureOf(adapter)] },
      settings: adapter.settings ?? {},
    });
    await client.stop();
    const { serverInfo, capabilities } = answer;
    if (serverInfo?.version === undefined) return { ...(serverInfo && { serverInfo }), capabilities };
    // Only the version proper: clangd adds the platform, gopls the toolchain and the hashes of all modules.
    return { serverInfo: { ...serverInfo, version: plainVersion(serverInfo.version) }, capabilities };
  } finally {
    await client.kill();
    workspace.remove();
    rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The rich client's abilities with what the adapter adds to them. */
export function capabilitiesFor(adapter: Adapter): object {
  return merged(richCapabilities, adapter.capabilities ?? {});
}

/** The fixture in the language that a server is best at, else the one with a file of each of the rest. */
export function fixtureOf(adapter: Adapter): FixtureName {
  return fixtureNames.find((fixtureName) => fixtureName === adapter.languages[0]) ?? "mixed";
}

function merged(under: object, over: object): object {
  const entries = Object.entries(over).map(([key, value]): [string, unknown] => {
    const below: unknown = Object.getOwnPropertyDescriptor(under, key)?.value;
    return [key, isObject(value) && isObject(below) ? merged(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(entries) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function main(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const adapter = adapterOf(name);
    const recording = adapter === undefined ? null : await record(adapter);
    if (recording === null) {
      console.log(`${name}: not installed, its recording is left as it is`);
      continue;
    }
    const file = new URL(`../../../adapters/capabilities/${name}.json`, import.meta.url);
    writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
    console.log(`${name} ${recording.serverInfo?.version ?? ""}: recorded`);
  }
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  await main(named.length > 0 ? named : adapters.map((adapter) => adapter.name));
}
