/** The version that a command prints: run once, kept as long as the command is the same. */
import { basename } from "node:path";
import { keep, kept } from "./command-cache.ts";

/** How long a command may take to print its version, ms. */
const PATIENCE_MS = 5000;

/** Null when it fails, says nothing, or takes too long; that is not kept. */
export function versionOf(command: readonly string[], done: (said: string | null) => void): void {
  const [program, ...args] = command;
  if (program === undefined) return done(null);
  const name = basename(program);
  const known = kept("versions", name, command);
  if (typeof known === "string") return done(known);
  const { execFile } = process.getBuiltinModule("node:child_process");
  execFile(program, args, { timeout: PATIENCE_MS, killSignal: "SIGKILL" }, (fault, stdout, stderr) => {
    // Some say it on stderr.
    const said = `${stdout}\n${stderr}`.trim();
    if (fault !== null || said === "") return done(null);
    keep("versions", name, command, said);
    done(said);
  });
}
