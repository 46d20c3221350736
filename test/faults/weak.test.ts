/**
 * Clients that can little and do less: nothing announced, nothing answered, texts sent whole to a server that takes edits,
 * versions that repeat or are missing, documents opened twice, changed unopened, never closed. The server that they get is a
 * strict one that only answers pulls; each is answered for the text that it has, and shown its diagnostics.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Change, changed } from "../sim/text.ts";
import type { Asked, Frame, Line, Script } from "./actors.ts";
import { Stage } from "./stage.ts";

const start = { line: 0, character: 0 };
const end = { line: 0, character: 3 };

interface Document {
  readonly uri: string;
  readonly version?: unknown;
  readonly text?: string;
}

interface Sent {
  readonly textDocument: Document;
  readonly contentChanges?: readonly Change[];
}

/** Its texts by URI, and what a strict server would complain of. */
class Strict {
  readonly texts = new Map<string, string>();
  readonly breaches: string[] = [];
  readonly #versions = new Map<string, number>();
  readonly script: Script = {
    capabilities: {
      textDocumentSync: 2,
      hoverProvider: true,
      diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
    },
    on: {
      "textDocument/didOpen": ({ params }) => this.#take("didOpen", params as Sent, false),
      "textDocument/didChange": ({ params }) => this.#take("didChange", params as Sent, true),
      "textDocument/didClose": ({ params }) => void this.texts.delete((params as Sent).textDocument.uri),
      "textDocument/hover": (asked) => ({ contents: this.#text(asked) }),
      "textDocument/diagnostic": (asked) => ({
        kind: "full",
        items: [{ range: { start, end: start }, message: `of ${this.#text(asked)}` }],
      }),
    },
  };

  #text({ params }: Asked): string | undefined {
    return this.texts.get((params as Sent).textDocument.uri);
  }

  #take(what: string, { textDocument, contentChanges = [] }: Sent, isOpen: boolean): void {
    const { uri, version, text } = textDocument;
    const last = this.#versions.get(uri) ?? Number.NEGATIVE_INFINITY;
    if (this.texts.has(uri) !== isOpen) this.breaches.push(`${what} of ${uri}`);
    if (typeof version !== "number" || version <= last) this.breaches.push(`version ${version} after ${last}`);
    if (contentChanges.some(({ range }) => range === undefined)) this.breaches.push("a whole text");
    this.#versions.set(uri, Number(version));
    this.texts.set(uri, text ?? changed(this.texts.get(uri) ?? "", contentChanges, "utf-16"));
  }
}

interface Weakness {
  readonly capabilities?: object;
  /** How it answers requests; default: properly enough. */
  readonly answers?: "nothing" | "unknown";
  /** Leads the document from "one\n" to "two\n". */
  readonly edit: (line: Line, uri: string) => void;
}

function change(line: Line, uri: string, version: object, ...contentChanges: readonly Change[]): void {
  line.send({ method: "textDocument/didChange", params: { textDocument: { uri, ...version }, contentChanges } });
}

const ranged = (line: Line, uri: string): void =>
  change(line, uri, { version: 2 }, { range: { start, end }, text: "two" });

