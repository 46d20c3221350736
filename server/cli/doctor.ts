/**
 * `switchboard doctor`: which servers are found, and whether they work. Each one that is found is started in the folder, one
 * after the other, since two at once slow each other down, and ended as soon as it has introduced itself.
 */
import { adapters, plainVersion } from "../../adapters/index.ts";
import { loadConfig } from "../config/load.ts";
import type { BackendSpec } from "../config/resolve.ts";
import type { Backend } from "../core/backends.ts";
import type { Client } from "../core/clients.ts";
import { uriOfPath } from "../core/documents/uris.ts";
import type { Mux } from "../core/mux.ts";
import { backendFor } from "../core/route/serving.ts";
import { M } from "../protocol/methods.ts";
import type { Options } from "./args.ts";
import { exits } from "./print.ts";
import { inOwnSession } from "./session.ts";
import type { Run } from "./table.ts";

/** What is known of one server. Times in ms. */
interface Finding {
  readonly name: string;
  readonly languages: readonly string[];
  /** Named in the configuration of the user, the folder or the command line. */
  readonly configured: boolean;
  readonly state: "ready" | "failed" | "missing";
  readonly command: readonly string[] | null;
  readonly version: string | null;
  /** From the start of its process to its answer to `initialize`. */
  readonly startMs: number | null;
  /** Corrections in force for this version. */
  readonly quirks: readonly string[];
  /** Why it does not work. */
  readonly reason: string | null;
  /** What to run or read to get it, where it is missing. */
  readonly install: string | null;
}

export const run: Run = async (_, options) => {
  const findings: Finding[] = [];
  const code = await inOwnSession(options, async ({ root, mux }) => {
    const [client] = mux.clients.values();
    const names = adapters.map(({ name }) => name);
    const { config } = loadConfig({ folders: [root], files: options.config, client: null, adapters: names });
    const named = new Set([
      ...Object.keys(config.backends),
      ...Object.values(config.languages).flatMap(({ backends }) => backends ?? []),
    ]);
    for (const spec of client?.setup.backends ?? []) {
      const finding = await examined(spec, named.has(spec.name), options);
      findings.push(finding);
      if (!options.json) process.stdout.write(`${textOf(finding)}\n`);
    }
    return exits.found;
  });
  if (code !== exits.found) return code;
  if (options.json) process.stdout.write(`${JSON.stringify({ backends: findings }, null, 2)}\n`);
  return findings.some(({ configured, state }) => configured && state !== "ready") ? 1 : 0;
};

async function examined(spec: BackendSpec, configured: boolean, options: Options): Promise<Finding> {
  const { name, launch, adapter } = spec;
  const known = { name, languages: adapter.languages, configured, command: launch, install: null, quirks: [] };
  if (launch === null) {
    const command = "embedded" in adapter.command ? adapter.command.embedded : (adapter.command[0] ?? name);
    const reason = `${command} is not found`;
    return { ...known, state: "missing", version: null, startMs: null, reason, install: adapter.install ?? null };
  }
  let finding: Finding | null = null;
  await inOwnSession({ ...options, quiet: true, logLevel: options.logLevel ?? "error" }, async ({ root, mux }) => {
    const [client] = mux.clients.values();
    const own = client?.setup.backends.find((one) => one.name === name);
    const backend = client === undefined || own === undefined ? undefined : backendFor(mux, client, own, null);
    if (client === undefined || backend === undefined) return exits.wrong;
    const reason = await started(mux, client, backend, uriOfPath(root));
    const state = reason === null ? "ready" : "failed";
    finding = {
      ...known,
      state,
      version: backend.version === null ? null : plainVersion(backend.version),
      startMs: startOf(backend),
      quirks: backend.quirks.map(({ id }) => id),
      reason,
    };
    return exits.found;
  });
  return finding ?? { ...known, state: "failed", version: null, startMs: null, reason: "it could not be asked" };
}

/** Beyond the limit of a start itself, ms. */
const SPARE_MS = 5000;

/** Null once it runs; else why it does not. Any answer of a running server will do, an error too. */
function started(mux: Mux, client: Client, backend: Backend, folder: string): Promise<string | null> {
  const nothing = { textDocument: { uri: `${folder}/no such file` }, position: { line: 0, character: 0 } };
  const deadline = mux.ports.now() + client.setup.limits.startMs + SPARE_MS;
  return new Promise((resolve) => {
    mux.ask(client, M.hover, nothing, { backend, gateUntil: 0, deadline }, (reply) => {
      if (startOf(backend) !== null && backend.runs) resolve(null);
      else resolve(backend.trouble ?? ("error" in reply ? reply.error.message : "it did not answer"));
    });
  });
}

function startOf({ gate, starts }: Backend): number | null {
  const began = starts.at(-1);
  return gate.since === null || began === undefined ? null : Math.round(gate.since - began);
}

function textOf({ name, state, version, startMs, command, quirks, reason, install }: Finding): string {
  const head = `${name.padEnd(28)}${state.padEnd(9)}`;
  if (state === "missing") return `${head}${reason ?? ""}${install === null ? "" : `; to get it: ${install}`}`;
  if (state === "failed") return `${head}${reason ?? ""} (${command?.join(" ")})`;
  const parts = [version ?? "of unknown version", `starts in ${startMs} ms`, command?.join(" ") ?? ""];
  return `${head}${[...parts, ...(quirks.length > 0 ? [`corrected: ${quirks.join(", ")}`] : [])].join("  ")}`;
}
