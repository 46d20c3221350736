/** `switchboard symbol NAME`: where it is defined; all of them, where there are several. */
import { kindTitle } from "../protocol/extensions.ts";
import { askByName, failed, printingOf, verdict } from "./named.ts";
import { json, placeOf, symbolText, textLine } from "./print.ts";
import { inSession } from "./session.ts";
import type { Run } from "./table.ts";

export const run: Run = ([name = ""], options) =>
  inSession(options, async (session) => {
    const printing = printingOf(options);
    const reply = await askByName(session, options, { name });
    if ("error" in reply) return failed(reply.error, printing);
    const { result } = reply;
    if (options.json) process.stdout.write(`${json(result, printing)}\n`);
    else
      for (const { location, kindName, qualifiedName } of result.matches) {
        const place = placeOf(location.uri, location.selectionRange.start, printing);
        process.stdout.write(`${textLine(place, symbolText(kindTitle(kindName), qualifiedName))}\n`);
      }
    return verdict(name, result, options);
  });
