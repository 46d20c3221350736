/**
 * Two clients on one process of a real server, each with its own unit of columns, its own spelling of one file and its own
 * text of it (cases 22 and 28): castwide/solargraph#620, mattn/efm-langserver#312.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { StatusResult } from "../../server/protocol/extensions.ts";
import { backendPath } from "../backends/paths.ts";
import { Client } from "../client.ts";
import { isolated, planted } from "../planted.ts";
import { program } from "../program.ts";
import { edits, type Location, type WorkspaceEdit } from "./expect.ts";
import { missing } from "./session.ts";

const folder = "sp ace+é%[x]";
/** As an editor escapes it that escapes what it must, and as one does that escapes what it can. */
const spellings = ["sp%20ace+é%25[x]", "sp%20ace%2B%C3%A9%25%5Bx%5D"] as const;

const servers = [
  {
    fixture: "cpp",
    server: "clangd",
    file: "x.cpp",
    language: "cpp",
    text: 'int emo() { const char *s = "😀é"; int after = 1; return after; }\nint bad() { return nope; }\n',
  },
  {
    fixture: "go",
    server: "gopls",
    file: "x.go",
    language: "go",
    text: 'package x\n\nfunc Emo() int { s := "😀é"; _ = s; after := 1; return after }\n\nfunc bad() int { return nope }\n',
  },
] as const;

for (const { fixture, server, file, language, text } of servers)
  test(`${server} with two clients: columns, spellings and texts of each, one document`, {
    skip: missing(fixture),
  }, async () => {
    const tree = planted({ [`${folder}/${file}`]: text, "go.mod": "module example.com/x\n\ngo 1.21\n" });
    const own = planted({ "config/switchboard/config.toml": "[shared]\nenabled = true\n" });
    const env = { PATH: backendPath(), XDG_RUNTIME_DIR: own.root, ...isolated(own.root) };
    const start = (): Client => new Client([process.execPath, program, "--stdio"], { env, patience: 60_000 });
    const clients = [start(), start()] as const;
    const sides = [
      { client: clients[0], uri: `${tree.uri}/${spellings[0]}/${file}`, offered: ["utf-8"], unit: Buffer.byteLength },
      { client: clients[1], uri: `${tree.uri}/${spellings[1]}/${file}`, offered: null, unit: (s: string) => s.length },
    ] as const;
    const lines = text.split("\n");
    const line = lines.findIndex((one) => one.includes("after"));
    const written = lines[line] ?? "";
    /** Where a word is, in a client's unit. */
    const column = ({ unit }: (typeof sides)[number], at: number): number => unit(written.slice(0, at));
    const definition = async (side: (typeof sides)[number], moved: number): Promise<readonly [string, unknown][]> => {
      const position = { line, character: column(side, written.lastIndexOf("after")) + moved };
      const asked = { textDocument: { uri: side.uri }, position };
      const found = await side.client.request<Location[]>("textDocument/definition", asked);
      return found.map(({ uri, range }) => [uri, range.start]);
    };
    const declared = (side: (typeof sides)[number], moved: number): readonly [string, unknown][] => [
      [side.uri, { line, character: column(side, written.indexOf("after")) + moved }],
    ];
    try {
      for (const { client, uri, offered } of sides) {
        await client.initialize([tree.root], {
          capabilities: offered === null ? {} : { general: { positionEncodings: offered } },
        });
        client.open(uri, language, text);
      }
      for (const side of sides) {
        assert.deepEqual(await definition(side, 0), declared(side, 0), side.uri);
        await side.client.until("diagnostics under its own spelling", ({ method, params }) => {
          const told = params as { uri: string; diagnostics: object[] };
          return method === "textDocument/publishDiagnostics" && told.uri === side.uri && told.diagnostics.length > 0;
        });
        const at = { line, character: column(side, written.indexOf("after")) };
        const edit = await side.client.request<WorkspaceEdit>("textDocument/rename", {
          textDocument: { uri: side.uri },
          position: at,
          newName: "later",
        });
        assert.deepEqual(Object.keys(edit.changes ?? {}), [side.uri]);
        assert.equal(edits(tree, edit, "later").length, 2);
      }
      const { backends } = await clients[0].request<StatusResult>("$/switchboard/status", {});
      assert.deepEqual(
        backends.map(({ name, clients: count, openDocuments }) => [name, count, openDocuments]),
        [[server, 2, 1]],
      );

      // One edits: the other's buffer is what it was, until it makes the same edit in its own columns.
      const [first, second] = sides;
      const edit = (side: (typeof sides)[number]): void => {
        const start = { line, character: column(side, written.indexOf("after")) };
        side.client.notify("textDocument/didChange", {
          textDocument: { uri: side.uri, version: 2 },
          contentChanges: [{ range: { start, end: start }, text: " " }],
        });
      };
      edit(first);
      assert.deepEqual(await definition(first, 1), declared(first, 1));
      assert.deepEqual(await definition(second, 0), declared(second, 0));
      edit(second);
      for (const side of sides) assert.deepEqual(await definition(side, 1), declared(side, 1));
      for (const { client } of sides) assert.equal((await client.stop()).code, 0);
    } finally {
      for (const client of clients) await client.kill();
      spawnSync(process.execPath, [program, "stop"], { env: { ...process.env, ...env } });
      for (const one of [tree, own]) one.remove();
    }
  });
