/**
 * Walks over folders: which kinds of files there are, and a file to warm a server up with. Breadth first, by names alone
 * unless a text is looked for; never into hidden or generated folders, through links, or into anything but plain files.
 */
import { isUtf8 } from "node:buffer";
import { closeSync, type Dirent, fstatSync, openSync, promises, readSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { type Covered, type FileQuery, NOTHING_COVERED, type Survey } from "../core/ports.ts";
import { leadsOn } from "./listing.ts";

/** A walk ends after so many entries; a search for a text after so many files and ms; a longer file is not read, in bytes. */
const MAX_ENTRIES = 50_000;
const MAX_READ = 30_000;
const MAX_MS = 8_000;
const MAX_BYTES = 1 << 20;
/** A file is read in 30 us, with three calls that wait in 300; others get their time after so many ms. */
const SLICE_MS = 2;
/** A NUL within so many bytes means that a file is no text. */
const BINARY_BYTES = 8_000;

/** Folders that hold what others made: dependencies, output, caches. */
const SKIPPED = new Set([
  "node_modules",
  "target",
  "dist",
  "build",
  "out",
  "vendor",
  "venv",
  "__pycache__",
  "bazel-out",
]);

export async function survey(root: string): Promise<Survey> {
  const extensions = new Set<string>();
  const fileNames = new Set<string>();
  await walk(root, (_path, name) => {
    fileNames.add(name);
    // Of `a.d.ts` both `.d.ts` and `.ts`.
    for (let dot = name.indexOf(".", 1); dot >= 0; dot = name.indexOf(".", dot + 1))
      extensions.add(name.slice(dot).toLowerCase());
    return "on";
  });
  return { extensions, fileNames };
}

/** Paths of the first files that fit; `whole`: there are no others among the covered ones. */
export async function find(
  root: string,
  query: FileQuery,
): Promise<{ paths: string[]; whole: boolean; covered: Covered }> {
  const paths: string[] = [];
  const covered = { ...NOTHING_COVERED };
  const text = query.holds === undefined ? null : sought(query.holds, query.anyCase === true);
  const names = new Set(query.fileNames);
  const fits = (name: string): boolean =>
    names.has(name) || query.extensions.some((ending) => name.toLowerCase().endsWith(ending));
  const end = performance.now() + MAX_MS;
  let since = performance.now();
  const look = async (path: string): Promise<"on" | "stop"> => {
    const what = text === null ? "holds" : holds(path, text);
    if (what === "tooLarge" || what === "binary" || what === "unreadable") covered[what]++;
    else covered.files++;
    if (what === "undecodable") covered.undecodable++;
    if (what === "holds" || what === "undecodable") paths.push(path);
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    return paths.length >= query.limit || covered.files > MAX_READ || performance.now() > end ? "stop" : "on";
  };
  const passedOver = (why: "ignored" | "unreadable"): void => {
    covered[why]++;
  };
  const first = query.first === undefined ? null : await plainFile(root, query.first);
  if (first !== null && fits(basename(first))) await look(first);
  const whole = await walk(root, (path, name) => (path === first || !fits(name) ? "on" : look(path)), passedOver);
  return { paths: paths.slice(0, query.limit), whole, covered };
}

/** The path of a plain file in a folder, null for anything else. */
async function plainFile(root: string, inside: string): Promise<string | null> {
  const path = join(root, inside);
  if (!path.startsWith(join(root, sep))) return null;
  try {
    return (await promises.lstat(path)).isFile() ? path : null;
  } catch {
    return null;
  }
}

type Visit = (path: string, name: string) => "on" | "stop" | Promise<"on" | "stop">;

/**
 * @param passedOver told of each folder, link or odd entry that is not entered, as one
 * @returns whether it saw all
 */
async function walk(
  root: string,
  visit: Visit,
  passedOver: (why: "ignored" | "unreadable") => void = () => {},
): Promise<boolean> {
  const folders = [root];
  let entries = 0;
  for (const folder of folders) {
    for (const entry of await list(folder, passedOver)) {
      if (++entries > MAX_ENTRIES) return false;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) passedOver("ignored");
        else folders.push(path);
      } else if (!entry.isFile()) passedOver(leadsOn(path) ? "ignored" : "unreadable");
      else if ((await visit(path, entry.name)) === "stop") return false;
    }
  }
  return true;
}

/** In the order of names, so that two walks see the same; [] where the folder cannot be read. */
async function list(folder: string, passedOver: (why: "unreadable") => void): Promise<Dirent[]> {
  try {
    return (await promises.readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    passedOver("unreadable");
    return [];
  }
}

function sought(text: string, anyCase: boolean): (bytes: Buffer) => boolean {
  const [exact, small] = [Buffer.from(text), text.toLowerCase()];
  if (anyCase) return (bytes) => bytes.toString("latin1").toLowerCase().includes(small);
  return (bytes) => bytes.includes(exact);
}

/** "undecodable": no UTF-8, but the bytes of the text are in it. */
function holds(
  path: string,
  isIn: (bytes: Buffer) => boolean,
): "holds" | "lacks" | "undecodable" | "tooLarge" | "binary" | "unreadable" {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      if (size > MAX_BYTES) return "tooLarge";
      const bytes = room.subarray(0, readSync(file, room, 0, MAX_BYTES, 0));
      if (bytes.subarray(0, BINARY_BYTES).includes(0)) return "binary";
      if (!isIn(bytes)) return "lacks";
      return isUtf8(bytes) ? "holds" : "undecodable";
    } finally {
      closeSync(file);
    }
  } catch {
    return "unreadable";
  }
}

/** What a file is read into: it is looked at before the next one is read. */
const room = Buffer.allocUnsafeSlow(MAX_BYTES);
