/** What commands about the shared server have in common: finding it, and saying where there is none. */
import { thisMachine } from "../config/places.ts";
import { addressOf } from "../shared/address.ts";
import { type Hello, helloOf } from "../shared/hello.ts";
import { type Reached, reach } from "../shared/reach.ts";
import { version } from "../version.ts";
import type { Options } from "./args.ts";
import { exits } from "./print.ts";
import { wrong } from "./session.ts";

/** A connection to the server that runs; else the exit code, after what there is to say: 1 where none runs. */
export async function sharedServer(as: Hello["as"], options: Options): Promise<Reached | number> {
  const address = addressOf(thisMachine(), version);
  const found = await reach(address, helloOf(as, options));
  if (found === null) {
    if (!options.quiet) process.stderr.write(`switchboard: no shared server runs (${address.path})\n`);
    return exits.absent;
  }
  return "socket" in found ? found : wrong("refused" in found ? found.refused : found.trouble);
}
