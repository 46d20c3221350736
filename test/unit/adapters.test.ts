import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { adapterOf, adapters, embeddedArgv, plainVersion, recorded } from "../../adapters/index.ts";
import { jedi } from "../../adapters/jedi.ts";
import { tsgo } from "../../adapters/tsgo.ts";
import { languages } from "../../server/languages.ts";

test("names are unique and languages known", () => {
  assert.equal(new Set(adapters.map((adapter) => adapter.name)).size, adapters.length);
  for (const adapter of adapters) {
    assert.equal(adapterOf(adapter.name), adapter);
    for (const language of adapter.languages) assert.ok(languages.has(language), `${adapter.name}: ${language}`);
  }
  assert.equal(adapterOf("nonsense"), undefined);
});

test("each has a recording, with what the core cannot do without", () => {
  for (const { name, role, languages } of adapters) {
    const capabilities = recorded(name)?.capabilities;
    assert.ok(capabilities, name);
    if (role === "general") {
      // By name everything is answered from outlines where there is no search.
      assert.ok(capabilities.documentSymbolProvider, name);
      // Data have no definitions.
      assert.ok(capabilities.definitionProvider || languages.includes("json"), name);
    }
    // Recorded under an offer of UTF-16 alone, as we make it.
    assert.ok(capabilities.positionEncoding === undefined || capabilities.positionEncoding === "utf-16", name);
  }
  assert.equal(recorded("nonsense"), null);
  assert.equal(recorded("../../package"), null);
});

test("embedded servers lie where their commands say", () => {
  for (const { name, command } of adapters) {
    if (!("embedded" in command)) continue;
    const argv = embeddedArgv(command);
    assert.ok(argv, name);
    const scripted = command.bin.endsWith(".js");
    assert.equal(argv[0] === process.execPath, scripted, name);
    assert.ok(existsSync(argv[scripted ? 1 : 0] ?? ""), argv.join(" "));
    assert.deepEqual(argv.slice(scripted ? 2 : 1), command.args);
  }
  assert.equal(embeddedArgv({ embedded: "no-such-package", bin: "x.js", args: [] }), null);
});

test("ready predicates take the servers' own words only", () => {
  const when = (name: string, params: unknown) => {
    const ready = adapterOf(name)?.ready;
    return ready?.on === "notification" && ready.when(params);
  };
  assert.ok(when("pyright", { type: 3, message: "Found 4 source files" }));
  assert.ok(when("pyright", { type: 3, message: "Found 1 source file" }));
  assert.ok(when("pyright", { type: 1, message: "No source files found." }));
  assert.ok(!when("pyright", { type: 3, message: "No include entries specified; assuming /w" }));
  assert.ok(!when("pyright", null));
  assert.ok(when("rust-analyzer", { health: "warning", quiescent: true }));
  assert.ok(!when("rust-analyzer", { health: "ok", quiescent: false }));
  assert.ok(!when("rust-analyzer", undefined));
  assert.ok(when("jdtls", { type: "ServiceReady", message: "ServiceReady" }));
  assert.ok(!when("jdtls", { type: "Started", message: "Ready" }));
  assert.ok(when("bash", { type: 3, message: "18:26:49.149 INFO BackgroundAnalysis: Completed after 0.497 seconds." }));
  assert.ok(
    !when("bash", { type: 3, message: 'INFO BackgroundAnalysis: Skipping file file:///a.zsh with dialect "zsh"' }),
  );
});

test("the version in what a server says of itself", () => {
  const gopls =
    '{"GoVersion":"go1.26.8","Main":{"Path":"golang.org/x/tools/gopls","Version":"v0.21.1","Sum":"h1:1/o="}}';
  assert.equal(plainVersion(gopls), "0.21.1");
  assert.equal(plainVersion("clangd version 22.1.1 linux x86_64-unknown-linux-gnu"), "22.1.1");
  assert.equal(plainVersion("Debian clangd version 14.0.6"), "14.0.6");
  assert.equal(plainVersion("7.0.2"), "7.0.2");
  assert.equal(plainVersion("0.3.2870-standalone"), "0.3.2870-standalone");
  assert.equal(plainVersion("nightly"), "nightly");
});

test("tsgo: what an outline lists of imports is told from declarations by the text before it", () => {
  const before = tsgo.symbol?.importBefore;
  assert.ok(before !== undefined);
  const imports = [
    "import ",
    "import * as ",
    "import type { ",
    'import x from "x"\nimport d, {\n  a,\n  type b as ',
    "export { ",
    "let x;\n  export type { a, ",
    'import a from "a"; import b, { ',
  ];
  const declarations = [
    "",
    "export class ",
    'import x from "x"\nclass ',
    "// import all\nclass ",
    "export class A { ",
    'import { a } from "x";\nfunction ',
    'await import("x");\nconst ',
    "export const important = ",
  ];
  for (const text of imports) assert.ok(before.test(text), text);
  for (const text of declarations) assert.ok(!before.test(text), text);
});

test("jedi: what an outline lists of imports is told from declarations by the text before it", () => {
  const before = jedi.symbol?.importBefore;
  assert.ok(before !== undefined);
  const imports = [
    "import ",
    "import os, ",
    "x = 1\n  from . import a as ",
    "from .deep import (\n    Deep as D2,\n    ",
    "from a import b, \\\n    ",
    "import a; from b import ",
  ];
  const declarations = [
    "",
    "import a\n",
    "import a; ",
    "from a import b\nclass ",
    "from a import (\n    b,\n)\ndef ",
    "from a import b # ",
    "important = ",
  ];
  for (const text of imports) assert.ok(before.test(text), text);
  for (const text of declarations) assert.ok(!before.test(text), text);
});
