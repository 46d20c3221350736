/**
 * A message of a client that goes on to its backend while it comes in. Its length has been promised, so the last bytes are
 * held back until whoever watches over it knows that it is what it seemed to be; else it is completed as valid JSON with
 * what has gone, and the room that is left is filled with blanks. Which messages may go so is decided in `core/documents/opening.ts`.
 */
import { closing } from "./closing.ts";
import { cut } from "./compose.ts";
import type { OpenFrame } from "./ends.ts";
import { BACKSLASH } from "./scan.ts";
import { mayEscapeSurrogates, mended } from "./surrogates.ts";

/** Bytes held back: room for closing brackets. */
const HELD = 1024;

/** How much of a message of `length` bytes goes out before its end is known. */
export function freeLength(length: number): number {
  return length - HELD;
}

export class Onward {
  readonly #to: OpenFrame;
  readonly #length: number;
  /** How much may go out before the end is known. */
  readonly #free: number;
  /** What has come. */
  readonly #pieces: Buffer[] = [];
  #seen = 0;
  /** How much has gone out. */
  #sent = 0;
  /** An escape that has begun, at the end of what has come. */
  #rest: Buffer = NOTHING;
  #closed = false;

  /** @param length of the body, bytes */
  constructor(to: OpenFrame, length: number) {
    this.#to = to;
    this.#length = length;
    this.#free = freeLength(length);
  }

  /** Bytes come so far, for whoever watches over progress. */
  get seen(): number {
    return this.#seen;
  }

  write(piece: Buffer): boolean {
    const room = this.#free - this.#seen;
    this.#pieces.push(piece);
    this.#seen += piece.length;
    if (this.#closed || room <= 0) return true;
    const fresh = room < piece.length ? piece.subarray(0, room) : piece;
    const bytes = this.#rest.length === 0 ? fresh : Buffer.concat([this.#rest, fresh]);
    const end = wholeEscapes(bytes);
    this.#rest = bytes.subarray(end);
    return this.#send(bytes.subarray(0, end));
  }

  /** It is what its beginning promised, and has come whole. */
  finish(): void {
    if (this.#closed) return;
    this.#send(Buffer.concat([this.#rest, ...cut(this.#pieces, this.#sent + this.#rest.length, this.#length)]));
    this.#close();
  }

  /** It is completed without its rest. */
  fail(): void {
    if (this.#closed) return;
    const { token, brackets } = closing(Buffer.concat(cut(this.#pieces, 0, this.#sent)));
    const end = Buffer.concat([token, Buffer.from(brackets)]);
    const room = this.#length - this.#sent;
    // What was no JSON may lack more than fits: the frames behind it must still be told apart.
    this.#send(Buffer.concat([end.subarray(0, room), Buffer.alloc(Math.max(0, room - end.length), " ")]));
    this.#close();
  }

  #send(bytes: Buffer): boolean {
    this.#sent += bytes.length;
    return this.#to.write(mayEscapeSurrogates(bytes) ? mended(bytes) : bytes);
  }

  #close(): void {
    this.#closed = true;
    this.#rest = NOTHING;
    this.#to.close();
  }
}

const NOTHING = Buffer.alloc(0);

/** An escape of a surrogate that the end of the bytes has cut, or a first half whose second may follow; its backslash may itself be escaped. */
const CUT = /\\(?:u(?:[dD](?:[0-9a-fA-F]{0,2}|[89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD][0-9a-fA-F]{0,2})?)?)?))?)?$/;
const LONGEST_CUT = 11;

/** How many of the bytes can be sent without cutting an escape. */
function wholeEscapes(bytes: Buffer): number {
  const from = Math.max(0, bytes.length - LONGEST_CUT);
  const found = CUT.exec(bytes.toString("latin1", from));
  if (found === null) return bytes.length;
  let at = from + found.index;
  while (bytes[at - 1] === BACKSLASH) at -= 1;
  return at;
}
