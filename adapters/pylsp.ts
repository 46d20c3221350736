/** python-lsp-server, a shell around jedi and the plugins that lie beside it. Measured on 1.15.0 with jedi 0.20.1, no plugin. */
import { defineAdapter } from "./adapter.ts";
import { field, list } from "./params.ts";
import { jediNames, projectMarkers, pythonEnvironment, pythonHeeds, pythonLineEnds } from "./python.ts";

export const pylsp = defineAdapter({
  name: "pylsp",
  languages: ["python"],
  roots: [[...projectMarkers, "tox.ini"], [".git"]],
  command: ["pylsp"],
  install: "pip install 'python-lsp-server[all]'",
  version: ["--version"],
  // Columns are indexes into Python's texts, whatever is negotiated.
  encoding: "utf-32",
  linesEndAt: pythonLineEnds,
  // It loads what a question needs when it comes: 0.9 s for the first definition, 8 ms for the next. Whole at once.
  ready: { on: "initialized" },
  warmUp: "none",
  publishes: "open",
  // It has no workspace/symbol. documentSymbol is flat, lists a property twice where it has a setter, and what __init__.py
  // imports as a class or function of its own.
  symbol: jediNames,
  role: "general",
  heeds: pythonHeeds,
  environment: pythonEnvironment({
    run: ({ folder }) => ({ settings: { pylsp: { plugins: { jedi: { environment: folder } } } } }),
    read: ({ packages }) => ({ settings: { pylsp: { plugins: { jedi: { extra_paths: packages } } } } }),
  }),
  quirks: [
    {
      id: "rename-of-whole-files",
      why: "A rename replaces each file as a whole, to a line behind its last where that has no end: marks and cursors are lost.",
      link: "https://github.com/python-lsp/python-lsp-server/issues/413",
      affects: "*",
      on: "textDocument/rename",
      // jedi renames what it finds as references: those are the edits, if they make the text that it made.
      response: (result, params, ask, done) => {
        const files = list(field(result, "documentChanges"));
        if (files.length === 0) return done(result);
        ask("textDocument/references", { ...Object(params), context: { includeDeclaration: true } }, (answer) => {
          const places = "result" in answer ? list(answer.result) : [];
          const newName = String(field(params, "newName"));
          const documentChanges = files.map((file) => edited(file, places, newName));
          done({ ...Object(result), documentChanges });
        });
      },
    },
  ],
});

interface Place {
  readonly uri: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly character: number;
}

/** The edits of one file, each at a reference; as it was where these do not make its new text. */
function edited(file: unknown, places: readonly unknown[], newName: string): unknown {
  const [whole, ...more] = list(field(file, "edits"));
  const text = field(whole, "newText");
  if (typeof text !== "string" || more.length > 0) return file;
  const uri = field(field(file, "textDocument"), "uri");
  const own = places.filter((place): place is Place => field(place, "uri") === uri).map(({ range }) => range);
  const ranges = own.toSorted((a, b) => a.start.line - b.start.line || a.start.character - b.start.character);
  return ranges.length > 0 && fits(text, ranges, newName)
    ? { ...Object(file), edits: ranges.map((range) => ({ range, newText: newName })) }
    : file;
}

/** Whether the new name stands in the new text at each place, moved by what was replaced before it. */
function fits(text: string, ranges: readonly Place["range"][], newName: string): boolean {
  const lines = text.split(/\r\n|\r|\n/);
  const name = [...newName];
  let at = { line: -1, grown: 0 };
  return ranges.every(({ start, end }) => {
    if (start.line !== at.line) at = { line: start.line, grown: 0 };
    const from = start.character + at.grown;
    at.grown += name.length - (end.character - start.character);
    return [...(lines[start.line] ?? "")].slice(from, from + name.length).join("") === newName;
  });
}
