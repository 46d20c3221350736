/** `switchboard impls NAME`: what implements or overrides it. */
import { aboutOne, listed, placeLines } from "./one.ts";

export const run = aboutOne("implementations", ({ implementations }, printing) =>
  listed(implementations, (items) => placeLines(items, printing)),
);
