/** The files of the client's folders in which a name can be, looked for on the disk. */

import { pathOf, uriOfPath } from "../core/uris.ts";
import { find } from "../host/files.ts";
import { filesOf } from "../languages.ts";
import type { Files } from "./requests.ts";
import { grammarNames } from "./served.ts";

/** So many files of a folder are named. */
const MAX_FILES = 1000;

/** @param folders URIs, asked for with every question */
export function filesIn(folders: () => readonly string[]): Files {
  const { extensions, fileNames } = filesOf(grammarNames.keys());
  const all = { extensions, fileNames, limit: MAX_FILES };
  return {
    holding: async (name, loose) => {
      const uris = new Set<string>();
      let whole = true;
      for (const folder of folders()) {
        const path = pathOf(folder);
        if (path === null) continue;
        const exact = name === "" ? null : await find(path, { ...all, holds: name });
        const found = exact === null || loose ? await find(path, all) : exact;
        for (const one of [...(exact?.paths ?? []), ...found.paths]) uris.add(uriOfPath(one));
        whole &&= found.whole;
      }
      return { uris: [...uris], whole };
    },
  };
}
