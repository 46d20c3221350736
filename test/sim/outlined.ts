/**
 * A small language with its server, for tests of names: classes and functions by indentation, and one macro, `MAKE(Name)`,
 * that declares a class with a function `body` in it, as clangd outlines such a thing.
 */
import { requests } from "../../server/symbols/requests.ts";
import { folder, Sim, type SimOptions } from "../sim.ts";
import type { Asked, FakeClient } from "./client.ts";

/** A range within one line. */
export const at = (line: number, from: number, to = from) => ({
  start: { line, character: from },
  end: { line, character: to },
});

/** A language of classes and functions by indentation, as its server would outline it. */
export function outlineIn(text: string): object[] {
  const top: object[] = [];
  const open: { depth: number; children: object[] }[] = [{ depth: -1, children: top }];
  text.split("\n").forEach((line, i) => {
    const used = /^MAKE\((\w+)\)/.exec(line)?.[1];
    if (used !== undefined) top.push(macroUse(line, i, used));
    const found = /^( *)(class|def) (?:😀 )?(\w+)/.exec(line);
    if (found === null) return;
    const [, { length: depth } = "", word, name = ""] = found;
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const children: object[] = [];
    const selectionRange = at(i, line.indexOf(name), line.indexOf(name) + name.length);
    open.at(-1)?.children.push({
      name,
      kind: word === "class" ? 5 : 12,
      range: at(i, 0, line.length),
      selectionRange,
      children,
    });
    open.push({ depth, children });
  });
  return top;
}

const capabilities = {
  textDocumentSync: 2,
  workspaceSymbolProvider: true,
  documentSymbolProvider: true,
  referencesProvider: true,
};
export const hierarchical = { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } };

export type Script = NonNullable<SimOptions["backends"][string]["on"]>;

export function simOf(
  files: Record<string, string>,
  on: Script,
  adapter: object = {},
  able: object = capabilities,
): { sim: Sim; client: FakeClient } {
  const sim = new Sim({
    backends: {
      one: {
        capabilities: able,
        adapter: { symbol: { separator: ".", container: "nearest", cap: 10 }, ...adapter },
        on: {
          "textDocument/documentSymbol": ({ text }) => ({ result: outlineIn(text ?? "") }),
          ...on,
        },
      },
    },
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])),
  });
  Object.assign(sim.mux.options, requests);
  return { sim, client: sim.client("a", hierarchical) };
}

/** Frames and our own awaits in turn, until there is an answer or nothing moves any more. */
export async function answered(sim: Sim, asked: Asked): Promise<Record<string, unknown>> {
  for (let idle = 0; idle < 10 && asked.answers.length === 0; idle++) {
    if (sim.ready().length > 0) idle = 0;
    sim.settle();
    await new Promise(setImmediate);
  }
  const [answer] = asked.answers;
  return { ...answer } as Record<string, unknown>;
}

function macroUse(line: string, i: number, name: string): object {
  const [whole, macro, argument] = [at(i, 0, line.length), at(i, 0, 4), at(i, 5, 5 + name.length)];
  const body = { name: "body", kind: 6, range: whole, selectionRange: macro };
  const made = { name, kind: 5, range: whole, selectionRange: argument, children: [body] };
  return { name: "MAKE", kind: 15, range: whole, selectionRange: macro, children: [made] };
}
