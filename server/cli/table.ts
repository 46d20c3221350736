/**
 * The commands of the command line: one row each, from which the parser, the help and the completion are fed. What a
 * command does is in its own file, loaded when it is called.
 */
import type { Options } from "./args.ts";

export interface Command {
  readonly name: string;
  /** What follows the name, for the help: `NAME`, `[PATH...]`. */
  readonly args: string;
  /** How many words may follow: at least, at most. */
  readonly arity: readonly [number, number];
  /** One line. */
  readonly summary: string;
  /** Options that only some commands take, by their name in `args.ts`. */
  readonly extra?: readonly ("apply" | "sarif")[];
  /** It asks backends, so it has no use of `--no-backends` alone where no grammar serves. */
  readonly needsBackend: boolean;
  /** Missing: not built yet, so that it is neither shown nor taken. */
  readonly run?: () => Promise<{ readonly run: Run }>;
}

/** Ends with the exit code, see `print.ts`. */
export type Run = (words: readonly string[], options: Options) => Promise<number>;

const name = { args: "NAME", arity: [1, 1], needsBackend: true } as const;
const none = { args: "", arity: [0, 0], needsBackend: false } as const;

/** All commands of the contract (section 6), built or not, in the order of the help. */
export const commands: readonly Command[] = [
  { name: "symbol", ...name, summary: "where it is defined", run: () => import("./symbol.ts") },
  { name: "refs", ...name, summary: "semantic references", run: () => import("./refs.ts") },
  { name: "callers", ...name, summary: "who calls it, with call sites", run: () => import("./callers.ts") },
  { name: "callees", ...name, summary: "what it calls, with call sites", run: () => import("./callees.ts") },
  { name: "impls", ...name, summary: "implementations", run: () => import("./impls.ts") },
  { name: "hover", ...name, summary: "what it is", run: () => import("./hover.ts") },
  { name: "source", ...name, summary: "its code", run: () => import("./source.ts") },
  {
    name: "rename",
    args: "NAME NEW",
    arity: [2, 2],
    needsBackend: true,
    extra: ["apply"],
    summary: "a diff; --apply writes it",
  },
  {
    name: "outline",
    args: "FILE",
    arity: [1, 1],
    needsBackend: false,
    summary: "declarations of a file",
    run: () => import("./outline.ts"),
  },
  {
    name: "search",
    args: "PATTERN",
    arity: [1, 1],
    needsBackend: false,
    summary: "symbols by pattern",
    run: () => import("./search.ts"),
  },
  {
    name: "mentions",
    args: "IDENT",
    arity: [1, 1],
    needsBackend: false,
    summary: "every line where an identifier stands",
    run: () => import("./mentions.ts"),
  },
  {
    name: "diagnostics",
    args: "[PATH...]",
    arity: [0, Number.POSITIVE_INFINITY],
    needsBackend: true,
    extra: ["sarif"],
    summary: "errors and warnings: text, --json, --sarif",
    run: () => import("./diagnostics.ts"),
  },
  { name: "serve", ...none, summary: "keep backends running for several clients", run: () => import("./serve.ts") },
  { name: "status", ...none, summary: "what the shared server runs", run: () => import("./status.ts") },
  { name: "stop", ...none, summary: "end the shared server", run: () => import("./stop.ts") },
  {
    name: "doctor",
    ...none,
    summary: "which servers are found, and whether they work",
    run: () => import("./doctor.ts"),
  },
  {
    name: "trust",
    args: "[DIR]",
    arity: [0, 1],
    needsBackend: false,
    summary: "let a folder's configuration run commands",
    run: () => import("./trust.ts"),
  },
  {
    name: "config",
    args: "show",
    arity: [0, 1],
    needsBackend: false,
    summary: "the configuration that holds, and from where",
  },
  { name: "log", ...none, summary: "what was logged" },
  { name: "record", args: "FILE", arity: [1, 1], needsBackend: false, summary: "write a session's messages to a file" },
  { name: "replay", args: "FILE", arity: [1, 1], needsBackend: false, summary: "play such a file again" },
  {
    name: "completion",
    args: "SHELL",
    arity: [1, 1],
    needsBackend: false,
    summary: "completion for bash, zsh or fish",
  },
  { name: "setup", args: "CLIENT", arity: [1, 1], needsBackend: false, summary: "how to set up an editor or agent" },
  { name: "mcp", ...none, summary: "serve the Model Context Protocol on stdio" },
];

/** Those that can be called. */
export function built(table: readonly Command[] = commands): readonly Command[] {
  return table.filter(({ run }) => run !== undefined);
}
