/** Envelopes around opaque `data`, put on; what they are, and how they come off, is splice.ts's. */
import { Output } from "./output.ts";
import type { Span } from "./scan.ts";

/**
 * Wraps the value of every `data` key within the span; a `data` inside another one's value belongs to that value.
 * @param body one buffer or several in order, which the span is of
 * @returns what replaces the span; null when there is nothing to wrap, or no JSON (whoever reads it will say so)
 */
export function wrapData(body: readonly Buffer[], span: Span, prefix: string): readonly Buffer[] | null {
  const out = new Output(body, span);
  const text = out.rest;
  const opening = openingOf(prefix);
  let wrapped = 0;
  for (DATA.lastIndex = 0; DATA.test(text); ) {
    const end = out.wrap(span.start + DATA.lastIndex, opening);
    if (end < 0) return null;
    wrapped += 1;
    DATA.lastIndex = end - span.start;
  }
  if (wrapped === 0) return null;
  out.keepTo(span.end);
  return [out.bytes];
}

/**
 * The key, up to its value. Bare quotes around the word make it a whole string, since inside of a longer one they would be
 * escaped; the colon makes it a key. As an expression, over text, it is found in half of the time that bytes take.
 */
const DATA = /[^\\]"data"[ \t\r\n]*:[ \t\r\n]*/g;

/** What stands before the original text: the string's quote, then the prefix. */
function openingOf(prefix: string): Buffer {
  return Buffer.from(JSON.stringify(prefix).slice(0, -1));
}
