/**
 * Reads the configuration and merges its layers: built-in, the user's file, the folders' files, `--config`, the client's
 * options; later wins. A layer with a fault is left out whole and complained about. What a backend becomes of it is
 * `resolve.ts`'s; what a folder may do is `trust.ts`'s.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { builtIn, type Config, type Layer, withLayer } from "./config.ts";
import { nearest } from "./nearest.ts";
import { type Machine, thisMachine, userConfigFile } from "./places.ts";
import { type Complaint, checkLayer } from "./schema.ts";
import { parseToml, type TextPlace } from "./toml.ts";
import { type Held, isTrusted, withoutTrust } from "./trust.ts";

/** Name of a folder's own file. */
export const folderFile = ".switchboard.toml";

export interface LoadOptions {
  /** Paths of the workspace folders; where two say different things, the later folder's holds. */
  readonly folders?: readonly string[];
  /** `--config` files, in order. */
  readonly files?: readonly string[];
  /** `initializationOptions.switchboard`. */
  readonly client?: unknown;
  /** Names of the adapters that we have. */
  readonly adapters: readonly string[];
  readonly machine?: Machine;
}

export interface Loaded {
  readonly config: Config;
  /** What was read and used, in the order of merging. */
  readonly sources: readonly Source[];
  /** Faults of the user's, the folders' and the client's layers, none of which is used. */
  readonly problems: readonly Problem[];
  /** What folders without trust may not set. */
  readonly held: readonly (Held & { readonly file: string })[];
}

export interface Source {
  readonly from: "user" | "folder" | "--config" | "client";
  /** A path, or `initializationOptions.switchboard`. */
  readonly name: string;
}

/** A fault at a place: 1-based, the column in UTF-16 code units; a client's options have no lines. */
export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Dotted; "" for the file as a whole. */
  readonly key: string;
  readonly expected: string;
  /** All of it in one line. */
  readonly message: string;
}

/** A `--config` file is wrong: the command ends with 2. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Throws ConfigError, for the files of `--config` alone. */
export function loadConfig(options: LoadOptions): Loaded {
  const machine = options.machine ?? thisMachine();
  const adapters = new Set(options.adapters);
  const layers = [
    ...readFile("user", userConfigFile(machine)),
    ...(options.folders ?? []).flatMap((folder) => readFile("folder", join(folder, folderFile))),
    ...(options.files ?? []).flatMap((name) => readFile("--config", resolve(machine.cwd ?? "", name))),
    ...readOptions(options.client),
  ];
  // What the user has defined, in whatever place, a folder may choose.
  const defined = new Set(adapters);
  for (const { source, layer } of layers) {
    if (source.from !== "folder") for (const name of Object.keys(layer?.backends ?? {})) defined.add(name);
  }

  let config = builtIn;
  const used: Read[] = [];
  const faults: { readonly from: Source["from"]; readonly problem: Problem }[] = [];
  const held: (Held & { file: string })[] = [];
  for (const read of layers) {
    const { source, bytes } = read;
    let { layer, problems } = read;
    if (layer !== null && source.from === "folder" && !isTrusted(dirname(source.name), bytes, machine)) {
      const allowed = withoutTrust(layer, config, defined);
      layer = allowed.layer;
      held.push(...allowed.held.map((item) => ({ ...item, file: source.name })));
    } else if (layer !== null) problems = undefinedBackends(layer, config, adapters).map(read.placed);
    faults.push(...problems.map((problem) => ({ from: source.from, problem })));
    if (layer === null || problems.length > 0) continue;
    config = withLayer(config, layer);
    used.push({ ...read, layer });
  }
  // Judged last, for a list may name what a later layer defines; such a name is passed over, the rest of its file holds.
  for (const { source, layer, placed } of used) {
    const unknown = layer === null ? [] : undefinedNames(layer, config, adapters);
    faults.push(...unknown.map((complaint) => ({ from: source.from, problem: placed(complaint) })));
  }
  const given = faults.filter(({ from }) => from === "--config");
  if (given.length > 0) throw new ConfigError(given.map(({ problem }) => problem));
  return { config, sources: used.map(({ source }) => source), problems: faults.map(({ problem }) => problem), held };
}

/** Whether the user has trusted a folder with the file of its own that it has now, if any. */
export function isTrustedFolder(folder: string, machine: Machine = thisMachine()): boolean {
  const bytes = readBytes(join(folder, folderFile));
  return typeof bytes !== "string" && isTrusted(folder, bytes, machine);
}

/** Whether that holds of a folder or of one around it. */
export function isInTrusted(folder: string, machine: Machine = thisMachine()): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isTrustedFolder(at, machine)) return true;
    if (dirname(at) === at) return false;
  }
}

/** What to tell the user about a configuration, a line each: its faults, and once a file that needs trust. */
export function messagesOf({ problems, held }: Loaded): readonly string[] {
  const files = new Set(held.map(({ file }) => file));
  return [
    ...problems.map(({ message }) => message),
    ...[...files].map((file) => {
      const keys = held.filter((item) => item.file === file).map(({ key }) => key);
      return `${file} is not trusted, so this is held back: ${keys.join(", ")}. \`switchboard trust\` there uses it.`;
    }),
  ];
}

