/**
 * One client on stdin and stdout: `switchboard --stdio`. Ends with the exit codes of contract section 5, and never before
 * its backends have: they get a second each for goodbye, for SIGTERM, then SIGKILL.
 */
import { appendFileSync } from "node:fs";
import type { Options } from "./cli/args.ts";
import { ConfigError } from "./config/load.ts";
import type { Setup } from "./core/clients.ts";
import { Mux } from "./core/mux.ts";
import type { LogLevel } from "./core/ports.ts";
import { remember } from "./host/abilities-cache.ts";
import { Host } from "./host/host.ts";
import { setupFor } from "./setup.ts";
import { requests } from "./symbols/requests.ts";
import { version } from "./version.ts";
import { stdioEnd } from "./wire/transport.ts";

/** Exit codes by signal (128 + its number), contract section 5. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** How long a client may take to read our last answers once no backend runs, ms. */
const LAST_WORDS_MS = 1000;

export function serveStdio(options: Options): void {
  const setup = loadedSetup(options);
  if (setup === null) return;
  const { limits, log: logged } = setup([], null);
  const log = logger(options, logged);
  const host = new Host({ log, limits, onClose: (_client, code) => end(code) });
  const mux = new Mux({ ports: host, version, setup, remember, ...requests });
  host.serve(mux);

  let ending = false;
  function end(code: number): void {
    if (ending) return;
    ending = true;
    process.exitCode = code;
    mux.stop(() => host.whenWritten(LAST_WORDS_MS, () => process.exit(code)));
  }
  for (const [signal, code] of Object.entries(signals)) process.on(signal, () => end(code));
  host.attach(stdioEnd);
}

/** The configuration; null after a fault in a file of `--config`, which has been said. */
function loadedSetup(options: Options): ReturnType<typeof setupFor> | null {
  const setup = setupFor(options.config);
  try {
    setup([], null);
    return setup;
  } catch (fault) {
    if (!(fault instanceof ConfigError)) throw fault;
    process.stderr.write(`switchboard: ${fault.message}\n`);
    process.exitCode = 2;
    return null;
  }
}

const levels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** Lines on stderr from the chosen level up; all levels go to the file that the configuration or $SWITCHBOARD_LOG names. */
export function logger(
  options: Options,
  config: Setup["log"],
): (level: LogLevel, source: string, text: string) => void {
  const shown = levels.indexOf(options.logLevel ?? (options.quiet ? "error" : config.level));
  const file = process.env.SWITCHBOARD_LOG ?? config.file;
  return (level, source, text) => {
    const line = `[${level}] ${source}: ${text}\n`;
    if (levels.indexOf(level) <= shown) process.stderr.write(line);
    if (file !== undefined && file !== "") appendFileSync(file, line);
  };
}
