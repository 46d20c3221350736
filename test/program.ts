/** The program as it is shipped: the launcher, beside the one script and its bytecode that `npm run build` makes. */
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../bin/main.js", import.meta.url));
