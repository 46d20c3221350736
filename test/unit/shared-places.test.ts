/** Where a shared server listens, and the lock under which one is started. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { thisMachine } from "../../server/config/places.ts";
import { addressOf } from "../../server/shared/address.ts";
import { freeLock, takeLock } from "../../server/shared/lock.ts";
import { planted } from "../planted.ts";

const posix = { skip: process.platform === "win32" ? "an address is a file on POSIX systems only" : false };

test("the address fits into that of a socket, however long the folders' names are", posix, async () => {
  const before = process.env.TMPDIR;
  const tree = planted();
  try {
    for (const name of ["s", "x".repeat(60), "é".repeat(60), "x".repeat(200)]) {
      const folder = join(tree.root, name);
      mkdirSync(folder);
      for (const XDG_RUNTIME_DIR of [folder, "", "not/absolute", join(folder, "missing")]) {
        process.env.TMPDIR = folder;
        const address = addressOf({ ...thisMachine(), env: { XDG_RUNTIME_DIR } }, "1.2.3");
        assert.ok(Buffer.byteLength(address.path) <= 103, address.path);
        assert.equal(dirname(address.path), address.folder);
        assert.notEqual(address.folder, folder, "a folder of ours, not one that is everybody's");
        if (name === "s") assert.ok(address.path.startsWith(folder));
      }
    }
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    tree.remove();
  }
});

test("a lock is its process's alone; one that holds no living process's number is free", posix, () => {
  const tree = planted();
  try {
    const lock = join(tree.root, "lock");
    for (const left of ["", "\0\0\0\0", "no number", "0", "-1", "4194303999"]) {
      writeFileSync(lock, left);
      assert.equal(takeLock(lock), true, JSON.stringify(left));
      assert.equal(readFileSync(lock, "utf8"), String(process.pid));
      freeLock(lock);
      assert.equal(existsSync(lock), false);
    }
    // Of a process that lives and is neither ours nor the one that has started us.
    writeFileSync(lock, "1");
    assert.equal(takeLock(lock), false);
    freeLock(lock);
    assert.equal(readFileSync(lock, "utf8"), "1");
  } finally {
    tree.remove();
  }
});

test("where there can be no lock it is said why, at once", posix, () => {
  const tree = planted();
  try {
    mkdirSync(join(tree.root, "folder"));
    assert.throws(() => takeLock(join(tree.root, "folder")), /cannot read the lock .*folder.*EISDIR/);
    assert.throws(() => takeLock(join(tree.root, "missing", "lock")), /cannot lock .*missing.*ENOENT/);
    freeLock(join(tree.root, "folder"));
  } finally {
    tree.remove();
  }
});
