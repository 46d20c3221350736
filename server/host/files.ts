/**
 * Walks over folders: which kinds of files there are, and a file to warm a server up with. Breadth first, by names alone
 * unless a text is looked for; never into hidden or generated folders, through links, or into anything but plain files.
 */
import { type Dirent, promises } from "node:fs";
import { join } from "node:path";
import type { FileQuery, Survey } from "../core/ports.ts";

/** A walk ends after so many entries, files read, and bytes of one file. */
const MAX_ENTRIES = 50_000;
const MAX_READ = 4_000;
const MAX_BYTES = 1 << 20;

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

/** Paths of the first files that fit, and whether every file was looked at (read, where a text is looked for). */
export async function find(root: string, query: FileQuery): Promise<{ paths: string[]; whole: boolean }> {
  const paths: string[] = [];
  const text = query.holds === undefined ? null : Buffer.from(query.holds);
  const names = new Set(query.fileNames);
  let read = 0;
  let unread = false;
  const whole = await walk(root, async (path, name) => {
    if (!names.has(name) && !query.extensions.some((ending) => name.toLowerCase().endsWith(ending))) return "on";
    if (text !== null) {
      if (++read > MAX_READ) return "stop";
      const held = await holds(path, text);
      if (held === "unknown") unread = true;
      if (held !== true) return "on";
    }
    paths.push(path);
    return paths.length < query.limit ? "on" : "stop";
  });
  return { paths, whole: whole && !unread };
}

type Visit = (path: string, name: string) => "on" | "stop" | Promise<"on" | "stop">;

/** @returns whether it saw all */
async function walk(root: string, visit: Visit): Promise<boolean> {
  const folders = [root];
  let entries = 0;
  for (const folder of folders) {
    for (const entry of await list(folder)) {
      if (++entries > MAX_ENTRIES) return false;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && !SKIPPED.has(entry.name)) folders.push(path);
      } else if (entry.isFile() && (await visit(path, entry.name)) === "stop") return false;
    }
  }
  return true;
}

/** In the order of names, so that two walks see the same; [] where the folder cannot be read. */
async function list(folder: string): Promise<Dirent[]> {
  try {
    return (await promises.readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** "unknown": too long or unreadable. */
async function holds(path: string, text: Buffer): Promise<boolean | "unknown"> {
  try {
    const file = await promises.open(path);
    try {
      const { size } = await file.stat();
      return size > MAX_BYTES ? "unknown" : (await file.readFile()).includes(text);
    } finally {
      await file.close();
    }
  } catch {
    return "unknown";
  }
}
