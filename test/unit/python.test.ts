import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment, Surroundings } from "../../adapters/adapter.ts";
import { adapterOf } from "../../adapters/index.ts";
import { pythonOf } from "../../adapters/python.ts";

/** A root `/w` with these files. */
function around(files: readonly string[], more: Partial<Surroundings> = {}): Surroundings {
  const exists = (path: string): boolean => files.some((file) => file === path || file.startsWith(`${path}/`));
  return { root: "/w", trusted: false, exists, env: { PATH: "/usr/bin" }, ...more };
}

const venv = (folder: string): readonly string[] => [
  `${folder}/pyvenv.cfg`,
  `${folder}/bin/python`,
  `${folder}/lib/python3.12/site-packages/dep.py`,
];

test("an environment is found by its files: the root's own before an active one", () => {
  const env = { VIRTUAL_ENV: "/home/me/env" };
  const active = venv("/home/me/env");
  const found = (files: readonly string[]) => pythonOf(around(files, { env }))?.folder;
  assert.equal(found([...venv("/w/venv"), ...venv("/w/.venv"), ...active]), "/w/.venv");
  assert.equal(found([...venv("/w/venv"), ...active]), "/w/venv");
  assert.equal(found(active), "/home/me/env");
  assert.equal(found(["/w/.venv/bin/python"]), undefined, "no pyvenv.cfg");
  assert.deepEqual(pythonOf(around(venv("/w/.venv"))), {
    folder: "/w/.venv",
    interpreter: "/w/.venv/bin/python",
    packages: ["/w/.venv/lib/python3.12/site-packages"],
  });
  const windows = ["C:/w/.venv/pyvenv.cfg", "C:/w/.venv/Scripts/python.exe", "C:/w/.venv/Lib/site-packages/dep.py"];
  assert.deepEqual(pythonOf(around(windows, { root: "C:/w" })), {
    folder: "C:/w/.venv",
    interpreter: "C:/w/.venv/Scripts/python.exe",
    packages: ["C:/w/.venv/Lib/site-packages"],
  });
});

test("no server is told to run what lies in a folder without trust", () => {
  for (const name of ["pyright", "basedpyright", "pylsp", "jedi"]) {
    const told = (surroundings: Surroundings): Environment => adapterOf(name)?.environment?.(surroundings) ?? {};
    const own = venv("/w/.venv");
    const untrusted = JSON.stringify(told(around(own)));
    assert.ok(!untrusted.includes("bin/python") && !untrusted.includes('"/w/.venv"'), `${name}: ${untrusted}`);
    assert.ok(untrusted.includes("/w/.venv/lib/python3.12/site-packages"), `${name}: ${untrusted}`);
    assert.match(JSON.stringify(told(around(own, { trusted: true }))), /"\/w\/\.venv(?:\/bin\/python)?"/, name);
    // The user's own, elsewhere, is his to run; one inside was perhaps activated by what the folder says.
    const elsewhere = { VIRTUAL_ENV: "/home/me/env", PATH: "/home/me/env/bin:/usr/bin" };
    const outside = told(around(venv("/home/me/env"), { env: elsewhere }));
    assert.match(JSON.stringify(outside), /"\/home\/me\/env(?:\/bin\/python)?"/, name);
    assert.deepEqual(outside.env, {}, name);
    const inside = { VIRTUAL_ENV: "/w/env", PATH: "/w/env/bin:bin:.:/wide/bin:/usr/bin" };
    const read = told(around(venv("/w/env"), { env: inside }));
    assert.deepEqual(read.env, { PATH: "/wide/bin:/usr/bin", VIRTUAL_ENV: "" }, name);
    assert.ok(!JSON.stringify(read).includes('"/w/env"'), name);
    assert.equal(told(around(venv("/w/env"), { env: inside, trusted: true })).env, undefined, name);
  }
  assert.deepEqual(adapterOf("basedpyright")?.environment?.(around([])).settings, {
    python: { venvPath: "/w" },
  });
});
