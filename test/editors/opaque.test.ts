/**
 * Opaque `data` through a real headless Neovim, which parses JSON into Lua tables and writes it anew: 2^60 becomes a
 * float, keys change their order, null vanishes, more than 1,000 levels are an error. A backend gets its own bytes back.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Desk, leftovers, neovim, noNeovim } from "./neovim.ts";

const backend = fileURLToPath(new URL("./opaque-backend.js", import.meta.url));

/** JSON texts of `data`; null stands for an item without any. */
type Data = readonly (string | null)[];

const hostile: Data = [
  "1152921504606846976",
  "-9223372036854775808",
  "1.0",
  "1e400",
  "-0.0",
  "0.1000000000000000055511151231257827",
  "{}",
  "[]",
  "[[],{}]",
  "null",
  '{"a":null,"b":[null]}',
  null,
  '{"a":1,"a":2}',
  '{"b":1,"a":{"data":{"data":1.0}}}',
  `${"[".repeat(2000)}${"]".repeat(2000)}`,
  `${'{"data":'.repeat(2000)}0${"}".repeat(2000)}`,
  '{ "a" : 1 ,\n\t"b": [ ] }',
  '"\\ud800\\u0000\\/ \\u00e9 é 😀"',
  '"sb1:1:1:not ours"',
  "true",
  '"plain"',
  '{"uri":"file:///a.lua","n":7}',
];

interface Report {
  readonly exit: { readonly code: number; readonly signal: number };
  readonly resolved: readonly { readonly file: string; readonly label: string; readonly detail: string }[];
}

const files = { lua: "one.lua", ruby: "two.rb" } as const;

/**
 * Runs the editor on one file a language, each with a backend of its own.
 * @param late whether items are sent back only after all files were completed in
 */
async function play(languages: Partial<Record<keyof typeof files, Data>>, late = false): Promise<void> {
  const desk = new Desk();
  try {
    const root = desk.folder("workspace");
    const config: string[] = [];
    const played = Object.entries(languages) as readonly [keyof typeof files, Data][];
    for (const [language, data] of played) {
      desk.write(join("workspace", files[language]), "x\n");
      const dataFile = desk.write(`${language}.json`, JSON.stringify(data));
      const command = [process.execPath, backend, dataFile, desk.write(`${language}.kept`, "")];
      config.push(`[backends.own-${language}]`, `command = ${JSON.stringify(command)}`, `languages = ["${language}"]`);
    }
    const task = { root, late, files: played.map(([language]) => ({ path: join(root, files[language]) })) };
    const args = ["--config", desk.write("config.toml", config.join("\n"))];
    const { report, code } = await neovim<Report>(desk, "opaque.lua", task, { args });
    assert.equal(code, 0);
    assert.deepEqual(report.exit, { code: 0, signal: 0 }, "switchboard ended well");
    for (const [language, data] of played) {
      const resolved = report.resolved.filter(({ file }) => file === files[language]);
      assert.equal(resolved.length, data.length);
      for (const { detail } of resolved) assert.equal(detail, "by this backend");
      const kept = readFileSync(join(desk.root, `${language}.kept`), "utf8")
        .split("\0")
        .slice(0, -1);
      assert.deepEqual(new Map(kept.map(dataIn)), new Map(data.map((text, i) => [`item ${i}`, text])));
    }
    if (process.platform === "linux") assert.deepEqual(await leftovers(desk), []);
  } finally {
    desk.remove();
  }
}

/** The label of an item that came back, and the bytes of its `data`: the outermost value under that key, or null. */
function dataIn(frame: string): readonly [label: string, data: string | null] {
  const label = /"label":"(item \d+)"/.exec(frame)?.[1] ?? frame;
  const key = frame.indexOf('"data":');
  if (key < 0) return [label, null];
  const start = key + '"data":'.length;
  let depth = 0;
  let at = start;
  for (; at < frame.length; at += 1) {
    const c = frame[at] ?? "";
    if (c === '"') at += (/^"(?:[^"\\]|\\.)*"/s.exec(frame.slice(at))?.[0].length ?? 1) - 1;
    else if ("[{".includes(c)) depth += 1;
    else if (depth === 0 && ",}".includes(c)) break;
    else if ("]}".includes(c)) depth -= 1;
  }
  return [label, frame.slice(start, at)];
}

const limits = { skip: noNeovim, timeout: 120_000 };

test("two backends: each gets the bytes it gave", limits, () => play({ lua: hostile, ruby: hostile }));

test("one backend: it gets the bytes it gave", limits, () => play({ lua: hostile }));

test("what was given while there was one backend finds it when there are two", limits, () =>
  play({ lua: ['{"n":1}'], ruby: ['{"n":2}', null] }, true),
);
