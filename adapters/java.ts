/**
 * Where Java lies on a machine, and which of a folder's Java files tells where its sources begin: what servers that run on
 * Java and read Java need to know before they start.
 */
import { posix, win32 } from "node:path";
import type { Environment, Site, Surroundings } from "./adapter.ts";

/**
 * The home of a Java of at least that release: JAVA_HOME, else the `java` of PATH, else the newest in the usual folders.
 * Nothing is run: what a home holds stands in its file `release`.
 */
export function javaHome(on: Site, least: number): string | null {
  const fits = (home: string | undefined): home is string => home !== undefined && releaseOf(home, on) >= least;
  const named = [on.env.JAVA_HOME, homeOnPath(on)].find(fits);
  if (named !== undefined) return named;
  const found = usual(on).filter(fits);
  return found.toSorted((a, b) => releaseOf(b, on) - releaseOf(a, on))[0] ?? null;
}

/** What a process needs to run on that Java, whether it looks at JAVA_HOME or at PATH. */
export function javaEnvironment(home: string, on: Site): Readonly<Record<string, string>> {
  const { join, delimiter } = pathsOf(on);
  return { JAVA_HOME: home, PATH: [join(home, "bin"), on.env.PATH ?? ""].join(delimiter) };
}

/** `JAVA_VERSION="25.0.3"` is 25, `"1.8.0_402"` is 8; 0 where there is no Java with a program to run. */
function releaseOf(home: string, on: Site): number {
  const { join } = pathsOf(on);
  if (!on.exists(join(home, "bin", on.platform === "win32" ? "java.exe" : "java"))) return 0;
  const [, first = "0", second = "0"] = /^JAVA_VERSION="(\d+)(?:\.(\d+))?/m.exec(on.read(join(home, "release"))) ?? [];
  return Number(first === "1" ? second : first);
}

function homeOnPath(on: Site): string | undefined {
  const { join, dirname, delimiter } = pathsOf(on);
  const program = on.platform === "win32" ? "java.exe" : "java";
  const folder = (on.env.PATH ?? "").split(delimiter).find((each) => each !== "" && on.exists(join(each, program)));
  return folder === undefined ? undefined : dirname(dirname(on.real(join(folder, program))));
}

/** The homes in the folders where installers, package managers and version managers put them. */
function usual(on: Site): readonly string[] {
  const { join } = pathsOf(on);
  const places: readonly (readonly [folder: string, inside?: string])[] =
    on.platform === "win32"
      ? [on.env.ProgramFiles ?? "C:\\Program Files"].flatMap((base) =>
          ["Java", "Eclipse Adoptium", "Microsoft", "Amazon Corretto", "Zulu"].map(
            (name) => [join(base, name)] as const,
          ),
        )
      : on.platform === "darwin"
        ? [["/Library/Java/JavaVirtualMachines", "Contents/Home"]]
        : [["/usr/lib/jvm"], ["/usr/lib64/jvm"], ["/usr/java"], ["/opt/java"]];
  const managed = [".sdkman/candidates/java", ".jdks", ".asdf/installs/java", ".local/share/mise/installs/java"];
  return [...places, ...managed.map((name) => [join(on.home, name)] as const)].flatMap(([folder, inside = ""]) =>
    on.list(folder).map(({ name }) => join(folder, name, inside)),
  );
}

/** Files that make a build of a root. */
const builds = ["pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/**
 * For a root without trust: an import runs what the folder says. Gradle's build files are programs, run by whatever Gradle
 * the folder's wrapper names; of a `pom.xml` plugins are run as it configures them where it maps their goals for Eclipse
 * (seen with maven-antrun-plugin). Sources are read without it.
 */
export function withoutBuilds({ root, trusted, exists }: Surroundings): Environment {
  if (trusted) return {};
  const settings = { java: { import: { gradle: { enabled: false }, maven: { enabled: false } } } };
  const withheld = "importing the build, which can run its scripts and plugins (types of dependencies are unknown)";
  return {
    settings,
    initializationOptions: { settings },
    ...(builds.some((build) => exists(`${root}/${build}`)) && { withheld }),
  };
}

/** The most entries of a folder that are looked at for its sources, so that a large one costs no more than a moment. */
const MAX_ENTRIES = 5_000;
const ignored = /^(?:\..*|node_modules|target|build|out|bin|dist)$/;

/** One Java file of each folder in which packages begin: a file that lies where the package that it declares says. */
export function sourceRoots(root: string, on: Site): readonly { readonly root: string; readonly file: string }[] {
  const { join, sep } = pathsOf(on);
  const roots = new Map<string, string>();
  let left = MAX_ENTRIES;
  for (const folders = [root]; left > 0; ) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = on.list(folder);
    left -= entries.length;
    const java = entries.find(({ name, isFolder }) => !isFolder && /^\w+\.java$/.test(name));
    const file = java === undefined ? null : join(folder, java.name);
    const text = file === null ? "" : on.read(file);
    const declared = /^[ \t]*package[ \t]+([\w.]+)[ \t]*;/m.exec(text)?.[1]?.split(".").join(sep) ?? "";
    if (file !== null && (declared === "" || folder.endsWith(sep + declared))) {
      const begin = declared === "" ? folder : folder.slice(0, -declared.length - 1);
      if (!roots.has(begin) && (begin + sep).startsWith(root)) roots.set(begin, file);
    }
    for (const { name, isFolder } of entries) if (isFolder && !ignored.test(name)) folders.push(join(folder, name));
  }
  return [...roots].map(([begin, file]) => ({ root: begin, file }));
}

function pathsOf({ platform }: Site): typeof posix {
  return platform === "win32" ? win32 : posix;
}
