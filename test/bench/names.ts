/**
 * The index of names over a large tree, beside `ctags -R` and `rg -w` in the same run: `npm run bench:names [FOLDER]`, by
 * default the Go standard library; first the index by itself, then questions that it answers. Best of some interleaved rounds; absolute times mean little, the ratio of one run counts.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderIndex } from "../../server/syntax/index/folder-index.ts";
import { load, placeOf, save } from "../../server/syntax/index/store.ts";
import { askedByClients } from "./names-asked.ts";

const ROUNDS = 3;
const LOOKUPS = 200;
const rules = { include: [], exclude: [], maxFileBytes: 1 << 20 };

const root = realpathSync(process.argv[2] ?? join(output("go", ["env", "GOROOT"]).trim(), "src"));
const cache = mkdtempSync(join(tmpdir(), "switchboard-bench-"));
const before = process.memoryUsage.rss();
let index = new FolderIndex(root, rules, null);
const best = { build: Number.POSITIVE_INFINITY, again: Number.POSITIVE_INFINITY, ctags: Number.POSITIVE_INFINITY };
try {
  for (let round = 0; round < ROUNDS; round++) {
    best.build = Math.min(
      best.build,
      timed(() => {
        index = new FolderIndex(root, rules, null);
        index.step(Number.POSITIVE_INFINITY);
        index.names.settle();
      }),
    );
    best.ctags = Math.min(
      best.ctags,
      timed(() => spawnSync("ctags", ["-R", "-f", join(cache, "tags"), root], { stdio: "ignore" })),
    );
    save(cache, root, index.snapshot());
    best.again = Math.min(
      best.again,
      timed(() => {
        index = new FolderIndex(root, rules, load(cache, root));
        index.step(Number.POSITIVE_INFINITY);
      }),
    );
  }
  const { files, names, pairs, bytes } = index.names.stats;
  const source = index.snapshot().files.reduce((sum, { size }) => sum + size, 0);
  const kept = statSync(placeOf(cache, root)).size;
  line("files, names, pairs", `${files}, ${names}, ${pairs}; ${mega(source)} of source`);
  line(
    "built, ms",
    `${best.build.toFixed(0)}; ctags -R ${best.ctags.toFixed(0)}: ${(best.ctags / best.build).toFixed(1)} times`,
  );
  line("taken up again from disk, every file looked at, ms", best.again.toFixed(0));
  line("on disk", `${mega(kept)}: ${((kept / source) * 100).toFixed(1)} % of the source`);
  line("in memory", `${mega(bytes)} of arrays; the process has grown by ${mega(process.memoryUsage.rss() - before)}`);
  const sample = index.names
    .where((name) => name.length > 12)
    .filter((_, i, all) => i % Math.ceil(all.length / LOOKUPS) === 0);
  const asked: readonly (readonly [what: string, ask: (name: string) => unknown])[] = [
    ["exact", (name) => index.names.exact(name)],
    ["absent", (name) => index.names.exact(`${name}x`)],
    ["ignoreCase", (name) => index.names.ignoreCase(name)],
    ["prefix of 6", (name) => index.names.prefix(name.slice(0, 6))],
    ["*substring*", (name) => index.names.wildcard(`*${name.slice(2, 9)}*`)],
    ["suggestions", (name) => index.names.suggestions(name, 5)],
    ["files as they are now", (name) => index.candidates(name, "exact", null)],
  ];
  for (const [what, ask] of asked) {
    const times = sample.map((name) => timed(() => ask(name))).sort((a, b) => a - b);
    line(`${what}, us p50`, ((times[times.length >> 1] ?? 0) * 1000).toFixed(1));
  }
  for (const times of [1, 4, 16]) grown(times);
  await askedByClients(root, cache, join(cache, "tags"), line);
} finally {
  rmSync(cache, { recursive: true, force: true });
}

/** So many copies of a part of the tree. */
function grown(times: number): void {
  const folder = join(cache, "grown");
  const part = statSync(join(root, "net"), { throwIfNoEntry: false }) === undefined ? root : join(root, "net");
  for (let i = 0; i < times; i++) cpSync(part, join(folder, String(i)), { recursive: true });
  let copies = new FolderIndex(folder, rules, null);
  const ms = timed(() => {
    copies = new FolderIndex(folder, rules, null);
    copies.step(Number.POSITIVE_INFINITY);
    copies.names.settle();
  });
  const { files, pairs, bytes } = copies.names.stats;
  line(`grown ${times} times`, `${files} files, ${pairs} pairs: ${ms.toFixed(0)} ms, ${mega(bytes)} of arrays`);
  rmSync(folder, { recursive: true });
}

function timed(what: () => void): number {
  const start = performance.now();
  what();
  return performance.now() - start;
}

function line(what: string, value: string): void {
  console.log(`${what.padEnd(52)} ${value}`);
}

function mega(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function output(command: string, argv: readonly string[]): string {
  const { status, stdout } = spawnSync(command, argv, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${argv.join(" ")} failed`);
  return stdout;
}
