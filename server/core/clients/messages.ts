/** What we tell the user through a client, in our own words: window/logMessage and window/showMessage. */
import { M } from "../../protocol/methods.ts";
import { notification } from "../../wire/compose.ts";
import type { Client } from "../clients.ts";
import type { Mux } from "../mux.ts";

/** LSP MessageType. */
const types = { error: 1, warning: 2, info: 3, log: 4 } as const;

/**
 * Says something to one client. "log" goes to its log, the others are shown. `once`: not again while the client lives.
 * Nothing is sent before `initialized` (some clients drop what comes earlier): it is kept until then.
 */
export function say(
  mux: Mux,
  client: Client,
  type: keyof typeof types,
  text: string,
  times: "always" | "once" = "always",
): void {
  if (times === "once") {
    if (client.shown.has(text)) return;
    client.shown.add(text);
  }
  mux.ports.log(type === "error" ? "error" : type === "warning" ? "warn" : "info", "switchboard", text);
  const frame = notification(type === "log" ? M.logMessage : M.showMessage, { type: types[type], message: text });
  if (client.initialized) mux.send(client, [frame]);
  else client.unsaid.push(frame);
}
