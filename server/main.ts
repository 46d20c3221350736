/** The command `switchboard`: reads argv and serves LSP on stdio, or runs one command. Nothing else. */
import { type Invocation, parseCommandLine } from "./cli/args.ts";
import { help, helpOf } from "./cli/help.ts";
import { built } from "./cli/table.ts";
import { version } from "./version.ts";

void run(parseCommandLine(process.argv.slice(2), built(), process.stdin.isTTY !== true));

async function run(call: Invocation): Promise<void> {
  switch (call.mode) {
    case "stdio":
      (await import("./stdio.ts")).serveStdio(call.options);
      break;
    case "command":
      process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
        // A reader that has seen enough (`| head`) is no failure.
        if (fault.code === "EPIPE") return;
        process.stderr.write(`switchboard: cannot write: ${fault.message}\n`);
        process.exit(2);
      });
      process.exitCode = (await (await call.command.run?.())?.run(call.words, call.options)) ?? 2;
      // What a command printed is out before it ends; timers that still run keep nobody waiting.
      process.stdout.write("", () => process.exit());
      break;
    case "help":
      process.stdout.write(call.command === null ? help(built()) : helpOf(call.command));
      break;
    case "version":
      process.stdout.write(`${version}\n`);
      break;
    case "wrong":
      process.stderr.write(`switchboard: ${call.message}\n`);
      process.exitCode = 2;
  }
}
