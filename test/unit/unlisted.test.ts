/** `$/symbolByName` where servers' lists do not say all, or not in the words of the source. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, at, outlineIn, type Script, simOf } from "../sim/outlined.ts";
import { folder } from "../sim.ts";

interface Found {
  readonly matches: { readonly qualifiedName: string; readonly location: { readonly uri: string } }[];
  readonly complete: boolean;
  readonly absence: string;
}

function told({ result }: Record<string, unknown>): readonly [places: readonly string[], complete: boolean] {
  const { matches, complete } = result as Found;
  return [matches.map((one) => `${one.qualifiedName} ${one.location.uri.slice(folder.length + 1)}`), complete];
}

test("the file that is hinted at is read to its end, whatever was found elsewhere", async () => {
  const files = { "a.x": "class Box\n  def set\n", "b.x": "class Bag\n  def set\n", "c.x": "class Can\n  def set\n" };
  const on: Script = {
    "workspace/symbol": () => ({
      result: [{ name: "set", kind: 6, containerName: "Box", location: { uri: `${folder}/a.x`, range: at(1, 6, 9) } }],
    }),
    // Slow in all but the listed one.
    "textDocument/documentSymbol": ({ text = "" }) => (text.includes("Box") ? { result: outlineIn(text) } : "hold"),
  };
  const { sim, client } = simOf(files, on);
  const asked = client.ask("$/symbolByName", { name: "set", path: "c.x" });
  await answered(sim, asked);
  sim.advance(3_000);
  await answered(sim, asked);
  assert.deepEqual(asked.answers, [], "c.x is still being read");
  const server = sim.server("one");
  const held = [...server.open.values()].find(({ text }) => text?.includes("Can"));
  assert.ok(held !== undefined);
  const can = { name: "Can", kind: 5, range: at(0, 0, 9), selectionRange: at(0, 6, 9) };
  const set = { name: "set", kind: 6, range: at(1, 2, 9), selectionRange: at(1, 6, 9) };
  server.answer(held, { result: [{ ...can, children: [set] }] });
  // b.x was not waited for, and the answer says that it is not all.
  assert.deepEqual(told(await answered(sim, asked)), [["Can.set c.x", "Box.set a.x"], false]);
});

test("a Go symbol is in the package that its file declares, whatever the path", async () => {
  const { sim, client } = simOf(
    { "cmd/tool/run.go": "package main\nfunc Run() {}\n" },
    {
      "workspace/symbol": () => ({
        result: [
          {
            name: "Run",
            kind: 12,
            containerName: "example.com/cmd/tool",
            location: { uri: `${folder}/cmd/tool/run.go`, range: at(1, 5, 8) },
          },
        ],
      }),
      "textDocument/documentSymbol": () => ({
        result: [{ name: "Run", kind: 12, range: at(1, 0, 13), selectionRange: at(1, 5, 8) }],
      }),
    },
    { languages: ["go"], symbol: { separator: ".", container: "path" } },
  );
  for (const name of ["Run", "main.Run"])
    assert.deepEqual(told(await answered(sim, client.ask("$/symbolByName", { name }))), [
      ["main.Run cmd/tool/run.go"],
      true,
    ]);
});

test("callees come once, with each call site once", async () => {
  const used = { name: "use", kind: 12, uri: `${folder}/b.x`, range: at(1, 0, 9), selectionRange: at(1, 6, 9) };
  const able = { workspaceSymbolProvider: true, documentSymbolProvider: true, callHierarchyProvider: true };
  const { sim, client } = simOf(
    { "a.x": "class Box\n  def set use() use()\n", "b.x": "class Other\n  def use\n" },
    {
      "workspace/symbol": () => ({ result: [] }),
      "textDocument/prepareCallHierarchy": () => ({ result: [{ ...used, name: "set", uri: `${folder}/a.x` }] }),
      "callHierarchy/outgoingCalls": () => ({
        result: [
          { to: used, fromRanges: [at(1, 10, 13), at(1, 10, 13)] },
          { to: used, fromRanges: [at(1, 16, 19), at(1, 10, 13)] },
        ],
      }),
    },
    {},
    { textDocumentSync: 2, ...able },
  );
  const answer = await answered(sim, client.ask("$/symbolByName", { name: "Box.set", include: ["callees"] }));
  const [match] = (answer.result as { matches: { callees: { items: object[] } }[] }).matches;
  assert.deepEqual(match?.callees.items, [
    {
      qualifiedName: "Other.use",
      kindName: "function",
      location: { uri: `${folder}/b.x`, range: at(1, 6, 9) },
      ranges: [at(1, 10, 13), at(1, 16, 19)],
    },
  ]);
});
