/** `switchboard stop`: ends the shared server, and with it what it has started. Ends itself when that is done. */
import { once } from "node:events";
import { exits } from "./print.ts";
import { sharedServer } from "./shared.ts";
import type { Run } from "./table.ts";

export const run: Run = async (_, options) => {
  const found = await sharedServer("stop", options);
  if (typeof found === "number") return found;
  const ended = once(found.socket, "close");
  found.socket.end().resume();
  await ended;
  if (!options.quiet) process.stderr.write(`switchboard: the shared server (process ${found.pid}) has ended\n`);
  return exits.found;
};
