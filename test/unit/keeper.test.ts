/** Indexes of folders on a real disk: what they cover, that they are never out of date, and how they are kept. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { IndexConfig } from "../../server/config/config.ts";
import { TICK_MS } from "../../server/host/listing.ts";
import type { Told } from "../../server/syntax/index/declares.ts";
import { FolderIndex } from "../../server/syntax/index/folder-index.ts";
import { type CandidateQuery, type Indexes, Keeper, type KeeperOptions } from "../../server/syntax/index/keeper.ts";
import { load, placeOf } from "../../server/syntax/index/store.ts";

const rules: IndexConfig = { include: [], exclude: [], maxFileBytes: 1 << 20 };

/** A watch tells within half a second, and where it fails a look every 5 s does, ms. */
const PATIENCE_MS = 20_000;

class Stage {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-keeper-")));
  readonly cache = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-cache-")));
  readonly logged: string[] = [];
  readonly #keepers: Keeper[] = [];
  #changed: () => void = () => {};

  constructor(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.settle();
    t.after(() => {
      for (const keeper of this.#keepers) keeper.close();
      for (const folder of [this.root, this.cache]) rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Until what was written counts as old. */
  settle(): void {
    for (const made = Date.now(); Date.now() < made + 3 * TICK_MS; );
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** A keeper, and its index of the folder. */
  async keeper(options: Partial<KeeperOptions> = {}): Promise<{ keeper: Keeper; index: Indexes }> {
    const keeper = new Keeper({
      rules,
      cacheFolder: this.cache,
      isMarked: () => true,
      log: (_, text) => void this.logged.push(text),
      onChange: () => this.#changed(),
      ...options,
    });
    this.#keepers.push(keeper);
    const index = keeper.of([this.root]);
    await index.ready();
    return { keeper, index };
  }

  /** Names of the files, in order. */
  holding(index: Indexes, name: string, query: CandidateQuery = {}): string {
    const { files } = index.candidates(name, query);
    return files
      .map(({ path, count }) => `${path.slice(this.root.length + 1)}${count > 1 ? `*${count}` : ""}`)
      .sort()
      .join(" ");
  }

  /** Resolves when this is so, which it may be some seconds after the last change. */
  async until(isSo: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve, reject) => {
        this.#changed = resolve;
        const late = new Error(`not so after ${PATIENCE_MS} ms: ${isSo}; ${this.logged.join("; ")}`);
        timer = setTimeout(() => reject(late), end - performance.now());
      });
      clearTimeout(timer);
    }
  }
}

test("links, locked folders, a FIFO and a file of NULs are passed over and counted; none is opened", async (t) => {
  const stage = new Stage(t, { "ok.py": "def found(): pass", "c/x.py": "c", "blob.py": Buffer.alloc(3 << 20) });
  for (const folder of ["a", "b", "locked"]) mkdirSync(stage.path(folder));
  for (const [from, to] of Object.entries({
    "a/up": "..",
    "b/foo": "../c",
    "c/b": "../b",
    self: "self",
    dead: "nowhere",
  }))
    symlinkSync(to, stage.path(from));
  execFileSync("mkfifo", [stage.path("pipe.py")]);
  chmodSync(stage.path("locked"), 0);
  const start = performance.now();
  const { index } = await stage.keeper({ rules: { ...rules, maxFileBytes: 4 << 20 } });
  chmodSync(stage.path("locked"), 0o700);
  assert.equal(stage.holding(index, "found"), "ok.py");
  assert.ok(performance.now() - start < 2000);
  const isRoot = process.getuid?.() === 0;
  assert.deepEqual(index.coverage(), {
    files: 2,
    ignored: 3,
    tooLarge: 0,
    binary: 1,
    undecodable: 0,
    // The loop, the broken link and the FIFO; nothing is locked for root.
    unreadable: isRoot ? 3 : 4,
  });
  assert.ok(
    stage.logged.some((line) => /not indexed as text: 3 ignored, 1 binary/.test(line)),
    stage.logged.join("\n"),
  );
});

test("UTF-16 with a mark and Latin-1 are read, and the latter is counted", async (t) => {
  const utf16 = Buffer.from("\ufeffint größe;", "utf16le");
  const stage = new Stage(t, {
    "le.c": utf16,
    "be.c": Buffer.from(utf16).swap16(),
    "latin.c": Buffer.from("int größe;", "latin1"),
    "bom.c": "\ufeffgröße",
  });
  const { index } = await stage.keeper();
  assert.equal(stage.holding(index, "größe"), "be.c bom.c latin.c le.c");
  assert.equal(index.coverage().undecodable, 1);
});

test("what is left out: by files that say so, by the configuration, by marks, by size", async (t) => {
  const stage = new Stage(t, {
    ".gitignore": "gen/\n*.min.js\n!keep.min.js\n",
    "sub/.gitignore": "/own.js\n",
    ".ignore": "by-tools.js\n",
    "a.js": "x",
    "gen/g.js": "x",
    "lib.min.js": "x",
    "keep.min.js": "x",
    "sub/own.js": "x",
    "sub/sub/own.js": "x",
    "by-tools.js": "x",
    "node_modules/m/i.js": "x",
    "cache/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55",
    "cache/c.js": "x",
    "env/pyvenv.cfg": "",
    "env/lib/p.py": "x",
    ".hidden/h.js": "x",
    "large.js": `x${" ".repeat(2000)}`,
    "excluded/e.js": "x",
    "prose.txt": "x",
    script: "#!/usr/bin/env node\nx",
    LICENSE: "x",
    "data.unknown": "x",
  });
  chmodSync(stage.path("script"), 0o755);
  const small = { ...rules, maxFileBytes: 1000, exclude: ["excluded/"] };
  const { keeper, index } = await stage.keeper({ rules: small, cacheFolder: null });
  assert.equal(stage.holding(index, "x"), ".hidden/h.js a.js keep.min.js script sub/sub/own.js");
  assert.equal(index.coverage().tooLarge, 1);
  const { index: more } = await stage.keeper({
    rules: { ...small, include: ["gen", "node_modules/m/*.js"] },
    cacheFolder: null,
  });
  assert.equal(
    stage.holding(more, "x"),
    ".hidden/h.js a.js gen/g.js keep.min.js node_modules/m/i.js script sub/sub/own.js",
  );
  // Rules that change count at once.
  stage.write(".gitignore", "a.js\n");
  keeper.touch(stage.path(".gitignore"));
  await stage.until(() => stage.holding(index, "x").startsWith(".hidden/h.js gen/g.js") && index.state === "ready");
  assert.equal(stage.holding(index, "x"), ".hidden/h.js gen/g.js keep.min.js lib.min.js script sub/sub/own.js");
});

test("a home folder, what holds it, and a large folder of nobody's are not indexed", async (t) => {
  const stage = new Stage(t, { "a.js": "x", "home/b.js": "x" });
  const { index: home } = await stage.keeper({ home: stage.path("home"), cacheFolder: null });
  assert.deepEqual(home.candidates("x"), { files: [], whole: false });
  assert.equal(home.state, "none");
  const { index: nobodys } = await stage.keeper({
    isMarked: () => false,
    maxEntries: 1,
    cacheFolder: null,
  });
  assert.deepEqual([nobodys.candidates("x").whole, nobodys.state], [false, "none"]);
  assert.equal(stage.logged.filter((line) => /not indexed/.test(line)).length, 2);
  const { index: marked } = await stage.keeper({ maxEntries: 1, cacheFolder: null });
  assert.equal(stage.holding(marked, "x"), "a.js home/b.js");
});

test("names are looked for as each language compares them", async (t) => {
  const stage = new Stage(t, {
    "a.sql": "create table Users",
    "b.go": "type users Users",
    "c.rb": "def empty?; @users; end",
    "d.py": "ﬁnd",
    "e.nim": "proc getUser",
    "f.css": ".a-b { c: d }",
    "g.js": "$x; a - b",
  });
  const { index } = await stage.keeper();
  const holding = stage.holding.bind(stage, index);
  assert.equal(holding("users"), "a.sql b.go c.rb");
  assert.equal(holding("Users"), "a.sql b.go");
  assert.equal(holding("USERS", { match: "ignoreCase" }), "a.sql b.go*2 c.rb");
  assert.equal(holding("USE", { match: "prefix" }), "a.sql");
  assert.equal(holding("use", { match: "prefix" }), "a.sql b.go c.rb");
  assert.equal(holding("empty?"), "c.rb");
  assert.equal(holding("@users"), "a.sql b.go c.rb");
  assert.equal(holding("find"), "d.py");
  assert.equal(holding("ﬁnd"), "d.py");
  assert.equal(holding("get_user"), "e.nim");
  assert.equal(holding("a-b"), "f.css g.js");
  assert.equal(holding("$x"), "g.js");
  assert.equal(holding("users", { languages: ["go", "ruby"] }), "b.go c.rb");
  assert.deepEqual(index.candidates("=="), { files: [], whole: false }, "no name");
  assert.deepEqual(index.candidates("nobody"), { files: [], whole: true });
  assert.deepEqual(index.suggestions("empti", 3), ["empty"]);
});

test("a file that has changed answers as it is, before anything was told", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha beta", "b.go": "alpha" });
  const { index } = await stage.keeper();
  assert.equal(stage.holding(index, "alpha"), "a.go b.go");
  stage.write("a.go", "gamma beta");
  rmSync(stage.path("b.go"));
  assert.equal(stage.holding(index, "alpha"), "");
  // Same size, same time.
  stage.settle();
  stage.holding(index, "beta");
  const { atime, mtime } = statSync(stage.path("a.go"));
  stage.write("a.go", "delta beta");
  utimesSync(stage.path("a.go"), atime, mtime);
  assert.equal(stage.holding(index, "gamma"), "");
  assert.equal(stage.holding(index, "delta"), "a.go");
});

test("what the watch tells is followed: new files, folders, moves, another case", async (t) => {
  const stage = new Stage(t, { "old/a.go": "alpha", "Name.go": "beta" });
  // Not looked through at each question.
  const { index } = await stage.keeper({ smallEntries: 0 });
  stage.write("new/deep/b.go", "alpha");
  await stage.until(() => stage.holding(index, "alpha") === "new/deep/b.go old/a.go");
  renameSync(stage.path("old"), stage.path("moved"));
  await stage.until(() => stage.holding(index, "alpha") === "moved/a.go new/deep/b.go");
  renameSync(stage.path("Name.go"), stage.path("name.go"));
  await stage.until(() => stage.holding(index, "beta") === "name.go");
  rmSync(stage.path("new"), { recursive: true });
  await stage.until(() => stage.holding(index, "alpha") === "moved/a.go");
});

test("a small folder is missed nothing of, though nobody tells; in a large one what moves nearby is found", async (t) => {
  const stage = new Stage(t, { "old/a.go": "alpha", "b.go": "beta" });
  const isTold = (): boolean => true;
  const { index } = await stage.keeper({ isTold, cacheFolder: null });
  stage.write("new/c.go", "gamma");
  stage.write("b.go", "beta delta");
  assert.equal(stage.holding(index, "gamma") + stage.holding(index, "delta"), "new/c.gob.go");
  const { index: large } = await stage.keeper({ isTold, cacheFolder: null, smallEntries: 0 });
  renameSync(stage.path("old"), stage.path("moved"));
  assert.equal(stage.holding(large, "alpha"), "moved/a.go");
  renameSync(stage.path("moved/a.go"), stage.path("moved/A.go"));
  assert.equal(stage.holding(large, "alpha"), "moved/A.go");
  stage.write("late.go", "late");
  assert.equal(stage.holding(large, "late"), "", "which a watch tells");
});

test("what files declare is kept with the index, for the text that was read", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha", "b.go": "beta", "c.md": "gamma" });
  const { keeper, index } = await stage.keeper();
  assert.equal(index.untold, 2, "no grammar reads Markdown");
  const [a, b] = [stage.path("a.go"), stage.path("b.go")];
  const tell = (path: string, what: Told | null): void => {
    for (const one of told) one.tell(path, what);
  };
  const alpha = { declares: Uint32Array.of(1, 2, 2), outline: Uint8Array.of(1, 2, 3) };
  const told = new Set<FolderIndex>();
  const { keeper: second, index: read } = await stage.keeper({ onChange: (one) => void told.add(one) });
  tell(a, alpha);
  tell(b, null);
  assert.deepEqual([second.told(a, "go"), second.told(b, "go")], [alpha, null]);
  assert.equal(read.untold, 0);
  keeper.close();
  second.close();
  const { keeper: third } = await stage.keeper();
  assert.deepEqual([third.told(a, "go"), third.told(b, "go")], [alpha, null]);
  assert.equal(third.told(a, "c"), undefined, "read as another language");
  stage.write("a.go", "alpha2");
  assert.equal(third.told(a, "go"), undefined, "of another text");
  assert.deepEqual(
    third.all.candidates("alpha2").files.map(({ declares }) => declares),
    [undefined],
  );
});

