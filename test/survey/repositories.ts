/**
 * Real repositories that nobody here wrote, as the registries of their languages have them, and how to make a workspace of
 * each under `.cache/survey/`. Fetched once; a folder that is there is taken as it is.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Repository {
  readonly language: "typescript" | "python" | "go" | "rust" | "cpp" | "java";
  readonly name: string;
  /** Not looked at while outlines were written; asked for by name or with `--second`. */
  readonly second?: true;
  /** Fills an empty folder, which will be called `final`. */
  readonly fetch: (folder: string, final: string) => void;
}

export const repositories: readonly Repository[] = [
  { language: "typescript", name: "rxjs", fetch: npm("rxjs@7.8.2", ["src", "package.json"]) },
  { language: "typescript", name: "mobx", fetch: npm("mobx@6.13.7", ["src", "package.json"]) },
  { language: "typescript", name: "zod", fetch: npm("zod@4.1.12", ["src", "package.json"]) },
  { language: "python", name: "requests", fetch: pip("requests==2.32.5") },
  { language: "python", name: "jinja2", fetch: pip("jinja2==3.1.6") },
  { language: "python", name: "attrs", fetch: pip("attrs==25.4.0") },
  { language: "go", name: "cobra", fetch: go("github.com/spf13/cobra@v1.10.1") },
  { language: "go", name: "chi", fetch: go("github.com/go-chi/chi/v5@v5.2.3") },
  { language: "go", name: "zap", fetch: go("go.uber.org/zap@v1.27.0") },
  { language: "rust", name: "regex-automata", fetch: cargo("regex-automata", "0.4.13") },
  { language: "rust", name: "clap_builder", fetch: cargo("clap_builder", "4.5.50") },
  { language: "rust", name: "serde_json", fetch: cargo("serde_json", "1.0.145") },
  {
    language: "cpp",
    name: "leveldb",
    fetch: cpp("leveldown@6.1.1", "deps/leveldb/leveldb-1.20", [
      "-I.",
      "-Iinclude",
      "-DOS_LINUX",
      "-DLEVELDB_PLATFORM_POSIX",
    ]),
  },
  { language: "cpp", name: "libsass", fetch: cpp("node-sass@9.0.0", "src/libsass", ["-Iinclude", "-Isrc"]) },
  { language: "cpp", name: "snappy", fetch: cpp("snappy@6.3.5", "deps/snappy", ["-Isnappy-1.1.7", "-Ilinux", "-I."]) },
  { language: "java", name: "commons-lang3", fetch: maven("org.apache.commons:commons-lang3:3.18.0") },
  { language: "java", name: "gson", fetch: maven("com.google.code.gson:gson:2.13.1") },
  { language: "java", name: "commons-cli", fetch: maven("commons-cli:commons-cli:1.10.0") },
  { language: "typescript", name: "immer", second: true, fetch: npm("immer@10.1.3", ["src", "package.json"]) },
  {
    language: "typescript",
    name: "query-core",
    second: true,
    fetch: npm("@tanstack/query-core@5.90.5", ["src", "package.json"]),
  },
  { language: "typescript", name: "effect", second: true, fetch: npm("effect@3.18.4", ["src", "package.json"]) },
  { language: "python", name: "click", second: true, fetch: pip("click==8.3.0") },
  { language: "python", name: "flask", second: true, fetch: pip("flask==3.1.2") },
  { language: "python", name: "rich", second: true, fetch: pip("rich==14.2.0") },
  { language: "go", name: "gin", second: true, fetch: go("github.com/gin-gonic/gin@v1.10.1") },
  { language: "go", name: "testify", second: true, fetch: go("github.com/stretchr/testify@v1.11.1") },
  { language: "go", name: "zerolog", second: true, fetch: go("github.com/rs/zerolog@v1.34.0") },
  { language: "rust", name: "rayon", second: true, fetch: cargo("rayon", "1.11.0") },
  { language: "rust", name: "hyper", second: true, fetch: cargo("hyper", "1.7.0") },
  { language: "rust", name: "anyhow", second: true, fetch: cargo("anyhow", "1.0.100") },
  { language: "cpp", name: "re2", second: true, fetch: cpp("re2@1.22.1", "vendor", ["-Ire2", "-Iabseil-cpp"]) },
  { language: "cpp", name: "pybind11", second: true, fetch: pip("pybind11==3.0.1") },
  {
    language: "java",
    name: "jackson-core",
    second: true,
    fetch: maven("com.fasterxml.jackson.core:jackson-core:2.20.0"),
  },
  { language: "java", name: "slf4j-api", second: true, fetch: maven("org.slf4j:slf4j-api:2.0.17") },
  { language: "java", name: "guava", second: true, fetch: maven("com.google.guava:guava:33.5.0-jre") },
];

