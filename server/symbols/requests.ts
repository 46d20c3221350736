/** Our own requests, and the one of LSP's that we answer ourselves, as the core takes them: by method, with the twins that clients without custom requests use. */
import type { Extension } from "../core/mux.ts";
import { twins, X } from "../protocol/extensions.ts";
import { M } from "../protocol/methods.ts";
import { diagnostics } from "./check.ts";
import { workspaceSymbol } from "./listing.ts";
import { symbolByName } from "./lookup.ts";
import { nameMentions } from "./mentions.ts";
import { outline } from "./outlined.ts";
import { symbolSearch } from "./search.ts";
import { status } from "./status.ts";

const built: ReadonlyMap<string, Extension> = new Map([
  [X.status, status],
  [X.diagnostics, diagnostics],
  [X.symbolByName, symbolByName],
  [X.nameMentions, nameMentions],
  [X.outline, outline],
  [X.symbolSearch, symbolSearch],
  [M.workspaceSymbol, workspaceSymbol],
]);

/** What is built, for the Mux. */
export const requests = {
  extensions: built,
  twins: new Map(
    [...twins].flatMap(([command, method]): [string, Extension][] => {
      const extension = built.get(method);
      return extension === undefined ? [] : [[command, extension]];
    }),
  ),
  experimental: { symbolByName: true, symbolSearch: true, nameMentions: true },
} as const;
