/**
 * Scripts and data in one folder: bash, yaml, json, html and css, each where it is installed. What they are asked while one
 * edits; and that a question about the project, or by name, starts none of those that have no names.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { absent, serve } from "./session.ts";

interface Case {
  readonly server: string;
  readonly file: string;
  readonly language: string;
  readonly at: { readonly line: number; readonly character: number };
  /** Names in its outline, at any depth, in order. */
  readonly outline: readonly string[];
  readonly hover: RegExp;
  /** A label among the completions there; "" where there need be none. */
  readonly completion: string;
  readonly formats: boolean;
  /** A file with a fault, and what is said of it. */
  readonly fault?: readonly [file: string, message: RegExp];
}

const cases: readonly Case[] = [
  {
    server: "bash",
    file: "tool",
    language: "shellscript",
    at: { line: 2, character: 3 },
    outline: [],
    hover: /Function: \*\*shared\*\*/,
    completion: "shared",
    // Needs shfmt.
    formats: false,
  },
  {
    server: "yaml",
    file: "config.yaml",
    language: "yaml",
    at: { line: 1, character: 2 },
    outline: ["name", "jobs", "build", "steps", "0", "1"],
    hover: /^null$/,
    completion: "",
    formats: true,
    fault: ["broken.yaml", /Flow sequence/],
  },
  {
    server: "json",
    file: "data.json",
    language: "json",
    at: { line: 0, character: 34 },
    outline: ["$schema", "name", "nested", "inner"],
    hover: /What it is called/,
    completion: "",
    formats: true,
    fault: ["data.json", /Incorrect type/],
  },
  {
    server: "html",
    file: "page.html",
    language: "html",
    at: { line: 1, character: 8 },
    outline: ["html", "head", "style", ".card", "script", "inPage", "body", "div#main.card"],
    hover: /div element/,
    completion: "div",
    formats: true,
    fault: ["page.html", /Unknown property/],
  },
  {
    server: "css",
    file: "style.css",
    language: "css",
    at: { line: 0, character: 10 },
    outline: [".card", "#main .card"],
    hover: /color/,
    completion: "color",
    formats: true,
    fault: ["style.css", /Unknown property/],
  },
];

interface Symbol {
  readonly name: string;
  readonly children?: readonly Symbol[];
}

/** VS Code's servers announce no completion to a client that takes no snippets. */
const textDocument = {
  documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  diagnostic: {},
  completion: { completionItem: { snippetSupport: true } },
};

const namesOf = (list: readonly Symbol[]): string[] =>
  list.flatMap(({ name, children = [] }) => [name, ...namesOf(children)]);

const present = cases.filter(({ server }) => absent(server) === false);

serve(
  `${present.map(({ server }) => server).join(", ")}: what is asked while one edits`,
  ["mixed"],
  async (session, workspace) => {
    const { client } = session;
    await session.initialize({ capabilities: { textDocument } });
    for (const { file, language, at, outline, hover, completion, formats, fault, server } of present) {
      const uri = workspace.uriOf(file);
      client.open(uri, language, readFileSync(workspace.pathOf(file), "utf8"));
      const told = await client.request<Symbol[]>("textDocument/documentSymbol", { textDocument: { uri } });
      assert.deepEqual(namesOf(told).toSorted(), outline.toSorted(), `${server}: outline`);
      assert.match(
        JSON.stringify(await client.request("textDocument/hover", { textDocument: { uri }, position: at })),
        hover,
        server,
      );
      const list = await client.request<{ items: { label: string }[] } | { label: string }[] | null>(
        "textDocument/completion",
        {
          textDocument: { uri },
          position: at,
        },
      );
      const labels = (list !== null && "items" in list ? list.items : (list ?? [])).map(({ label }) => label);
      assert.ok(completion === "" || labels.includes(completion), `${server}: ${labels.slice(0, 20)}`);
      const formatted = await client.request<unknown[] | null>("textDocument/formatting", {
        textDocument: { uri },
        options: { tabSize: 4, insertSpaces: true },
      });
      assert.equal((formatted ?? []).length > 0, formats, `${server}: formatting ${JSON.stringify(formatted)}`);
      if (fault === undefined) continue;
      const [faulty, message] = fault;
      const wrong = workspace.uriOf(faulty);
      if (wrong !== uri) client.open(wrong, language, readFileSync(workspace.pathOf(faulty), "utf8"));
      const report = await client.request<{ items: { message: string }[] }>("textDocument/diagnostic", {
        textDocument: { uri: wrong },
      });
      // Some answer pulls, some publish.
      if (report.items.length > 0) assert.match(report.items.map((one) => one.message).join(), message);
      else
        await client.until(`${server}'s diagnostics`, ({ method, params }) => {
          const { uri: of, diagnostics } = (params ?? {}) as { uri?: string; diagnostics?: { message: string }[] };
          return method.endsWith("publishDiagnostics") && of === wrong && message.test(JSON.stringify(diagnostics));
        });
    }
    const backends = await session.backends();
    assert.deepEqual(backends.map(({ name }) => name).toSorted(), present.map(({ server }) => server).toSorted());
  },
);

serve("a question about the project starts no server that knows no names", ["mixed"], async (session, workspace) => {
  const { client } = session;
  await session.initialize();
  await client.request("workspace/symbol", { query: "name" });
  const bash = absent("bash") === false ? ["bash"] : [];
  assert.deepEqual(
    (await session.servers()).map(({ name }) => name),
    bash,
  );

  // Functions of scripts are names; keys of data are none, unless one asks for them.
  const byName = (params: object): Promise<SymbolByNameResult> => client.request("$/symbolByName", params);
  const none = await byName({ name: "inner" });
  assert.deepEqual(none.matches, []);
  assert.deepEqual(
    (await session.servers()).map(({ name }) => name),
    bash,
  );
  if (bash.length > 0) {
    const { matches } = await byName({ name: "shared" });
    assert.deepEqual(
      matches.map(({ location }) => [location.uri, location.selectionRange.start]),
      [[workspace.uriOf("lib.sh"), { line: 1, character: 0 }]],
    );
    // The script has no ending: its first line says what it is.
    const use = { textDocument: { uri: workspace.uriOf("tool") }, position: { line: 2, character: 2 } };
    const [definition] = await client.request<{ uri: string }[]>("textDocument/definition", use);
    assert.equal(definition?.uri, workspace.uriOf("lib.sh"));
  }
  const { matches } = await byName({ name: "nested.inner", languages: ["json"] });
  assert.deepEqual(
    matches.map(({ location, backend }) => [location.uri, backend]),
    [[workspace.uriOf("data.json"), "json"]],
  );
});
