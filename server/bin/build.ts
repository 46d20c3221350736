/**
 * Makes what is shipped, in `dist/bin`, of the compiled sources: the launcher, the program as one script, and V8's bytecode
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
import { Script } from "node:vm";
import { build } from "rolldown";
import { notification, request } from "../wire/compose.ts";
import { header } from "../wire/framing.ts";

const main = fileURLToPath(new URL("../main.js", import.meta.url));
const launcher = fileURLToPath(new URL("main.cjs", import.meta.url));
const out = fileURLToPath(new URL("../../bin/", import.meta.url));
const program = join(out, "program.js");

if (process.argv[2] === "record") record();
else {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "package.json"), '{ "type": "commonjs" }\n');
  copyFileSync(launcher, join(out, "main.js"));
  chmodSync(join(out, "main.js"), 0o755);
  await bundle();
  await start();
}

/** One script, a function of what a module of Node's is given. In ASCII, for it is read as Latin-1. */
async function bundle(): Promise<void> {
  const { output } = await build({
    input: main,
    platform: "node",
    // What is native, or wanted by few.
    external: ["@parcel/watcher", "minimatch"],
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
  const text = `(function (require, module, exports, __filename, __dirname) {\n${output[0].code}\n});\n`;
  writeFileSync(
    program,
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** Has a process of its own start the program, say hello and goodbye, and keep the bytecode of what has run. */
async function start(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "switchboard-"));
  try {
    const config = join(folder, "config.toml");
    writeFileSync(config, `[backends.none]\ncommand = ["none"]\nlanguages = ["plaintext"]\n`);
    const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder };
    const self = fileURLToPath(import.meta.url);
    const child = spawn(process.execPath, [self, "record", "--stdio", "--config", config], {
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
    if (code !== 0) throw new Error(`the program did not start: exit code ${code}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the process of its own; as `main.cts` does it, but for the bytecode. */
function record(): void {
  const source = readFileSync(program);
  const script = new Script(source.toString("latin1"), {
    filename: program,
  });
  process.on("exit", () => {
    writeFileSync(`${program}.new`, Buffer.concat([source, script.createCachedData()]));
    renameSync(`${program}.new`, `${program}.v8`);
  });
  process.argv.splice(1, 2, program);
  script.runInThisContext()(createRequire(program), { exports: {} }, {}, program, out);
}
