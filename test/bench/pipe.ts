// The yardstick: the least that a proxy written for Node can do. Bytes from stdin go to a child, the child's go to
// stdout, nothing is looked at. usage: node pipe.js COMMAND [ARGUMENT...]
import { spawn } from "node:child_process";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("usage: pipe COMMAND [ARGUMENT...]");
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("close", (code) => process.exit(code ?? 1));
