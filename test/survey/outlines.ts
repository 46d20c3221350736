/**
 * Our outlines beside those of Universal Ctags, on the real repositories of `repositories.ts`: how many of the declarations
 * that ctags tells (path, line, name, container) are in ours with the same container. Misses are listed, by kind.
 *
 *     npm run survey:outlines -- [--misses N] [LANGUAGE | REPOSITORY ...]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { languageOf } from "../../server/languages.ts";
import type { FileOutline, Outlined } from "../../server/syntax/outline.ts";
import { outlineText } from "../../server/syntax/read.ts";
import { type Declaration, declarationsOf } from "./declarations.ts";
import { repositories, workspaceOf } from "./repositories.ts";

const { values, positionals } = parseArgs({
  options: { misses: { type: "string", default: "5" } },
  allowPositionals: true,
});
for (const repository of repositories) {
  const { language, name, second = false } = repository;
  if (!positionals.includes(name) && (second || (positionals.length > 0 && !positionals.includes(language)))) continue;
  const folder = workspaceOf(repository);
  const outlines = new Map<string, readonly Told[]>();
  const misses = new Map<string, Miss[]>();
  let [found, asked] = [0, 0];
  for (const declaration of declarationsOf(repository, folder)) {
    if (!declaration.wanted) continue;
    asked++;
    const told = outlines.get(declaration.path) ?? (await toldOf(folder, declaration.path));
    outlines.set(declaration.path, told);
    const miss = missOf(declaration, told);
    if (miss === null) found++;
    else misses.set(declaration.kind, [...(misses.get(declaration.kind) ?? []), miss]);
  }
  console.log(`${language} ${name}: ${asked} declarations, ${((100 * found) / asked).toFixed(2)} % found`);
  for (const [kind, list] of misses) {
    console.log(`  ${kind}: ${list.length}`);
    for (const { declaration, told } of list.slice(0, Number(values.misses)))
      console.log(
        `    ${declaration.path}:${declaration.line} ${[...declaration.containers, declaration.name].join("/")}${told === null ? "" : ` is told as ${told}`}`,
      );
  }
}

interface Told {
  readonly path: readonly string[];
  readonly line: number;
}

interface Miss {
  readonly declaration: Declaration;
  /** The same name on the same line, in other containers. */
  readonly told: string | null;
}

async function toldOf(folder: string, path: string): Promise<readonly Told[]> {
  const text = readFileSync(join(folder, path), "utf8");
  const outline = await outlineText(languageOf(path, undefined, () => "") ?? "", text);
  return outline === null ? [] : flattened(outline);
}

function flattened(outline: FileOutline): readonly Told[] {
  const list: Told[] = [];
  const visit = (symbols: readonly Outlined[], around: readonly string[]): void => {
    for (const { name, scope, block, selectionRange, children } of symbols) {
      const inside = [...around, ...scope];
      if (!block) list.push({ path: [...inside, name], line: selectionRange.start.line + 1 });
      visit(children, block ? inside : [...inside, name]);
    }
  };
  visit(outline.symbols, []);
  return list.map((told) => ({ ...told, path: [...outline.package, ...told.path] }));
}

/** Ctags names no package in Go's methods, no unnamed scopes, and a local's function only in some languages: a tail is enough. */
function missOf(declaration: Declaration, told: readonly Told[]): Miss | null {
  const same = told.filter(({ path, line }) => line === declaration.line && path.at(-1) === spelled(declaration.name));
  if (same.some(({ path }) => isTail(declaration.containers, path.slice(0, -1)))) return null;
  return { declaration, told: same[0]?.path.join("/") ?? null };
}

/** Ctags puts a blank before an operator's symbols. */
function spelled(name: string): string {
  return name.trim().replace(/^operator\s+(?=\W)/, "operator");
}

function isTail(tail: readonly string[], path: readonly string[]): boolean {
  const plain = path.filter((segment) => !segment.startsWith("(anonymous"));
  return tail.every((segment, i) => segment === plain[plain.length - tail.length + i]);
}