test("names are found by a part of them, in any case", async (t) => {
  const stage = new Stage(t, { "a.go": "ReadAll readLine", "b.py": "unread", "c.go": "write" });
  const { index } = await stage.keeper();
  const containing = (text: string, ...languages: string[]): readonly string[] =>
    index.containing(text, languages).files.map(({ path, count }) => `${path.slice(stage.root.length + 1)}*${count}`);
  assert.deepEqual(containing("read", "go"), ["a.go*2"]);
  assert.deepEqual(containing("READ", "go", "python").toSorted(), ["a.go*2", "b.py*1"]);
  assert.deepEqual(containing("r*d", "go"), [], "no pattern");
  assert.equal(index.files(["go"]).files.length, 2);
});

test("what makes names that are written nowhere is known by language", async (t) => {
  const stage = new Stage(t, { "a.c": "#define M(x) x##y", "b.rs": "#[derive(Clone)] struct A;", "c.go": "// ##" });
  const { keeper, index } = await stage.keeper();
  const makes = (...languages: string[]): boolean => index.makesNames(languages);
  assert.deepEqual([makes("c"), makes("rust"), makes("go"), makes("rust", "c")], [true, false, false, true]);
  keeper.close();
  const { index: again } = await stage.keeper();
  assert.equal(again.makesNames(["c"]), true, "kept");
  stage.write("a.c", "int x;");
  assert.equal(stage.holding(again, "x"), "a.c");
  assert.equal(again.makesNames(["c"]), false);
});

