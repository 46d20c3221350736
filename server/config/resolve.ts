/**
 * From configuration and adapters to the backends that can be had, and which of them serve a language in what order.
 * Pure: what depends on the machine comes through `Host`.
 */
import type { Adapter, Command, Json } from "../../adapters/adapter.ts";
import { canonicalLanguage, coveredBy } from "../languages.ts";
import { type BackendConfig, type Config, type LanguageConfig, mergeTables } from "./config.ts";

export interface BackendSpec {
  readonly name: string;
  /** The configuration merged over it. */
  readonly adapter: Adapter;
  /** File name endings with the dot, lower case: configured ones, beside those of its languages. */
  readonly extensions: readonly string[];
  /** argv; null: its command does not resolve now. */
  readonly launch: readonly string[] | null;
  /** Added to our own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `{ serverInfo, capabilities }` as recorded from the real one, null where nothing was. */
  readonly recorded: unknown;
  /** The user's own: no adapter of ours has its name. */
  readonly configured: boolean;
  /** Lower is asked first. */
  readonly rank: number;
}

export interface Host {
  /** The absolute path of a command, null where it does not resolve. */
  which(command: string): string | null;
  /** The argv of an embedded command, null where its package is not installed. */
  packageBin(command: Exclude<Command, readonly string[]>): readonly string[] | null;
  recorded(name: string): unknown;
}

/** Every enabled backend in rank order: the user's own as written, then our adapters. */
export function resolveBackends(config: Config, adapters: readonly Adapter[], host: Host): readonly BackendSpec[] {
  const ours = new Set(adapters.map(({ name }) => name));
  const own = Object.entries(config.backends).flatMap(([name, backend]) =>
    ours.has(name) ? [] : [ownAdapter(name, backend)],
  );
  return [...own, ...adapters]
    .filter(({ name }) => config.backends[name]?.enabled !== false)
    .map((adapter, rank) => {
      const backend = config.backends[adapter.name] ?? {};
      return {
        name: adapter.name,
        adapter: configured(adapter, backend, config),
        extensions: (backend.extensions ?? []).map((ending) =>
          (ending.startsWith(".") ? ending : `.${ending}`).toLowerCase(),
        ),
        launch: launch(backend.command ?? adapter.command, host),
        env: backend.env ?? {},
        // Read only for those that are asked about: of all servers that we know few are on one machine.
        get recorded() {
          return host.recorded(adapter.name) ?? null;
        },
        configured: !ours.has(adapter.name),
        rank,
      };
    });
}

/** The backends that serve a language, the first asked first (contract section 7). */
export function ranked(specs: readonly BackendSpec[], config: Config, language: string): readonly BackendSpec[] {
  const id = canonicalLanguage(language);
  const whole = languageConfig(config, id)?.backends;
  if (whole !== undefined) return whole.flatMap((name) => specs.find((spec) => spec.name === name) ?? []);
  return specs.filter(({ adapter }) => adapter.languages.includes(id)).sort((a, b) => a.rank - b.rank);
}

/** Whether the user lets a backend be asked a method for a language: `[languages.LANG.features.NAME]`. */
export function allows(config: Config, language: string, backend: string, method: string): boolean {
  const feature = languageConfig(config, canonicalLanguage(language))?.features?.[backend];
  if (feature?.only !== undefined && !feature.only.includes(method)) return false;
  return !feature?.except?.includes(method);
}

/** What is said of a language itself, else of one that covers it. */
function languageConfig(config: Config, id: string): LanguageConfig | undefined {
  const entries = Object.entries(config.languages).map(([name, language]) => ({
    id: canonicalLanguage(name),
    language,
  }));
  const said = entries.find((entry) => entry.id === id) ?? entries.find((entry) => coveredBy(entry.id).includes(id));
  return said?.language;
}

/** A server that we know nothing of: asked as soon as it is initialized, for open files and the project alike. */
function ownAdapter(name: string, backend: BackendConfig): Adapter {
  return {
    name,
    languages: [],
    roots: [[".git"]],
    command: backend.command ?? [],
    ready: { on: "initialized" },
    warmUp: "none",
    publishes: "open",
    role: "general",
    quirks: [],
  };
}

function configured(adapter: Adapter, backend: BackendConfig, config: Config): Adapter {
  const { languages, roots, settings, initializationOptions, encoding, role, command } = backend;
  return {
    ...adapter,
    ...(languages && { languages: covering(languages, config) }),
    ...(roots && { roots: roots.map((group) => (typeof group === "string" ? [group] : group)) }),
    ...(settings && { settings: mergeTables(adapter.settings ?? {}, settings) }),
    ...(initializationOptions !== undefined && {
      initializationOptions: mergedJson(adapter.initializationOptions, initializationOptions),
    }),
    ...(encoding && { encoding }),
    ...(role && { role }),
    ...(command && { command }),
  };
}

/** The languages named and those that they cover, but for what the configuration names for itself. */
function covering(languages: readonly string[], config: Config): readonly string[] {
  const named = new Set<string>();
  for (const name of Object.keys(config.languages)) named.add(canonicalLanguage(name));
  for (const backend of Object.values(config.backends)) {
    for (const name of backend.languages ?? []) named.add(canonicalLanguage(name));
  }
  const own = languages.map(canonicalLanguage);
  return [...new Set([...own, ...own.flatMap((id) => coveredBy(id).filter((covered) => !named.has(covered)))])];
}

function mergedJson(under: Json | undefined, over: Json): Json {
  return isTable(under) && isTable(over) ? mergeTables(under, over) : over;
}

function isTable(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function launch(command: Command, host: Host): readonly string[] | null {
  if ("embedded" in command) return host.packageBin(command);
  const [program, ...args] = command;
  const path = program === undefined ? null : host.which(program);
  return path === null ? null : [path, ...args];
}
