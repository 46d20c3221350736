/** What holds for one client: the configuration of its folders and its own, resolved against this machine. */
import { adapterOf, adapters, embeddedArgv, recorded } from "../adapters/index.ts";
import type { Config } from "./config/config.ts";
import { ConfigError, isInTrusted, isTrustedFolder, loadConfig, messagesOf } from "./config/load.ts";
import { type Machine, thisMachine } from "./config/places.ts";
import { ownPackage, packageBeside } from "./config/project.ts";
import { allows, type BackendSpec, ranked, resolveBackends } from "./config/resolve.ts";
import { whichOn } from "./config/which.ts";
import type { Setup } from "./core/clients.ts";
import { remembered } from "./host/command-cache.ts";

type EmbeddedCommand = Parameters<typeof embeddedArgv>[0];

const names = adapters.map((adapter) => adapter.name);

/** What is the same for all clients. */
const ours = once((command: EmbeddedCommand) => embeddedArgv(command));
const recordings = once(recorded);

export interface SetupOptions {
  /** As if no server were installed. */
  readonly syntaxOnly?: boolean;
  /** The machine as the client sees it. */
  readonly machine?: Machine;
  /** Others may come who need what this client no longer uses. */
  readonly shared?: boolean;
}

/**
 * @param files `--config` files; a wrong one throws ConfigError
 * @returns `options`: `initializationOptions.switchboard`
 */
export function setupFor(
  files: readonly string[],
  { syntaxOnly = false, machine = thisMachine(), shared = false }: SetupOptions = {},
): (folders: readonly string[], options: unknown) => Setup {
  const packageBin = (command: EmbeddedCommand, from?: string) =>
    from === undefined ? ours(command) : embeddedArgv(command, from);
  const host = { env: machine.env, which: whichOn(machine), packageBin, packageBeside, recorded: recordings };
  let defaults: Setup | null = null;
  const resolve = (folders: readonly string[], options: unknown): Setup => {
    const loaded = loadConfig({ folders, files, client: options, adapters: names, machine });
    const config = syntaxOnly ? withoutServers(loaded.config) : loaded.config;
    // Resolved when they are asked for: what holds before a client has come is wanted for its limits alone.
    let resolved: readonly BackendSpec[] | null = null;
    const own = once((name: string) => ownPackage(name, folders, (folder) => isTrustedFolder(folder, machine)));
    const backends = (): readonly BackendSpec[] => {
      resolved ??= resolveBackends(config, adapters, host, own).map((spec) =>
        spec.configured && spec.launch !== null ? { ...spec, recorded: remembered(spec) } : spec,
      );
      return resolved;
    };
    const rankedOf = once((language: string) => ranked(backends(), config, language));
    return {
      said: JSON.stringify(config),
      get backends() {
        return backends();
      },
      ranked: rankedOf,
      allows: (language, backend, method) => allows(config, language, backend, method),
      trusts: once((folder) => isInTrusted(folder, machine)),
      limits: { ...config.limits, idleMs: shared ? config.limits.idleMs : 0 },
      commandPrefix: config.commandPrefix,
      log: config.log,
      messages: messagesOf(loaded),
    };
  };
  return (folders, options) => {
    if (folders.length > 0 || options !== null) return resolve(folders, options);
    defaults ??= resolve(folders, options);
    return defaults;
  };
}

/** The configuration before any client has come; a wrong file of `--config` throws ConfigError. */
export function configOf(files: readonly string[], folders: readonly string[] = []): Config {
  return loadConfig({ files, folders, adapters: names }).config;
}

/** A command says what is wrong with its configuration, whosever file it is, and does nothing (contract section 7). @throws ConfigError */
export function checkConfig(files: readonly string[], folders: readonly string[]): void {
  const { problems } = loadConfig({ files, folders, adapters: names });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** What is left when every server is disabled: what reads syntax, for all its languages. */
function withoutServers(config: Config): Config {
  const servers = [...names, ...Object.keys(config.backends)].filter((name) => adapterOf(name)?.lastResort !== true);
  const disabled = servers.map((name) => [name, { ...config.backends[name], enabled: false }]);
  return { ...config, backends: { ...config.backends, ...Object.fromEntries(disabled) }, languages: {} };
}

/** A question whose answers are kept: they are the same for a session. */
function once<Q, A>(ask: (question: Q) => A): (question: Q) => A {
  const known = new Map<Q, { readonly answer: A }>();
  return (question) => {
    let found = known.get(question);
    if (found === undefined) {
      found = { answer: ask(question) };
      known.set(question, found);
    }
    return found.answer;
  };
}
