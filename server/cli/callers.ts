/** `switchboard callers NAME`: each call of it, with the function that the call stands in. */
import { type CallSite, kindTitle } from "../protocol/extensions.ts";
import { aboutOne, byPlace, listed } from "./one.ts";
import { type Printing, placeOf, symbolText, textLine } from "./print.ts";

export const run = aboutOne("callers", ({ callers }, printing) =>
  listed(callers, (sites) => sites.flatMap((site) => calls(site, printing))),
);

/** A line for each call; a caller whose calls the server does not place stands at its own name. */
function calls({ qualifiedName, kindName, location, ranges }: CallSite, printing: Printing): readonly string[] {
  const places = ranges.length === 0 ? [location] : ranges.map((range) => ({ uri: location.uri, range }));
  return places.sort(byPlace).map(({ uri, range }) => {
    const line = printing.lineOf(uri, range.start.line)?.trim() ?? "";
    return textLine(placeOf(uri, range.start, printing), `${symbolText(kindTitle(kindName), qualifiedName)}:`, line);
  });
}