const weaknesses: Readonly<Record<string, Weakness>> = {
  "announces nothing": { edit: ranged },
  "announces much and answers nothing": {
    capabilities: { window: { workDoneProgress: true }, workspace: { configuration: true } },
    answers: "nothing",
    edit: ranged,
  },
  "answers -32601 to everything": {
    capabilities: { window: { workDoneProgress: true }, workspace: { configuration: true } },
    answers: "unknown",
    edit: ranged,
  },
  "sends whole texts": { edit: (line, uri) => change(line, uri, { version: 2 }, { text: "two\n" }) },
  "repeats a version": {
    edit: (line, uri) => {
      change(line, uri, { version: 1 }, { text: "three\n" });
      change(line, uri, { version: 1 }, { range: { start, end: { line: 0, character: 5 } }, text: "two" });
    },
  },
  "counts backwards": {
    edit: (line, uri) => change(line, uri, { version: -3 }, { range: { start, end }, text: "two" }),
  },
  "has no versions": { edit: (line, uri) => change(line, uri, {}, { range: { start, end }, text: "two" }) },
  "opens twice": {
    edit: (line, uri) =>
      line.send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId: "", version: 1, text: "two\n" } },
      }),
  },
  "closes twice and opens again": {
    edit: (line, uri) => {
      for (let times = 0; times < 2; times++)
        line.send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
      line.send({ method: "textDocument/didOpen", params: { textDocument: { uri, text: "two\n" } } });
    },
  },
  "never closes": {
    edit: (line, uri) => {
      for (let n = 0; n < 100; n++)
        line.send({
          method: "textDocument/didOpen",
          params: { textDocument: { uri: `${uri}.${n}.x`, languageId: "x", version: 1, text: "other\n" } },
        });
      ranged(line, uri);
    },
  },
};

for (const [what, { capabilities = {}, answers, edit }] of Object.entries(weaknesses))
  test(`a client that ${what} is answered for its text and shown its diagnostics`, async (t) => {
    const strict = new Strict();
    const stage = await Stage.open(t, { fake1: strict.script });
    const line = stage.line();
    await line.initialize(stage.uri, capabilities);
    const uri = stage.uriOf("a.x");
    const version = what === "has no versions" ? {} : { version: 1 };
    line.send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "x", ...version, text: "one\n" } },
    });
    const fake = await stage.fake("fake1");
    await fake.until("textDocument/didOpen");
    // What servers hold their work back for.
    const requests = [
      fake.ask("window/workDoneProgress/create", { token: "t" }),
      fake.ask("workspace/configuration", { items: [{ section: "s" }] }),
    ];
    if (answers === "unknown")
      for (const method of ["window/workDoneProgress/create", "workspace/configuration"])
        line.seen
          .until(method, (frame) => frame.method === method)
          .then(
            ({ id }) => line.send({ id, error: { code: -32601, message: "?" } }),
            () => {},
          );
    edit(line, uri);
    line.send({ id: 1, method: "textDocument/hover", params: { textDocument: { uri }, position: start } });
    assert.deepEqual((await line.answer(1)).result, { contents: "two\n" });
    await line.seen.until("diagnostics of the text", (frame) => isOf(frame, uri, "of two\n"));
    for (const { result } of await Promise.all(requests)) assert.ok(result === null || Array.isArray(result));
    assert.equal(strict.texts.get(uri), "two\n");
    assert.deepEqual(strict.breaches, []);
    line.send({ id: 2, method: "shutdown" });
    await line.answer(2);
    line.send({ method: "exit" });
    assert.equal(await line.exited, 0);
  });

test("a client that changes what it has not opened: it is said, and questions about it are answered from the disk", async (t) => {
  const strict = new Strict();
  const stage = await Stage.open(t, { fake1: strict.script });
  const line = stage.line();
  await line.initialize(stage.uri);
  writeFileSync(join(stage.folder, "a.x"), "disk\n");
  const uri = stage.uriOf("a.x");
  ranged(line, uri);
  line.send({ id: 1, method: "textDocument/hover", params: { textDocument: { uri }, position: start } });
  assert.deepEqual((await line.answer(1)).result, { contents: "disk\n" });
  const said = await line.seen.until("the message", ({ method }) => method === "window/logMessage");
  assert.match(JSON.stringify(said.params), /didChange was ignored.*a\.x is not open/);
  assert.deepEqual(strict.breaches, []);
});

function isOf({ method, params }: Frame, uri: string, message: string): boolean {
  if (method !== "textDocument/publishDiagnostics") return false;
  const { uri: of, diagnostics } = params as { uri: string; diagnostics: readonly { message: string }[] };
  return of === uri && diagnostics.some((one) => one.message === message);
}
