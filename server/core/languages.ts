/** The language of a document for one configuration: endings that a user's own server claims come before our facts. */
import { languageOf } from "../languages.ts";
import type { Setup } from "./clients.ts";
import type { Ports } from "./ports.ts";
import { pathOf } from "./uris.ts";

/**
 * Undefined where nothing tells.
 * @param hint the languageId that a client sent
 * @param text of the document where a client has it open; else the disk is looked at
 */
export function languageFor(
  ports: Ports,
  setup: Setup,
  uri: string,
  hint: string | undefined,
  text?: () => string,
): string | undefined {
  const path = pathOf(uri);
  const name = path ?? uri;
  for (const spec of setup.backends)
    if (spec.extensions.some((ending) => name.endsWith(ending))) return spec.adapter.languages[0] ?? spec.name;
  return languageOf(name, hint, text ?? (() => (path === null ? "" : ports.head(path))));
}
