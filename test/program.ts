/** The program as it is shipped: one bundle, which `npm run build` makes of the compiled sources. */
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../bin/main.js", import.meta.url));
