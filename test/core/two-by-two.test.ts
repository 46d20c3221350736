/**
 * Conversations of one or two clients with two or three backends, written down in `test/transcripts/*.lspt` (format:
 * `sim/transcript.ts`): each is played on the core and must go just so. `SWITCHBOARD_TRANSCRIPT=name` prints how one really
 * went.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { play } from "../sim/transcript.ts";

const home = new URL("../../../test/transcripts/", import.meta.url);

for (const file of readdirSync(home)) {
  if (!file.endsWith(".lspt")) continue;
  test(file.slice(0, -".lspt".length).replaceAll("-", " "), () => {
    const { faults, text } = play(readFileSync(new URL(file, home), "utf8"));
    if (process.env.SWITCHBOARD_TRANSCRIPT === file.slice(0, -".lspt".length)) process.stdout.write(`${text}\n`);
    assert.equal(faults.join("\n"), "");
  });
}
