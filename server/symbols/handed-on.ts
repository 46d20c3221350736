/**
 * Under what other paths symbols are known: the modules and packages that hand them on, and the name of a Rust crate, which its
 * manifest says. Which files can matter is the question's; what a language writes there is `modules.ts`'s.
 */
import { type Inquiry, type Seen, seen, whereIs } from "./inquiry.ts";
import type { Known } from "./lists.ts";
import { CRATE, crateNamed, moduleOf, packageFile, reexports, reexportsAll } from "./modules.ts";

/** With what is accepted before the containers, where the address names something around the symbol. */
export async function handedOn(
  inquiry: Inquiry,
  found: readonly Known[],
  files: readonly Seen[],
): Promise<readonly Known[]> {
  const { mux, client, question } = inquiry;
  if (question.address.segments.length === 1) return found;
  const modules = files.flatMap((file) => {
    const { path } = whereIs(inquiry, file.uri);
    const language = mux.languageOf(file.uri, undefined, client);
    if (path === null || language === undefined) return [];
    return [{ file, language, module: moduleOf(language, path) }];
  });
  const crates = await cratesOf(inquiry, found);
  return Promise.all(
    found.map(async (symbol) => {
      if (symbol.front.length === 0) return symbol;
      const name = symbol.containers[0] ?? symbol.leaf;
      const handing = modules
        .filter(({ file }) => file.key !== symbol.seen.key)
        .filter(({ file, language, module }) => reexports(language, file.text.string, name, module, symbol.front))
        .map(({ module }) => module);
      const crate = crates.get(manifestOf(symbol) ?? "");
      const own = crate === undefined ? [] : [[crate, ...symbol.front.slice(1)]];
      const aliases = [...handing, ...(await packagesOf(inquiry, symbol, name)), ...own];
      return aliases.length === 0 ? symbol : { ...symbol, aliases };
    }),
  );
}

/** The packages around a module that hand on all that it declares, or all of one that does (`from .sub import *`). */
async function packagesOf(
  inquiry: Inquiry,
  { language, front, location, where }: Known,
  name: string,
): Promise<readonly (readonly string[])[]> {
  const file = packageFile(language);
  if (file === null || where.path === null) return [];
  const parts = location.uri.split("/");
  const base = parts.length - where.path.split("/").length;
  const handing: (readonly string[])[] = [front];
  for (let depth = front.length - 1; depth > 0; depth--) {
    const around = await seen(inquiry, [...parts.slice(0, base + depth), file].join("/"));
    const module = front.slice(0, depth);
    const text = around?.text.string ?? "";
    const hands = (from: readonly string[]): boolean =>
      reexportsAll(language, text, from) || reexports(language, text, name, module, from);
    if (handing.some(hands)) handing.push(module);
  }
  return handing.slice(1);
}

/** By what their manifests call them, under the manifests' URIs. */
async function cratesOf(inquiry: Inquiry, found: readonly Known[]): Promise<ReadonlyMap<string, string>> {
  const manifests = new Set(found.flatMap((symbol) => manifestOf(symbol) ?? []));
  const crates = new Map<string, string>();
  for (const uri of manifests) {
    const name = crateNamed((await seen(inquiry, uri))?.text.string ?? "");
    if (name !== null) crates.set(uri, name);
  }
  return crates;
}

/** Where the manifest of a symbol's crate is, null where the symbol is of none. */
function manifestOf({ front, location: { uri } }: Known): string | null {
  const source = front[0] === CRATE ? uri.lastIndexOf("/src/") : -1;
  return source < 0 ? null : `${uri.slice(0, source)}/Cargo.toml`;
}
