/** The command line: options, commands, help, printed places. */
import assert from "node:assert/strict";
import { sep } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { type Invocation, type Options, optionTable, parseCommandLine } from "../../server/cli/args.ts";
import { help, helpOf } from "../../server/cli/help.ts";
import { columnIn, json, pathOf, placeOf, symbolText, textLine } from "../../server/cli/print.ts";
import { built, type Command, commands } from "../../server/cli/table.ts";

const nothing: Options = {
  in: [],
  kind: [],
  lang: [],
  json: false,
  noBackends: false,
  config: [],
  columnUnit: "utf16",
  quiet: false,
  apply: false,
  sarif: false,
};
const parse = (line: string, terminal = true) =>
  parseCommandLine(line === "" ? [] : line.split(" "), commands, terminal);

/** The mode, the command and its words, and the options that differ from none. */
function summary(invocation: Invocation): unknown {
  if (invocation.mode === "wrong") return invocation.message;
  if (invocation.mode === "help") return `help ${invocation.command?.name ?? "all"}`;
  if (invocation.mode === "version") return "version";
  const same = (name: string, value: unknown) =>
    JSON.stringify(Object.entries(nothing).find(([key]) => key === name)?.[1]) === JSON.stringify(value);
  const options = Object.fromEntries(Object.entries(invocation.options).filter(([name, value]) => !same(name, value)));
  return invocation.mode === "stdio" ? ["stdio", options] : [invocation.command.name, ...invocation.words, options];
}

test("what a command line means", () => {
  const rows: readonly (readonly [line: string, meaning: unknown, terminal?: boolean])[] = [
    ["", "help all"],
    ["", ["stdio", {}], false],
    ["--stdio", ["stdio", {}]],
    ["--stdio --clientProcessId=12 --config a.toml --config b.toml", ["stdio", { config: ["a.toml", "b.toml"] }]],
    ["--clientProcessId 12", ["stdio", {}], false],
    ["symbol Mux.receive", ["symbol", "Mux.receive", {}]],
    ["symbol Mux.receive", ["symbol", "Mux.receive", {}], false],
    ["--json symbol x", ["symbol", "x", { json: true }]],
    [
      "refs x --root d --path h --in *.go --in !gen/** --wait 2.5 --limit 0",
      ["refs", "x", { root: "d", path: "h", in: ["*.go", "!gen/**"], wait: 2.5, limit: 0 }],
    ],
    [
      "symbol x --kind method,class --kind type --lang=go,tsx",
      ["symbol", "x", { kind: ["method", "class", "type"], lang: ["go", "tsx"] }],
    ],
    [
      "symbol x -q --no-backends --column-unit bytes --log-level debug",
      ["symbol", "x", { quiet: true, noBackends: true, columnUnit: "bytes", logLevel: "debug" }],
    ],
    ["symbol -- --x", ["symbol", "--x", {}]],
    ["rename a b --apply", ["rename", "a", "b", { apply: true }]],
    ["diagnostics a b c --sarif", ["diagnostics", "a", "b", "c", { sarif: true }]],
    ["diagnostics", ["diagnostics", {}]],
    ["--help", "help all"],
    ["-h symbol", "help symbol"],
    ["symbol -h", "help symbol"],
    ["help", "help all"],
    ["help refs", "help refs"],
    ["--version", "version"],
    ["-V", "version"],
    ["symbol x --version", "version"],

    ["symbl x", "`symbl` is no command (did you mean symbol?)"],
    ["whatever", "`whatever` is no command (see `switchboard help`)"],
    ["whatever", "`whatever` is no command (see `switchboard help`)", false],
    ["symbol", "`symbol` needs NAME: switchboard symbol NAME"],
    ["symbol a b", "`symbol` takes no `b`: switchboard symbol NAME"],
    ["rename a", "`rename` needs NAME NEW: switchboard rename NAME NEW"],
    ["status x", "`status` takes no `x`: switchboard status"],
    ["symbol x --jsn", "`--jsn` is no option (did you mean --json?)"],
    ["symbol x --zzzzzzzz", "`--zzzzzzzz` is no option (see `switchboard help`)"],
    ["symbol x -z", "`-z` is no option (see `switchboard help`)"],
    ["symbol x --apply", "`--apply` is no option of `symbol`"],
    ["--sarif", "`--sarif` is no option"],
    ["symbol x --json=1", "`--json` takes no value"],
    ["symbol x --root", "`--root` needs DIR"],
    ["symbol x --root --json", "`--root` needs DIR"],
    ["symbol x --root a --root b", "`--root` is given twice"],
    ["symbol x --limit -1", "`--limit` is a whole number from 0 to 1000"],
    ["symbol x --limit 1001", "`--limit` is a whole number from 0 to 1000"],
    ["symbol x --limit 1e2", "`--limit` is a whole number from 0 to 1000"],
    ["symbol x --wait soon", "`--wait` is a number of seconds"],
    ["symbol x --column-unit utf8", "`--column-unit` is one of utf16, bytes, chars; not `utf8`"],
    ["symbol x --log-level loud", "`--log-level` is one of error, warn, info, debug; not `loud`"],
    ["symbol x --stdio", "`--stdio` takes no command"],
  ];
  for (const [line, meaning, terminal] of rows) assert.deepEqual(summary(parse(line, terminal)), meaning, line);
});

