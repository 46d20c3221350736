/**
 * What backends register by themselves, on its way to clients (LSP 3.18, client/registerCapability): only what the answer
 * to `initialize` did not announce already, for clients would ask twice, and only to clients that take registrations. A
 * method is registered once, whoever of the backends has it, under an id of ours and for all documents: who serves which
 * is decided when a question comes. Files to watch are not passed on (`watching.ts`).
 */
import { M, type Row, rows } from "../protocol/methods.ts";
import { announce } from "./backends/abilities.ts";
import type { Client } from "./clients.ts";
import type { Mux } from "./mux.ts";
import type { Options } from "./registrations.ts";
import { isObject, lookUp, nest } from "./settings.ts";

/** How long a client may take to answer, ms; nothing waits for it. */
const REGISTER_MS = 5000;

/** Tells a client what has changed in what its backends have registered. */
export function relay(mux: Mux, client: Client): void {
  if (!client.initialized || client.state !== "open") return;
  const registered = new Map([...client.backends].flatMap((backend) => [...backend.abilities.registered()]));
  const taken = [...client.registered].filter(([method]) => !registered.has(method));
  const unregisterations = taken.map(([method, id]) => ({ id, method }));
  for (const { method } of unregisterations) client.registered.delete(method);
  const registrations = [...registered].flatMap(([method, options]) => {
    const registerOptions = client.registered.has(method) ? null : optionsFor(client, method, options);
    if (registerOptions === null) return [];
    const id = `switchboard-${mux.nextTask()}`;
    client.registered.set(method, id);
    return [{ id, method, registerOptions }];
  });
  if (unregisterations.length > 0)
    mux.askClient(client, M.unregisterCapability, { unregisterations }, REGISTER_MS, () => {});
  if (registrations.length > 0) mux.askClient(client, M.registerCapability, { registrations }, REGISTER_MS, () => {});
}

/** As they would have been announced; null where the client is not to be told. */
function optionsFor(client: Client, method: string, options: Options): Options | null {
  const row = byRegistration.get(method);
  if (row === undefined || client.announced.has(method) || client.legend === null) return null;
  if (!client.can(`${row.clientCapability}.dynamicRegistration`)) return null;
  // A provider is announced with all its options at once.
  const [top = ""] = row.capability.split(".", 1);
  const provider = top.endsWith("Provider") ? top : row.capability;
  const announced = lookUp(
    announce({
      recorded: [nest(provider, options)],
      unrecorded: false,
      legend: client.legend,
      encoding: client.encoding,
      client: client.capabilities,
      commands: [],
      experimental: {},
    }),
    provider,
  );
  if (announced === undefined) return null;
  return { ...(isObject(announced) ? announced : {}), documentSelector: null };
}

type Registrable = Row & { readonly capability: string; readonly clientCapability: string };

/** By the method under which they are registered, the row that names it first. */
const byRegistration: ReadonlyMap<string, Registrable> = new Map(
  rows
    .filter((row): row is Registrable => row.direction === "toServer" && row.capability !== null)
    .filter((row) => row.clientCapability !== null)
    .map((row) => [row.registration ?? row.method, row] as const)
    .toReversed(),
);
