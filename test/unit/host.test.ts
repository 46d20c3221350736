/** What the real machine's ports keep, and when they look again. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { builtIn } from "../../server/config/config.ts";
import { uriOfPath } from "../../server/core/documents/uris.ts";
import type { BackendId, FileEvent, Survey } from "../../server/core/ports.ts";
import { Host } from "../../server/host/host.ts";

test("which kinds of files a folder holds is known for a while, and anew once the watch sees a new one", async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-host-")));
  const uri = uriOfPath(root);
  writeFileSync(join(root, "a.x"), "");
  const host = new Host({ log: () => {}, limits: builtIn.limits, onClose: () => {} });
  const endings = async (): Promise<readonly string[]> =>
    [...(await new Promise<Survey>((done) => host.survey(uri, done))).extensions].toSorted();
  assert.deepEqual(await endings(), [".x"]);
  let told: (events: readonly FileEvent[]) => void = () => {};
  const watch = host.watch(uri, true, { on: (events) => told(events), trouble: () => {} });
  t.after(() => {
    watch.cancel();
    rmSync(root, { recursive: true });
  });
  const seen = new Promise<void>((resolve) => {
    told = (events) => events.some((event) => event.uri.endsWith(".y")) && resolve();
  });
  assert.deepEqual(await endings(), [".x"], "not walked for each question");
  watch.begin();
  // A file that is made while the watch's first look is under way is part of what it begins with: one of these comes later.
  let made = 0;
  const making = setInterval(() => writeFileSync(join(root, `b${made++}.y`), ""), 20);
  t.after(() => clearInterval(making));
  await seen;
  assert.deepEqual(await endings(), [".x", ".y"]);
});

test("what a start has for itself is free again when its process has ended", async (t) => {
  const cache = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-host-")));
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = cache;
  t.after(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
    rmSync(cache, { recursive: true });
  });
  const host = new Host({ log: () => {}, limits: builtIn.limits, onClose: () => {} });
  const id = 1 as BackendId;
  const folder = host.site(id, process.env).folder("x", "/w");
  assert.ok(folder.startsWith(cache));
  // It ends with its input.
  const command = [process.execPath, "-e", "process.stdin.resume()"];
  host.spawn(id, { name: "one", command, cwd: cache, inherited: process.env, env: {} });
  const other = host.site(2 as BackendId, process.env);
  assert.notEqual(other.folder("x", "/w"), folder);
  host.kill(id, "force");
  while (existsSync(`${folder}.holder`)) await pause(10);
  assert.equal(host.site(3 as BackendId, process.env).folder("x", "/w"), folder);
});
