/**
 * What the backends of a game of chaos say: their answers, which tell the text and the place that they saw, and what they
 * ask and tell by themselves.
 */
import type { FakeClient } from "./client.ts";
import { pickFrom } from "./random.ts";
import { at, type FakeServer, type Question } from "./server.ts";
import { offsetOf, type Position, positionOf } from "./text.ts";

export const methods = [
  "textDocument/signatureHelp",
  "textDocument/completion",
  "textDocument/documentHighlight",
  "textDocument/hover",
  "textDocument/definition",
  "textDocument/references",
  "textDocument/rename",
  "textDocument/documentSymbol",
  "workspace/executeCommand",
  "workspace/symbol",
];

/** What a backend answers: the text and the place that it saw, in the shape of the method's result. */
export function answerTo({ method, params }: Question, server: FakeServer): unknown {
  const { encoding } = server;
  const uri = at(params, "textDocument", "uri");
  // As most servers do: from the text as it is when they come to answer.
  const text = server.text(String(uri));
  const position = at(params, "position") as Position | undefined;
  if (text === undefined || position === undefined) return null;
  const offset = offsetOf(text, position, encoding);
  const label = JSON.stringify({ text, offset });
  const range = { start: positionOf(text, offset, encoding), end: positionOf(text, offset, encoding) };
  if (method === "textDocument/signatureHelp") return { signatures: [{ label }] };
  if (method === "textDocument/completion") return { isIncomplete: false, items: [{ label, data: { a: 1 } }] };
  if (method === "textDocument/documentHighlight") return [{ range }];
  if (method === "textDocument/hover") return { contents: { kind: "plaintext", value: "h" }, range };
  if (method === "textDocument/definition" || method === "textDocument/references") return [{ uri, range }];
  if (method === "textDocument/rename") return { changes: { [String(uri)]: [{ range, newText: "n" }] } };
  if (method === "textDocument/documentSymbol") return [{ name: label, kind: 5, range, selectionRange: range }];
  return null;
}

export function seenIn(result: unknown): readonly { text: string; offset: number }[] {
  const items = at(result, "items") ?? at(result, "signatures");
  if (!Array.isArray(items)) return [];
  return items.map((item) => JSON.parse(String(at(item, "label"))) as { text: string; offset: number });
}

/** Something of its own accord; `n` is new each time. */
export function speak(server: FakeServer, n: number, random: () => number, client: FakeClient): void {
  const uri = pickFrom([...server.documents.keys()], random);
  const id = `s${n}`;
  const token = `t${n}`;
  const version = uri === undefined || random() < 0.5 ? {} : { version: server.documents.get(uri)?.version };
  const watchers = [{ globPattern: "**/*.x" }];
  const registrations = [{ id: "w", method: "workspace/didChangeWatchedFiles", registerOptions: { watchers } }];
  const sayings: readonly (() => void)[] = [
    () => uri !== undefined && server.tell("textDocument/publishDiagnostics", { uri, diagnostics: [], ...version }),
    () => server.ask(id, "workspace/configuration", { items: [{ section: "s" }, { section: "s", scopeUri: uri }] }),
    () => server.ask(id, "workspace/applyEdit", { edit: { changes: uri === undefined ? {} : { [uri]: [] } } }),
    () => server.ask(id, "client/registerCapability", { registrations }),
    () => {
      server.ask(id, "window/workDoneProgress/create", { token });
      server.tell("$/progress", { token, value: { kind: "begin", title: "t" } });
      if (random() < 0.5) server.tell("$/progress", { token, value: { kind: "end" } });
    },
    () => client.tell("workspace/didChangeConfiguration", { settings: { s: n } }),
  ];
  pickFrom(sayings, random)?.();
}
