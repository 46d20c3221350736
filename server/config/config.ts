/**
 * The shape of the configuration (contract section 7) and its built-in values: plain data, no I/O.
 * `schema.ts` checks what is written, `load.ts` reads and merges, `resolve.ts` makes backends of it.
 */
import type { Json } from "../../adapters/adapter.ts";

/** What holds: every layer merged over the built-in one. */
export interface Config {
  /** By name: changes to one of our adapters, or a server of the user's own. */
  readonly backends: Readonly<Record<string, BackendConfig>>;
  /** By LSP language id. */
  readonly languages: Readonly<Record<string, LanguageConfig>>;
  readonly index: IndexConfig;
  readonly limits: Limits;
  /** Put before the command ids that we announce; only a client can set it. */
  readonly commandPrefix: string;
  readonly shared: { readonly enabled: boolean; readonly idleMinutes: number };
  readonly log: { readonly level: LogLevel; readonly file?: string };
}

/** One source of configuration: any part of it. */
export interface Layer {
  readonly backends?: Readonly<Record<string, BackendConfig>>;
  readonly languages?: Readonly<Record<string, LanguageConfig>>;
  readonly index?: Partial<IndexConfig>;
  readonly limits?: Partial<Limits>;
  readonly commandPrefix?: string;
  readonly shared?: Partial<Config["shared"]>;
  readonly log?: Partial<Config["log"]>;
}

export interface BackendConfig {
  /** argv. */
  readonly command?: readonly string[];
  readonly languages?: readonly string[];
  /** File name endings, with or without the dot, beside those of its languages. */
  readonly extensions?: readonly string[];
  /** Marker file names, the most telling first; names in one inner list count the same. */
  readonly roots?: readonly (string | readonly string[])[];
  readonly settings?: { readonly [section: string]: Json };
  readonly initializationOptions?: Json;
  readonly env?: Readonly<Record<string, string>>;
  readonly encoding?: "utf-8" | "utf-16" | "utf-32";
  readonly role?: "general" | "addon";
  readonly enabled?: boolean;
}

export interface LanguageConfig {
  /** The whole list, in rank order: no other backend serves the language. */
  readonly backends?: readonly string[];
  /** By name of a backend: the LSP methods that it is asked for this language, or is not. */
  readonly features?: Readonly<
    Record<string, { readonly only?: readonly string[]; readonly except?: readonly string[] }>
  >;
}

export interface IndexConfig {
  /** Globs as of `in` (contract section 1): what is covered although something leaves it out, and what is not covered. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxFileBytes: number;
}

/** All in ms except `starts` and `max*`. */
export interface Limits {
  /** Gates: how long a question may wait for a backend to be ready, counted from its `initialized`. */
  readonly definitionMs: number;
  readonly referencesMs: number;
  readonly symbolMs: number;
  readonly renameMs: number;
  /** At most so long is waited for other answers after the first, and for any at all, whatever the method's own limits. */
  readonly softMs: number;
  readonly hardMs: number;
  /** How long a cancelled question is kept while its backend has not answered. */
  readonly cancelMs: number;
  readonly startMs: number;
  /** A backend that nobody uses is ended after this. */
  readonly idleMs: number;
  /** Starts of one backend within 180 s, the first included. */
  readonly starts: number;
  readonly maxFrameBytes: number;
  readonly maxDepth: number;
  readonly maxInFlight: number;
  readonly maxQueuedBytes: number;
}

export type LogLevel = "error" | "warn" | "info" | "debug";

export const builtIn: Config = {
  backends: {},
  languages: {},
  index: { include: [], exclude: [], maxFileBytes: 1 << 20 },
  limits: {
    definitionMs: 1_500,
    referencesMs: 5_000,
    symbolMs: 5_000,
    renameMs: 8_000,
    softMs: 2_000,
    hardMs: 120_000,
    cancelMs: 60_000,
    startMs: 30_000,
    idleMs: 600_000,
    starts: 5,
    maxFrameBytes: 256 * 2 ** 20,
    maxDepth: 10_000,
    maxInFlight: 10_000,
    maxQueuedBytes: 64 * 2 ** 20,
  },
  commandPrefix: "",
  shared: { enabled: false, idleMinutes: 10 },
  log: { level: "warn" },
};

/** Puts a layer over a configuration: tables key by key, at any depth; lists and single values are replaced. */
export function withLayer(config: Config, layer: Layer): Config {
  return {
    backends: mergeTables(config.backends, plain(layer.backends ?? {})),
    languages: mergeTables(config.languages, layer.languages ?? {}),
    index: { ...config.index, ...layer.index },
    limits: { ...config.limits, ...layer.limits },
    commandPrefix: layer.commandPrefix ?? config.commandPrefix,
    shared: { ...config.shared, ...layer.shared },
    log: { ...config.log, ...layer.log },
  };
}

/** Dotted settings are unfolded layer by layer: else one of a lower layer would win over a nested one of a higher. */
function plain<B extends Layer["backends"] & object>(backends: B): B {
  const entries = Object.entries(backends).map(([name, backend]) => {
    const { settings } = backend;
    return [name, settings === undefined ? backend : { ...backend, settings: unfolded(settings) }];
  });
  return Object.fromEntries(entries) as B;
}

/** Settings under dotted keys (`"python.analysis.mode"`, as editors write them) as the nested ones that they mean; keys further down are data. */
export function unfolded<T extends { readonly [key: string]: unknown }>(settings: T): T {
  const trees = Object.entries(settings).map(([key, value]) =>
    key.split(".").reduceRight((inner, part) => ({ [part]: inner }), value),
  );
  return trees.reduce<object>((all, tree) => mergeTables(all, Object(tree)), {}) as T;
}

/** `over` put over `under`; neither is changed. */
export function mergeTables<T extends object>(under: T, over: T): T {
  const merged = new Map<string, unknown>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isTable(below) && isTable(value) ? mergeTables(below, value) : value);
  }
  // fromEntries defines properties where an assignment would call the setter of `__proto__`.
  return Object.fromEntries(merged) as T;
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
