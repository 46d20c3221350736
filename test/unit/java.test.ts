import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Environment, Site } from "../../adapters/adapter.ts";
import { javaHome, sourceRoots, withoutBuilds } from "../../adapters/java.ts";
import { jdtls } from "../../adapters/jdtls.ts";
import { siteFor } from "../../server/host/site.ts";

/** A machine of these files. */
function machine(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): Site {
  const paths = Object.keys(files);
  const inside = (folder: string) => (folder.endsWith("/") ? folder : `${folder}/`);
  return {
    env,
    platform: "linux",
    home: "/home/u",
    cache: "/cache",
    exists: (path) => paths.some((each) => each === path || each.startsWith(inside(path))),
    real: (path) => path.replace("/usr/bin/java", "/usr/lib/jvm/java-17/bin/java"),
    list: (folder) => {
      const names = paths
        .filter((path) => path.startsWith(inside(folder)))
        .map((path) => path.slice(inside(folder).length));
      return [...new Set(names.map((name) => name.split("/")[0] ?? ""))].map((name) => ({
        name,
        isFolder: !names.includes(name),
      }));
    },
    read: (path) => files[path] ?? "",
    folder: (purpose, of) => `/cache/${purpose}/${of.length}`,
  };
}

function jdk(home: string, version: string): Readonly<Record<string, string>> {
  return { [`${home}/bin/java`]: "", [`${home}/release`]: `IMPLEMENTOR="X"\nJAVA_VERSION="${version}"\n` };
}

test("the Java that fits: JAVA_HOME, then PATH, then the newest of the usual folders", () => {
  const files = {
    ...jdk("/usr/lib/jvm/java-17", "17.0.15"),
    ...jdk("/usr/lib/jvm/jdk-21", "21.0.2"),
    ...jdk("/home/u/.sdkman/candidates/java/25-tem", "25"),
    ...jdk("/opt/jdk8", "1.8.0_402"),
    ...jdk("/opt/jdk22", "22.0.1"),
    "/usr/bin/java": "",
  };
  assert.equal(javaHome(machine(files, { JAVA_HOME: "/opt/jdk22", PATH: "/usr/bin" }), 21), "/opt/jdk22");
  // One that is too old is passed over, wherever it is named; and so is a home without a program in it.
  assert.equal(javaHome(machine(files, { JAVA_HOME: "/opt/jdk8", PATH: "/opt/jdk22/bin" }), 21), "/opt/jdk22");
  assert.equal(javaHome(machine(files, { PATH: "/usr/bin" }), 17), "/usr/lib/jvm/java-17");
  assert.equal(javaHome(machine(files, { PATH: ":/usr/bin" }), 21), "/home/u/.sdkman/candidates/java/25-tem");
  assert.equal(
    javaHome(machine({ ...files, "/opt/x/release": 'JAVA_VERSION="30"' }, { JAVA_HOME: "/opt/x" }), 31),
    null,
  );
  assert.equal(javaHome(machine(jdk("/usr/lib/jvm/a", "17.0.1")), 21), null);
});

test("jdtls is told where Java is, and says what is missing", () => {
  const files = { ...jdk("/usr/lib/jvm/jdk-21", "21.0.2"), "/w/src/a/A.java": "package a;\n" };
  const started = jdtls.start?.("/w", machine(files, { PATH: "/bin", JAVA_TOOL_OPTIONS: "-Dmine" }));
  assert.deepEqual(started, {
    args: ["-data", "/cache/jdtls/2"],
    env: {
      JAVA_HOME: "/usr/lib/jvm/jdk-21",
      PATH: "/usr/lib/jvm/jdk-21/bin:/bin",
      JAVA_TOOL_OPTIONS:
        '-Djava.util.concurrent.ForkJoinPool.common.parallelism=64 -Djava.import.generatesMetadataFilesAtProjectRoot=false -Dmine "-Djdt.core.sharedIndexLocation=/cache/jdtls/index"',
    },
    initializationOptions: { triggerFiles: ["file:///w/src/a/A.java"] },
  });
  const missing = jdtls.start?.("/w", machine({}));
  assert.ok(missing && "missing" in missing && /Java 21 or later.*JAVA_HOME/.test(missing.missing));
});

test("where sources begin follows from the packages that files declare", () => {
  const roots = (files: Readonly<Record<string, string>>) => sourceRoots("/w", machine(files)).map(({ root }) => root);
  const a = "/* x */\npackage a.b;\n";
  assert.deepEqual(
    roots({ "/w/src/a/b/A.java": a, "/w/src/a/b/c/C.java": "package a.b.c;", "/w/test/a/b/T.java": a }),
    ["/w/src", "/w/test"],
  );
  assert.deepEqual(roots({ "/w/Main.java": "class Main {}" }), ["/w"]);
  // Elsewhere than its package says, built, or hidden: no root; nor is one outside the folder.
  assert.deepEqual(roots({ "/w/x/A.java": a, "/w/target/a/b/A.java": a, "/w/.x/a/b/A.java": a }), []);
  assert.deepEqual(sourceRoots("/w/a/b", machine({ "/w/a/b/A.java": a })), []);
});

test("a folder in the cache is for one start at a time", () => {
  const cache = mkdtempSync(join(tmpdir(), "cache-"));
  try {
    const one = siteFor("1", cache);
    const first = one.folder("x", "/w");
    assert.equal(siteFor("1", cache).folder("x", "/w"), first, "the same again at the next start");
    const second = siteFor("2", cache).folder("x", "/w");
    assert.notEqual(second, first);
    assert.notEqual(siteFor("1", cache).folder("x", "/v"), first);
    // Of a server that has ended while we live on, of a process that has, and of one that nobody can say.
    one.leave();
    assert.equal(siteFor("2", cache).folder("x", "/w"), first);
    mkdirSync(first, { recursive: true });
    for (const gone of ["4194304 1", "", "nobody"]) {
      writeFileSync(`${first}.holder`, gone);
      assert.equal(siteFor("3", cache).folder("x", "/w"), first);
    }
    writeFileSync(`${first}.holder`, `${process.ppid} 1`);
    assert.notEqual(siteFor("3", cache).folder("x", "/w"), first);
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test("in a folder without trust no build is imported, which is told where there is one", () => {
  const told = (files: readonly string[], trusted: boolean): Environment =>
    withoutBuilds({ root: "/w", trusted, env: {}, exists: (path) => files.includes(path) });
  const off = { java: { import: { gradle: { enabled: false }, maven: { enabled: false } } } };
  for (const build of ["pom.xml", "build.gradle", "settings.gradle.kts"]) {
    const { withheld, ...rest } = told([`/w/${build}`], false);
    assert.match(withheld ?? "", /importing the build/, build);
    assert.deepEqual(rest, { settings: off, initializationOptions: { settings: off } });
    assert.deepEqual(told([`/w/${build}`], true), {});
  }
  // One of a folder within is not imported either.
  assert.deepEqual(told(["/w/a/pom.xml"], false), { settings: off, initializationOptions: { settings: off } });
});
