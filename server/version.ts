/** The version of this package, from its package.json. */
import { readFileSync } from "node:fs";

/** The compiled file lies one folder deeper than the source: dist/server beside server. */
const manifest = new URL(import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);

export const version: string = readVersion();

function readVersion(): string {
  const text = readFileSync(manifest, "utf8");
  const match = /"version":\s*"([^"]+)"/.exec(text);
  return match?.[1] ?? "0.0.0";
}
