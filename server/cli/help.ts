/** The help, written from the tables of commands and options: what is not in them is not shown, and the reverse. */
import { type Option, optionTable } from "./args.ts";
import type { Command } from "./table.ts";

/** @param table the commands that can be called */
export function help(table: readonly Command[]): string {
  const commands = table.map(({ name, args, summary }) => [`${name} ${args}`.trimEnd(), summary] as const);
  return [
    "switchboard [--stdio]      one language server in front of many",
    "switchboard COMMAND ...",
    "",
    "Commands",
    ...columns(commands),
    "",
    "Options",
    ...columns(shown([])),
    "",
    "Exit: 0 found, 1 absent, 2 wrong use or fault, 3 ambiguous, 4 nothing found and not complete.",
    "",
  ].join("\n");
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const usage = `switchboard ${command.name} ${command.args}`.trimEnd();
  return [`${usage}      ${command.summary}`, "", "Options", ...columns(shown(command.extra ?? [])), ""].join("\n");
}

function shown(extra: readonly string[]): readonly (readonly [string, string])[] {
  return optionTable
    .filter(({ name, only, hidden }) => !hidden && (!only || extra.includes(name)))
    .map((option) => [spelling(option), option.summary]);
}

function spelling({ name, short, value, choices }: Option): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${choices?.join("|") ?? value}` : ""}`;
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(28, Math.max(...rows.map(([left]) => left.length))) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width - 1)} ${right}`.trimEnd());
}
