/**
 * From configuration and adapters to the backends that can be had, and which of them serve a language in what order.
 * Pure: what depends on the machine comes through `Host`.
 */
import type { Adapter, Command, Json, ProjectPackage } from "../../adapters/adapter.ts";
import { canonicalLanguage, coveredBy } from "../languages.ts";
import { means } from "../protocol/methods.ts";
import { type BackendConfig, type Config, type LanguageConfig, mergeTables } from "./config.ts";
import type { OwnPackage } from "./project.ts";

export interface BackendSpec {
  readonly name: string;
  /** The configuration merged over it. */
  readonly adapter: Adapter;
  /** File name endings with the dot, lower case: configured ones, beside those of its languages. */
  readonly extensions: readonly string[];
  /** argv; null: its command does not resolve now. */
  readonly launch: readonly string[] | null;
  /** Added to the environment that it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Of that environment, what makes another process of it (`Adapter.heeds`), by name. */
  readonly heeds: Readonly<Record<string, string | null>>;
  /** `{ serverInfo, capabilities }` as recorded from the real one, null where nothing was. */
  readonly recorded: unknown;
  /** The user's own: no adapter of ours has its name. */
  readonly configured: boolean;
  /** Lower is asked first. */
  readonly rank: number;
}

export interface Host {
  /** The environment that servers inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute path of a command, null where it does not resolve. */
  which(command: string): string | null;
  /** The argv of an embedded command out of the packages of a folder, else of ours; null where it is not installed. */
  packageBin(command: Exclude<Command, readonly string[]>, from?: string): readonly string[] | null;
  /** The copy of a package that a program would find from where it lies. */
  packageBeside(name: string, program: string): OwnPackage | null;
  recorded(name: string): unknown;
}

/**
 * Every enabled backend in rank order: the user's own as written, then our adapters, those before others that fit the
 * project's own version of what they run.
 * @param own the project's own copy of a package
 */
export function resolveBackends(
  config: Config,
  adapters: readonly Adapter[],
  host: Host,
  own: (name: string) => OwnPackage | null = () => null,
): readonly BackendSpec[] {
  const ours = new Set(adapters.map(({ name }) => name));
  const users = Object.entries(config.backends).flatMap(([name, backend]) =>
    ours.has(name) ? [] : [ownAdapter(name, backend)],
  );
  const fits = ({ project }: Adapter): boolean => fitting(project, own) !== null;
  const known = [...users, ...adapters.filter(fits), ...adapters.filter((adapter) => !fits(adapter))]
    .filter(({ name }) => config.backends[name]?.enabled !== false)
    .map((adapter) => {
      const backend = config.backends[adapter.name] ?? {};
      const start = launchWith(adapter, backend.command ?? adapter.command, host, own);
      return { adapter: configured(start.adapter, backend, config), backend, argv: start.argv };
    });
  const served = new Set(
    known.flatMap(({ adapter, argv }) =>
      argv === null || adapter.role !== "general" || adapter.lastResort ? [] : adapter.languages,
    ),
  );
  const markers = [...new Set([...users, ...adapters].flatMap(({ roots }) => roots.flat()))];
  return known.map(({ adapter, backend, argv }, rank) => ({
    name: adapter.name,
    adapter: adapter.lastResort ? lastResort(adapter, served, config, markers) : adapter,
    extensions: (backend.extensions ?? []).map((ending) =>
      (ending.startsWith(".") ? ending : `.${ending}`).toLowerCase(),
    ),
    launch: argv,
    env: backend.env ?? {},
    heeds: heeded(adapter, argv, host),
    // Read only for those that are asked about: of all servers that we know few are on one machine.
    get recorded() {
      return host.recorded(adapter.name) ?? null;
    },
    configured: !ours.has(adapter.name),
    rank,
  }));
}

function heeded({ heeds = {} }: Adapter, argv: readonly string[] | null, host: Host): BackendSpec["heeds"] {
  if (argv === null) return {};
  const { env = [], programs = [] } = heeds;
  return Object.fromEntries([
    ...env.flatMap((name) => (host.env[name] === undefined ? [] : [[name, host.env[name]]])),
    ...programs.map((name) => [name, host.which(name)]),
  ]);
}

