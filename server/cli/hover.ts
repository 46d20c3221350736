/** `switchboard hover NAME`: what its server says of it, as plain text. */
import { aboutOne } from "./one.ts";

export const run = aboutOne("hover", ({ hover = "" }) => ({ lines: hover.trim() === "" ? [] : [hover.trimEnd()] }));
