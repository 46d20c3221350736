/**
 * LSP's glob patterns against URIs (LSP 3.18, DocumentFilter, FileSystemWatcher, RelativePattern). Patterns come from
 * backends, so they are compiled once, and one that would blow up is never expanded.
 * minimatch is loaded with the first pattern: most sessions need none before their first answer.
 */
import { createRequire } from "node:module";
import type { Minimatch } from "minimatch";

/** A pattern as LSP writes it: a string, or one below a base. */
export type Glob = string | { readonly baseUri: string | { readonly uri: string }; readonly pattern: string };

/** Alternatives that a pattern may expand to: twenty `{a,b}` would take minimatch half a second. */
const MAX_ALTERNATIVES = 256;

/**
 * Whether a document's URI fits a selector's pattern. Below no base, a pattern that does not start at the root may start at
 * any folder: the selector knows no root, and servers write `*.ts` as often as the double-star form.
 */
export function fitsAnywhere(glob: Glob, uri: string): boolean {
  if (typeof glob !== "string") return fitsBelow(glob, uri, null);
  const anchored = isAbsolute(glob) || glob.startsWith("**");
  return test(anchored ? glob : `**/${glob}`, pathOf(uri));
}

/**
 * Whether a file's URI fits a watcher's pattern. A relative one counts from its base, else from `root`; outside that folder
 * nothing fits.
 * @param root URI of the folder that a plain relative pattern starts from; null: such patterns fit nothing
 */
export function fitsBelow(glob: Glob, uri: string, root: string | null): boolean {
  const path = pathOf(uri);
  if (typeof glob === "string" && isAbsolute(glob)) return test(withDrive(glob), path);
  const base = typeof glob === "string" ? root : typeof glob.baseUri === "string" ? glob.baseUri : glob.baseUri.uri;
  if (base === null) return false;
  const folder = pathOf(base).replace(/\/*$/, "/");
  if (!path.startsWith(folder)) return false;
  return test(typeof glob === "string" ? glob : glob.pattern, path.slice(folder.length));
}

function test(pattern: string, path: string): boolean {
  let matcher = matchers.get(pattern);
  if (matcher === undefined) {
    // An event or a question too many is harmless, one too few is not: what is too wide to expand fits everything.
    matcher = alternatives(pattern) > MAX_ALTERNATIVES ? "everything" : compile(pattern);
    // Servers register the same few patterns again and again; a table that outgrows that is one made of file names.
    if (matchers.size >= 4096) matchers.clear();
    matchers.set(pattern, matcher);
  }
  return matcher === "everything" || matcher.match(path);
}

const matchers = new Map<string, Minimatch | "everything">();

function compile(pattern: string): Minimatch {
  const { Minimatch }: typeof import("minimatch") = createRequire(import.meta.url)("minimatch");
  // Only what LSP's grammar has; paths of URIs have "/" on every platform.
  return new Minimatch(pattern, { dot: true, nocomment: true, nonegate: true, noext: true, platform: "linux" });
}

/** How many patterns without braces a pattern stands for, from above; stops counting past the cap. */
export function alternatives(pattern: string): number {
  // A frame per open brace: `all` of the alternatives closed so far, `run` of the one being read.
  let frame = { all: 0, run: 1 };
  const outer: { all: number; run: number }[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "{") {
      outer.push(frame);
      frame = { all: 0, run: sequence(pattern, i) };
    } else if (c === "," && outer.length > 0) frame = { all: frame.all + frame.run, run: 1 };
    else if (c === "}") {
      const around = outer.pop();
      if (around) frame = { all: around.all, run: around.run * (frame.all + frame.run) };
    }
    if (frame.all + frame.run > MAX_ALTERNATIVES) return frame.all + frame.run;
  }
  // Braces left open are plain characters, what they hold still is expanded.
  return outer.reduceRight((run, around) => run * around.run + around.all, frame.all + frame.run);
}

/** Length of a sequence `{1..9}`, `{a..e}` that opens at `at`; 1 when it is none. */
function sequence(pattern: string, at: number): number {
  const found = /^\{(?:(-?\d+)\.\.(-?\d+)|([a-z])\.\.([a-z]))(?:\.\.-?\d+)?\}/i.exec(pattern.slice(at, at + 80));
  if (!found) return 1;
  const [from, to] = found[1] !== undefined ? [Number(found[1]), Number(found[2])] : [code(found[3]), code(found[4])];
  return Math.abs(to - from) + 1;
}

function code(letter: string | undefined): number {
  return letter?.codePointAt(0) ?? 0;
}

/** The path of a URI, decoded, with "/" and a lower-case drive letter without a slash before it. */
function pathOf(uri: string): string {
  try {
    return withDrive(decodeURIComponent(new URL(uri).pathname));
  } catch {
    return uri;
  }
}

/** `/C:/x` and `C:/x` as `c:/x`. */
function withDrive(path: string): string {
  return path.replace(/^\/?([a-z]):\//i, (_, letter: string) => `${letter.toLowerCase()}:/`);
}

function isAbsolute(pattern: string): boolean {
  return pattern.startsWith("/") || /^[a-z]:\//i.test(pattern);
}
