/** Our own requests as the core takes them: by method, with the twins that clients without custom requests use. */
import type { Extension } from "../core/mux.ts";
import { X } from "../protocol/extensions.ts";
import { status } from "./status.ts";

const built: ReadonlyMap<string, Extension> = new Map([[X.status, status]]);

/** What is built, for the Mux. */
export const requests = {
  extensions: built,
  twins: new Map<string, Extension>(),
  experimental: {},
} as const;
