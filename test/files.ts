/** The compiled test files of a folder, and a way to run them all in one process: starting one each takes longer than they do. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Paths, in the order of names. */
export function filesIn(folder: string): readonly string[] {
  const names = readdirSync(join(here, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".test.js"))
    .sort()
    .map((name) => join(here, folder, name));
}

export async function importAll(folder: string): Promise<void> {
  for (const file of filesIn(folder)) await import(pathToFileURL(file).href);
}
