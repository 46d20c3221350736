/**
 * Makes what is shipped, in `dist/bin`, of the compiled sources: the launcher, each program as one script, and V8's bytecode
 * of what a start runs. `npm run build` calls it.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { build } from "rolldown";
import { notification, request } from "../wire/compose.ts";
import { header } from "../wire/framing.ts";

/** By the name of the script: where it begins, and what it is started with. */
const programs = {
  program: { entry: compiled("../main.js"), args: ["--stdio"] },
  syntax: { entry: compiled("../cli/syntax.js"), args: ["syntax", "--stdio"] },
  attach: { entry: compiled("../shared/attach.js"), args: ["--stdio"] },
} as const;
type Name = keyof typeof programs;

/** The parsing thread of the syntax backend, which is no program. */
const worker = compiled("../syntax/worker.js");
const launcher = compiled("main.cjs");
const out = compiled("../../bin/");

if (process.argv[2] === "record") record(isName(process.argv[3]) ? process.argv[3] : "program");
else {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "package.json"), '{ "type": "commonjs" }\n');
  copyFileSync(launcher, join(out, "main.js"));
  chmodSync(join(out, "main.js"), 0o755);
  await Promise.all([bundle("program"), bundle("syntax"), bundle("attach"), bundleWorker()]);
  await start("program");
  await start("syntax");
  await start("attach");
}

function isName(text: string | undefined): text is Name {
  return text !== undefined && text in programs;
}

/** One script, a function of what a module of Node's is given. In ASCII, for it is read as Latin-1. */
async function bundle(name: Name): Promise<void> {
  const code = await script(programs[name].entry);
  const text = `(function (require, module, exports, __filename, __dirname, whole) {\n${code}\n});\n`;
  writeFileSync(
    pathOf(name),
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

async function bundleWorker(): Promise<void> {
  writeFileSync(join(out, "worker.js"), await script(worker));
}

async function script(input: string): Promise<string> {
  const { output } = await build({
    input,
    platform: "node",
    // What is native, finds files beside itself, or is wanted by few.
    external: ["@parcel/watcher", "minimatch", "web-tree-sitter"],
    logLevel: "warn",
    write: false,
    output: {
      format: "cjs",
      codeSplitting: false,
      // V8 forgets who answers an import() when a script comes from its bytecode.
      dynamicImportInCjs: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  });
  return output[0].code;
}

function pathOf(name: Name): string {
  return join(out, `${name}.js`);
}

/** A file of the compiled sources. */
function compiled(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Has a process of its own start the program, say hello and goodbye, and keep the bytecode of what has run. */
async function start(name: Name): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "switchboard-"));
  try {
    const config = join(folder, "config.toml");
    const shared = `[shared]\nenabled = ${name === "attach"}\nidleMinutes = 0\n`;
    writeFileSync(config, `[backends.none]\ncommand = ["none"]\nlanguages = ["plaintext"]\n${shared}`);
    const places = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];
    const env = { ...process.env, ...Object.fromEntries(places.map((place) => [place, folder])) };
    const self = fileURLToPath(import.meta.url);
    const args = name === "syntax" ? [] : ["--config", config];
    const child = spawn(process.execPath, [self, "record", name, ...programs[name].args, ...args], {
      cwd: folder,
      env,
      stdio: ["pipe", "ignore", "inherit"],
    });
    const workspaceFolders = [{ uri: pathToFileURL(folder).href, name: "none" }];
    for (const body of [
      request(1, "initialize", { processId: null, rootUri: null, workspaceFolders, capabilities: {} }),
      notification("initialized", {}),
      request(2, "shutdown", undefined),
      notification("exit", undefined),
    ])
      child.stdin.write(Buffer.concat([header(body.length), body]));
    const code = await new Promise((resolve) => child.once("exit", resolve));
    if (code !== 0) throw new Error(`${name} did not start: exit code ${code}`);
  } finally {
    // The server that was attached to ends by itself, and takes its socket along.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** In the process of its own; as `main.cts` does it, but for the bytecode. */
function record(name: Name): void {
  // As the launcher does: bytecode holds for the flags that it was made under.
  setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=100");
  const program = pathOf(name);
  const source = readFileSync(program);
  const script = new Script(source.toString("latin1"), {
    filename: program,
  });
  process.on("exit", () => {
    writeFileSync(`${program}.new`, Buffer.concat([source, script.createCachedData()]));
    renameSync(`${program}.new`, `${program}.v8`);
  });
  process.argv.splice(1, 3, program);
  script.runInThisContext()(createRequire(program), { exports: {} }, {}, program, out);
}
