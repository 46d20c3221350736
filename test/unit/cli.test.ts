/** What the commands that take a name make of answers: exit codes and words; and which folder they are about. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Options } from "../../server/cli/args.ts";
import { askByName, failed, printingOf, verdict } from "../../server/cli/named.ts";
import { rootOf } from "../../server/cli/root.ts";
import { errors } from "../../server/protocol/errors.ts";
import type { SymbolByNameResult } from "../../server/protocol/extensions.ts";

const options: Options = {
  in: [],
  kind: [],
  lang: [],
  json: false,
  noBackends: false,
  config: [],
  columnUnit: "utf16",
  quiet: false,
  apply: false,
  sarif: false,
};

/** What a function writes to stderr, and what it returns. */
function heard<T>(run: () => T): { said: string; value: T } {
  const write = process.stderr.write;
  let said = "";
  process.stderr.write = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
  try {
    return { value: run(), said };
  } finally {
    process.stderr.write = write;
  }
}

function temporary(run: (root: string) => void): void {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "cli-")));
  try {
    run(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const none: SymbolByNameResult = {
  matches: [],
  total: 0,
  truncated: false,
  complete: true,
  absence: "text",
  coverage: {
    files: 0,
    ignored: 0,
    tooLarge: 0,
    binary: 0,
    undecodable: 0,
    unreadable: 0,
    unparsed: 0,
    asOf: "2026-01-01T00:00:00.000Z",
  },
  sources: [],
};

test("found, absent and unfinished are told apart by exit code, and said in one line", () => {
  const indexing = { backend: "gopls", language: "go", state: "indexing" as const, ms: 1 };
  const rows: readonly (readonly [result: Partial<SymbolByNameResult>, code: number, said: RegExp])[] = [
    [{ total: 2 }, 0, /^switchboard: 0 of 2 are shown, see --limit\n$/],
    [{ total: 2, complete: false, sources: [indexing] }, 0, /^switchboard: there may be more: gopls is indexing\n$/],
    [{ total: 2, complete: false, truncated: true }, 0, /the list is cut, see --limit/],
    [{}, 1, /Nothing is named "x": it is written nowhere in these files\n$/],
    [{ absence: "semantic", suggestions: ["a", "b", "c", "d"] }, 1, /declare nothing that fits; near it: a, b, c\n$/],
    [{ complete: false, absence: "unknown", sources: [indexing] }, 4, /"x" was not found, but gopls is indexing\n$/],
    [{ complete: false, absence: "text", sources: [{ ...indexing, state: "failed" }] }, 4, /gopls is not working/],
    [{ complete: false, coverage: { ...none.coverage, unparsed: 1 } }, 4, /but one file that holds the name was not/],
    [{ complete: false, sources: [{ ...indexing, state: "missing" }] }, 4, /not every file could be searched/],
  ];
  for (const [result, code, words] of rows) {
    const { said, value } = heard(() => verdict("x", { ...none, ...result }, options));
    assert.equal(value, code, JSON.stringify(result));
    assert.match(said, words);
    assert.equal(heard(() => verdict("x", { ...none, ...result }, { ...options, quiet: true })).said, "");
  }
});

test("errors have the exit codes of the contract; candidates are listed with their hints", () => {
  const printing = { ...printingOf(options), cwd: "/w" };
  const location = {
    uri: pathToFileURL("/w/kv/kv.go").href,
    range: { start: { line: 4, character: 0 }, end: { line: 4, character: 9 } },
    selectionRange: { start: { line: 4, character: 22 }, end: { line: 4, character: 25 } },
  };
  const candidate = { qualifiedName: "kv.Store.Get", kindName: "method" as const, location, hint: "Store.Get" };
  const ambiguous = heard(() => failed(errors.ambiguous("Get", [candidate, candidate]), printing));
  assert.equal(ambiguous.value, 3);
  assert.match(ambiguous.said, /kv\.go:5:23: \[Method\] kv\.Store\.Get {2}Store\.Get\n/);
  const absent = heard(() => failed(errors.notFound("x", [], "text"), printing));
  assert.equal(absent.value, 1);
  assert.match(absent.said, /nowhere in these files/);
  assert.equal(heard(() => failed(errors.notReady("x", [], 1000), printing)).value, 4);
  assert.equal(heard(() => failed(errors.overLimit("$/symbolByName"), printing)).value, 4);
  assert.equal(heard(() => failed(errors.noBackend(["ruby"], []), printing)).value, 2);
  const wrong = heard(() => failed(errors.invalidParams("`name` is no address.", 2), printing));
  assert.deepEqual([wrong.value, wrong.said], [2, "switchboard: `name` is no address (at character 3)\n"]);
});

test("options become params", async () => {
  const asked: unknown[] = [];
  const session = {
    root: "/w",
    request: async (_method: string, params: unknown) => {
      asked.push(params);
      return { result: none };
    },
  };
  const given = { ...options, in: ["*.go"], kind: ["Method", "type", "5"], lang: ["go"], limit: 3, path: "kv" };
  await askByName(session, { ...given, wait: 2.5 }, { name: "x" });
  await askByName(session, { ...options, wait: 0 }, { name: "x", unique: true });
  assert.deepEqual(asked, [
    {
      path: "kv",
      in: ["*.go"],
      kinds: ["method", "type", "class"],
      languages: ["go"],
      limit: 3,
      timeoutMs: 2500,
      name: "x",
    },
    { wait: "none", name: "x", unique: true },
  ]);
  const reply = await askByName(session, { ...options, kind: ["klass"] }, { name: "x" });
  assert.ok("error" in reply && reply.error.code === -32602);
  assert.equal(asked.length, 2);
});

test("the root is what was named, else the nearest folder with a marker, else the working folder", () =>
  temporary((root) => {
    const deep = join(root, "a", "b", "c");
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(root, "file"), "");
    assert.equal(rootOf("a", root), join(root, "a"));
    assert.equal(rootOf("no", root), null);
    assert.equal(rootOf("file", root), null);
    writeFileSync(join(root, "a", "go.mod"), "");
    assert.equal(rootOf(undefined, deep), join(root, "a"));
    mkdirSync(join(root, "a", "b", ".git"));
    assert.equal(rootOf(undefined, deep), join(root, "a", "b"));
  }));

test("columns count in the unit asked for, from the line as it is on disk", () =>
  temporary((root) => {
    const file = join(root, "a.ts");
    writeFileSync(file, "\ufeffone\r\ntwo\n");
    const printing = printingOf({ ...options, columnUnit: "bytes" });
    const uri = pathToFileURL(file).href;
    assert.deepEqual(
      [0, 1, 9].map((line) => printing.lineOf(uri, line)),
      ["one", "two", undefined],
    );
    assert.equal(printing.lineOf(pathToFileURL(join(root, "no")).href, 0), undefined);
    assert.equal(printing.lineOf("untitled:1", 0), undefined);
  }));
