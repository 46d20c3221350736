import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { header } from "../../server/wire/framing.ts";
import { spawnBackend } from "../../server/wire/transport.ts";
import { collector } from "../collector.ts";

const node = (script: string, ...args: string[]) => ({
  command: [process.execPath, "-e", script, ...args],
  cwd: tmpdir(),
  env: {},
});
const frame = (text: string): Buffer => Buffer.concat([header(Buffer.byteLength(text)), Buffer.from(text)]);
/** A backend that sends back every byte; what it writes first is an argument. */
const ECHO = "process.stdout.write(process.argv[1] ?? ''); process.stdin.pipe(process.stdout)";

test("a process: frames, stray text, and the end of its input", async () => {
  const c = collector();
  const backend = spawnBackend(node(ECHO, "Info: 3 decls\n\n"), c);
  backend.send([Buffer.from('{"a":1}')]);
  await c.until(() => c.bodies.length === 1);
  backend.close();
  await c.until(() => c.events.some((e) => e.startsWith("exit")));
  assert.deepEqual(c.bodies, ['{"a":1}']);
  assert.deepEqual(c.events, ["log: Info: 3 decls", "exit 0 null "]);
});

test("10 MB on stderr block nothing and are cut in the log", async () => {
  const c = collector();
  const flood = `for (let i = 0; i < 100; i++) process.stderr.write(("flood ".repeat(16) + "\\n").repeat(1040)); ${ECHO}`;
  const backend = spawnBackend(node(flood), c);
  backend.send([Buffer.from("hover")]);
  await c.until(() => c.bodies.length === 1);
  backend.close();
  await c.until(() => c.events.some((e) => e.startsWith("exit")));
  const log = c.events.filter((e) => e.startsWith("log:"));
  assert.ok(log.length < 1000, `${log.length} lines`);
  assert.match(log.at(-1) ?? "", /characters of output left out/);
});

test("what cannot be started is reported as an exit, once", async () => {
  for (const program of [
    { command: ["no-such-server-here"], cwd: tmpdir(), env: {} },
    { command: [process.execPath], cwd: "/no/such/folder", env: {} },
    { command: ["a\0b"], cwd: tmpdir(), env: {} },
  ]) {
    const c = collector();
    const backend = spawnBackend(program, c);
    backend.send([Buffer.from("{}")]);
    backend.kill("force");
    await c.until(() => c.events.length > 0);
    assert.match(c.events.join("|"), /^exit null null .*(ENOENT|does not exist|null bytes)[^|]*$/);
  }
});

const posix = { skip: process.platform === "win32" ? "process groups are POSIX" : false };

test("a process that ignores its end is killed; one that asks is asked", posix, async () => {
  const c = collector();
  const deaf = spawnBackend(node(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6); ${ECHO}`), c);
  deaf.send([Buffer.from("up")]);
  await c.until(() => c.bodies.length === 1);
  deaf.kill("ask");
  deaf.kill("force");
  await c.until(() => c.events.some((e) => e.startsWith("exit")));
  assert.equal(c.events.at(-1), "exit null SIGKILL ");

  const d = collector();
  const polite = spawnBackend(
    node(`process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1e6); ${ECHO}`),
    d,
  );
  polite.send([Buffer.from("up")]);
  await d.until(() => d.bodies.length === 1);
  polite.kill("ask");
  await d.until(() => d.events.some((e) => e.startsWith("exit")));
  assert.equal(d.events.at(-1), "exit 7 null ");
});

/** A backend with a grandchild that outlives it; says the grandchild's pid in a frame. */
const PARENT = `
  const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  const body = String(child.pid);
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body);
  process.stdin.resume();`;

/** Whether a process runs; a zombie that nobody has collected does not. */
function runs(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

async function gone(pids: readonly number[], ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await new Promise((go) => setTimeout(go, 50))) {
    if (!pids.some(runs)) return true;
  }
  return false;
}

test("a crashed backend's children are ended, then its watchdog", posix, async () => {
  const c = collector();
  const backend = spawnBackend(node(PARENT), c);
  await c.until(() => c.bodies.length === 1);
  const pid = backend.pid ?? assert.fail("not started");
  const watchdogs = (): string =>
    spawnSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((l) => l.endsWith(`KILL -- -${pid}`))
      .join();
  assert.notEqual(watchdogs(), "");
  process.kill(pid, "SIGKILL");
  await c.until(() => c.events.some((e) => e.startsWith("exit")));
  assert.ok(await gone([Number(c.bodies[0])], 5000));
  for (const until = Date.now() + 5000; watchdogs() !== ""; await new Promise((go) => setTimeout(go, 50))) {
    assert.ok(Date.now() < until, "the watchdog outlives its group");
  }
});

test("our own SIGKILL leaves neither backend nor grandchild", posix, async () => {
  const transport = new URL("../../server/wire/transport.js", import.meta.url).href;
  const script = `
    import { spawnBackend } from ${JSON.stringify(transport)};
    const none = () => {};
    const backend = spawnBackend(${JSON.stringify(node(PARENT))}, { onBody: (b) => console.log(backend.pid + " " + b),
      onProblem: none, onDrained: none, onLog: none, onExit: none });`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: Buffer[] = await once(owner.stdout, "data");
  const pids = String(line).trim().split(" ").map(Number);
  assert.equal(pids.length, 2);
  assert.ok(pids.every(runs));
  owner.kill("SIGKILL");
  assert.ok(await gone(pids, 5000), "still there after 5 s");
});

/** Sends 8 MB when asked to "fill", says on stderr what it hears. */
const STDIO = `
  import { stdioEnd } from ${JSON.stringify(new URL("../../server/wire/transport.js", import.meta.url).href)};
  const say = (text) => process.stderr.write(text + "\\n");
  const end = stdioEnd({ onBody: (b) => (String(b) === "fill" ? end.send([Buffer.alloc(8e6)]) : say("heard " + b)),
    onProblem: say, onDrained() {}, onClosed: (reason) => { say("closed: " + reason); end.close(() => process.exit()); } });`;

/** Our stdout as a socket (Node's way to start a server) and as a pipe (a shell's); `stop` closes the reading end. */
function startOnSocket() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", STDIO]);
  return { child, stop: () => child.stdout.destroy() };
}

function startOnPipe() {
  const folder = mkdtempSync(join(tmpdir(), "switchboard-"));
  const path = join(folder, "pipe");
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, "w");
  const child = spawn(process.execPath, ["--input-type=module", "-e", STDIO], { stdio: ["pipe", writing, "pipe"] });
  closeSync(writing);
  rmSync(folder, { recursive: true });
  return { child, stop: () => closeSync(reading) };
}

for (const start of [startOnSocket, startOnPipe]) {
  test(`a client that stops reading is still heard, and its end is a close (${start.name})`, posix, async () => {
    const { child, stop } = start();
    const heard = collector();
    assert.ok(child.stdin && child.stderr);
    child.stderr.setEncoding("utf8").on("data", (text: string) => heard.onLog(text.trim()));
    child.stdin.write(Buffer.concat([frame("fill"), frame("one more")]));
    await heard.until(() => heard.events.length > 0);
    child.stdin.write(frame("and another"));
    await heard.until(() => heard.events.length > 1);
    assert.deepEqual(heard.events, ["log: heard one more", "log: heard and another"]);
    stop();
    await heard.until(() => heard.events.length > 2);
    assert.equal(heard.events[2], "log: closed: writing failed: write EPIPE");
    await once(child, "exit");
  });
}