test("what is told during the first walk does not make it go on in one go", (t) => {
  const stage = new Stage(t, { "a/one.go": "alpha", "b/two.go": "beta" });
  const index = new FolderIndex(stage.root, rules, null);
  // The root alone.
  assert.equal(index.step(-1), false);
  stage.write("new.go", "gamma");
  index.touch(stage.path("new.go"));
  assert.equal(index.reads, 1);
  assert.equal(index.step(Number.POSITIVE_INFINITY), true);
  assert.equal(index.reads, 3);
});

test("a kept index is taken up again, and only what has changed is read", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha", "b.go": "beta", "c.go": "gamma" });
  (await stage.keeper()).keeper.close();
  stage.settle();
  const { atime, mtime } = statSync(stage.path("b.go"));
  stage.write("b.go", "tbeb");
  utimesSync(stage.path("b.go"), atime, mtime);
  rmSync(stage.path("c.go"));
  stage.settle();
  const { keeper: second, index: again } = await stage.keeper();
  assert.equal(again.stats.reads, 1, "the same size and time, another content");
  assert.equal(stage.holding(again, "alpha"), "a.go");
  assert.equal(stage.holding(again, "tbeb"), "b.go");
  assert.equal(stage.holding(again, "beta") + stage.holding(again, "gamma"), "");
  second.close();
  const { index: third } = await stage.keeper();
  assert.equal(third.stats.reads, 0);
  assert.deepEqual(readdirSync(join(stage.cache, "names")).length, 1, "no other files are left");
});

