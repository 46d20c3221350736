/**
 * The `symbolKey` of a match: `sb:` and base32 of where and what it is (path within its folder, whole name, which of several
 * of that name in its file). It holds no line, so that edits elsewhere leave it valid, and it can be read back without
 * an index.
 */

export interface KeyParts {
  /** Relative to its folder with `/`, or a URI outside all folders. */
  readonly path: string;
  /** The containers and the name. */
  readonly segments: readonly string[];
  /** 0-based, among the symbols of just this name in the file, in the order of lines. */
  readonly nth: number;
}

/** The key that `readKey` reads back. */
export function keyOf({ path, segments, nth }: KeyParts): string {
  return PREFIX + base32(Buffer.from([path, String(nth), ...segments].join("\0")));
}

/** Null for what is no key: any other text is an address. */
export function readKey(text: string): KeyParts | null {
  if (!text.startsWith(PREFIX)) return null;
  const bytes = unbase32(text.slice(PREFIX.length));
  if (bytes === null) return null;
  const [path, nth, ...segments] = bytes.toString().split("\0");
  if (path === undefined || nth === undefined || !/^\d+$/.test(nth) || segments.length === 0) return null;
  const parts = { path, segments, nth: Number(nth) };
  // One that was cut or mistyped would be read as some other name.
  return keyOf(parts) === text ? parts : null;
}

const PREFIX = "sb:";

/** RFC 4648, section 6, in lower case and without padding. */
const digits = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Buffer): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += digits[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + digits[(held << (5 - bits)) & 31];
}

function unbase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const char of text) {
    const digit = digits.indexOf(char);
    if (digit < 0) return null;
    held = (held << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >>> bits);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
