/**
 * Records what real servers announce: starts each one that is installed here as a rich client would and writes its answer
 * to `initialize` to `adapters/capabilities/<name>.json`. Switchboard announces the union of these before any server has
 * started.
 *
 *     npm run record [NAME...]
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterOf, adapters, plainVersion, type Recording } from "../../adapters/index.ts";
import { Client } from "../client.ts";
import { type FixtureName, fixture, fixtureNames, startWith } from "../fixture.ts";
import { argvOf } from "./paths.ts";
import { richCapabilities } from "./rich.ts";

/** What a server announces now, in the form of the file; null when it is not installed. */
export async function record(adapter: Adapter): Promise<Recording | null> {
  const argv = argvOf(adapter);
  if (argv === null) return null;
  const workspace = fixture(fixtureOf(adapter));
  const client = new Client(argv, { cwd: workspace.root });
  try {
    const answer = await client.initialize<Recording>([workspace.root], {
      capabilities: capabilitiesFor(adapter),
      initializationOptions: adapter.initializationOptions ?? startWith[fixtureOf(adapter)],
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
  }
}

/** The rich client's abilities with what the adapter adds to them. */
export function capabilitiesFor(adapter: Adapter): object {
  return merged(richCapabilities, adapter.capabilities ?? {});
}

/** The fixture in the language that a server is best at. */
export function fixtureOf(adapter: Adapter): FixtureName {
  const name = fixtureNames.find((fixtureName) => fixtureName === adapter.languages[0]);
  if (name === undefined) throw new Error(`no fixture for ${adapter.name} (${adapter.languages[0]})`);
  return name;
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
