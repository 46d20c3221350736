/** The language of a document for one configuration: endings that a user's own server claims come before our facts. */
import { languageOf } from "../languages.ts";
import type { Setup } from "./clients.ts";
import type { Ports } from "./ports.ts";
import { pathOf } from "./uris.ts";

/** `hint`: the languageId that a client sent. Undefined where nothing tells. */
export function languageFor(ports: Ports, setup: Setup, uri: string, hint: string | undefined): string | undefined {
  const path = pathOf(uri);
  const name = path ?? uri;
  for (const spec of setup.backends)
    if (spec.extensions.some((ending) => name.endsWith(ending))) return spec.adapter.languages[0] ?? spec.name;
  return languageOf(name, hint, () => (path === null ? "" : ports.head(path)));
}
