/** Configurations for fake servers: adapters, limits, and a small language of our own (files `*.x`). */
import type { Adapter } from "../../adapters/adapter.ts";
import { builtIn, type Limits } from "../../server/config/config.ts";
import type { BackendSpec } from "../../server/config/resolve.ts";
import type { Setup } from "../../server/core/clients.ts";
import type { ServerScript } from "./server.ts";

export interface Backend extends ServerScript {
  /** Parts of its adapter that are not the plain ones. */
  readonly adapter?: Partial<Adapter>;
  /** The version that its program prints. */
  readonly prints?: string;
  /** Capabilities as recorded; null: it was never recorded. Default: what its script announces. */
  readonly recorded?: object | null;
}

/** As built in, but nothing is kept for nobody, and the caps can be reached. */
export const limits: Limits = {
  ...builtIn.limits,
  idleMs: 0,
  maxFrameBytes: 1 << 26,
  maxDepth: 4_000,
  maxInFlight: 1_000,
  maxQueuedBytes: 1 << 26,
};

/** In rank order. As in a real session each client has a configuration of its own, equal to that of the others. */
export function setupOf(
  backends: Readonly<Record<string, Backend>>,
  over: Partial<Limits> = {},
  allows: Setup["allows"] = () => true,
): () => Setup {
  return () => oneSetup(backends, over, allows);
}

function oneSetup(backends: Readonly<Record<string, Backend>>, over: Partial<Limits>, allows: Setup["allows"]): Setup {
  const specs = Object.entries(backends).map(([name, backend], rank): BackendSpec => {
    const { recorded = null } = backend;
    return {
      name,
      adapter: {
        name,
        languages: ["x"],
        roots: [[".root"]],
        command: [name],
        ready: { on: "initialized" },
        warmUp: "none",
        publishes: "open",
        role: rank === 0 ? "general" : "addon",
        quirks: [],
        ...backend.adapter,
      },
      extensions: [".x"],
      launch: [name],
      env: {},
      heeds: {},
      recorded: recorded === null ? null : { capabilities: recorded },
      configured: true,
      rank,
    };
  });
  return {
    said: "",
    backends: specs,
    ranked: (language) => specs.filter(({ adapter }) => adapter.languages.includes(language)),
    allows,
    trusts: () => false,
    limits: { ...limits, ...over },
    log: { level: "error" },
    commandPrefix: "",
    messages: [],
  };
}
