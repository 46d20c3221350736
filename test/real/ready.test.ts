/**
 * What the adapters say of being ready, against the servers installed here: warmed up as its adapter tells, and asked at
 * the very moment of its signal, each server knows every definition in its fixture, also in files nobody opened.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapters, recorded } from "../../adapters/index.ts";
import { argvOf } from "../backends/paths.ts";
import { capabilitiesFor, fixtureOf } from "../backends/record.ts";
import { Client, type Seen } from "../client.ts";
import { type Fixture, fixture, type Mark, quickNames, startWith } from "../fixture.ts";

interface Found {
  readonly name: string;
  readonly location: { readonly uri: string; readonly range: Range };
}

interface Range {
  readonly start: Mark["position"];
  readonly end: Mark["position"];
}

for (const adapter of adapters) {
  // jdtls takes long to start: java.test.ts. The servers of the other languages here know single files.
  if (!quickNames.some((name) => name === adapter.languages[0])) continue;
  // What has no search of the project answers each question from the files that it reads for it.
  if (!("workspaceSymbolProvider" in (recorded(adapter.name)?.capabilities ?? {}))) continue;
  if (adapter.withholds?.includes("workspaceSymbolProvider") === true) continue;
  test(`${adapter.name} knows the project when its adapter calls it ready`, async (t) => {
    const argv = argvOf(adapter);
    if (argv === null) {
      t.skip(`${adapter.name} is not installed`);
      return;
    }
    const workspace = fixture(fixtureOf(adapter));
    const client = new Client(argv, { cwd: workspace.root, patience: 60_000 });
    try {
      await client.initialize([workspace.root], {
        capabilities: capabilitiesFor(adapter),
        settings: adapter.settings ?? {},
        initializationOptions: adapter.initializationOptions ?? startWith[fixtureOf(adapter)],
      });
      if (adapter.warmUp !== "none") openOne(client, adapter, workspace);
      await ready(client, adapter);
      const definitions = [...workspace.marks].filter(([name]) => name.startsWith("def:"));
      assert.ok(definitions.length > 3);
      for (const [marker, mark] of definitions) {
        const leaf = marker.split(/[.:]/).at(-1) ?? "";
        const queries = [leaf, ...(adapter.symbol?.queries?.(leaf) ?? [])];
        const answers = await Promise.all(
          queries.map((query) => client.request<Found[]>("workspace/symbol", { query })),
        );
        const found = answers.flat().map(({ location }) => ({ uri: plain(location.uri), range: location.range }));
        // Some point at the name, some at the whole declaration.
        assert.ok(
          found.some(({ uri, range }) => uri === mark.uri && contains(range, mark.position)),
          `${marker} is not at ${JSON.stringify(mark.position)} in ${JSON.stringify(answers)}`,
        );
      }
    } finally {
      await client.kill();
      workspace.remove();
    }
  });
}

function openOne(client: Client, adapter: Adapter, workspace: Fixture): void {
  const mark = workspace.mark("use:Metrics");
  client.open(mark.uri, adapter.languages[0] ?? "", workspace.textOf(mark.path.slice(workspace.root.length)));
}

/** Waits for the adapter's signal on the wire; the rule itself (caps, settling) is the core's. */
async function ready(client: Client, { ready }: Adapter): Promise<void> {
  if (ready.on === "notification") {
    await client.until("the ready notification", (seen) => seen.method === ready.method && ready.when(seen.params));
  } else if (ready.on === "progress") {
    const begun = await client.until("the progress", ({ params, method }) => {
      const { token, value } = progressOf(params);
      return (
        method === "$/progress" && value.kind === "begin" && (ready.match.test(token) || ready.match.test(value.title))
      );
    });
    const { token } = progressOf(begun.params);
    const ends = ({ method, params }: Seen) =>
      method === "$/progress" && progressOf(params).token === token && progressOf(params).value.kind === "end";
    await client.until("the end of the progress", ends);
  }
}

function progressOf(params: unknown): { token: string; value: { kind: string; title: string } } {
  return params as { token: string; value: { kind: string; title: string } };
}

function contains({ start, end }: Range, { line, character }: Mark["position"]): boolean {
  const before = start.line < line || (start.line === line && start.character <= character);
  return before && (line < end.line || (line === end.line && character <= end.character));
}

/** Servers escape as they like. */
function plain(uri: string): string {
  return pathToFileURL(fileURLToPath(uri)).href;
}
