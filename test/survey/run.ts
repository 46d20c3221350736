/**
 * How often a name finds its symbol in real code: seeded-random declarations of real repositories (`repositories.ts`), named
 * by Universal Ctags with container and path, asked by name with the path as hint, nothing opened. Right is the declared
 * line in first place; where several declarations fit address and path equally, among the first that many. Misses are
 * listed; what ctags has wrong by kind (`faults.ts`) is not asked, and counted.
 *
 *     npm run survey -- [--count N] [--seed N] [--at-once N] [--no-backends] [--second]
 *                       [--faults] [LANGUAGE | REPOSITORY ...]
 *
 * `--no-backends`: as if no server were installed, so that syntax alone answers. `--faults`: asks nothing, and lists what is
 * left out.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { SymbolByNameResult, SymbolMatch } from "../../server/protocol/extensions.ts";
import { backendPath } from "../backends/paths.ts";
import { richCapabilities } from "../backends/rich.ts";
import { Client } from "../client.ts";
import { startWith } from "../fixture.ts";
import { program } from "../program.ts";
import { randomOf } from "../sim/random.ts";
import { addressOf, countEqual, type Declaration, declarationsOf } from "./declarations.ts";
import { type Repository, repositories, workspaceOf } from "./repositories.ts";

interface Score {
  readonly asked: number;
  readonly first: number;
  readonly listed: number;
  readonly complete: number;
  /** Of each question, ms. */
  readonly times: readonly number[];
}

const { values, positionals } = parseArgs({
  options: {
    count: { type: "string", default: "67" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "1" },
    second: { type: "boolean", default: false },
    "no-backends": { type: "boolean", default: false },
    faults: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const chosen = repositories.filter(
  ({ language, name, second = false }) =>
    positionals.includes(name) ||
    (second === values.second && (positionals.length === 0 || positionals.includes(language))),
);
for (const repository of chosen) {
  const folder = workspaceOf(repository);
  const all = declarationsOf(repository, folder);
  const wrong = all.filter(({ fault }) => fault !== null);
  if (values.faults) {
    for (const { fault, path, line, containers, name } of wrong)
      console.log(`  ${fault}: ${[...containers, name].join("/")} (${path}:${line})`);
    continue;
  }
  const { asked, first, listed, complete, times } = await surveyed(repository, folder, all);
  const percent = (part: number) => `${((100 * part) / asked).toFixed(1)} %`;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  console.log(
    `${repository.language} ${repository.name}: ${asked} asked, ${percent(first)} first, ${percent(listed)} listed, ` +
      `${percent(complete)} complete; of ${all.filter(({ wanted }) => wanted).length}, ` +
      `${wrong.length} left out; first question ${Math.round(times[0] ?? 0)} ms, median ${at(0.5)}, p95 ${at(0.95)}`,
  );
}

async function surveyed(repository: Repository, folder: string, all: readonly Declaration[]): Promise<Score> {
  const random = randomOf(Number(values.seed));
  const sample = all
    .filter(({ wanted }) => wanted)
    .map((declaration) => ({ declaration, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, Number(values.count))
    .map(({ declaration }) => declaration);
  const only = values["no-backends"] ? ["--no-backends"] : [];
  const client = new Client([process.execPath, program, "--stdio", ...only], {
    env: { PATH: backendPath() },
    patience: 120_000,
  });
  const options = { backends: { "rust-analyzer": { initializationOptions: startWith.rust ?? {} } } };
  const times: number[] = [];
  let [first, listed, complete] = [0, 0, 0];
  try {
    await client.initialize([folder], {
      capabilities: richCapabilities,
      initializationOptions: { switchboard: options },
    });
    const askFor = async (declaration: Declaration): Promise<void> => {
      const name = addressOf(declaration, repository.language);
      const began = performance.now();
      const result = await client
        .request<SymbolByNameResult>("$/symbolByName", { name, path: declaration.path, limit: 100, timeoutMs: 110_000 })
        .catch((fault: unknown) => String(fault));
      times.push(performance.now() - began);
      if (typeof result === "string") {
        console.log(`  ${name} (${declaration.path}:${declaration.line}): ${result}`);
        return;
      }
      if (result.complete) complete++;
      const rank = result.matches.findIndex((match) => isAt(match, declaration, folder));
      if (rank >= 0) listed++;
      const text = readFileSync(join(folder, declaration.path), "utf8");
      const equal = countEqual(declaration, all, text, repository.language);
      if (rank >= 0 && rank < equal) first++;
      else
        console.log(
          `  ${name} (${declaration.kind}, ${declaration.path}:${declaration.line}): ${said(result, rank, folder)}`,
        );
    };
    const waiting = [...sample];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await askFor(next);
    };
    await Promise.all(Array.from({ length: Number(values["at-once"]) }, lane));
    await client.stop();
  } finally {
    await client.kill();
  }
  return { asked: sample.length, first, listed, complete, times };
}

function isAt({ location }: SymbolMatch, { path, line }: Declaration, folder: string): boolean {
  return location.selectionRange.start.line + 1 === line && pathIn(location.uri, folder) === path;
}

function pathIn(uri: string, folder: string): string {
  const path = fileURLToPath(uri);
  return (path.startsWith(folder) ? path.slice(folder.length + 1) : path).replaceAll("\\", "/");
}

function said({ matches, complete, sources }: SymbolByNameResult, rank: number, folder: string): string {
  const shown = matches
    .slice(0, 3)
    .map(
      ({ qualifiedName, location }) =>
        `${qualifiedName} ${pathIn(location.uri, folder)}:${location.selectionRange.start.line + 1}`,
    );
  const states = sources
    .filter(({ state }) => state !== "ready")
    .map(({ backend, state, reason = "" }) => `${backend} ${state} ${reason}`.trim());
  const place = rank < 0 ? "not listed" : `at ${rank + 1}`;
  return [place, complete ? "complete" : "not complete", ...states, ...shown].join("; ");
}
