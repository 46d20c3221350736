// `npm run bench`: switchboard and its peers in front of one fast backend, side by side in one run.
//   --rounds N      default 3: the subjects take turns, so that a drift of the machine touches all alike
//   --quick         one round, a fifth of the repetitions: shows that all run, its figures say little
//   --only A,B      these subjects alone
//   --also NAME=COMMAND LINE   one more subject ({} stands for the backend's command); may be repeated
// LSPMUX and RASS name those peers where they are not on PATH. Exit code 1 only when a subject that is here fails;
// the figures are for reading. What is measured is in `client.ts`, what is asked of it in `report.ts`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Job, JobKind } from "./client.ts";
import type { Figure, Figures } from "./figures.ts";
import { median } from "./figures.ts";
import { report } from "./report.ts";
import type { Subject } from "./subjects.ts";
import { findSubjects } from "./subjects.ts";

const CLIENT = fileURLToPath(new URL("client.js", import.meta.url));
const JOBS: readonly JobKind[] = ["starts", "small", "large", "ownership", "memory"];
/** For one job of one subject; the slowest, memory behind a slow proxy, takes half a minute. */
const JOB_MS = 180_000;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
let interrupted = false;

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    also: { type: "string", multiple: true, default: [] },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${options.rounds}: want a number from 1 up`);

if (platform() === "win32") process.stdout.write("Skipped: the measuring client needs FIFOs, which Windows lacks.\n");
else await measure();

async function measure(): Promise<void> {
  const load = loadavg()[0] ?? 0;
  const { subjects: found, missing } = findSubjects(options.also);
  const only = options.only?.split(",");
  const subjects = found.filter(({ name }) => only === undefined || only.includes(name));
  const samples = new Map(subjects.map(({ name }) => [name, [] as Figures[]]));
  const failed = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    // There and back: whoever comes first in one round comes last in the next.
    const turns = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const kind of JOBS) {
      // Memory is no matter of chance: once is enough.
      if (kind === "memory" && round > 0) continue;
      for (const subject of turns) {
        const turn = `${subject.name}, ${kind}`;
        if (!subject.jobs.includes(kind) || failed.has(turn)) continue;
        progress(`round ${round + 1}/${rounds}: ${turn}`);
        try {
          samples.get(subject.name)?.push(await runJob(subject, kind));
        } catch (error) {
          if (interrupted) process.exit(130);
          failed.set(turn, error instanceof Error ? error.message : String(error));
        }
      }
    }
  }
  progress("");
  const cpu = cpus()[0]?.model ?? "unknown CPU";
  const text = report({
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpu}, ${availableParallelism()} cores, ${platform()} ${arch()}, node ${process.versions.node}, load before ${load.toFixed(1)}`,
    rounds,
    subjects: new Map([...samples].map(([name, figures]) => [name, medians(figures)])),
    missing,
  });
  process.stdout.write(`${text}\n`);
  for (const [turn, why] of failed) process.stderr.write(`FAILED ${turn}: ${why}\n`);
  process.exitCode = failed.size === 0 ? 0 : 1;
}

async function runJob(subject: Subject, kind: JobKind): Promise<Figures> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sb-")));
  const work = join(folder, "w");
  mkdirSync(work);
  try {
    const prepared = await subject.prepare(kind, folder);
    try {
      const { command, env, pids } = prepared;
      return await runClient({ kind, folder: work, scale: options.quick ? 0.2 : 1, command, env, pids });
    } finally {
      await prepared.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the measuring client in a process group of its own, which is ended as a whole when the time is over. */
function runClient(job: Job): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLIENT, JSON.stringify(job)], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let out = "";
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
    // The group is not the terminal's: an interrupt has to be passed on.
    const interrupt = () => {
      interrupted = true;
      endGroup(child.pid);
    };
    for (const signal of SIGNALS) process.once(signal, interrupt);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, JOB_MS);
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, interrupt);
      // A client that failed leaves its subject behind, and that the backend.
      if (code !== 0) endGroup(child.pid);
    });
    child.once("close", (code) => {
      if (late) reject(new Error(`no end within ${JOB_MS} ms\n${said}`));
      else if (code !== 0) reject(new Error(`exit code ${code}\n${said}`));
      else resolve(JSON.parse(out) as Figures);
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group is empty already.
  }
}

/** Of every figure the median over its samples. */
function medians(samples: readonly Figures[]): Figures {
  const values = new Map<Figure, number[]>();
  for (const sample of samples) {
    for (const [key, value] of Object.entries(sample) as [Figure, number][]) {
      values.set(key, [...(values.get(key) ?? []), value]);
    }
  }
  return Object.fromEntries([...values].map(([key, list]) => [key, median(list)]));
}

/** One line on a terminal's stderr, overwritten by the next. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
