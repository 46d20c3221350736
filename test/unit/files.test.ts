/** The search of a folder for files that hold a text: what is found, what is passed over and counted, when it is whole. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { find } from "../../server/host/files.ts";

const query = { extensions: [".py"], fileNames: [], holds: "found", limit: 100 };

test("odd entries of a folder are passed over, counted, and do not make an answer less whole", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "files-")));
  try {
    writeFileSync(join(root, "ok.py"), "def found(): pass\n");
    writeFileSync(join(root, "other.py"), "def other(): pass\n");
    writeFileSync(join(root, "note.txt"), "found\n");
    writeFileSync(join(root, "blob.py"), Buffer.concat([Buffer.alloc(3_000), Buffer.from("found")]));
    writeFileSync(join(root, "long.py"), "#".repeat((1 << 20) + 1));
    writeFileSync(join(root, "latin.py"), Buffer.from("# \xe9\ndef found(): pass\n", "latin1"));
    mkdirSync(join(root, "node_modules"));
    writeFileSync(join(root, "node_modules", "dep.py"), "found\n");
    mkdirSync(join(root, "a"));
    symlinkSync("..", join(root, "a", "up"));
    symlinkSync("nowhere", join(root, "dead.py"));
    mkdirSync(join(root, "locked"));
    const hasPipe = process.platform !== "win32" && spawnSync("mkfifo", [join(root, "pipe.py")]).status === 0;
    chmodSync(join(root, "locked"), 0);
    const isLocked = process.getuid !== undefined && process.getuid() !== 0;

    const { paths, whole, covered } = await find(root, query);
    assert.deepEqual(
      paths.map((path) => path.slice(root.length + 1)),
      ["latin.py", "ok.py"],
    );
    assert.equal(whole, true);
    assert.deepEqual(covered, {
      files: 3,
      ignored: 2,
      tooLarge: 1,
      binary: 1,
      undecodable: 1,
      // The broken link beside them.
      unreadable: 1 + (hasPipe ? 1 : 0) + (isLocked ? 1 : 0),
    });
    const first = await find(root, { ...query, limit: 1 });
    assert.deepEqual([first.paths.length, first.whole], [1, false]);
    // The file that is meant comes first, even from a folder that is passed over; nothing but a plain file in the root.
    const inside = async (path: string) => (await find(root, { ...query, first: path, limit: 1 })).paths;
    assert.deepEqual(await inside("ok.py"), [join(root, "ok.py")]);
    assert.deepEqual(await inside("node_modules/dep.py"), [join(root, "node_modules", "dep.py")]);
    for (const path of ["a", "pipe.py", "dead.py", "note.txt", "../../x.py", "none.py"])
      assert.deepEqual(await inside(path), [join(root, "latin.py")], path);
  } finally {
    chmodSync(join(root, "locked"), 0o700);
    rmSync(root, { recursive: true });
  }
});

test("of many files all are read, in the order of names", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "files-")));
  try {
    for (let i = 0; i < 100; i++)
      writeFileSync(join(root, `f${String(i).padStart(3, "0")}.py`), i % 10 === 0 ? "found" : "");
    const { paths, whole, covered } = await find(root, query);
    assert.deepEqual(
      paths.map((path) => path.slice(-7, -3)),
      Array.from({ length: 10 }, (_, i) => `f0${i}0`),
    );
    assert.deepEqual([whole, covered.files], [true, 100]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
