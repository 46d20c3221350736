/** The log: stderr for what a user should see, a file for everything. Stdout is never written to. */
import { appendFileSync } from "node:fs";
import type { LogLevel } from "../core/ports.ts";

const levels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

export type Log = (level: LogLevel, source: string, text: string) => void;

/** Whether a line is for those who want to see lines from `least` up. */
export function isShown(level: LogLevel, least: LogLevel): boolean {
  return levels.indexOf(level) <= levels.indexOf(least);
}

export function logLine(level: LogLevel, source: string, text: string): string {
  return `[${level}] ${source}: ${text}\n`;
}

/** Lines on stderr from a level up; all levels go to the file that $SWITCHBOARD_LOG names, else the configuration. */
export function logger(least: LogLevel, named?: string): Log {
  let file = process.env.SWITCHBOARD_LOG ?? named;
  return (level, source, text) => {
    const line = logLine(level, source, text);
    if (isShown(level, least)) process.stderr.write(line);
    if (file === undefined || file === "") return;
    try {
      appendFileSync(file, line);
    } catch (fault) {
      // A log that cannot be written must cost nothing else; it is not tried again.
      process.stderr.write(`switchboard: no log: ${fault instanceof Error ? fault.message : fault}\n`);
      file = undefined;
    }
  };
}
