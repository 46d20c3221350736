/** Memory stays flat: nothing of a message that has been passed on is kept. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { posix, Stage } from "./stage.ts";

const at = { line: 0, character: 0 };
/** Asked together, so that pipes are used as they are by a busy client. */
const TOGETHER = 200;

/** Resident memory of a process, bytes. */
function residentOf(pid: number | undefined): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(stdout) * 1024;
}

const canned = { "textDocument/hover": '{"contents":"canned"}', "textDocument/didChange": "", "$/cancelRequest": "" };
/** A heap with little room: left to itself V8 takes some 40 MB more in any busy process, which looks like a leak. */
const env = { NODE_OPTIONS: "--max-semi-space-size=2 --max-old-space-size=32" };

test("80,000 more messages cost no memory", posix, async (t) => {
  const stage = await Stage.open(t, {
    fake1: {
      started: (fake) => {
        for (const [method, result] of Object.entries(canned)) fake.order({ do: "canned", method, result });
      },
    },
  });
  const client = stage.client({ env });
  await client.initialize([stage.folder]);
  const textDocument = { uri: stage.uriOf("a.x") };
  client.open(textDocument.uri, "x", "text\n");
  const hover = { textDocument, position: { line: 1, character: 0 } };
  await client.request("textDocument/hover", hover);

  let messages = 0;
  let version = 1;
  /** A question, now and then cancelled, or after an edit that the next one takes back. */
  const exchange = async (_: unknown, i: number): Promise<void> => {
    if (i % 4 === 0) {
      version += 1;
      const range = { start: at, end: { line: 0, character: version % 2 } };
      const contentChanges = [{ range, text: version % 2 === 0 ? "x" : "" }];
      client.notify("textDocument/didChange", { textDocument: { ...textDocument, version }, contentChanges });
      messages += 1;
    }
    const { id, answer } = client.ask("textDocument/hover", hover);
    if (i % 10 === 1) client.notify("$/cancelRequest", { id });
    messages += 2;
    await answer.catch((error: Error) => assert.match(error.message, /-32800/));
  };
  const run = async (until: number): Promise<number> => {
    while (messages < until) await Promise.all(Array.from({ length: TOGETHER }, exchange));
    return residentOf(client.process.pid);
  };
  const early = await run(20_000);
  const late = await run(100_000);
  const grown = (late - early) / 1e6;
  t.diagnostic(`${(early / 1e6).toFixed(1)} MB after 20,000 messages, ${grown.toFixed(1)} MB more after 100,000`);
  assert.ok(early > 10e6, "measured at all");
  assert.ok(grown < 20, `${grown} MB`);
});
