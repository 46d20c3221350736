/**
 * A backend that does what a test tells it: `node fake.js NAME PORT`. It connects to the test on 127.0.0.1:PORT, reports
 * what it is sent, and carries out orders, one after the other; both ways a JSON value a line. It reads its stdin from
 * the order "go" on, strictly: only `Content-Length: N\r\n\r\n` with valid UTF-8 behind it is a frame, anything else is
 * reported as stray. It decides nothing; the conversation is the test's (see `faults/actors.ts`).
 */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { connect } from "node:net";

/** From the fake to the test. */
export type Report =
  | { readonly is: "up"; readonly name: string; readonly pid: number }
  /** One frame's body. */
  | { readonly is: "frame"; readonly body: string }
  /** Bytes that are no canonical frame; nothing is read after them. */
  | { readonly is: "stray"; readonly text: string }
  /** The nth order, the first is 1, has been carried out. */
  | { readonly is: "done"; readonly nth: number }
  | { readonly is: "child"; readonly pid: number };

/** From the test to the fake. */
export type Order =
  | { readonly do: "go" }
  /** Raw text on stdout, so many times; done once it is taken. */
  | { readonly do: "write"; readonly text: string; readonly times: number }
  /** So many bytes of lines on stderr, before the next order. */
  | { readonly do: "stderr"; readonly bytes: number }
  /** From now on answers this method by itself with a result (as JSON text), and does not report it. */
  | { readonly do: "canned"; readonly method: string; readonly result: string }
  /** Stops reading stdin. */
  | { readonly do: "pause" }
  /** Closes one of its ends, and goes on running. */
  | { readonly do: "close"; readonly end: "stdin" | "stdout" }
  /** Survives SIGTERM and the end of its input. */
  | { readonly do: "deaf" }
  /** Starts a process of its own that ends for SIGKILL only. */
  | { readonly do: "child" }
  | { readonly do: "exit"; readonly code: number };

const [, , name = "fake", port = "0"] = process.argv;
const CHILD = 'process.on("SIGTERM", () => {}); process.stdout.write("."); setInterval(() => {}, 1e6)';

const control = connect(Number(port), "127.0.0.1");
const canned = new Map<string, string>();
let obeyed = 0;
let deaf = false;
let input: Buffer = Buffer.alloc(0);
let orders = "";
let busy: Promise<void> = Promise.resolve();

// The test is gone, and with it whoever would end this process.
control.on("error", () => process.exit(9));
control.on("close", () => process.exit(9));
control.setEncoding("utf8");
control.on("data", (text: string) => {
  const lines = (orders + text).split("\n");
  orders = lines.pop() ?? "";
  for (const line of lines) {
    busy = busy.then(async () => {
      await obey(JSON.parse(line));
      obeyed += 1;
      report({ is: "done", nth: obeyed });
    });
  }
});
process.on("SIGTERM", () => deaf || process.exit(0));
report({ is: "up", name, pid: process.pid });

function report(what: Report): void {
  control.write(`${JSON.stringify(what)}\n`);
}

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case "go":
      process.stdin.on("data", receive);
      process.stdin.on("end", () => deaf || process.exit(0));
      return;
    case "write":
      for (let i = 0; i < order.times; i += 1) await written(process.stdout, order.text);
      return;
    case "stderr": {
      const line = `${"noise ".repeat(16)}\n`;
      for (let left = order.bytes; left > 0; left -= 65_536)
        await written(process.stderr, line.repeat(65_536 / line.length));
      return;
    }
    case "canned":
      canned.set(order.method, order.result);
      return;
    case "pause":
      process.stdin.pause();
      return;
    case "close":
      deaf = true;
      process.stdin.pause();
      closeSync(order.end === "stdin" ? 0 : 1);
      return;
    case "deaf":
      deaf = true;
      return;
    case "child": {
      const child = spawn(process.execPath, ["-e", CHILD], { stdio: ["ignore", "pipe", "ignore"] });
      // Its first byte says that it ignores SIGTERM by now.
      child.stdout.once("data", () => report({ is: "child", pid: child.pid ?? 0 }));
      return;
    }
    case "exit":
      process.exit(order.code);
  }
}

function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((done) => stream.write(text, () => done()));
}

function receive(chunk: Buffer): void {
  input = input.length === 0 ? chunk : Buffer.concat([input, chunk]);
  for (;;) {
    const blank = input.indexOf("\r\n\r\n");
    if (blank < 0 && input.length < 64) return;
    const length = /^Content-Length: (\d+)$/.exec(input.toString("latin1", 0, Math.max(0, blank)))?.[1];
    if (length === undefined) return stray(input.toString("latin1", 0, 200));
    const from = blank + 4;
    const to = from + Number(length);
    if (input.length < to) return;
    take(input.subarray(from, to));
    input = input.subarray(to);
  }
}

function take(bytes: Buffer): void {
  let body: string;
  try {
    body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return stray(bytes.toString("latin1", 0, 200));
  }
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: string };
  const result = canned.get(method ?? "");
  if (result === undefined) return report({ is: "frame", body });
  if (id === undefined) return;
  const answer = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${answer.length}\r\n\r\n`), answer]));
}

function stray(text: string): void {
  process.stdin.removeListener("data", receive);
  report({ is: "stray", text });
}
