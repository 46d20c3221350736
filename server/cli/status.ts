/** `switchboard status`: what the shared server runs, for whom, and what it was asked. */
import { isObject } from "../core/settings.ts";
import { exits } from "./print.ts";
import { sharedServer } from "./shared.ts";
import type { Run } from "./table.ts";

export const run: Run = async (_, options) => {
  const found = await sharedServer("status", options);
  if (typeof found === "number") return found;
  found.socket.destroy();
  const lines = options.json ? [JSON.stringify(found.status, null, 2)] : textOf(found.pid, found.status);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exits.found;
};

/** One line for the server, one for each backend, one for the index of names, one for what was dropped. */
function textOf(pid: number, status: unknown): readonly string[] {
  if (!isObject(status)) return [];
  const { version, uptimeMs, clients, backends, drops, index } = status;
  const dropped = isObject(drops) ? Object.entries(drops).map(([reason, count]) => `${count} x ${reason}`) : [];
  return [
    `switchboard ${version}, process ${pid}, up ${duration(uptimeMs)}, ${counted(clients, "client")}`,
    ...(Array.isArray(backends) ? backends.filter(isObject).map(backendText) : []),
    ...(isObject(index) && Number(index.files) > 0
      ? [`index: ${index.names} names in ${counted(index.files, "file")}, ${index.state}`]
      : []),
    ...(dropped.length === 0 ? [] : [`dropped: ${dropped.join(", ")}`]),
  ];
}

function backendText(backend: { readonly [key: string]: unknown }): string {
  const { name, version, state, pid, uptimeMs, rssBytes, clients, openDocuments, requests, restarts, root } = backend;
  const { quirks } = backend;
  const parts = [
    ...(typeof version === "string" ? [version] : []),
    ...(typeof pid === "number" ? [`process ${pid}, up ${duration(uptimeMs)}`] : []),
    ...(typeof rssBytes === "number" ? [`${Math.round(rssBytes / 2 ** 20)} MB`] : []),
    counted(clients, "client"),
    counted(openDocuments, "document"),
    counted(requests, "request"),
    ...(restarts === 0 ? [] : [counted(restarts, "restart")]),
    String(root),
    ...(Array.isArray(quirks) && quirks.length > 0 ? [`corrected: ${quirks.join(", ")}`] : []),
  ];
  return `  ${String(name).padEnd(26)} ${String(state).padEnd(9)} ${parts.join(", ")}`;
}

function counted(count: unknown, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function duration(ms: unknown): string {
  const seconds = Math.round(Number(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