test("a kept index in which one bit is wrong, or that ends early, is as good as none", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha" });
  (await stage.keeper()).keeper.close();
  const place = placeOf(stage.cache, stage.root);
  const whole = readFileSync(place);
  assert.ok(load(stage.cache, stage.root));
  for (let at = 0; at < whole.length; at += at < 64 ? 1 : 7) {
    const wrong = Buffer.from(whole);
    wrong[at] = (wrong[at] ?? 0) ^ (1 << (at & 7));
    writeFileSync(place, wrong);
    assert.equal(load(stage.cache, stage.root), null, `byte ${at}`);
  }
  for (let length = 0; length < whole.length; length += 5) {
    writeFileSync(place, whole);
    truncateSync(place, length);
    assert.equal(load(stage.cache, stage.root), null, `${length} bytes`);
  }
  writeFileSync(place, whole);
  appendFileSync(place, "x");
  assert.equal(load(stage.cache, stage.root), null);
  writeFileSync(placeOf(stage.cache, "/elsewhere"), whole);
  assert.equal(load(stage.cache, "/elsewhere"), null, "of another folder");
  const { index } = await stage.keeper();
  assert.equal(stage.holding(index, "alpha"), "a.go");
});

test("a cache that cannot be written is said once and changes nothing else", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha" });
  const full = { write: (): never => assert.fail(Object.assign(new Error("ENOSPC: no space left on device"))) };
  const { keeper, index } = await stage.keeper({ writer: full });
  assert.equal(stage.holding(index, "alpha"), "a.go");
  keeper.close();
  assert.equal(stage.logged.filter((line) => /is not kept: ENOSPC/.test(line)).length, 1);
  writeFileSync(join(stage.cache, "file"), "");
  const { keeper: late, index: other } = await stage.keeper({ cacheFolder: join(stage.cache, "file") });
  assert.equal(stage.holding(other, "alpha"), "a.go");
  late.close();
  assert.ok(stage.logged.some((line) => /is not kept: ENOTDIR/.test(line)));
});

test("what another left behind who died while writing is swept away after a while", async (t) => {
  const stage = new Stage(t, { "a.go": "alpha" });
  const place = placeOf(stage.cache, stage.root);
  mkdirSync(dirname(place));
  for (const name of [".1.old", ".2.new"]) writeFileSync(place + name, "SWB");
  utimesSync(`${place}.1.old`, 0, 0);
  (await stage.keeper()).keeper.close();
  assert.ok(load(stage.cache, stage.root));
  assert.deepEqual(readdirSync(dirname(place)).length, 2);
});
