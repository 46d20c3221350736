/**
 * An answer that is passed on while it comes in. The header that went first has promised its length, so the last bytes
 * are held back until the answer has proven whole: where it does not (the backend died or fell silent within it, or it
 * answers something else), the room that is left takes what completes the JSON text, with an `error` beside the half
 * result. Whether an answer may pass is decided in `core/calls/passing.ts`.
 */
import { closing } from "./closing.ts";
import { cut, idBytes, spliced } from "./compose.ts";
import type { OpenFrame } from "./ends.ts";
import type { Flow } from "./framing.ts";
import type { Id } from "./packet.ts";
import type { Span } from "./scan.ts";
import type { Start } from "./start.ts";

/** Bytes held back: room for closing brackets and an error. */
const HELD = 1024;

export interface PassageOptions {
  readonly start: Start;
  /** Length of the body as it comes. */
  readonly length: number;
  /** The id that it must have, which is ours, and the one that it gets. */
  readonly ours: number;
  readonly theirs: Id;
  /** Called once: null when the answer was whole, else why not; gives the error to be told. */
  onEnd(trouble: Trouble | null): { readonly code: number; readonly message: string; readonly data?: unknown } | null;
}

/** "died": its stream ended; "stalled": nothing came for long; "mismatch": it turned out to answer something else. */
export type Trouble = "died" | "stalled" | "mismatch";

/** Bytes of the body as it goes out. */
export function passedLength({ start, length, ours, theirs }: PassageOptions): number {
  const { idSpan } = start;
  const before = idSpan === undefined ? String(ours).length : idSpan.end - idSpan.start;
  return length - before + idBytes(theirs).length;
}

export class Passage implements Flow {
  readonly #to: OpenFrame;
  readonly #options: PassageOptions;
  /** What has come. */
  readonly #pieces: Buffer[] = [];
  #seen = 0;
  #ended = false;
  /** How much may go out before the end is known. */
  readonly #free: number;

  constructor(to: OpenFrame, options: PassageOptions) {
    this.#to = to;
    this.#options = options;
    const free = options.length - HELD;
    this.#free = free > (options.start.idSpan?.end ?? 0) ? free : 0;
  }

  /** Bytes come so far, for whoever watches over progress. */
  get seen(): number {
    return this.#seen;
  }

  write(piece: Buffer): boolean {
    if (this.#ended) return true;
    const from = this.#seen;
    this.#pieces.push(piece);
    this.#seen += piece.length;
    if (from >= this.#free) return true;
    const fresh = this.#seen <= this.#free ? piece : piece.subarray(0, this.#free - from);
    // The id stands in the first piece, which is as long as the start that was read.
    const { idSpan } = this.#options.start;
    if (from > 0 || idSpan === undefined) return this.#to.write(fresh);
    return this.#writeAll(this.#withId([fresh], idSpan));
  }

  end(whole: boolean): void {
    if (this.#ended) return;
    if (!whole) return this.fail("died");
    const tail = this.#tail();
    const { start, ours } = this.#options;
    const idSpan = start.idSpan === undefined ? idAtEnd(tail, ours) : this.#free === 0 ? start.idSpan : null;
    if (idSpan === undefined) return this.fail("mismatch");
    this.#finish(idSpan === null ? [tail] : this.#withId([tail], idSpan));
    this.#options.onEnd(null);
  }

  /** Completes the frame without its rest; whatever else comes of it is dropped. */
  fail(trouble: Trouble): void {
    if (this.#ended) return;
    const failure = this.#options.onEnd(trouble);
    const sent = Math.min(this.#seen, this.#free);
    const room = this.#options.length - sent;
    const { token, brackets } = closing(Buffer.concat(cut(this.#pieces, 0, sent)));
    // The id that it lacks takes the place of the one that would have come.
    const { start, ours, theirs } = this.#options;
    const id = start.idSpan === undefined ? `,"id":${idBytes(theirs)}` : "";
    const spare = start.idSpan === undefined ? idBytes(theirs).length - String(ours).length : 0;
    const error = failure === null ? "" : `,"error":${JSON.stringify(failure)}`;
    const inner = Buffer.concat([token, Buffer.from(brackets.slice(0, -1))]);
    const rest = Buffer.from(`${id}${error}}`);
    const padding = room + spare - inner.length - rest.length;
    // Brackets by the hundred leave no room for more than themselves.
    if (padding >= 0) this.#finish([inner, rest, Buffer.alloc(padding, " ")]);
    else this.#finish([inner, Buffer.from("}"), Buffer.alloc(Math.max(0, room + spare - inner.length - 1), " ")]);
  }

  #tail(): Buffer {
    return Buffer.concat(cut(this.#pieces, this.#free, this.#options.length));
  }

  #withId(pieces: readonly Buffer[], span: Span): readonly Buffer[] {
    return spliced(pieces, span, idBytes(this.#options.theirs));
  }

  #finish(pieces: readonly Buffer[]): void {
    this.#ended = true;
    this.#pieces.length = 0;
    this.#writeAll(pieces);
    this.#to.close();
  }

  #writeAll(pieces: readonly Buffer[]): boolean {
    let out = true;
    for (const piece of pieces) out = this.#to.write(piece);
    return out;
  }
}

/** Where the id stands behind the result, with nothing else there but what says nothing; undefined: it is not this one. */
function idAtEnd(tail: Buffer, id: number): Span | undefined {
  const text = tail.toString("latin1");
  const members = LAST_MEMBERS.exec(text);
  const found = members === null ? null : ID_MEMBER.exec(members[0]);
  if (members === null || found === null || Number(found[2]) !== id) return undefined;
  const start = members.index + found.index + (found[1]?.length ?? 0);
  const end = start + String(id).length;
  return (found[2]?.length ?? 0) === String(id).length ? { start, end } : undefined;
}
const LAST_MEMBERS = /(?:,\s*"(?:id|jsonrpc|error)"\s*:\s*(?:\d+|"2\.0"|null)\s*){1,3}\}\s*$/;
const ID_MEMBER = /(,\s*"id"\s*:\s*)(\d+)/;
