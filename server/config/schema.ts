/**
 * What may be written in a configuration, from a file or by a client, and what is said of anything else: valibot's
 * schema and its issues as plain complaints. The schema is made only when there is something to check.
 */
import * as v from "valibot";
import type { Json } from "../../adapters/adapter.ts";
import type { BackendConfig, LanguageConfig, Layer, Limits } from "./config.ts";

/** A wrong key or value: its path, and what was expected there. */
export interface Complaint {
  readonly path: readonly string[];
  readonly expected: string;
  /** The path is that of a key nobody knows, not of a wrong value. */
  readonly unknownKey: boolean;
}

/**
 * Checks a parsed file or a client's options.
 * @param from `commandPrefix` is for clients only
 */
export function checkLayer(
  value: unknown,
  from: "file" | "client",
): { readonly ok: true; readonly layer: Layer } | { readonly ok: false; readonly complaints: readonly Complaint[] } {
  // Only now, since most starts have nothing to check.
  schemas ??= layers();
  const checked = v.safeParse(schemas[from], value, { abortPipeEarly: true });
  if (checked.success) return { ok: true, layer: checked.output };
  return {
    ok: false,
    complaints: checked.issues.map((issue) => ({
      path: issue.path?.map(({ key }) => String(key)) ?? [],
      expected: issue.message,
      unknownKey: issue.type === "strict_object" && issue.expected === "never",
    })),
  };
}

let schemas: ReturnType<typeof layers> | undefined;

function isJson(value: unknown, depth: number): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value instanceof Date || depth > 100) return false;
  return Object.values(value).every((inner) => isJson(inner, depth + 1));
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function layers() {
  /** valibot takes lists for objects. */
  const anyTable = v.custom<Record<string, unknown>>(isTable, "a table");

  /** A table with these keys and no others. */
  function table<const E extends Parameters<typeof v.strictObject>[0]>(entries: E) {
    const names = Object.keys(entries).join(", ");
    return v.pipe(anyTable, v.strictObject(entries, `one of ${names}`));
  }

  /** A table with keys that the user chooses. */
  function named<const S extends v.GenericSchema>(of: S) {
    return v.pipe(anyTable, v.record(v.string(), of));
  }

  function list<const S extends v.GenericSchema>(of: S, what: string) {
    return v.array(of, `a list of ${what}`);
  }

  function oneOf<const O extends readonly string[]>(...options: O) {
    return v.picklist(options, `one of ${options.map((option) => `"${option}"`).join(", ")}`);
  }

  function whole(least: number, unit: string) {
    const expected = `a whole number of ${unit}, ${least} or more`;
    return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected));
  }

  const text = (what: string) => v.pipe(v.string(what), v.minLength(1, what));
  const texts = (what: string) => list(text(`a ${what}`), `${what}s`);
  const truth = v.boolean("true or false");
  const optional = <const S extends v.GenericSchema>(schema: S) => v.exactOptional(schema);

  /** TOML has values that JSON has not. */
  const json = v.custom<Json>((value) => isJson(value, 0), "a value that JSON has: no date, no inf, no nan");

  const backend = table({
    command: optional(v.pipe(texts("word"), v.minLength(1, "a list of words, the program first"))),
    languages: optional(texts("language id")),
    extensions: optional(texts("file name ending")),
    roots: optional(
      list(
        v.union([text("a file name"), texts("file name")], "a file name or a list of file names"),
        "file names or of lists of them",
      ),
    ),
    settings: optional(named(json)),
    initializationOptions: optional(json),
    env: optional(named(v.string("a text"))),
    encoding: optional(oneOf("utf-8", "utf-16", "utf-32")),
    role: optional(oneOf("general", "addon")),
    enabled: optional(truth),
  }) satisfies v.GenericSchema<unknown, BackendConfig>;

  const method = "the name of a method, such as textDocument/hover";
  const methods = list(v.pipe(v.string(method), v.includes("/", method)), "method's names");

  const language = table({
    backends: optional(texts("backend's name")),
    features: optional(named(table({ only: optional(methods), except: optional(methods) }))),
  }) satisfies v.GenericSchema<unknown, LanguageConfig>;

  const ms = () => optional(whole(0, "ms"));
  const limits = {
    definitionMs: ms(),
    referencesMs: ms(),
    symbolMs: ms(),
    renameMs: ms(),
    softMs: ms(),
    hardMs: optional(whole(1, "ms")),
    cancelMs: ms(),
    startMs: optional(whole(1, "ms")),
    idleMs: ms(),
    starts: optional(whole(1, "starts")),
    maxFrameBytes: optional(whole(1024, "bytes")),
    maxDepth: optional(whole(16, "levels")),
    maxInFlight: optional(whole(1, "requests")),
    maxQueuedBytes: optional(whole(1024, "bytes")),
  } satisfies Record<keyof Limits, v.GenericSchema>;

  const everywhere = {
    backends: optional(named(backend)),
    languages: optional(named(language)),
    index: optional(
      table({
        include: optional(texts("glob")),
        exclude: optional(texts("glob")),
        maxFileBytes: optional(whole(0, "bytes")),
      }),
    ),
    limits: optional(table(limits)),
    shared: optional(table({ enabled: optional(truth), idleMinutes: optional(whole(0, "minutes")) })),
    log: optional(
      table({ level: optional(oneOf("error", "warn", "info", "debug")), file: optional(text("the path of a file")) }),
    ),
  };

  return {
    file: table(everywhere) satisfies v.GenericSchema<unknown, Layer>,
    client: table({ ...everywhere, commandPrefix: optional(v.string("a text")) }) satisfies v.GenericSchema<
      unknown,
      Layer
    >,
  };
}
