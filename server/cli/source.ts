/** `switchboard source NAME`: its code, as it stands in the file. */
import { aboutOne } from "./one.ts";

export const run = aboutOne("body", ({ body = "" }) => ({ lines: body === "" ? [] : [body] }));
