/** `switchboard outline FILE`: what a file declares, from syntax alone, one line a symbol. */
import { resolve } from "node:path";
import { uriOfPath } from "../core/documents/uris.ts";
import { isRange } from "../core/positions.ts";
import { isObject } from "../core/settings.ts";
import { languageOf, separatorOf } from "../languages.ts";
import { kindName, kindTitle, type OutlineSymbol, X } from "../protocol/extensions.ts";
import { packageOf } from "../symbols/modules.ts";
import { failed, printingOf, textAt } from "./named.ts";
import { exits, type Printing, placeOf, symbolText, textLine } from "./print.ts";
import { inSession } from "./session.ts";
import type { Run } from "./table.ts";

export const run: Run = ([file = ""], options) =>
  inSession(options, async ({ request }) => {
    const printing = printingOf(options);
    const uri = uriOfPath(resolve(file));
    const reply = await request(X.outline, { textDocument: { uri } });
    if ("error" in reply) return failed(reply.error, printing);
    const symbols = (Array.isArray(reply.result) ? reply.result : []).filter(isSymbol);
    if (options.json)
      process.stdout.write(
        `${JSON.stringify(
          symbols.map((one) => placed(one, uri, printing)),
          null,
          2,
        )}\n`,
      );
    else for (const line of linesOf(symbols, uri, printing)) process.stdout.write(`${line}\n`);
    return exits.found;
  });

function isSymbol(value: unknown): value is OutlineSymbol {
  return isObject(value) && typeof value.name === "string" && isRange(value.selectionRange);
}

/** With the 1-based place of each. */
function placed({ children, ...symbol }: OutlineSymbol, uri: string, printing: Printing): object {
  const { line, column } = placeOf(uri, symbol.selectionRange.start, printing);
  return {
    ...symbol,
    line,
    column,
    ...(children !== undefined && { children: children.map((child) => placed(child, uri, printing)) }),
  };
}

/** In the order of the text, outer before inner, each with its whole path. */
function linesOf(symbols: readonly OutlineSymbol[], uri: string, printing: Printing): string[] {
  const text = textAt(uri)?.string ?? "";
  const language = languageOf(uri, undefined, () => text) ?? "";
  const separator = separatorOf(language);
  const visit = (some: readonly OutlineSymbol[], around: readonly string[]): string[] =>
    some.flatMap(({ name, kind, selectionRange, children }) => {
      const path = [...around, name];
      const title = kindTitle(kindName(kind) ?? "variable");
      const place = placeOf(uri, selectionRange.start, printing);
      return [textLine(place, symbolText(title, path.join(separator))), ...visit(children ?? [], path)];
    });
  return visit(symbols, packageOf(language, text));
}
