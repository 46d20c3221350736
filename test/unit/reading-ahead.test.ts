/** What is read ahead of files, and what questions then need not read: on a real disk, with the real parser. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { candidatesFor } from "../../server/syntax/files.ts";
import { Catalogue } from "../../server/syntax/index/catalogue.ts";
import { Keeper } from "../../server/syntax/index/keeper.ts";
import { ReadingAhead } from "../../server/syntax/index/reading-ahead.ts";
import { mentionsIn } from "../../server/syntax/mentions.ts";
import { Parsing } from "../../server/syntax/parse.ts";
import type { CandidatesQuestion, MentionsQuestion } from "../../server/syntax/questions.ts";
import { declaredIn, fitter } from "../../server/syntax/requests.ts";
import { searched } from "../../server/syntax/search.ts";
import { Texts } from "../../server/syntax/texts.ts";
import { planted } from "../planted.ts";

const files = {
  "a.go": "package a\nfunc run() { run(); run(); run() } // run\n",
  "b.go": 'package a\nvar b = run(run(), "run")\n',
  "c.go": "package c\nfunc run() {}\n",
  "run.md": "run",
};

function stage(t: TestContext) {
  const tree = planted(files);
  const { uri: folder } = tree;
  const parsing = new Parsing();
  const ahead = new ReadingAhead(parsing);
  const keeper = new Keeper({
    ...{ rules: { include: [], exclude: [], maxFileBytes: 1 << 20 }, cacheFolder: null, home: "/nobody" },
    ...{ isMarked: () => true, isTold: () => true, log: () => {}, onChange: (index) => ahead.add(index) },
  });
  // An idle thread keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  t.after(() => {
    clearInterval(alive);
    ahead.close();
    keeper.close();
    parsing.close();
    tree.remove();
  });
  const names = (uris: readonly string[]): string => uris.map((uri) => uri.slice(folder.length + 1)).join(" ");
  const candidates = async (more: Partial<CandidatesQuestion>): Promise<string> => {
    const { uris, whole, silent } = await candidatesFor(keeper, {
      ...{ folders: [folder], name: "run", match: "exact", languages: ["go"], served: [], path: null },
      ...{ limit: 10, waitMs: 10_000, ...more },
    });
    return `${names(uris)}; ${silent} silent${whole ? "" : ", not whole"}`;
  };
  const texts = new Texts(parsing, keeper);
  const search = async (query: string): Promise<string> => {
    const { matches, total, left, whole } = await searched(new Catalogue(texts), keeper, {
      ...{ folders: [{ key: folder, uri: folder }], byIndex: true, files: [], languages: ["go"], in: [], path: null },
      ...{ query, kinds: null, namespace: "", access: null, sourceOnly: true, sortBy: "score", descending: true },
      ...{ skip: 0, take: 10, timeoutMs: 10_000 },
    });
    assert.deepEqual([total, left, whole], [matches.length, 0, true]);
    return matches.map(({ qualifiedName, uri, line }) => `${qualifiedName} ${names([uri])}:${line}`).join(", ");
  };
  const declared = async (path: string, name: string): Promise<string> => {
    const file = { uri: tree.uriOf(path), language: "go" };
    const { found } = await declaredIn(texts, [file], fitter(name, "exact"), performance.now() + 10_000);
    return found.map(({ name, containers, detail }) => [...containers, name, detail].join(" ")).join(", ");
  };
  const mentions = async (more: Partial<MentionsQuestion>): Promise<string> => {
    const { total, fileCount, used, failed, left } = await mentionsIn(texts, keeper, {
      ...{ folders: [{ key: folder, uri: folder }], files: [], name: "run", languages: ["go"], in: [] },
      ...{ declarations: false, limit: 10, perFile: 5, timeoutMs: 10_000, ...more },
    });
    assert.deepEqual([failed, left], [0, 0]);
    const told = used.map(({ uri, hits }) => `${names([uri])}*${hits}`).join(" ");
    return `${total} in ${fileCount}: ${told}`;
  };
  return { tree, parsing, ahead, keeper, candidates, mentions, search, declared };
}

test("an index in the making gives what it has, and says that it is not all", async (t) => {
  const { candidates, keeper, tree } = stage(t);
  const index = keeper.of([tree.root]);
  const { files: known, whole } = index.candidates("run");
  assert.deepEqual([known.length, whole, index.state], [0, false, "indexing"]);
  assert.equal(await candidates({}), "a.go b.go c.go; 0 silent");
  assert.equal(index.state, "ready");
});

test("files that only use a name are left out once they are read, but for servers that may know more", async (t) => {
  const { ahead, candidates } = stage(t);
  await candidates({});
  await ahead.settled();
  assert.equal(await candidates({}), "a.go c.go; 1 silent");
  assert.equal(await candidates({ path: "c.go" }), "c.go a.go; 1 silent");
  assert.equal(await candidates({ served: ["go"] }), "a.go c.go b.go; 0 silent");
  assert.equal(await candidates({ limit: 2, served: ["go"] }), "a.go c.go; 1 silent");
  assert.equal(await candidates({ limit: 1 }), "a.go; 1 silent, not whole");
  assert.equal(await candidates({ match: "ignoreCase", name: "RUN" }), "a.go b.go c.go; 0 silent");
  assert.equal(await candidates({ name: null }), "a.go b.go c.go; 0 silent");
});

test("a file that changes is read anew", async (t) => {
  const { ahead, candidates, tree } = stage(t);
  await candidates({});
  await ahead.settled();
  tree.write("b.go", "package a\nfunc run() {}\n");
  assert.equal(await candidates({}), "a.go b.go c.go; 0 silent");
  tree.write("a.go", "package a\nvar a = run()\n");
  await candidates({});
  await new Promise((resolve) => setImmediate(resolve));
  await ahead.settled();
  assert.equal(await candidates({}), "b.go c.go; 1 silent");
});

test("mentions are the same, read or read ahead; then only the files that are told are read", async (t) => {
  const { ahead, candidates, mentions, parsing, tree } = stage(t);
  assert.equal(await mentions({}), "5 in 2: a.go*3 b.go*2");
  await candidates({});
  await ahead.settled();
  const { jobs } = parsing.counts;
  assert.equal(await mentions({}), "5 in 2: a.go*3 b.go*2");
  assert.equal(await mentions({ limit: 1 }), "5 in 2: a.go*3");
  assert.equal(await mentions({ limit: 0 }), "5 in 2: ");
  assert.equal(await mentions({ declarations: true }), "7 in 3: a.go*4 b.go*2 c.go*1");
  assert.equal(await mentions({ in: ["!a.go"] }), "2 in 1: b.go*2");
  assert.equal(parsing.counts.jobs, jobs, "all of it was known");
  // What the client has open counts as it is there.
  const open = { uri: tree.uriOf("a.go"), language: "go", text: "package a\nvar x = run()\n" };
  assert.equal(await mentions({ files: [open] }), "3 in 2: b.go*2 a.go*1");
});

test("a search reads what nobody has read; then nobody has to, until a file changes", async (t) => {
  const { ahead, candidates, declared, parsing, search, tree } = stage(t);
  assert.equal(await search("RUN"), "a.run a.go:1, c.run c.go:1");
  await candidates({});
  await ahead.settled();
  const { jobs } = parsing.counts;
  assert.equal(await declared("a.go", "run"), "a run ()");
  assert.equal(await search("r?n"), "a.run a.go:1, c.run c.go:1");
  assert.equal(parsing.counts.jobs, jobs, "all of it was known");
  tree.write("c.go", "package c\n\nfunc ran() {}\n");
  assert.equal(await declared("c.go", "run"), "");
  assert.equal(await declared("c.go", "ran"), "c ran ()");
  assert.equal(await search("r?n"), "a.run a.go:1, c.ran c.go:2");
});

test("what is under way or waits when the parsing ends fails, and so does what is asked for later: no thread is started", async () => {
  const parsing = new Parsing();
  const ask = () => parsing.run({ language: "go", source: { text: "package a\n" } }, { what: "outline" });
  const asked = [ask(), ask()];
  parsing.close();
  for (const one of [...asked, ask()]) await assert.rejects(one, /the backend ends/);
  assert.deepEqual([parsing.counts.threads, parsing.load], [1, 0]);
});
