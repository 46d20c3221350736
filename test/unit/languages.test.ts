import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalLanguage, coveredBy, filesOf, languageOf, languages } from "../../server/languages.ts";

const none = () => "";

test("the name decides, whatever the client calls it", () => {
  const cases: [name: string, hint: string | undefined, language: string | undefined][] = [
    ["/a/b/x.ts", undefined, "typescript"],
    ["/a/b/x.d.ts", undefined, "typescript"],
    ["x.js", "javascriptreact", "javascript"],
    ["C:\\src\\App.TSX", undefined, "typescriptreact"],
    ["x.c", "cpp", "c"],
    ["x.C", undefined, "cpp"],
    ["x.CPP", "c", "cpp"],
    ["x.c++", undefined, "cpp"],
    ["x.tar.py", undefined, "python"],
    ["x.html.erb", undefined, "erb"],
    ["Makefile", "plaintext", "makefile"],
    ["/home/a.b/Makefile", undefined, "makefile"],
    ["CMakeLists.txt", undefined, "cmake"],
    ["go.mod", undefined, "go.mod"],
    ["tsconfig.json", "json", "jsonc"],
    [".bashrc", undefined, "shellscript"],
    ["unknown.xyz", undefined, undefined],
    [".py", undefined, undefined],
    ["dir.py/file", undefined, undefined],
  ];
  for (const [name, hint, language] of cases) assert.equal(languageOf(name, hint, none), language, `${name} (${hint})`);
});

test("a hint decides between the languages of an extension, and where the name says nothing", () => {
  const cases: [name: string, hint: string | undefined, language: string | undefined][] = [
    ["x.h", undefined, "cpp"],
    ["x.h", "c", "c"],
    ["x.h", "objc", "objective-c"],
    ["x.h", "python", "cpp"],
    ["x.H", "c", "c"],
    ["x.m", undefined, "objective-c"],
    ["x.m", "matlab", "matlab"],
    ["x.pl", undefined, "perl"],
    ["script", "sh", "shellscript"],
    ["Untitled-1", "typescript.tsx", "typescriptreact"],
    ["x.unknown", "mylang", "mylang"],
    ["x.unknown", "MyLang", "MyLang"],
    ["script", "Python", "python"],
    ["x.h", "C", "c"],
  ];
  for (const [name, hint, language] of cases) assert.equal(languageOf(name, hint, none), language, `${name} (${hint})`);
});

test("then the #! line decides", () => {
  const cases: [head: string, language: string | undefined][] = [
    ["#!/usr/bin/python3.11\nimport x", "python"],
    ["#! /bin/sh -e\r\n", "shellscript"],
    ["#!/usr/bin/env node", "javascript"],
    ["#!/usr/bin/env -S deno run --allow-all", "typescript"],
    ["#!/usr/bin/env -Sdeno run", "typescript"],
    ["#!/usr/bin/env -u HOME A=1 bash", "shellscript"],
    ["#!/usr/bin/env", undefined],
    ["#!/opt/own/tool", undefined],
    ["#!", undefined],
    [" #!/bin/sh", undefined],
    ["", undefined],
  ];
  for (const [head, language] of cases) {
    assert.equal(
      languageOf("script", undefined, () => head),
      language,
      head,
    );
  }
  assert.equal(
    languageOf("script", "plaintext", () => "#!/bin/bash"),
    "shellscript",
    "plaintext says nothing",
  );
  assert.equal(languageOf("notes", "plaintext", none), "plaintext");
});

test("the head is read only where nothing else decides", () => {
  const fail = () => assert.fail("read");
  languageOf("x.py", undefined, fail);
  languageOf("x.h", undefined, fail);
  languageOf("script", "ruby", fail);
});

test("ids: aliases, cover, files", () => {
  assert.equal(canonicalLanguage("TSX"), "typescriptreact");
  assert.equal(canonicalLanguage("bash"), "shellscript");
  assert.equal(canonicalLanguage("nonsense"), "nonsense");
  assert.deepEqual(coveredBy("typescript"), ["typescript", "typescriptreact", "javascript", "javascriptreact"]);
  assert.deepEqual(coveredBy("cpp"), ["cpp", "c"]);
  assert.deepEqual(coveredBy("rust"), ["rust"]);
  assert.deepEqual(filesOf(["go", "go.mod"]), { extensions: [".go"], fileNames: ["go.mod"] });
  assert.ok(filesOf(["cpp"]).extensions.includes(".h"));
});

test("the table contradicts itself nowhere", () => {
  const owners = new Map<string, string[]>();
  for (const [id, row] of languages) {
    for (const key of [...row.extensions, ...(row.fileNames ?? []), ...(row.interpreters ?? [])]) {
      owners.set(key, [...(owners.get(key) ?? []), id]);
    }
    for (const extension of row.extensions) assert.match(extension, /^\.[^./\\]+$/, id);
    for (const covered of row.covers ?? []) assert.ok(languages.has(covered), covered);
  }
  const shared = [...owners].filter(([, ids]) => ids.length > 1).map(([key, ids]) => [key, ids.sort()]);
  assert.deepEqual(shared.sort(), [
    [".h", ["c", "cpp", "objective-c", "objective-cpp"]],
    [".m", ["matlab", "objective-c"]],
    [".pl", ["perl", "prolog"]],
  ]);
  for (const [key, ids] of shared) {
    for (const id of ids ?? []) assert.equal(languageOf(`x${String(key)}`, id, none), id, "each owner can be hinted");
  }
});
