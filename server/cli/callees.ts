/** `switchboard callees NAME`: what it calls, each where it is defined, with the places of the calls. */
import { type CallSite, kindTitle, type SymbolMatch } from "../protocol/extensions.ts";
import { aboutOne, listed } from "./one.ts";
import { type Printing, placeOf, symbolText, textLine } from "./print.ts";

export const run = aboutOne("callees", (match, printing) =>
  listed(match.callees, (sites) => sites.map((site) => called(match, site, printing))),
);

/** The calls stand in the text of the one who calls. */
function called({ location: caller }: SymbolMatch, site: CallSite, printing: Printing): string {
  const { qualifiedName, kindName, location, ranges } = site;
  const calls = ranges.map(({ start }) => {
    const { line, column } = placeOf(caller.uri, start, printing);
    return `${line}:${column}`;
  });
  const where = calls.length === 0 ? "" : `(called at ${calls.join(", ")})`;
  return textLine(
    placeOf(location.uri, location.range.start, printing),
    symbolText(kindTitle(kindName), qualifiedName),
    where,
  );
}
