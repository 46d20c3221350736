/** What the real machine's ports keep, and when they look again. */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { builtIn } from "../../server/config/config.ts";
import type { FileEvent, Survey } from "../../server/core/ports.ts";
import { uriOfPath } from "../../server/core/uris.ts";
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
