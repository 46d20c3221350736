/** The parsing thread: what hangs, dies, breaks or grows costs its own file, and what waits behind is served. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Failure } from "../../server/syntax/jobs.ts";
import { Parsing } from "../../server/syntax/parse.ts";

/** A thread that does what its text says, and otherwise answers with an empty outline. */
const thread = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ id, job }) => {
  const { text } = job.subject.source;
  if (text === "hang") for (;;);
  if (text === "exit") process.exit(3);
  if (text === "throw") throw new Error("thrown");
  const heap = text === "grown" ? 1e9 : 1;
  if (text === "broken") return parentPort.postMessage({ id, heap, broken: true, code: "unparsed", message: "memory" });
  parentPort.postMessage({ id, heap, broken: false, answer: { package: [], symbols: [], generic: false } });
});
`;

function parsing(t: TestContext): { run: (text: string) => Promise<string>; parsing: Parsing } {
  const folder = mkdtempSync(join(tmpdir(), "parsing-"));
  const script = join(folder, "thread.cjs");
  writeFileSync(script, thread);
  const subject = new Parsing({ worker: pathToFileURL(script), hangMs: 1000, maxHeap: 1 << 20 });
  t.after(() => {
    subject.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (text: string): Promise<string> =>
    subject.run({ language: "go", source: { text } }, { what: "outline" }).then(
      () => "told",
      (fault: unknown) => (fault instanceof Failure ? fault.code : String(fault)),
    );
  return { run, parsing: subject };
}

for (const [fault, lost] of [
  ["hang", true],
  ["exit", true],
  ["throw", true],
  ["broken", true],
  ["grown", false],
] as const)
  test(`a thread that meets "${fault}" is replaced, and the others are served`, async (t) => {
    const { run, parsing: subject } = parsing(t);
    assert.deepEqual(await Promise.all(["a", fault, "b", "c"].map(run)), [
      "told",
      lost ? "unparsed" : "told",
      "told",
      "told",
    ]);
    assert.deepEqual(subject.counts, { jobs: 4, unparsed: lost ? 1 : 0, threads: 2 });
    assert.equal(subject.load, 0);
  });

test("what somebody looks at goes before what waits", async (t) => {
  const { parsing: subject } = parsing(t);
  const done: string[] = [];
  const run = (text: string, urgent: boolean): Promise<unknown> =>
    subject.run({ language: "go", source: { text } }, { what: "outline" }, urgent).then(() => done.push(text));
  await Promise.all([run("a", false), run("b", false), run("c", false), run("now", true)]);
  assert.deepEqual(done, ["a", "now", "b", "c"]);
});

/** Parses; `SWITCHBOARD_PARSES=20000` for the whole measure. */
const parses = Number(process.env.SWITCHBOARD_PARSES ?? 1100);

/** A function, of both packages of grammars. */
const written: Readonly<Record<string, (name: string) => string>> = {
  go: (name) => `func ${name}(a int) int { b := a; return b }`,
  typescript: (name) => `export function ${name}(a: number): number { const b = a; return b; }`,
  typescriptreact: (name) => `export function ${name}(a: number) { return <p title="b">{a}</p>; }`,
  javascript: (name) => `export function ${name}(a) { const b = a; return b; }`,
  csharp: (name) => `class ${name} { int M(int a) { var b = a; return b; } }`,
  cpp: (name) => `int ${name}(int a) { int b = a; return b; }`,
  php: (name) => `<?php function ${name}(int $a): int { $b = $a; return $b; } ?>`,
  rust: (name) => `fn ${name}(a: u8) -> u8 { let b = a; b }`,
  shellscript: (name) => `${name}() { local b=$1; echo "$b"; }`,
  python: (name) => `def ${name}(a): return a`,
  java: (name) => `class ${name} { int m(int a) { int b = a; return b; } }`,
};

test(`memory stays flat over ${parses} parses in ${Object.keys(written).length} languages`, {
  timeout: 600_000,
}, async (t) => {
  const subject = new Parsing();
  t.after(() => subject.close());
  const texts = Object.entries(written).map(([language, write]) => {
    const lines = Array.from({ length: 50 }, (_, i) => write(`f${i}`));
    return { language, text: lines.join("\n") };
  });
  const parse = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i++) {
      const { language, text } = texts[i % texts.length] ?? assert.fail();
      const { symbols } = await subject.run({ language, source: { text } }, { what: "outline" });
      assert.equal(symbols.length, 50, language);
    }
    return process.memoryUsage.rss() / (1 << 20);
  };
  const early = await parse(Math.floor(parses / 3));
  const late = await parse(parses - Math.floor(parses / 3));
  t.diagnostic(`${early.toFixed(0)} MB after a third, ${late.toFixed(0)} MB at the end`);
  assert.ok(late - early < 48, `${early.toFixed(1)} MB, then ${late.toFixed(1)} MB`);
  assert.equal(subject.counts.threads, 1);
});
