/** What a file declares, as numbers, and where a name stands by the lexical rules of its language. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { flat } from "../../server/syntax/declared.ts";
import { declaresNone, declaresOf, mayDeclare, timesDeclared } from "../../server/syntax/index/declares.ts";
import { pack, unpack, wantedIn } from "../../server/syntax/index/packed.ts";
import type { FileOutline, Outlined } from "../../server/syntax/outline.ts";
import { isPlainIn, placesOf } from "../../server/syntax/standing.ts";
import { uses } from "../../server/syntax/uses.ts";

function one(name: string, line: number, children: readonly Outlined[] = []): Outlined {
  const start = { line, character: 4 };
  const selectionRange = { start, end: { line, character: 4 + name.length } };
  const range = { start: { line, character: 0 }, end: { line: line + 10 * children.length, character: 80 } };
  return {
    ...{ name, kind: "function", block: false, scope: [], range, selectionRange, detail: "", parameters: null },
    ...{ access: "public", local: false, test: false, children },
  };
}

const outline: FileOutline = {
  package: [],
  generic: false,
  generated: false,
  symbols: [one("outer", 0, [one("run", 1), one("run", 2), one("run", 2)]), one("~Widget", 20), one("größe", 21)],
};

test("what is declared is known with how often, of one place once", () => {
  const declares = declaresOf(outline);
  const times = (name: string): number => timesDeclared(declares, name);
  assert.deepEqual(["run", "outer", "größe", "~Widget", "Widget", "nobody"].map(times), [2, 1, 1, 1, 0, 0]);
  const may = (name: string): boolean => mayDeclare(declares, name);
  assert.deepEqual(["run", "~Widget", "Widget", "nobody", ""].map(may), [true, true, true, false, false]);
  assert.equal(mayDeclare(declaresOf({ ...outline, symbols: [] }), "run"), false);
  assert.equal(may("@run"), true, "what a sign in front of a name means is the language's matter");
  assert.deepEqual(
    ["go", "php"].map((language) => declaresNone(declares, language, "RUN")),
    [true, false],
    "in a language without cases it may be there",
  );
});

test("an outline is the same when it was packed, and smaller than it was", () => {
  const field: Outlined = {
    ...{ ...one("größe", 2), kind: "field", block: true, scope: ["a", "b::c"], detail: "(x: 'y', z) \u2028 void" },
    ...{ parameters: [], access: "private", local: true, test: true },
    ...{ selectionRange: { start: { line: 2, character: 9 }, end: { line: 4, character: 1 } } },
  };
  const method: Outlined = {
    ...one("m", 9, [field]),
    kind: "typeParameter",
    parameters: ["int x", "y"],
    access: "internal",
  };
  const all = [outline, { ...outline, package: ["p", "q"], generic: true, generated: true, symbols: [method, field] }];
  for (const each of all) {
    assert.deepEqual(unpack(pack(each)), each);
    for (const names of [["run"], ["größe", "m"], ["outer", "~Widget", "nobody"]])
      assert.deepEqual(
        wantedIn(pack(each), (name) => names.includes(name)),
        { declared: flat(each).filter(({ name }) => names.includes(name)), generated: each.generated },
      );
  }
  const many = { ...outline, symbols: Array.from({ length: 100 }, (_, i) => one(`name${i}`, i)) };
  assert.ok(pack(many).length < JSON.stringify(many).length / 20);
  assert.equal(pack(many).buffer.byteLength, pack(many).length, "it crosses threads alone");
  assert.throws(() => unpack(Uint8Array.of(1, 2, 3)));
});

test("a name stands where it is code, in UTF-16 units", () => {
  const hole = "$".concat("{run}");
  const text = `x = "run😀"; // run\nrun(größe.run, "${hole}", runs)\n`;
  assert.deepEqual(placesOf("go", "run", text), [20, 30]);
  assert.deepEqual(placesOf("typescript", "run", `\`a ${hole} run\``), [5]);
  assert.deepEqual(placesOf("go", "walk", text), []);
  assert.deepEqual(
    [isPlainIn("go", "run"), isPlainIn("go", "größe"), isPlainIn("php", "$run"), isPlainIn("typescript", "$run")],
    [true, false, false, true],
    "a name that is spelled in several ways, or is more than a word, is left to the parser",
  );
});

test("uses are told by lines, with the innermost declaration around them", () => {
  const text = Array.from({ length: 24 }, (_, line) => `    run ${line}; run`).join("\n");
  const places = [1, 3].flatMap((line) => [4, 4 + `run ${line}; `.length].map((character) => ({ line, character })));
  const { hits, lines } = uses(places, text, outline, { language: "go", declarations: false, most: 5 });
  assert.equal(hits, 3, "the declaration at 1:4 is none");
  assert.deepEqual(
    lines.map(({ line, columns, owner, isDeclaration }) => [line, columns.length, owner, isDeclaration]),
    [
      [1, 1, "outer.run", false],
      [3, 2, "outer", false],
    ],
  );
  const all = uses(places, text, outline, { language: "go", declarations: true, most: 1 });
  assert.deepEqual([all.hits, all.lines.length, all.lines[0]?.isDeclaration], [4, 1, true]);
});
