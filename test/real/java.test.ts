/**
 * jdtls behind `switchboard --stdio` on a folder of sources without a build file. One session for everything: it takes ten
 * seconds to start, a minute on a busy machine. Nothing is opened until the questions that need it.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { SymbolByNameResult } from "../../server/protocol/extensions.ts";
import { fixture } from "../fixture.ts";
import { planted } from "../planted.ts";
import { edits, hoverText, placesOf, type SymbolFound, symbols, type WorkspaceEdit } from "./expect.ts";
import { insert, textOf } from "./questions.ts";
import { inSession, missing } from "./session.ts";

// On two cores, whatever this machine has, one question waits for the index with the only worker that the index waits for.
process.env.JAVA_TOOL_OPTIONS = "-XX:ActiveProcessorCount=2";

interface Place {
  readonly uri: string;
  readonly range: { readonly start: unknown };
}

const startOf = ({ uri, range }: Place): unknown => ({ uri, position: range.start });

test("jdtls: sources without a build file", { skip: missing("java"), timeout: 240_000 }, async (t) => {
  const workspace = fixture("java");
  const before = readdirSync(workspace.root);
  const mark = (name: string): { readonly uri: string; readonly position: object } => {
    const { uri, position } = workspace.mark(name);
    return { uri, position };
  };
  const at = (name: string): object => ({
    textDocument: { uri: mark(name).uri },
    position: workspace.mark(name).position,
  });
  try {
    await inSession(t, [workspace.root], async (session) => {
      const { client } = session;
      await session.initialize();
      const named = (name: string): Promise<SymbolByNameResult> =>
        client.request("$/symbolByName", { name, timeoutMs: 100_000 });

      // The very first question. It waits for the index of the JDK, which is made once for a machine.
      const found = await named("fx.Metrics.record");
      assert.deepEqual(
        found.matches.map(({ location }) => ({ uri: location.uri, position: location.selectionRange.start })),
        [mark("def:Metrics.record")],
        JSON.stringify(found),
      );
      assert.equal(found.matches[0]?.qualifiedName, "fx.Metrics.record");
      assert.equal(found.matches[0]?.backend, "jdtls");
      assert.ok(found.complete, JSON.stringify(found));
      for (const [name, place] of [
        ["Metrics#record", "def:Metrics.record"],
        ["Metrics.record(int)", "def:Metrics.record"],
        ["fx.Metrics", "def:Metrics"],
        ["Tape.Reel", "def:Reel"],
        ["fx.Tape.Reel.turns", "def:Reel.turns"],
        ["fx.page.Page.show()", "def:Page.show"],
      ] as const) {
        const { matches } = await named(name);
        assert.deepEqual(
          matches.map(({ location }) => ({ uri: location.uri, position: location.selectionRange.start })),
          [mark(place)],
          `${name}: ${JSON.stringify(matches)}`,
        );
      }

      // Methods are listed, a class once, nothing of the JDK before the folder's own.
      const listed = (query: string): Promise<SymbolFound[]> => client.request("workspace/symbol", { query });
      const record = ["def:Metrics.record", "def:Tape.record"];
      assert.deepEqual(symbols(workspace, await listed("record")), placesOf(workspace, record, 6));
      const [reel, ...others] = await listed("Reel");
      assert.deepEqual([reel?.containerName, others], ["fx.Tape", []]);
      assert.deepEqual(reel && startOf(reel.location), mark("def:Reel"));
      assert.deepEqual(symbols(workspace, await listed("Metrics")), placesOf(workspace, ["def:Metrics"], 7));

      // Definition, references, callers, rename, hover; a reference is listed with its arguments.
      const definition = await client.request<Place[]>("textDocument/definition", at("use:Metrics.record"));
      assert.deepEqual(definition.map(startOf), [mark("def:Metrics.record")]);
      const references = await client.request<Place[]>("textDocument/references", {
        ...at("def:Metrics.record"),
        context: { includeDeclaration: true },
      });
      assert.deepEqual(references.map(startOf), [mark("def:Metrics.record"), mark("use:Metrics.record")]);
      const [item] = await client.request<object[]>("textDocument/prepareCallHierarchy", at("def:Metrics.record"));
      const calls = await client.request<{ from: { name: string; uri: string } }[]>("callHierarchy/incomingCalls", {
        item,
      });
      assert.deepEqual(
        calls.map(({ from }) => [from.name, from.uri]),
        [["show() : String", mark("def:Page").uri]],
      );
      const renamed = await client.request<WorkspaceEdit>("textDocument/rename", {
        ...at("use:Metrics.record"),
        newName: "noted",
      });
      assert.deepEqual(
        edits(workspace, renamed, "noted"),
        placesOf(workspace, ["def:Metrics.record", "use:Metrics.record"], 6),
      );
      const hover = await client.request<{ contents: unknown }>("textDocument/hover", at("use:Metrics.record"));
      assert.match(hoverText(hover), /void fx\.Metrics\.record\(int value\)/);
      // A class of the JDK has no place that every client can read.
      assert.deepEqual(await client.request("textDocument/definition", at("use:ArrayList")), []);

      // Diagnostics only of what is opened.
      const published = client.seen.filter(({ method }) => method === "textDocument/publishDiagnostics");
      assert.deepEqual(published, []);
      const broken = mark("error").uri;
      client.open(broken, "java", textOf(workspace, broken));
      interface Told {
        readonly uri: string;
        readonly diagnostics: readonly { readonly range: { readonly start: object } }[];
      }
      const { params } = await client.until(
        "the diagnostics",
        (seen) => seen.method === "textDocument/publishDiagnostics" && (seen.params as Told).diagnostics.length > 0,
      );
      const told = params as Told;
      assert.deepEqual(
        [told.uri, told.diagnostics.map(({ range }) => range.start)],
        [broken, [mark("error").position]],
      );

      // Places follow a buffer, and the disk.
      const { uri } = mark("def:Metrics");
      client.open(uri, "java", textOf(workspace, uri));
      insert(session, uri, 2, "\n\n");
      const moved = await named("Metrics.record");
      const { line, character } = workspace.mark("def:Metrics.record").position;
      assert.deepEqual(
        moved.matches.map(({ location }) => location.selectionRange.start),
        [{ line: line + 2, character }],
      );
      client.notify("textDocument/didClose", { textDocument: { uri } });
      writeFileSync(workspace.pathOf("src/fx/Fresh.java"), "package fx;\n\nclass Fresh { void novelty() {} }\n");
      const fresh = await named("fx.Fresh.novelty");
      assert.deepEqual(
        fresh.matches.map(({ location }) => [location.uri, location.selectionRange.start]),
        [[workspace.uriOf("src/fx/Fresh.java"), { line: 2, character: 19 }]],
        JSON.stringify(fresh),
      );
    });
    assert.deepEqual(readdirSync(workspace.root), before, "nothing is written beside the sources");
    assert.ok(!existsSync(workspace.pathOf("src/bin")));
  } finally {
    workspace.remove();
  }
});

const built = {
  "pom.xml":
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
    "<groupId>x</groupId><artifactId>y</artifactId><version>1</version></project>",
  "src/main/java/a/A.java": "package a;\n\nclass A { void hello() {} }\n",
  "src/test/java/a/ATest.java": "package a;\n\nclass ATest { void greets() { new A().hello(); } }\n",
};

for (const trusted of [false, true])
  test(`jdtls: a build ${trusted ? "is imported where the folder is trusted" : "is not imported without trust"}`, {
    skip: missing("java"),
    timeout: 240_000,
  }, async (t) => {
    const tree = planted(built);
    try {
      await inSession(t, [tree.root], async (session) => {
        const { client } = session;
        if (trusted) session.trust(tree.root);
        await session.initialize();
        const textDocument = { uri: tree.uriOf("src/main/java/a/A.java") };
        client.open(textDocument.uri, "java", tree.textOf("src/main/java/a/A.java"));
        await client.until(
          "the end of the import",
          ({ method, params }) => method === "language/status" && (params as { type: string }).type === "ServiceReady",
        );
        // What an import of Maven leaves behind, whatever else its plugins do; and nothing of the server's own.
        assert.deepEqual(readdirSync(tree.root).sort(), ["pom.xml", "src", ...(trusted ? ["target"] : [])]);
        const messages = client.seen.filter(({ method }) => method === "window/showMessage");
        assert.equal(/is not trusted/.test(JSON.stringify(messages)), !trusted, JSON.stringify(messages));
        if (trusted) return;
        const found = await client.request<SymbolByNameResult>("$/symbolByName", {
          name: "a.A.hello",
          include: ["references"],
          timeoutMs: 100_000,
        });
        const [match] = found.matches;
        assert.equal(match?.location.uri, textDocument.uri, JSON.stringify(found));
        assert.ok(match.references !== undefined && "items" in match.references);
        assert.deepEqual(
          match.references.items.map(({ uri, range }) => [uri, range.start.line]),
          [
            [textDocument.uri, 2],
            [tree.uriOf("src/test/java/a/ATest.java"), 2],
          ],
        );
      });
    } finally {
      tree.remove();
    }
  });
