/**
 * Runs a real headless Neovim with one of the Lua scripts beside the sources, on the built `switchboard --stdio`, cut off
 * from the user's own configuration. What the script found comes back as its report; what it means is for the tests.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { program } from "../program.ts";

const scripts = fileURLToPath(new URL("../../../test/editors/", import.meta.url));

/** Why no test with Neovim can run here, or false. */
export const noNeovim: string | false =
  spawnSync("nvim", ["--version"]).status === 0 ? false : "no `nvim` on PATH (Debian: apt-get install neovim)";

/** A folder of its own for one run: the workspace and all that the editor writes. */
export class Desk {
  readonly root = realpathSync.native(mkdtempSync(join(tmpdir(), "editor-")));
  /** In the environment of every process of this desk. */
  readonly mark = randomUUID();

  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  write(name: string, text: string): string {
    const path = join(this.root, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 20 });
  }
}

export interface Outcome<Report> {
  readonly report: Report;
  /** Exit code of the editor. */
  readonly code: number | null;
}

/**
 * @param task what the script finds as `editor.task`, beside the `command` to start
 * @param args further words for `switchboard`
 */
export async function neovim<Report>(
  desk: Desk,
  script: string,
  task: object,
  options: { readonly args?: readonly string[]; readonly path?: string } = {},
): Promise<Outcome<Report>> {
  const command = [process.execPath, program, "--stdio", ...(options.args ?? [])];
  const reportFile = join(desk.root, "report.json");
  const env = {
    ...process.env,
    ...Object.fromEntries(["CONFIG", "DATA", "STATE", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, desk.folder(kind)])),
    PATH: options.path ?? process.env.PATH,
    EDITOR_TASK: desk.write("task.json", JSON.stringify({ ...task, command })),
    EDITOR_REPORT: reportFile,
    EDITOR_SCRIPTS: scripts,
    EDITOR_SCRIPT: script,
    EDITOR_MARK: desk.mark,
  };
  const words = ["--headless", "-u", "NONE", "-n", "-c", "lua dofile(vim.env.EDITOR_SCRIPTS .. vim.env.EDITOR_SCRIPT)"];
  const editor = spawn("nvim", words, { cwd: desk.root, env });
  let output = "";
  for (const stream of [editor.stdout, editor.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const deadline = setTimeout(() => editor.kill("SIGKILL"), 150_000);
  const code = await new Promise<number | null>((resolve, reject) => {
    editor.on("error", reject);
    editor.on("close", resolve);
  });
  clearTimeout(deadline);
  const report = readJson(reportFile) as (Report & { failed?: string }) | null;
  assert.ok(report !== null, `the editor ended (${code}) without a report: ${output}`);
  assert.equal(report.failed, undefined, `${report.failed}\n${JSON.stringify(report, null, 1)}\n${output}`);
  return { report, code };
}

/**
 * Waits until no process of the desk is left, grandchildren included: they all carry its mark in their environment.
 * @returns the command lines of those that are left after `patience` ms
 */
export async function leftovers(desk: Desk, patience = 5000): Promise<readonly string[]> {
  const end = Date.now() + patience;
  let left = marked(desk.mark);
  while (left.length > 0 && Date.now() < end) {
    await pause(20);
    left = marked(desk.mark);
  }
  return left;
}

/** Only Linux shows the environment of other processes in /proc. */
function marked(mark: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`).includes(mark)) return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
    } catch {
      return []; // it has just ended, or is not ours to look at
    }
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}
