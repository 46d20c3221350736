/** What characters are to a name: UAX #31 (identifiers) on UTF-8, by code point. */

export const NO_BRACKET = 0;
export const OPENING = 1;
export const CLOSING = 2;

export function isBracket(byte: number): number {
  return brackets[byte] ?? NO_BRACKET;
}

export function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** Whether a name can begin with it. */
export function isStart(value: number): boolean {
  return kindOf(value) === STARTS;
}

/** Whether it can be in a name. */
export function isPart(value: number): boolean {
  return kindOf(value) !== OUTSIDE;
}

/** How many bytes the character takes whose first one stands at a place; of what is no UTF-8, one. */
export function sizeAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The code point at a place; something meaningless where it is no UTF-8. */
export function valueAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  const next = (i: number): number => (bytes[at + i] ?? 0) & 0x3f;
  if (byte < 0xc0) return byte;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | next(1);
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | (next(1) << 6) | next(2);
  return ((byte & 0x07) << 18) | (next(1) << 12) | (next(2) << 6) | next(3);
}

const OUTSIDE = 1;
const INSIDE = 2;
const STARTS = 3;
/** Of the basic plane, filled as characters are met; 0: not yet. */
const kinds = new Uint8Array(0x10000);

function kindOf(value: number): number {
  const known = kinds[value];
  if (known !== undefined && known !== 0) return known;
  const kind = classify(value);
  if (known !== undefined) kinds[value] = kind;
  return kind;
}

function classify(value: number): number {
  if (value > 0x10ffff) return OUTSIDE;
  const character = String.fromCodePoint(value);
  if (/\p{ID_Start}/u.test(character)) return STARTS;
  // Joiners are part of names in JavaScript and others; emoji are in Swift.
  if (value === 0x200c || value === 0x200d) return INSIDE;
  if (/\p{ID_Continue}/u.test(character)) return INSIDE;
  return /\p{Extended_Pictographic}/u.test(character) ? STARTS : OUTSIDE;
}

const brackets = new Uint8Array(256);
for (const byte of Buffer.from("([{")) brackets[byte] = OPENING;
for (const byte of Buffer.from(")]}")) brackets[byte] = CLOSING;

/** What means a text itself in a regular expression, outside of a class: there a hyphen must not be escaped. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}
