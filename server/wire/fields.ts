/**
 * Single fields of a packet's body, found without parsing the rest of it: a document's text may stand beside them.
 */
import { type Packet, readId, readString } from "./packet.ts";
import { memberStart, QUOTE, type Span, valueEnd } from "./scan.ts";

/** A packet, or the beginning of one. */
export type Fielded = Pick<Packet, "bytes" | "pieces" | "bodySpan">;

/** `params.textDocument.uri`, found without parsing the rest. */
export function uriOf(p: Fielded): string | undefined {
  return stringField(p, URI);
}
const URI = ["textDocument", "uri"] as const;

/** `params.textDocument.version`, found without parsing the rest; undefined when absent or no integer. */
export function versionOf(p: Fielded): number | null | undefined {
  const found = fieldIn(p, VERSION);
  if (found === undefined) return undefined;
  const version = readId(found.bytes, found.start, found.end);
  return typeof version === "string" ? undefined : version;
}
const VERSION = ["textDocument", "version"] as const;

/** The text of a string at a path of object keys within the body; undefined when absent, no string or broken. */
export function stringField(p: Fielded, path: readonly string[]): string | undefined {
  const found = fieldIn(p, path);
  return found?.bytes[found.start] === QUOTE ? readString(found.bytes, found.start, found.end) : undefined;
}

/**
 * The span of the value at a path of object keys within the body. The values before it are stepped over and those
 * after it not looked at: of equal keys the first counts here.
 */
export function fieldSpan(p: Fielded, path: readonly string[]): Span | undefined {
  return fieldIn(p, path);
}

/** The first byte of the value at a path, in a body of which the rest may still be to come; -1 where it has not come. */
export function fieldStart({ bytes, bodySpan }: Fielded, path: readonly string[]): number {
  return bodySpan === undefined ? -1 : startWithin(bytes, bodySpan.start, bytes.length, path);
}

/** The same with the bytes that it was found in: of a body in pieces the first is enough where the field stands early. */
function fieldIn(p: Fielded, path: readonly string[]): (Span & { readonly bytes: Buffer }) | undefined {
  if (p.bodySpan === undefined) return undefined;
  const [first] = p.pieces;
  if (first !== undefined && p.pieces.length > 1) {
    const early = fieldWithin(first, p.bodySpan.start, first.length, path);
    if (early !== undefined) return early;
  }
  return fieldWithin(p.bytes, p.bodySpan.start, p.bodySpan.end, path);
}

function fieldWithin(
  bytes: Buffer,
  from: number,
  limit: number,
  path: readonly string[],
): (Span & { readonly bytes: Buffer }) | undefined {
  const start = startWithin(bytes, from, limit, path);
  const end = start < 0 ? -1 : valueEnd(bytes, start, limit);
  return end < 0 ? undefined : { bytes, start, end };
}

function startWithin(bytes: Buffer, from: number, limit: number, path: readonly string[]): number {
  let start = from;
  for (const key of path) if (start >= 0) start = memberStart(bytes, start, limit, key);
  return start;
}
