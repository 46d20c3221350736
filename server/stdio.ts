/**
 * One client on stdin and stdout: `switchboard --stdio`. Ends with the exit codes of contract section 5, and never before
 * its backends have: they get a second each for goodbye, for SIGTERM, then SIGKILL.
 */
import { homedir } from "node:os";
import { logLevelOf, type Options } from "./cli/args.ts";
import { ConfigError } from "./config/load.ts";
import { Mux } from "./core/mux.ts";
import { remember } from "./host/command-cache.ts";
import { Host } from "./host/host.ts";
import { logger } from "./host/log.ts";
import { signalCodes } from "./host/signals.ts";
import { setupFor } from "./setup.ts";
import { requests } from "./symbols/requests.ts";
import { version } from "./version.ts";
import { stdioEnd } from "./wire/transport.ts";
import { workingFolderOf } from "./working-folder.ts";

/** How long a client may take to read our last answers once no backend runs, ms. */
const LAST_WORDS_MS = 1000;
/** A backend that has not ended by then is left to its watchdog, ms. */
const LAST_RESORT_MS = 10_000;

export function serveStdio(options: Options): void {
  const setup = loadedSetup(options);
  if (setup === null) return;
  const { limits, log: logged } = setup([], null);
  const log = logger(logLevelOf(options, logged.level), logged.file);
  const host = new Host({ log, limits, onClose: (_client, code) => end(code) });
  const mux = new Mux({
    ports: host,
    version,
    setup,
    remember,
    ...workingFolderOf(process.cwd(), homedir()),
    ...requests,
  });
  host.serve(mux);

  let ending = false;
  function end(code: number): void {
    if (ending) return;
    ending = true;
    process.exitCode = code;
    setTimeout(() => process.exit(code), LAST_RESORT_MS).unref();
    mux.stop(() => host.whenWritten(LAST_WORDS_MS, () => process.exit(code)));
  }
  for (const [signal, code] of Object.entries(signalCodes)) process.on(signal, () => end(code));
  host.attach(stdioEnd);
}

/** The configuration; null after a fault in a file of `--config`, which has been said. */
function loadedSetup(options: Options): ReturnType<typeof setupFor> | null {
  const setup = setupFor(options.config, { syntaxOnly: options.noBackends });
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
