/**
 * What makes a JSON text whole that was cut off somewhere: for a message of which a part has been passed on already when
 * its rest turns out never to come.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isDigit,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
} from "./scan.ts";

/** What may come next: a value, the first one of an array, a key, the first one of an object, a colon, or no more. */
type Next = "value" | "item" | "key" | "member" | "colon" | "end";

const WORDS = ["true", "false", "null"] as const;

/**
 * The shortest bytes that complete the beginning of a JSON text, and the closing brackets that follow them, innermost
 * first. No valid rest can have been shorter than the two together.
 */
export function closing(bytes: Buffer): { readonly token: Buffer; readonly brackets: string } {
  const open: ("}" | "]")[] = [];
  let next: Next = "value";
  let token: Buffer | null = null;
  for (let i = 0; i < bytes.length && token === null; ) {
    const c = bytes[i] ?? 0;
    if (c === QUOTE) {
      const end = stringEnd(bytes, i, bytes.length);
      const isKey: boolean = next === "key" || next === "member";
      if (end < 0) token = Buffer.concat([stringRest(bytes, i + 1), Buffer.from(isKey ? '":0' : '"')]);
      else next = isKey ? "colon" : "end";
      i = end;
      continue;
    }
    i += 1;
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      open.push(c === OPEN_BRACE ? "}" : "]");
      next = c === OPEN_BRACE ? "member" : "item";
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      open.pop();
      next = "end";
    } else if (c === COMMA) next = open.at(-1) === "}" ? "key" : "value";
    else if (c === COLON) next = "value";
    else if (c > 0x20) {
      const start = i - 1;
      while (isWord(bytes[i])) i += 1;
      next = "end";
      if (i === bytes.length) token = Buffer.from(wordRest(bytes.toString("latin1", start)));
    }
  }
  return { token: token ?? Buffer.from(MISSING[next]), brackets: open.reverse().join("") };
}

const MISSING: Readonly<Record<Next, string>> = { value: "0", item: "", key: '"":0', member: "", colon: ":0", end: "" };

/** What an escape or a character needs that the end of the bytes has cut; `from`: where the string's inside begins. */
function stringRest(bytes: Buffer, from: number): Buffer {
  let i = from;
  while (i < bytes.length && (bytes[i] !== BACKSLASH || i + escapeLength(bytes[i + 1]) <= bytes.length))
    i += bytes[i] === BACKSLASH ? escapeLength(bytes[i + 1]) : 1;
  const given = bytes.length - i;
  if (given === 1) return Buffer.from("\\");
  if (given > 1) return Buffer.from("0".repeat(6 - given));
  let lead = bytes.length - 1;
  while (lead > from && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1;
  const first = bytes[lead] ?? 0;
  const length = lead < from || first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const missing = Buffer.alloc(Math.max(0, length - (bytes.length - lead)), 0x80);
  // After these two leads a lower byte would be an overlong form.
  if (bytes.length - lead === 1 && missing.length > 0 && (first === 0xe0 || first === 0xf0)) missing[0] = 0xa0;
  return missing;
}

function escapeLength(c: number | undefined): number {
  return c === 0x75 ? 6 : 2;
}

function isWord(c: number | undefined): boolean {
  return (
    isDigit(c) ||
    (c !== undefined && ((c >= 0x61 && c <= 0x7a) || c === 0x2b || c === 0x2d || c === 0x2e || c === 0x45))
  );
}

/** The rest of a number or of a name that was cut. */
function wordRest(word: string): string {
  const name = WORDS.find((whole) => whole.startsWith(word));
  return name !== undefined ? name.slice(word.length) : /\d$/.test(word) ? "" : "0";
}
