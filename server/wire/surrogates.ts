/**
 * Halves of surrogate pairs, which only an escape can write in UTF-8. Clients send one when a pair is cut in two; servers that
 * hold text as UTF-8 end at its escape.
 */

/** Whether JSON text may escape a surrogate, in a pair or alone. Native searches only; most texts escape nothing by number. */
export function mayEscapeSurrogates(bytes: Buffer): boolean {
  return bytes.includes("\\u") && (bytes.includes("\\ud") || bytes.includes("\\uD"));
}

/** The JSON text with U+FFFD, as long an escape, in place of each half that stands alone. No escape may be cut by its ends. */
export function mended(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  return Buffer.from(
    text.replace(ESCAPES, (found, half: string | undefined) => (half === undefined ? found : "\\ufffd")),
    "latin1",
  );
}

/** A pair; a half alone, which is captured; anything else behind a backslash. */
const ESCAPES = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)/gs;
