/** `switchboard refs NAME`: where it is used, and where it is declared. */
import { aboutOne, listed, placeLines } from "./one.ts";

export const run = aboutOne("references", ({ references }, printing) =>
  listed(references, (items) => placeLines(items, printing)),
);
