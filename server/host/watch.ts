/**
 * Watches a folder tree with @parcel/watcher, loaded at the first need. Where it cannot watch (limits of the system,
 * network file systems), that is said once, and backends go without events.
 */
import type { AsyncSubscription } from "@parcel/watcher";
import type { FileEvent, LogLevel, Timer } from "../core/ports.ts";
import { uriOfPath } from "../core/uris.ts";

const types = { create: 1, update: 2, delete: 3 } as const;

/** Trees that change by the thousand and that no server means when it watches a folder. */
const IGNORED = ["**/.git/**", "**/node_modules/**", "**/target/**", "**/.cache/**"];

export function watchFolder(
  root: string,
  on: (events: readonly FileEvent[]) => void,
  log: (level: LogLevel, text: string) => void,
): Timer {
  let ended = false;
  let subscription: AsyncSubscription | undefined;
  void (async () => {
    try {
      const { default: watcher } = await import("@parcel/watcher");
      const made = await watcher.subscribe(
        root,
        (fault, events) => {
          if (fault) log("warn", `${root}: ${fault.message}; some changes on disk may go unseen`);
          else if (!ended) on(events.map((event) => ({ uri: uriOfPath(event.path), type: types[event.type] })));
        },
        { ignore: IGNORED },
      );
      if (ended) await made.unsubscribe();
      else {
        subscription = made;
        log("debug", `${root} is being watched`);
      }
    } catch (fault) {
      log(
        "warn",
        `${root} cannot be watched: ${fault instanceof Error ? fault.message : fault}; changes on disk go unseen`,
      );
    }
  })();
  return {
    cancel: () => {
      ended = true;
      void subscription?.unsubscribe();
    },
  };
}
