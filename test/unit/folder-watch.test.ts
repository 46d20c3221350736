/** The watch of a folder on a real disk: nothing that happens to a file is lost, whatever the watcher does not tell. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathOf } from "../../server/core/documents/uris.ts";
import type { FileEvent, WatchTrouble } from "../../server/core/ports.ts";
import { TICK_MS } from "../../server/host/listing.ts";
import { FolderWatch, type Seen, type WatchOptions } from "../../server/host/watch.ts";

/** What has not come by then does not come. */
const PATIENCE_MS = 60_000;

type Batch = (fault: Error | null, events: readonly Seen[]) => void;

/** A folder, and all that was told of it. */
class Stage {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-watch-")));
  /** "path type", of files. */
  readonly told: string[] = [];
  readonly troubles: WatchTrouble[] = [];
  readonly #logged: string[] = [];
  readonly #watches: FolderWatch[] = [];
  #changed: () => void = () => {};

  constructor(t: TestContext, files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.settle();
    t.after(() => {
      for (const watch of this.#watches) watch.cancel();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  /** Until what was written counts as old: a file as old as a look may have changed since, and is told once more. */
  settle(): void {
    for (const made = Date.now(); Date.now() < made + 2 * TICK_MS; );
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  watch(options: Partial<WatchOptions> = {}): FolderWatch {
    const watch = new FolderWatch(this.root, {
      on: (events) => this.#on(events),
      trouble: (what) => this.troubles.push(what),
      log: (_, text) => {
        this.#logged.push(text);
        this.#changed();
      },
      marked: true,
      ...options,
    });
    this.#watches.push(watch);
    return watch;
  }

  /** Resolves when all of this was told, and a line logged; fails with what was told instead. */
  async until(told: readonly string[], logged?: RegExp): Promise<void> {
    const isSo = (): boolean =>
      told.every((one) => this.told.includes(one)) && (!logged || this.#logged.some((line) => logged.test(line)));
    const end = AbortSignal.timeout(PATIENCE_MS);
    while (!isSo())
      await new Promise<void>((resolve, reject) => {
        this.#changed = resolve;
        const fail = (): void =>
          reject(new Error(`wanted ${told} ${logged}, saw ${this.told}\n${this.#logged.join("\n")}`));
        if (end.aborted) fail();
        end.onabort = fail;
      });
  }

  /** Resolves when the first look at the folder is over. */
  async looked(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.looked));
  }

  #on(events: readonly FileEvent[]): void {
    for (const { uri, type } of events) this.told.push(`${(pathOf(uri) ?? "").slice(this.root.length + 1)} ${type}`);
    this.#changed();
  }
}

test("what happens between the question for a watch and its beginning is told after it", async (t) => {
  const stage = new Stage(t, { "changed.x": "1", "gone.x": "1", "same.x": "1" });
  const watch = stage.watch();
  // Told from the first look on; the watcher is not loaded yet.
  await stage.looked();
  stage.write("changed.x", "2");
  stage.write("new.x", "1");
  rmSync(join(stage.root, "gone.x"));
  watch.begin();
  await stage.until(["changed.x 2", "gone.x 3", "new.x 1"]);
  assert.equal(stage.told.length, 3);
  stage.write("same.x", "2");
  await stage.until(["same.x 2"]);
  assert.deepEqual(stage.troubles, []);
});

test("what is written before the first look has begun is told too", async (t) => {
  const stage = new Stage(t, { "changed.x": "1" });
  const watch = stage.watch();
  stage.write("new.x", "1");
  stage.write("changed.x", "2");
  // The first look waits for its turn, and then finds files that are old.
  for (const written = Date.now(); Date.now() < written + 3 * TICK_MS; );
  watch.begin();
  await stage.until(["changed.x 2", "new.x 1"]);
  assert.equal(stage.told.length, 2);
});

test("a folder that cannot be watched is looked through again and again, and that is said", async (t) => {
  const stage = new Stage(t, { "a.x": "1" });
  const subscribe = async (): Promise<never> => {
    throw new Error("inotify_add_watch on '/w' failed: No space left on device");
  };
  stage.watch({ subscribe, pollMs: 10 }).begin();
  await stage.until(
    [],
    /cannot be watched: .*No space left on device; it is looked through every \d+ s \(a look takes/,
  );
  stage.write("a.x", "2");
  await stage.until(["a.x 2"]);
  mkdirSync(join(stage.root, "b"));
  stage.write("b/c.x", "1");
  await stage.until(["b/c.x 1"]);
  rmSync(join(stage.root, "b"), { recursive: true });
  await stage.until(["b/c.x 3"]);
  assert.deepEqual(stage.troubles, ["polled"]);
  assert.equal(stage.told.filter((one) => one === "b/c.x 1").length, 1, "once");
});

test("a watcher that fails is begun anew, what it lost is found; one that fails on is given up", async (t) => {
  const stage = new Stage(t, { "a.x": "1" });
  const { subscribe, batches } = deaf();
  stage.watch({ subscribe, pollMs: 10 }).begin();
  await stage.until([], /is being watched/);
  stage.write("lost.x", "1");
  batches[0]?.(new Error("Buffer overflow. Some events may have been lost."), []);
  await stage.until(["lost.x 1"], /overflow.*it is looked through/);
  assert.equal(batches.length, 2);
  assert.deepEqual(stage.troubles, ["rescanned"]);
  batches[1]?.(new Error("no more"), []);
  stage.write("b.x", "1");
  batches[1]?.(new Error("no more"), []);
  await stage.until(["b.x 1"], /cannot be watched: no more/);
  assert.deepEqual(stage.troubles, ["rescanned", "rescanned", "polled"]);
});

test("after a burst of events the folder is looked through for what the system's queue did not hold", async (t) => {
  const stage = new Stage(t, { "a.x": "1" });
  const { subscribe, batches } = deaf();
  stage.watch({ subscribe }).begin();
  await stage.until([], /is being watched/);
  stage.write("lost.x", "1");
  stage.write("told.x", "1");
  stage.settle();
  const told: Seen = { path: join(stage.root, "told.x"), type: "create" };
  const others = Array.from({ length: 999 }, (_, i): Seen => ({ path: `/elsewhere/${i}`, type: "update" }));
  batches[0]?.(null, [told, ...others]);
  await stage.until(["lost.x 1", "told.x 1"]);
  assert.equal(stage.told.filter((one) => one.startsWith("told.x")).length, 1);
  assert.deepEqual(stage.troubles, ["rescanned"]);
});

test("files in folders that are made all at once are told, and so are later ones", async (t) => {
  const stage = new Stage(t, {});
  stage.watch().begin();
  await stage.until([], /is being watched/);
  mkdirSync(join(stage.root, "a/b/c"), { recursive: true });
  stage.write("a/b/c/d.x", "1");
  await stage.until(["a/b/c/d.x 1"]);
  stage.write("a/b/c/e.x", "1");
  await stage.until(["a/b/c/e.x 1"]);
});

test("files of a folder that is made again are told again, whatever was told of the folder before", async (t) => {
  const stage = new Stage(t, {});
  const { subscribe, batches } = deaf();
  stage.watch({ subscribe }).begin();
  await stage.until([], /is being watched/);
  const folder = join(stage.root, "made");
  const make = (text: string): void => {
    mkdirSync(folder);
    for (const name of ["kept.x", "gone.x"]) stage.write(join("made", name), text);
    batches[0]?.(null, [{ path: folder, type: "create" }]);
  };
  make("1");
  await stage.until(["made/kept.x 1", "made/gone.x 1"]);
  rmSync(folder, { recursive: true });
  stage.settle();
  // Of a folder that is gone the watcher tells some of the files, or none.
  batches[0]?.(null, [
    { path: join(folder, "gone.x"), type: "delete" },
    { path: folder, type: "delete" },
  ]);
  stage.told.length = 0;
  make("2");
  await stage.until(["made/kept.x 1", "made/gone.x 1"]);
});

test("a large folder is watched only if it is somebody's project", async (t) => {
  const stage = new Stage(t, { "a.x": "1", "b.x": "1" });
  stage.watch({ maxEntries: 1, marked: false }).begin();
  await stage.until([], /is nobody's project/);
  assert.deepEqual(stage.troubles, ["unwatched"]);
  const project = new Stage(t, { "a.x": "1", "b.x": "1" });
  project.watch({ maxEntries: 1 }).begin();
  await project.until([], /is being watched/);
  project.write("a.x", "2");
  await project.until(["a.x 2"]);
});

/** Subscriptions that tell only what a test says. */
function deaf(): { subscribe: NonNullable<WatchOptions["subscribe"]>; batches: Batch[] } {
  const batches: Batch[] = [];
  const subscribe: WatchOptions["subscribe"] = async (_root, on) => {
    batches.push(on);
    return { unsubscribe: async () => {} };
  };
  return { subscribe, batches };
}
