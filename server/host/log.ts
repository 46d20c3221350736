/** The log: stderr for what a user should see, a file for everything. Stdout is never written to. */
import { appendFileSync } from "node:fs";
import type { LogLevel } from "../core/ports.ts";

const levels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** Lines on stderr from a level up; all levels go to the file that $SWITCHBOARD_LOG names, else the configuration. */
export function logger(level: LogLevel, named?: string): (level: LogLevel, source: string, text: string) => void {
  const shown = levels.indexOf(level);
  let file = process.env.SWITCHBOARD_LOG ?? named;
  return (level, source, text) => {
    const line = `[${level}] ${source}: ${text}\n`;
    if (levels.indexOf(level) <= shown) process.stderr.write(line);
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
