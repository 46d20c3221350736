/** Envelopes around opaque `data`, put on; what they are, and how they come off, is splice.ts's. */
import { Output } from "./output.ts";
import type { Span } from "./scan.ts";
import { nextData } from "./splice.ts";

/**
 * Wraps the value of every `data` key within the span; a `data` inside another one's value belongs to that value.
 * Returns what replaces the span, or null when there is nothing to wrap and the bytes can go as they are.
 */
export function wrapData(bytes: Buffer, span: Span, prefix: string): readonly Buffer[] | null {
  let value = nextData(bytes, span.start, span.end);
  if (value < 0) return null;
  const opening = openingOf(prefix);
  const out = new Output(span.end - span.start);
  out.read(bytes, span.start);
  let end = span.start;
  while (value >= 0) {
    end = out.wrap(value, opening, span.end);
    // No JSON: passed on as it is, whoever reads it will say so.
    if (end < 0) return [bytes.subarray(span.start, span.end)];
    value = nextData(bytes, end, span.end);
  }
  return [out.bytes, bytes.subarray(end, span.end)];
}

/** What stands before the original text: the string's quote, then the prefix. */
function openingOf(prefix: string): Buffer {
  return Buffer.from(JSON.stringify(prefix).slice(0, -1));
}