/** A configuration is written by hand; what is larger than this is not one. */
const maxBytes = 1 << 20;

/** One source as read; with problems it has no layer. */
interface Read {
  readonly source: Source;
  readonly bytes: Uint8Array | null;
  readonly layer: Layer | null;
  readonly problems: readonly Problem[];
  placed(complaint: Complaint): Problem;
}

/** Nothing where there is no file, which is a fault of `--config` alone. */
function readFile(from: Source["from"], name: string): readonly Read[] {
  const bytes = readBytes(name);
  if (bytes === null && from !== "--config") return [];
  const whole = typeof bytes === "string" ? bytes : bytes === null ? "there is no such file" : null;
  const base = { source: { from, name }, bytes: bytes instanceof Uint8Array ? bytes : null };
  return [{ ...base, ...(base.bytes === null ? faulty(name, whole ?? "") : parseLayer(name, base.bytes)) }];
}

function readOptions(options: unknown): readonly Read[] {
  if (options === undefined || options === null) return [];
  const name = "initializationOptions.switchboard";
  const placed = (complaint: Complaint) => problemOf(name, complaint);
  return [{ source: { from: "client", name }, bytes: null, ...checkedLayer(options, "client", placed) }];
}

/** The bytes of a file, null where there is none, or why they cannot be had. */
function readBytes(name: string): Uint8Array | string | null {
  try {
    const stat = statSync(name);
    if (!stat.isFile()) return "it is not a file";
    if (stat.size > maxBytes) return `it has more than ${maxBytes} bytes`;
    return readFileSync(name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? null : `it cannot be read (${String(code)})`;
  }
}

type Checked = Pick<Read, "layer" | "problems" | "placed">;

function parseLayer(name: string, bytes: Uint8Array): Checked {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return faulty(name, "it is not UTF-8");
  }
  const toml = parseToml(text);
  if (!toml.ok) return faulty(name, toml.reason, toml.place);
  return checkedLayer(toml.value, "file", (complaint) => problemOf(name, complaint, toml.placeOf(complaint.path)));
}

function checkedLayer(value: unknown, from: "file" | "client", placed: Read["placed"]): Checked {
  const checked = checkLayer(value, from);
  if (checked.ok) return { layer: checked.layer, problems: [], placed };
  return { layer: null, problems: checked.complaints.map(placed), placed };
}

/** A file that cannot be read as a whole. */
function faulty(file: string, reason: string, place?: TextPlace): Checked {
  const at = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const problem = { file, ...place, key: "", expected: "a TOML file", message: `${at}: ${reason}` };
  return { layer: null, problems: [problem], placed: () => problem };
}

function problemOf(file: string, complaint: Complaint, place?: TextPlace): Problem {
  const key = complaint.path.join(".");
  const at = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const { expected } = complaint;
  const meant = complaint.unknownKey ? nearest(complaint.path.at(-1) ?? "", expected.match(/\w+/g) ?? []) : null;
  const hint = meant === null ? "" : ` (did you mean ${meant}?)`;
  const message = `${at}: ${key === "" ? "" : `${key}: `}${complaint.unknownKey ? "unknown key; " : ""}expected ${expected}${hint}`;
  return { file, ...place, key, expected, message };
}

/** Backends of a layer that are neither ours nor, with all that was said before, whole servers of the user's own. */
function undefinedBackends(layer: Layer, config: Config, adapters: ReadonlySet<string>): readonly Complaint[] {
  return Object.entries(layer.backends ?? {}).flatMap(([name, backend]) => {
    const whole = { ...config.backends[name], ...backend };
    if (adapters.has(name) || (whole.command && (whole.languages || whole.extensions))) return [];
    const meant = nearest(name, adapters);
    const expected = `command and languages, since we know no server of this name${meant === null ? "" : ` (did you mean ${meant}?)`}`;
    return [{ path: ["backends", name], expected, unknownKey: false }];
  });
}

/** Names in the lists of languages that nobody has defined. */
function undefinedNames(layer: Layer, config: Config, adapters: ReadonlySet<string>): readonly Complaint[] {
  const defined = new Set([...adapters, ...Object.keys(config.backends)]);
  return Object.entries(layer.languages ?? {}).flatMap(([id, { backends = [], features = {} }]) => {
    const named = [
      ...backends.map((name, i) => ({ name, path: ["languages", id, "backends", String(i)] })),
      ...Object.keys(features).map((name) => ({ name, path: ["languages", id, "features", name] })),
    ];
    return named.flatMap(({ name, path }) => {
      if (defined.has(name)) return [];
      const meant = nearest(name, defined);
      const expected = `a backend that is defined; \`${name}\` is not${meant === null ? "" : ` (did you mean ${meant}?)`}`;
      return [{ path, expected, unknownKey: false }];
    });
  });
}
