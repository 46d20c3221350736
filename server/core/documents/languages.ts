/** Languages and files for one configuration: endings that a user's own server claims come before our facts. */
import type { BackendSpec } from "../../config/resolve.ts";
import { filesOf, languageOf } from "../../languages.ts";
import type { Setup } from "../clients.ts";
import type { FileQuery, Ports } from "../ports.ts";
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
  const small = name.toLowerCase();
  for (const spec of setup.backends)
    if (spec.extensions.some((ending) => small.endsWith(ending))) return spec.adapter.languages[0] ?? spec.name;
  return languageOf(name, hint, text ?? (() => (path === null ? "" : ports.head(path))));
}

/** Which files belong to a server: those of its languages, and those whose endings the user gave it. */
export function filesOfSpec(spec: Pick<BackendSpec, "adapter" | "extensions">): FileKinds {
  return filesOfSpecs(spec.adapter.languages, [spec]);
}

/** The files of some languages, those included whose endings the user gave servers of these languages. */
export function filesOfSpecs(
  languages: Iterable<string>,
  specs: Iterable<Pick<BackendSpec, "adapter" | "extensions">>,
): FileKinds {
  const { extensions, fileNames } = filesOf(languages);
  return { extensions: [...new Set([...extensions, ...[...specs].flatMap((spec) => spec.extensions)])], fileNames };
}

type FileKinds = Pick<FileQuery, "extensions" | "fileNames">;
