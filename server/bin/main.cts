#!/usr/bin/env node
/**
 * The command `switchboard` as it is shipped: runs the program that lies beside it, by way of the bytecode that `build.ts`
 * has kept of it. That halves the time to start, as does being no ES module. What the program does is `server/main.ts`.
 */
const { readFileSync } = process.getBuiltinModule("node:fs");
const { Script } = process.getBuiltinModule("node:vm");

// V8 doubles its young generation up to 32 MB as messages pass, which makes nothing faster here. Set before anything is
// compiled: bytecode is refused under other flags than those that it was made with.
process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");

// The syntax backend is a program of its own: neither is loaded with the other.
const filename = `${__dirname}/${process.argv[2] === "syntax" ? "syntax" : "program"}.js`;
const source = readFileSync(filename);
const cachedData = bytecode();
const script = new Script(source.toString("latin1"), {
  filename,
  ...(cachedData && { cachedData }),
});
script.runInThisContext()(require, module, exports, filename, __dirname);

/**
 * V8's bytecode of this very source; it stands behind a copy of that, since V8 itself compares no more than the length.
 * Another version of V8, or other flags, refuse it, and the source is compiled as if there were none.
 */
function bytecode(): Buffer | null {
  try {
    const kept = readFileSync(`${filename}.v8`);
    return source.equals(kept.subarray(0, source.length)) ? kept.subarray(source.length) : null;
  } catch {
    return null;
  }
}
