/** The recorded capabilities against the servers installed here: a recording that no longer holds is announced to clients. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters, recorded } from "../../adapters/index.ts";
import { record } from "../backends/record.ts";

for (const adapter of adapters) {
  test(`${adapter.name} announces what its recording says`, async (t) => {
    const kept = recorded(adapter.name);
    assert.ok(kept, `adapters/capabilities/${adapter.name}.json is missing: npm run record ${adapter.name}`);
    const now = await record(adapter);
    if (now === null) {
      t.skip(`${adapter.name} is not installed`);
      return;
    }
    const versions = [kept.serverInfo?.version ?? "unnamed", now.serverInfo?.version ?? "unnamed"];
    if (versions[0] !== versions[1] && !("embedded" in adapter.command)) {
      // Another version may announce other things: this machine then says nothing about the recording. The version of an
      // embedded server is ours to pin.
      t.skip(`recorded from version ${versions[0]}, installed is ${versions[1]}: npm run record ${adapter.name}`);
      return;
    }
    assert.deepEqual(now, kept);
  });
}
