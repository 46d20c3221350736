/**
 * argv into plain options: one table of options for the parser, the help and the completion. Whatever is wrong is said in
 * one line and is exit 2; nothing is guessed. Commands are rows of `table.ts`.
 */
import { parseArgs } from "node:util";
import type { LogLevel } from "../config/config.ts";
import { nearest } from "../config/nearest.ts";
import type { Command } from "./table.ts";

export type ColumnUnit = "utf16" | "bytes" | "chars";

/** Contract section 6, "Common", and what single commands take. */
export interface Options {
  /** Workspace folder; without it, the root around the working folder. */
  readonly root?: string;
  /** Hint, ranks only. */
  readonly path?: string;
  readonly in: readonly string[];
  readonly kind: readonly string[];
  readonly lang: readonly string[];
  /** 0 to 1000. */
  readonly limit?: number;
  readonly json: boolean;
  /** Seconds; 0 asks what is known now. */
  readonly wait?: number;
  readonly noBackends: boolean;
  readonly config: readonly string[];
  readonly columnUnit: ColumnUnit;
  readonly quiet: boolean;
  readonly logLevel?: LogLevel;
  readonly apply: boolean;
  readonly sarif: boolean;
}

/** What is logged to stderr: as the command line says, else the configuration. */
export function logLevelOf({ logLevel, quiet }: Options, configured: LogLevel): LogLevel {
  return logLevel ?? (quiet ? "error" : configured);
}

export type Invocation =
  | { readonly mode: "stdio"; readonly options: Options }
  | {
      readonly mode: "command";
      readonly command: Command;
      readonly words: readonly string[];
      readonly options: Options;
    }
  | { readonly mode: "help"; readonly command: Command | null }
  | { readonly mode: "version" }
  /** `message` is for stderr; the exit code is 2. */
  | { readonly mode: "wrong"; readonly message: string };

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** The word that follows, for the help; a flag without. */
  readonly value?: string;
  /** The words that may follow, where there are only some. */
  readonly choices?: readonly string[];
  /** Given several times, all hold. */
  readonly many?: true;
  readonly summary: string;
  /** Only for commands that name it as `extra`. */
  readonly only?: true;
  /** Taken, of no effect, not shown. */
  readonly hidden?: true;
}

/** Every option, in the order of the help. */
export const optionTable: readonly Option[] = [
  { name: "root", value: "DIR", summary: "the workspace folder" },
  { name: "path", value: "HINT", summary: "a path or glob that ranks matches higher" },
  { name: "in", value: "GLOB", many: true, summary: "only files that match; `!` in front subtracts" },
  { name: "kind", value: "K", many: true, summary: "only these kinds: method, class, type, ..." },
  { name: "lang", value: "L", many: true, summary: "only these languages" },
  { name: "limit", value: "N", summary: "at most so many matches or lines, 0 to 1000; 0 counts only" },
  { name: "json", summary: "print the result as JSON" },
  { name: "wait", value: "SECONDS", summary: "how long backends may take to be ready; 0 asks what is known now" },
  { name: "no-backends", summary: "syntax only" },
  { name: "config", value: "FILE", many: true, summary: "a configuration file, trusted like your own; several merge" },
  {
    name: "column-unit",
    value: "UNIT",
    choices: ["utf16", "bytes", "chars"],
    summary: "what a column counts (default utf16)",
  },
  { name: "quiet", short: "q", summary: "nothing on stderr but errors" },
  { name: "log-level", value: "LEVEL", choices: ["error", "warn", "info", "debug"], summary: "what is logged" },
  { name: "apply", only: true, summary: "write the change" },
  { name: "sarif", only: true, summary: "print SARIF" },
  { name: "stdio", summary: "serve LSP on stdin and stdout" },
  { name: "help", short: "h", summary: "this text" },
  { name: "version", short: "V", summary: "the version" },
  // vscode-languageclient adds it; the process id comes again in `initialize`.
  { name: "clientProcessId", value: "PID", hidden: true, summary: "" },
];

/**
 * @param argv without the program's name
 * @param table the commands that can be called
 * @param stdinIsTerminal without a command, the language server is meant when this is false
 */