test("a command that is not built is none, and no help shows it", () => {
  const symbol: Command | undefined = commands.find(({ name }) => name === "symbol");
  assert.ok(symbol);
  const { run: _, ...unbuilt } = symbol;
  const table = built([
    { ...symbol, run: () => Promise.resolve({ run: () => Promise.resolve(0) }) },
    { ...unbuilt, name: "mcp" },
  ]);
  assert.equal(summary(parseCommandLine(["mcp", "x"], table, true)), "`mcp` is no command (see `switchboard help`)");
  assert.match(help(table), /^ {2}symbol NAME +where it is defined$/m);
  assert.doesNotMatch(help(table), /mcp/);
});

test("the help shows every option that can be given, and none that cannot", () => {
  const text = help(commands);
  for (const { name, only, hidden } of optionTable)
    assert.equal(text.includes(`--${name}`) && !only, !hidden && !only, name);
  for (const { name } of commands) assert.match(text, new RegExp(`^  ${name}\\b`, "m"));
  const rename = commands.find(({ name }) => name === "rename");
  assert.ok(rename && helpOf(rename).includes("--apply") && !helpOf(rename).includes("--sarif"));
  assert.ok(text.split("\n").every((line) => line.length <= 100));
});

test("any words are an invocation or a message", () => {
  const word = fc.oneof(
    fc.constantFrom("--", "-", "--in", "--in=", "-q", "-qq", "--no-json", "symbol", "--limit", "3", "-hq"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      const invocation = parseCommandLine(argv, commands, true);
      if (invocation.mode === "wrong") assert.ok(invocation.message !== "");
    }),
    { numRuns: 300 },
  );
});

test("places, with the column in the unit asked for", () => {
  const line = "a😀é x";
  const rows: readonly (readonly ["utf16" | "bytes" | "chars", number, number])[] = [
    ["utf16", 0, 1],
    ["utf16", 3, 4],
    ["bytes", 0, 1],
    ["bytes", 3, 6],
    ["bytes", 4, 8],
    ["chars", 3, 3],
    ["chars", 5, 5],
    ["chars", 99, 6],
    ["bytes", 99, 10],
  ];
  for (const [unit, character, column] of rows)
    assert.equal(columnIn(unit, line, character), column, `${unit} ${character}`);
  assert.equal(columnIn("bytes", undefined, 7), 8);
  const uri = pathToFileURL("/w/p/src/a b.ts").href;
  const asked: number[] = [];
  const printing = {
    cwd: `${sep}w${sep}p`,
    unit: "bytes" as const,
    lineOf: (_: string, at: number) => {
      asked.push(at);
      return line;
    },
  };
  if (process.platform !== "win32") {
    assert.deepEqual(placeOf(uri, { line: 4, character: 4 }, printing), { path: "src/a b.ts", line: 5, column: 8 });
    assert.deepEqual(asked, [4]);
  }
  const place = { path: "src/a.ts", line: 5, column: 8 };
  assert.equal(textLine(place, symbolText("Method", "Mux.receive")), "src/a.ts:5:8: [Method] Mux.receive");
  assert.equal(
    textLine(place, symbolText("Method", "x"), "call(\u001b[31m)\u202e\n"),
    "src/a.ts:5:8: [Method] x call( [31m)",
  );
});

test("paths relative to the working folder", (t) => {
  const rows: readonly (readonly [path: string, cwd: string, printed: string])[] = [
    ["/w/p/a.ts", "/w/p", "a.ts"],
    ["/w/p/a.ts", "/w/p/sub", "../a.ts"],
    ["/w/q/a.ts", "/w/p", "../q/a.ts"],
    ["/usr/include/stdio.h", "/w/p", "/usr/include/stdio.h"],
    ["/w/p", "/w/p", "/w/p"],
    ["/w/p/..x", "/w/p", "..x"],
  ];
  assert.equal(pathOf("jdt://contents/x", "/w"), "jdt://contents/x");
  assert.equal(pathOf("file:///%ZZ", "/w"), "file:///%ZZ");
  if (process.platform === "win32") return t.skip("the rows are POSIX paths");
  for (const [path, cwd, printed] of rows) assert.equal(pathOf(pathToFileURL(path).href, cwd), printed, path);
});

test("JSON is the result with a line and column in each match", () => {
  const selectionRange = { start: { line: 2, character: 3 }, end: { line: 2, character: 9 } };
  const match = { name: "x", location: { uri: "file:///a", range: selectionRange, selectionRange } };
  const printing = { cwd: "/", unit: "utf16" as const, lineOf: () => undefined };
  assert.deepEqual(JSON.parse(json({ matches: [match], total: 1, complete: true }, printing)), {
    matches: [{ ...match, line: 3, column: 4 }],
    total: 1,
    complete: true,
  });
});
