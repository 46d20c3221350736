/** Finding the shared server: a connection to the one that runs, or to one that is started now. */
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type Address, distrusted, prepared } from "./address.ts";
import { type Hello, readLine, readWelcome, sayLine, type Welcome } from "./hello.ts";
import { freeLock, takeLock } from "./lock.ts";

/** A server that has taken a connection answers at once, if at all, ms. */
const WELCOME_MS = 5_000;
/** How long a server may take to start, on a machine with much else to do, ms. */
const START_MS = 20_000;
/** How often one that is being started is looked for, ms. */
const LOOK_MS = 10;

export interface Reached {
  /** Paused, its next bytes are frames. */
  readonly socket: Socket;
  readonly pid: number;
  readonly direct: boolean;
  readonly status: unknown;
}

/** `refused`: it will have none of us. `trouble`: why there is no use of the address. null: nobody listens. */
export type Found = Reached | { readonly refused: string } | { readonly trouble: string } | null;

/** Connects to the server that runs. */
export async function reach(address: Address, hello: Hello): Promise<Found> {
  const trouble = distrusted(address);
  if (trouble !== null) return { trouble };
  const socket = await connected(address.path);
  if (socket === null) return null;
  sayLine(socket, hello);
  try {
    const welcome: Welcome = readWelcome(await readLine(socket, WELCOME_MS));
    if (!("refused" in welcome)) return { socket, direct: false, status: null, ...welcome };
    socket.destroy();
    return welcome;
  } catch (fault) {
    socket.destroy();
    return {
      trouble: `the server at ${address.path} does not answer: ${fault instanceof Error ? fault.message : fault}`,
    };
  }
}

/** Connects to the server that runs, or else starts one; of many that do so at once, one starts it. */
export async function reachOrStart(address: Address, hello: Hello): Promise<Exclude<Found, null>> {
  const lock = `${address.path}.start`;
  const trouble = prepared(address);
  if (trouble !== null) return { trouble };
  let server: Starting | null = null;
  try {
    for (const until = Date.now() + START_MS; ; ) {
      const found = await reach(address, hello);
      if (found !== null) return found;
      const failed = server?.failed() ?? null;
      if (failed !== null) return { trouble: failed };
      if (Date.now() > until) return { trouble: `no server has started within ${START_MS} ms` };
      // Another look: the one who had the lock has freed it when its server was there.
      if (server === null && takeLock(lock)) server = (await isThere(address)) ? null : start(hello.config);
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  } catch (fault) {
    return { trouble: fault instanceof Error ? fault.message : String(fault) };
  } finally {
    freeLock(lock);
    server?.leave();
  }
}

async function isThere(address: Address): Promise<boolean> {
  const socket = await connected(address.path);
  socket?.destroy();
  return socket !== null;
}

/** Null: nobody listens. */
function connected(path: string): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once("error", () => done(null));
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      // Whoever reads it sees its end.
      socket.on("error", () => {});
      done(socket);
    });
  });
}

interface Starting {
  /** Why it has ended; null while it has not. */
  failed(): string | null;
  /** It is to run on without us. */
  leave(): void;
}

/** Starts a server that outlives us, in a session of its own and in no folder. */
function start(config: readonly string[]): Starting {
  // Beside us in what is shipped.
  const program = fileURLToPath(new URL("main.js", import.meta.url));
  const args = config.flatMap((file) => ["--config", file]);
  // Not imported: it would be loaded at every start.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(process.execPath, [program, "serve", ...args], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  let said = "";
  let failed: string | null = null;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2000);
  });
  child.on("error", (fault) => {
    failed = fault.message;
  });
  child.on("exit", (code, signal) => {
    failed = `the server that was started has ended (${signal ?? code}): ${said.trim()}`;
  });
  return {
    failed: () => failed,
    leave() {
      child.stderr.destroy();
      child.unref();
    },
  };
}
