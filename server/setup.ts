/** What holds for one client: the configuration of its folders and its own, resolved against this machine. */
import { adapters, embeddedArgv, recorded } from "../adapters/index.ts";
import { loadConfig, messagesOf } from "./config/load.ts";
import { allows, ranked, resolveBackends } from "./config/resolve.ts";
import { whichOn } from "./config/which.ts";
import type { Setup } from "./core/clients.ts";
import { remembered } from "./host/command-cache.ts";

const names = adapters.map((adapter) => adapter.name);

/**
 * @param files `--config` files; a wrong one throws ConfigError
 * @param options `initializationOptions.switchboard`
 */
export function setupFor(files: readonly string[]): (folders: readonly string[], options: unknown) => Setup {
  const which = whichOn();
  const host = { which, packageBin: embeddedArgv, recorded };
  let defaults: Setup | null = null;
  const resolve = (folders: readonly string[], options: unknown): Setup => {
    const loaded = loadConfig({ folders, files, client: options, adapters: names });
    const { config } = loaded;
    const backends = resolveBackends(config, adapters, host).map((spec) =>
      spec.configured && spec.launch !== null ? { ...spec, recorded: remembered(spec) } : spec,
    );
    const byLanguage = new Map<string, ReturnType<typeof ranked>>();
    return {
      backends,
      ranked: (language) => {
        let list = byLanguage.get(language);
        if (list === undefined) {
          list = ranked(backends, config, language);
          byLanguage.set(language, list);
        }
        return list;
      },
      allows: (language, backend, method) => allows(config, language, backend, method),
      // Over stdio there is one client: what it no longer uses ends at once.
      limits: { ...config.limits, idleMs: config.shared.enabled ? config.limits.idleMs : 0 },
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