export function parseCommandLine(
  argv: readonly string[],
  table: readonly Command[],
  stdinIsTerminal: boolean,
): Invocation {
  const parsed = tokens(argv);
  if (typeof parsed === "string") return { mode: "wrong", message: parsed };
  const { values, words } = parsed;
  if (values.has("version")) return { mode: "version" };
  const [called, ...rest] = words;
  const command = table.find(({ name }) => name === called);
  if (called !== undefined && command === undefined && !(called === "help" && rest.length <= 1)) {
    return {
      mode: "wrong",
      message: `\`${called}\` is no command${hint(
        nearest(
          called,
          table.map(({ name }) => name),
        ),
      )}`,
    };
  }
  if (called === "help") return { mode: "help", command: table.find(({ name }) => name === rest[0]) ?? null };
  if (values.has("help")) return { mode: "help", command: command ?? null };
  const options = readOptions(values, command);
  if (typeof options === "string") return { mode: "wrong", message: options };
  if (command === undefined) {
    return values.has("stdio") || !stdinIsTerminal ? { mode: "stdio", options } : { mode: "help", command: null };
  }
  const wrong = wrongWords(command, rest) ?? (values.has("stdio") ? "`--stdio` takes no command" : null);
  if (wrong !== null) return { mode: "wrong", message: wrong };
  return { mode: "command", command, words: rest, options };
}

type Values = ReadonlyMap<string, readonly string[]>;

/** The options given with their values (none for a flag) and the words between them; or what is wrong. */
function tokens(argv: readonly string[]): { values: Values; words: readonly string[] } | string {
  const values = new Map<string, string[]>();
  const words: string[] = [];
  const known = Object.fromEntries(
    optionTable.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        multiple: true,
        ...(short && { short }),
      },
    ]),
  );
  const parsed = parseArgs({ args: [...argv], options: known, strict: false, allowPositionals: true, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const option = optionTable.find(({ name }) => name === token.name);
    if (option === undefined) {
      const names = optionTable.flatMap(({ name, hidden }) => (hidden ? [] : [name]));
      const meant = token.rawName.startsWith("--") ? nearest(token.name, names) : null;
      return `\`${token.rawName}\` is no option${hint(meant && `--${meant}`)}`;
    }
    const given = values.get(option.name) ?? [];
    values.set(option.name, given);
    if (option.value === undefined) {
      if (token.value !== undefined) return `\`--${option.name}\` takes no value`;
    } else if (token.value === undefined || (!token.inlineValue && token.value.startsWith("--"))) {
      return `\`--${option.name}\` needs ${option.value}`;
    } else if (option.choices && !option.choices.includes(token.value)) {
      return `\`--${option.name}\` is one of ${option.choices.join(", ")}; not \`${token.value}\``;
    } else if (!option.many && given.length > 0) return `\`--${option.name}\` is given twice`;
    else given.push(token.value);
  }
  return { values, words };
}

function readOptions(values: Values, command: Command | undefined): Options | string {
  for (const { name, only } of optionTable) {
    const takes: readonly string[] = command?.extra ?? [];
    if (only && values.has(name) && !takes.includes(name)) {
      return `\`--${name}\` is no option${command ? ` of \`${command.name}\`` : ""}`;
    }
  }
  const one = (name: string) => values.get(name)?.[0];
  const many = (name: string) => values.get(name) ?? [];
  const listed = (name: string) => many(name).flatMap((text) => text.split(",").flatMap((part) => part.trim() || []));
  const limit = number(one("limit"));
  if (limit !== undefined && !(Number.isInteger(limit) && limit <= 1000))
    return "`--limit` is a whole number from 0 to 1000";
  const wait = number(one("wait"));
  if (wait !== undefined && Number.isNaN(wait)) return "`--wait` is a number of seconds";
  const [root, path, logLevel] = [one("root"), one("path"), one("log-level")];
  return {
    ...(root !== undefined && { root }),
    ...(path !== undefined && { path }),
    in: many("in"),
    kind: listed("kind"),
    lang: listed("lang"),
    ...(limit !== undefined && { limit }),
    json: values.has("json"),
    ...(wait !== undefined && { wait }),
    noBackends: values.has("no-backends"),
    config: many("config"),
    columnUnit: isColumnUnit(one("column-unit")) ?? "utf16",
    quiet: values.has("quiet"),
    ...(isLogLevel(logLevel) && { logLevel }),
    apply: values.has("apply"),
    sarif: values.has("sarif"),
  };
}

/** A number of zero or more as people write one; NaN for anything else. */
function number(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
}

function wrongWords({ name, args, arity: [least, most] }: Command, words: readonly string[]): string | null {
  if (words.length >= least && words.length <= most) return null;
  const surplus = words[most];
  const what = words.length < least || surplus === undefined ? `needs ${args}` : `takes no \`${surplus}\``;
  return `\`${name}\` ${what}: switchboard ${name} ${args}`.trimEnd();
}

function isColumnUnit(text: string | undefined): ColumnUnit | undefined {
  return text === "utf16" || text === "bytes" || text === "chars" ? text : undefined;
}

function isLogLevel(text: string | undefined): text is LogLevel {
  return text === "error" || text === "warn" || text === "info" || text === "debug";
}

function hint(meant: string | null): string {
  return meant === null ? " (see `switchboard help`)" : ` (did you mean ${meant}?)`;
}
