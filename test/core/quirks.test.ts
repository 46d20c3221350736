/**
 * Every quirk of every adapter has a conversation, `test/transcripts/quirks/<id>.lspt`, that goes as written with the quirk
 * and does NOT with the quirk taken out of its adapter. To write one (format: `sim/transcript.ts`):
 *
 * - The scene gives a backend `"quirks": "<adapter>"`: it is a plain fake server (language `x`, files `*.x`) that has all
 *   quirks of that adapter. `version` is what its `serverInfo` says, for quirks of some versions only.
 * - `A > request`, `one < what the server is to get`, `one > its faulty answer`, `A < what the client is to get`. What the
 *   quirk asks beside it are frames of the lane `one` as well; `@a` takes up an id of ours.
 * - Two adapters whose quirks share an id but not the code: `<id>.<adapter>.lspt` for each.
 *
 * `SWITCHBOARD_TRANSCRIPT=<id>` prints how it really went.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { adapterOf, adapters } from "../../adapters/index.ts";
import { adaptersIn, play } from "../sim/transcript.ts";

const home = new URL("../../../test/transcripts/quirks/", import.meta.url);

const transcripts = readdirSync(home)
  .filter((file) => file.endsWith(".lspt"))
  .map((file) => {
    const source = readFileSync(new URL(file, home), "utf8");
    const [id = ""] = file.split(".");
    return { file, id, source, adapters: adaptersIn(source) };
  });

test("every quirk has a conversation, and every conversation its quirk", () => {
  const played = new Set(
    transcripts.flatMap(({ id, adapters: names }) =>
      names.flatMap((name) => adapterOf(name)?.quirks.find((quirk) => quirk.id === id) ?? []),
    ),
  );
  const missing = adapters.flatMap(({ name, quirks }) =>
    quirks.filter((quirk) => !played.has(quirk)).map(({ id }) => `${name}: ${id}`),
  );
  assert.deepEqual(missing, []);
  for (const { file, id, adapters: names } of transcripts)
    assert.ok(
      names.some((name) => adapterOf(name)?.quirks.some((quirk) => quirk.id === id)),
      `${file}: no backend of its scene has a quirk ${id}`,
    );
});

for (const { file, id, source } of transcripts)
  test(`${file.slice(0, -".lspt".length)}: right with the quirk, wrong without`, () => {
    const { faults, text } = play(source);
    if (process.env.SWITCHBOARD_TRANSCRIPT === id) process.stdout.write(`${text}\n`);
    assert.equal(faults.join("\n"), "");
    assert.notDeepEqual(play(source, id).faults, []);
  });
