/** `switchboard trust [DIR]`: pins the configuration of a folder as it is now, so that all of it holds. */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { folderFile } from "../config/load.ts";
import { trust } from "../config/trust.ts";
import type { Run } from "./table.ts";

export const run: Run = async ([named], options) => {
  const folder = resolve(named ?? options.root ?? ".");
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
    const bytes = fileOf(folder);
    trust(folder, bytes);
    const what = bytes === null ? `, which has no ${folderFile}` : `: its ${folderFile}, until a byte of it changes`;
    if (!options.quiet) process.stdout.write(`trusted ${folder}${what}\n`);
    return 0;
  } catch (fault) {
    process.stderr.write(`switchboard: ${fault instanceof Error ? fault.message : fault}\n`);
    return 2;
  }
};

/** Null where the folder has none; one that cannot be read throws. */
function fileOf(folder: string): Uint8Array | null {
  const file = join(folder, folderFile);
  return statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file);
}