const cache = fileURLToPath(new URL("../../../.cache/survey/", import.meta.url));

/** The folder of a repository, fetched if it is not there. */
export function workspaceOf({ language, name, fetch }: Repository): string {
  const folder = join(cache, language, name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}.`);
  fetch(making, folder);
  renameSync(making, folder);
  return folder;
}

function npm(what: string, keep: readonly string[]): Repository["fetch"] {
  return (folder) => {
    inTemporary((at) => {
      run("npm", ["pack", "--silent", what], at);
      unpack(at);
      for (const name of keep) cpSync(join(at, "package", name), join(folder, name), { recursive: true });
    });
    const options = { target: "es2022", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["src"] }));
  };
}

function cpp(what: string, inside: string, flags: readonly string[]): Repository["fetch"] {
  return (folder, final) => {
    inTemporary((at) => {
      run("npm", ["pack", "--silent", what], at);
      unpack(at);
      cpSync(join(at, "package", inside), folder, { recursive: true });
    });
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => /\.(?:cc|cpp)$/.test(file));
    const command = (file: string) => ({
      directory: final,
      file,
      arguments: ["clang++", "-std=c++17", ...flags, "-c", file],
    });
    writeFileSync(join(folder, "compile_commands.json"), JSON.stringify(files.map(command)));
  };
}

function pip(what: string): Repository["fetch"] {
  return (folder) =>
    inTemporary((at) => {
      run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", what], at);
      unpack(at);
      moved(at, folder);
    });
}

function go(what: string): Repository["fetch"] {
  return (folder) => {
    const answer: unknown = JSON.parse(run("go", ["mod", "download", "-json", what], folder));
    const from = typeof answer === "object" && answer !== null && "Dir" in answer ? String(answer.Dir) : "";
    cpSync(from, folder, { recursive: true });
    run("chmod", ["-R", "u+w", folder], folder);
    run("go", ["mod", "download"], folder);
  };
}

function cargo(name: string, version: string): Repository["fetch"] {
  return (folder) =>
    inTemporary((at) => {
      mkdirSync(join(at, "src"));
      writeFileSync(join(at, "src", "lib.rs"), "");
      const manifest = `[package]\nname = "survey"\nversion = "0.0.0"\n[dependencies]\n${name} = "=${version}"\n`;
      writeFileSync(join(at, "Cargo.toml"), manifest);
      run("cargo", ["vendor", "--quiet", "vendor"], at);
      cpSync(join(at, "vendor", name), folder, { recursive: true });
      run("cargo", ["fetch", "--quiet"], folder);
    });
}

function maven(artifact: string): Repository["fetch"] {
  return (folder) =>
    inTemporary((at) => {
      const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
      run("mvn", ["-q", "-B", goal, `-Dartifact=${artifact}:jar:sources`, `-DoutputDirectory=${at}`], at);
      const [jar = ""] = readdirSync(at).filter((name) => name.endsWith(".jar"));
      mkdirSync(join(folder, "src"));
      run("jar", ["xf", join(at, jar)], join(folder, "src"));
    });
}

function inTemporary(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "survey-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The one archive in a folder. */
function unpack(folder: string): void {
  const [archive = ""] = readdirSync(folder).filter((name) => /\.(?:tgz|tar\.gz)$/.test(name));
  run("tar", ["xzf", archive], folder);
  rmSync(join(folder, archive));
}

/** The contents of the only folder in one. */
function moved(from: string, to: string): void {
  const [only = ""] = readdirSync(from);
  cpSync(join(from, only), to, { recursive: true });
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr.slice(-2000)}`);
  return stdout;
}
