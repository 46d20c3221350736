#!/usr/bin/env node
/**
 * The command `switchboard` as it is shipped: runs the program that lies beside it, by way of the bytecode that `build.ts`
 * has kept of it. That halves the time to start, as does being no ES module. What the program does is `server/main.ts`.
 */
const { readFileSync } = process.getBuiltinModule("node:fs");
const { Script } = process.getBuiltinModule("node:vm");
const { setFlagsFromString, getHeapSpaceStatistics } = process.getBuiltinModule("node:v8");
const { PerformanceObserver } = process.getBuiltinModule("node:perf_hooks");

/** Both halves of V8's young generation when it has grown by one step, bytes. */
const YOUNG = 8 << 20;

// The syntax backend is a program of its own, as is the pipe to a shared server: none is loaded with the other.
run(process.argv[2] === "syntax" ? "syntax" : mayShare() ? "attach" : "program");

function run(name: "program" | "syntax" | "attach"): void {
  // V8 lets the old generation grow to three times what lives in it; twice is enough. Set before anything is compiled:
  // bytecode is refused under other flags than those that it was made with.
  setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=100");
  const filename = `${__dirname}/${name}.js`;
  const source = readFileSync(filename);
  const cachedData = bytecode(filename, source);
  const script = new Script(source.toString("latin1"), {
    filename,
    ...(cachedData && { cachedData }),
  });
  script.runInThisContext()(require, module, exports, filename, __dirname, () => run("program"));
  growOnce();
}

/**
 * As messages pass V8 grows its young generation up to 32 MB. One step, to four times the first size, makes collections a
 * quarter as many and takes almost half of their time away; further ones only take memory.
 */
function growOnce(): void {
  setFlagsFromString("--semi-space-growth-factor=4");
  const collections = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young !== undefined && young.space_size < YOUNG) return;
    collections.disconnect();
    setFlagsFromString("--semi-space-growth-factor=1");
  });
  collections.observe({ entryTypes: ["gc"] });
}

/**
 * Whether a client may be connected to a shared server: no command is called, and a configuration speaks of it. Whether it
 * really says so is for `server/shared/attach.ts`; where the user's file lies, `server/config/places.ts` says.
 */
function mayShare(): boolean {
  const [, , ...words] = process.argv;
  if (words[0] !== undefined && !words[0].startsWith("-")) return false;
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const base = XDG_CONFIG_HOME || (process.platform === "win32" && APPDATA);
  const home = (): string => `${process.getBuiltinModule("node:os").homedir()}/.config`;
  const named = words.map((word, i) => (words[i - 1] === "--config" ? word : word.replace("--config=", "")));
  return [`${base || home()}/switchboard/config.toml`, ".switchboard.toml", ...named].some(speaksOfSharing);
}

function speaksOfSharing(file: string): boolean {
  try {
    return readFileSync(file).includes("shared");
  } catch {
    return false;
  }
}

/**
 * V8's bytecode of this very source; it stands behind a copy of that, since V8 itself compares no more than the length.
 * Another version of V8, or other flags, refuse it, and the source is compiled as if there were none.
 */
function bytecode(filename: string, source: Buffer): Buffer | null {
  try {
    const kept = readFileSync(`${filename}.v8`);
    return source.equals(kept.subarray(0, source.length)) ? kept.subarray(source.length) : null;
  } catch {
    return null;
  }
}
