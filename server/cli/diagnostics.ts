/**
 * `switchboard diagnostics [PATH...]`: what servers find wrong in files and folders, as text, JSON or SARIF 2.1.0. Ends with 1
 * where there is an error, with 4 where there is none but somebody did not answer.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { uriOfPath } from "../core/documents/uris.ts";
import { isObject } from "../core/settings.ts";
import { type DiagnosticsParams, type DiagnosticsResult, X } from "../protocol/extensions.ts";
import type { Diagnostic } from "../protocol/messages.ts";
import { version } from "../version.ts";
import { failed, printingOf } from "./named.ts";
import { exits, type Printing, pathOf, placeOf, textLine } from "./print.ts";
import { inSession, wrong } from "./session.ts";
import type { Run } from "./table.ts";

export const run: Run = (paths, options) => {
  const files = paths.map((path) => resolve(path));
  const absent = files.find((file) => statSync(file, { throwIfNoEntry: false }) === undefined);
  if (absent !== undefined) return Promise.resolve(wrong(`${absent} does not exist`));
  return inSession(options, async (session) => {
    const printing = printingOf(options);
    const params: DiagnosticsParams = {
      ...(files.length > 0 && { uris: files.map(uriOfPath) }),
      ...(options.wait !== undefined && { timeoutMs: Math.round(options.wait * 1000) }),
    };
    const reply = await session.request(X.diagnostics, params);
    if ("error" in reply) return failed(reply.error, printing);
    if (!isResult(reply.result)) return wrong("the answer has no files");
    const { result } = reply;
    const items = result.files.flatMap(({ uri, diagnostics }) => diagnostics.map((item) => ({ uri, item })));
    if (options.sarif) process.stdout.write(`${JSON.stringify(sarif(items), null, 2)}\n`);
    else if (options.json) process.stdout.write(`${JSON.stringify(withPlaces(result, printing), null, 2)}\n`);
    else for (const one of items) process.stdout.write(`${lineOf(one, printing)}\n`);
    if (!options.quiet) {
      for (const { uri, unanswered, backends } of result.files) {
        const named = pathOf(uri, printing.cwd);
        for (const { backend, message } of unanswered)
          process.stderr.write(`switchboard: ${named}: ${backend}: ${message}\n`);
        if (backends.length === 0) process.stderr.write(`switchboard: ${named}: no server is there for it\n`);
      }
    }
    if (items.some(({ item }) => (item.severity ?? 1) === 1)) return exits.absent;
    const isAsked = result.files.every(({ backends }) => backends.length > 0);
    return result.complete && isAsked ? exits.found : exits.incomplete;
  });
};

interface Item {
  readonly uri: string;
  readonly item: Diagnostic;
}

/** LSP's severities, 1-based; none counts as an error (LSP 3.18, Diagnostic: the client decides). */
const severities = ["Error", "Warning", "Information", "Hint"] as const;
const levels = ["error", "warning", "note", "note"] as const;

function of<T>(names: readonly [T, ...T[]], { severity = 1 }: Diagnostic): T {
  return names[severity - 1] ?? names[0];
}

function lineOf({ uri, item }: Item, printing: Printing): string {
  const by = [item.source, item.code].filter((part) => part !== undefined && part !== "").join(" ");
  const what = `[${of(severities, item)}] ${messageOf(item)}${by === "" ? "" : ` (${by})`}`;
  return textLine(placeOf(uri, item.range.start, printing), what);
}

/** LSP 3.18 allows markup for a message. */
function messageOf({ message }: { readonly message: unknown }): string {
  return isObject(message) ? String(message.value) : String(message);
}

/** The wire result, with 1-based line and column beside each range. */
function withPlaces({ files, complete }: DiagnosticsResult, printing: Printing): object {
  const placed = files.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.map((item) => {
      const { line, column } = placeOf(file.uri, item.range.start, printing);
      return { ...item, line, column };
    }),
  }));
  return { files: placed, complete };
}

/** SARIF 2.1.0: one run, a result each; regions are 1-based, in UTF-16 units whatever the text form counts. */
function sarif(items: readonly Item[]): object {
  const results = items.map(({ uri, item }) => {
    const { start, end } = item.range;
    const region = {
      startLine: start.line + 1,
      startColumn: start.character + 1,
      endLine: end.line + 1,
      endColumn: end.character + 1,
    };
    return {
      ruleId: String(item.code ?? item.source ?? "diagnostic"),
      level: of(levels, item),
      message: { text: messageOf(item) },
      locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
      ...(item.source !== undefined && { properties: { source: item.source } }),
    };
  });
  const tool = { driver: { name: "switchboard", version } };
  return { version: "2.1.0", runs: [{ tool, columnKind: "utf16CodeUnits", results }] };
}

function isResult(value: unknown): value is DiagnosticsResult {
  return isObject(value) && Array.isArray(value.files);
}
