/** The files of the client's folders in which a name can be, looked for on the disk. */
import { promises } from "node:fs";
import { pathOf, uriOfPath } from "../core/uris.ts";
import { find } from "../host/files.ts";
import { filesOf } from "../languages.ts";
import type { Files } from "./requests.ts";

/** So many files of a folder are named. */
const MAX_FILES = 1000;

/** @param folders URIs, asked for with every question */
export function filesIn(folders: () => readonly string[]): Files {
  return {
    holding: async (name, { loose, languages }) => {
      const { extensions, fileNames } = filesOf(languages);
      const uris = new Set<string>();
      let whole = true;
      for (const folder of folders()) {
        const path = pathOf(folder);
        if (path === null) continue;
        const exact = !loose && name !== "";
        const query = { extensions, fileNames, limit: MAX_FILES, ...(exact && { holds: name }) };
        const found = await find(path, query);
        whole &&= found.whole;
        for (const one of found.paths) if (exact || (await holds(one, name))) uris.add(uriOfPath(one));
      }
      return { uris: [...uris], whole };
    },
  };
}

/** In any case. */
async function holds(path: string, name: string): Promise<boolean> {
  if (name === "") return true;
  const text = await promises.readFile(path, "utf8").catch(() => "");
  return text.toLowerCase().includes(name.toLowerCase());
}