/**
 * A last resort serves what no other server that is here does, and what the user names it for. It is told which, and what
 * it is to know of the folders: the configuration's `[index]`, and the files that mark somebody's project.
 */
function lastResort(
  adapter: Adapter,
  served: ReadonlySet<string>,
  config: Config,
  markers: readonly string[],
): Adapter {
  const languages = adapter.languages.filter(
    (language) => languageConfig(config, language)?.backends?.includes(adapter.name) ?? !served.has(language),
  );
  const { include, exclude, maxFileBytes } = config.index;
  const told = { languages, index: { include, exclude, maxFileBytes }, markers };
  const options = mergedJson(told, adapter.initializationOptions ?? {});
  return { ...adapter, languages, initializationOptions: options };
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
  const isIn = (written: readonly string[]): boolean => written.some((name) => means(name, method));
  if (feature?.only !== undefined && !isIn(feature.only)) return false;
  return feature?.except === undefined || !isIn(feature.except);
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
    // One that names endings alone serves just these: they are a language of their own.
    languages: [name],
    roots: [[".git"]],
    command: backend.command ?? [],
    ready: { on: "initialized" },
    warmUp: "none",
    publishes: "open",
    role: "general",
    // Whatever it runs, it finds there.
    heeds: { env: ["PATH"] },
    quirks: [],
  };
}

function configured(adapter: Adapter, backend: BackendConfig, config: Config): Adapter {
  const { languages, roots, encoding, role, command } = backend;
  return {
    ...withOptions(adapter, backend),
    ...(languages && { languages: covering(languages, config) }),
    ...(roots && { roots: roots.map((group) => (typeof group === "string" ? [group] : group)) }),
    ...(encoding && { encoding }),
    ...(role && { role }),
    ...(command && { command }),
  };
}

/** What is started, and the adapter with what makes it run the right copy of what it runs. */
function launchWith(
  adapter: Adapter,
  command: Command,
  host: Host,
  own: (name: string) => OwnPackage | null,
): { readonly argv: readonly string[] | null; readonly adapter: Adapter } {
  const { project } = adapter;
  const copy = fitting(project, own);
  const folder = copy?.trusted === true ? copy.folder : null;
  if (project?.run === undefined) return { argv: launch(command, host, folder), adapter };
  const argv = launch(command, host, null);
  const [program] = argv ?? [];
  if (folder !== null || project.seeks === undefined || program === undefined)
    return { argv, adapter: folder === null ? adapter : withOptions(adapter, project.run(folder)) };
  // What it would find by itself may lie in a folder that nobody trusts.
  const beside = fitting(project, (name) => host.packageBeside(name, program));
  return beside === null
    ? { argv: null, adapter }
    : { argv, adapter: withOptions(adapter, project.run(beside.folder)) };
}

/** The copy of the package that a server runs or is, if it is of a version that it runs. */
function fitting(project: ProjectPackage | undefined, copyOf: (name: string) => OwnPackage | null): OwnPackage | null {
  const copy = project === undefined ? null : copyOf(project.name);
  return copy !== null && project?.majors.includes(Number.parseInt(copy.version, 10)) ? copy : null;
}

function withOptions(adapter: Adapter, options: Pick<Adapter, "settings" | "initializationOptions">): Adapter {
  const { settings, initializationOptions } = options;
  return {
    ...adapter,
    ...(settings && { settings: mergeTables(adapter.settings ?? {}, settings) }),
    ...(initializationOptions !== undefined && {
      initializationOptions: mergedJson(adapter.initializationOptions, initializationOptions),
    }),
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

/** @param from the project's copy of the package that an embedded command comes out of; its folder */
function launch(command: Command, host: Host, from: string | null): readonly string[] | null {
  if ("embedded" in command) return (from === null ? null : host.packageBin(command, from)) ?? host.packageBin(command);
  const [program, ...args] = command;
  const path = program === undefined ? null : host.which(program);
  return path === null ? null : [path, ...args];
}
