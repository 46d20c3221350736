/**
 * Methods outside of the table (design section 4). A client's goes as it came to the first general backend of the document
 * that it names, or to the only one that runs: backends have requests of their own that their users know. What begins with
 * `$/` goes nowhere: such a request is an error and such a notification ignored (LSP 3.18, "$ Notifications and Requests").
 */
import { errors } from "../../protocol/errors.ts";
import { isDollar, unlistedRow } from "../../protocol/methods.ts";
import { uriOf } from "../../wire/fields.ts";
import type { Packet } from "../../wire/packet.ts";
import type { Backend } from "../backends.ts";
import type { Client } from "../clients.ts";
import type { Mux } from "../mux.ts";
import { backendFor, documentAsked, general } from "../route/serving.ts";

export function unlisted(mux: Mux, client: Client, packet: Packet): void {
  const { method = "" } = packet;
  const uri = uriOf(packet);
  const backend = isDollar(method) ? undefined : uri === undefined ? onlyRunning(client) : generalFor(mux, client, uri);
  if (packet.kind === "request") {
    if (backend === undefined) return mux.reject(client, packet, errors.methodNotFound(method));
    const call = mux.open(client, packet, unlistedRow(method));
    if (call !== null) mux.begin(call, { backends: [backend] });
  } else if (backend?.runs) mux.send(backend, packet.pieces);
  else mux.drops.count(isDollar(method) ? "unknown $/ notification" : "unknown notification");
}

function onlyRunning(client: Client): Backend | undefined {
  const running = [...client.backends].filter((backend) => backend.runs);
  return running.length === 1 ? running[0] : undefined;
}

function generalFor(mux: Mux, client: Client, uri: string): Backend | undefined {
  const { key, language } = documentAsked(mux, client, uri);
  const spec = language === null ? undefined : general(client, language);
  return spec === undefined ? undefined : backendFor(mux, client, spec, key);
}
