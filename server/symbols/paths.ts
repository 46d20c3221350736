/**
 * What a path says about a symbol: whether a filter lets it through, whether it is what a hint means, whether it is a test.
 * Paths here are relative to their folder with `/`; an absolute one belongs to a file outside of all folders. Pure.
 */
import { createRequire } from "node:module";
import type { Minimatch } from "minimatch";
import { alternatives } from "../core/backends/globs.ts";
import { pathOf } from "../core/documents/uris.ts";

/** Where a file lies. */
export interface Where {
  /** Relative to its folder; null outside of all. */
  readonly path: string | null;
  readonly absolute: string;
  /** The folder, as the client spells it; only where `path` is relative to one. */
  readonly folder?: string;
  /** The absolute path under its folder as the client spells that, where a link stands in it. */
  readonly linked?: string;
}

/** Where a file lies, by real paths of it and of folders; `spelled`: as the client spells a folder's. */
export function whereIn(folders: readonly { readonly path: string; readonly spelled: string }[], file: string): Where {
  const around = folders.filter(({ path }) => file.startsWith(`${path}/`));
  // Of folders within each other the innermost counts.
  const folder = around.reduce((inner, one) => (one.path.length > (inner?.path.length ?? 0) ? one : inner), around[0]);
  if (folder === undefined) return { path: null, absolute: file };
  const path = file.slice(folder.path.length + 1);
  const linked = `${folder.spelled}/${path}`;
  return { path, absolute: file, ...(linked !== file && { linked }) };
}

/** The filter `in` (contract section 1, `in`). */
export interface Filter {
  readonly lets: (where: Where) => boolean;
}

/** @returns the pattern that is malformed, where one is */
export function filterOf(patterns: readonly string[]): Filter | { readonly wrong: string } {
  const takes: Fits[] = [];
  const subtracts: Fits[] = [];
  for (const pattern of patterns) {
    const fits = compiled(pattern.startsWith("!") ? pattern.slice(1) : pattern);
    if (fits === null) return { wrong: pattern };
    (pattern.startsWith("!") ? subtracts : takes).push(fits);
  }
  const lets = (where: Where): boolean => {
    if (subtracts.some((fits) => fits(where))) return false;
    // A file outside of all folders is meant only where a pattern names it.
    return takes.length === 0 ? patterns.length === 0 || where.path !== null : takes.some((fits) => fits(where));
  };
  return { lets };
}

type Fits = (where: Where) => boolean;

/** Alternatives of a pattern; more would take minimatch too long. */
const MAX_ALTERNATIVES = 256;

function compiled(text: string): Fits | null {
  let pattern = onDrive(/^file:/i.test(text) ? (pathOf(text) ?? "") : text);
  pattern = pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (pattern === "." && text.startsWith(".")) pattern = "**";
  if (pattern === "" || !isBalanced(pattern) || alternatives(pattern) > MAX_ALTERNATIVES) return null;
  const absolute = pattern.startsWith("/") || /^[a-z]:\//.test(pattern);
  const anchored = absolute || pattern.includes("/") ? pattern : `**/${pattern}`;
  // What names a folder means all below it.
  const matchers = [glob(anchored), glob(`${anchored}/**`)];
  return ({ path, absolute: whole, linked = whole }) => {
    const tested = absolute ? [whole, linked] : path === null ? [] : [path];
    return tested.some((text) => matchers.some((matcher) => matcher.match(text)));
  };
}

/** A path with a drive has its own separators, and drives have no case. */
function onDrive(path: string): string {
  return /^[A-Za-z]:[\\/]/.test(path) ? path.charAt(0).toLowerCase() + path.slice(1).replaceAll("\\", "/") : path;
}

/** Brackets and braces that are open at the end are a slip of the pen, not plain characters. */
function isBalanced(pattern: string): boolean {
  let braces = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "[") {
      // `[]a]` and `[!]a]` hold the bracket itself.
      const from = at + (/^\[[!^]/.test(pattern.slice(at)) ? 3 : 2);
      at = pattern.indexOf("]", from);
      if (at < 0) return false;
    } else if (char === "{") braces++;
    else if (char === "}" && --braces < 0) return false;
  }
  return braces === 0;
}

function glob(pattern: string): Minimatch {
  // Loaded at the first need: most questions have no pattern.
  const { Minimatch }: typeof import("minimatch") = createRequire(import.meta.url)("minimatch");
  return new Minimatch(pattern, { dot: true, nocomment: true, nonegate: true, noext: true, platform: "linux" });
}

/** Whether a path is what the hint means: a glob, or whole trailing segments, or a leading folder, whatever is in their names (`[id]/page.tsx`). */
export function isHinted(hint: string, where: Where): boolean {
  const { path, absolute, linked = absolute } = where;
  if (/[*?[{]/.test(hint) && compiled(hint)?.(where) === true) return true;
  const plain = (/^file:/i.test(hint) ? (pathOf(hint) ?? hint) : hint)
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "");
  if (plain === "") return false;
  return [path ?? absolute, absolute, linked].some(
    (text) => text === plain || text.endsWith(`/${plain}`) || text.startsWith(`${plain}/`),
  );
}

const testFolders = new Set(["test", "tests", "__tests__", "spec", "testdata"]);
const testFile = /_test\.[^.]*$|^test_.*\.|\.test\.[^.]*$|\.spec\.[^.]*$|Test\.java$|Tests\.[^.]*$/;

/** Contract section 1, `test`, as far as a path tells it (`outline.ts`: as far as the text does). */
export function isTest(path: string): boolean {
  const segments = path.split("/");
  const file = segments.pop() ?? "";
  return segments.some((segment) => testFolders.has(segment)) || testFile.test(file);
}

/** Folders of other people's code within a project (contract section 1), and those of Python's environments. */
const VENDORED = /(?:^|\/)(?:vendor|third_party|node_modules|site-packages)\//;

/** @param path relative to its folder */
export function isVendored(path: string): boolean {
  return VENDORED.test(path);
}
