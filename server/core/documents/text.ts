/**
 * One version of a document's text, immutable and lazy: a node knows either its string or how to get it (the packet
 * that opened it, or an older node and the edits since). Two peers hold the same text when they hold the same node, so
 * the normal case (edits passed on as they came) never builds a string. Positions and edits live in `positions.ts`.
 */
import { type Packet, parseBody } from "../../wire/packet.ts";
import { mayEscapeSurrogates } from "../../wire/surrogates.ts";
import { applySteps, type Change, type Encoding, type Lines, linesOf, type Step } from "../positions.ts";

type Source =
  | { readonly packet: Packet }
  | { readonly base: Text; readonly changes: readonly Change[]; readonly encoding: Encoding };

/** After so many edits in a row the string is built, so that a chain never grows without bound. */
const MAX_CHAIN = 200;

/** See above: one version of a text, known by its string or by how it came to be. */
export class Text {
  #source: Source | null;
  #string: string | null;
  #lines: Lines | null = null;
  readonly #depth: number;
  #surrogates: boolean | null;

  private constructor(source: Source | null, string: string | null, depth: number, surrogates: boolean | null) {
    this.#source = source;
    this.#string = string;
    this.#depth = depth;
    this.#surrogates = surrogates;
  }

  static of(string: string): Text {
    return new Text(null, string, 0, null);
  }

  /** The text of a didOpen, left in its packet until someone reads it. */
  static opened(packet: Packet): Text {
    return new Text({ packet }, null, 0, null);
  }

  /** The text after `changes`, whose positions count in `encoding`. */
  static edited(base: Text, changes: readonly Change[], encoding: Encoding): Text {
    const surrogates = base.mayHoldSurrogates || changes.some((c) => hasSurrogates(c.text));
    const text = new Text({ base, changes, encoding }, null, base.#depth + 1, surrogates);
    // Building starts a new chain; the nodes before it are released.
    return text.#depth > MAX_CHAIN ? new Text(null, text.string, 0, surrogates) : text;
  }

  /**
   * False only when the text surely holds no character outside the BMP and no lone surrogate. Found when first asked for,
   * with the first edit: a look through a megabyte takes as long as passing it on.
   */
  get mayHoldSurrogates(): boolean {
    this.#surrogates ??=
      this.#source !== null && "packet" in this.#source
        ? bytesMayHoldSurrogates(this.#source.packet)
        : hasSurrogates(this.string);
    return this.#surrogates;
  }

  /** The text itself; built once. */
  get string(): string {
    if (this.#string !== null) return this.#string;
    // Iterative: a chain may be long, and each node on the way is worth keeping only as the final string.
    const pending: Step[] = [];
    let node: Text = this;
    while (node.#string === null && node.#source !== null && "base" in node.#source) {
      pending.push(node.#source);
      node = node.#source.base;
    }
    const start =
      node.#string ?? (node.#source !== null && "packet" in node.#source ? openedText(node.#source.packet) : "");
    node.#settle(start);
    const string = applySteps(start, pending.reverse());
    this.#settle(string);
    return string;
  }

  get lines(): Lines {
    this.#lines ??= linesOf(this.string);
    return this.#lines;
  }

  /** Same content. Compares strings only when the nodes differ. */
  same(other: Text): boolean {
    return this === other || this.string === other.string;
  }

  #settle(string: string): void {
    this.#string = string;
    this.#source = null;
  }
}

function openedText(packet: Packet): string {
  const params = parseBody(packet) as { textDocument?: { text?: unknown } } | undefined;
  const text = params?.textDocument?.text;
  return typeof text === "string" ? text : "";
}

/** Whether the text holds a surrogate, in a pair or alone. */
export function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

/** UTF-8 lead bytes F0..F4 start characters outside the BMP; `\ud` starts their escapes. Native searches only. */
function bytesMayHoldSurrogates(packet: Packet): boolean {
  const leads = [0xf0, 0xf1, 0xf2, 0xf3, 0xf4];
  return packet.pieces.some((bytes) => leads.some((lead) => bytes.includes(lead))) || mayHoldHalves(packet);
}

/** Whether a message may hold half a surrogate pair, which only an escape can write. Native searches only. */
export function mayHoldHalves({ pieces }: Packet): boolean {
  return pieces.some((bytes, i) => mayEscapeSurrogates(bytes) || isCut(bytes, pieces[i + 1] ?? NOTHING));
}

/** Whether such an escape may stand across the end of a piece; of pieces of a byte or two, any that has begun is taken for one. */
function isCut(bytes: Buffer, next: Buffer): boolean {
  const seam = bytes.toString("latin1", Math.max(0, bytes.length - 2)) + next.toString("latin1", 0, 2);
  return next.length < 2 || bytes.length < 2 ? seam.includes("\\") : /\\u[dD]/.test(seam);
}

const NOTHING = Buffer.alloc(2);

/** A file as text: UTF-16 by its mark, else UTF-8. The mark is no part of the text. */
export function textOf(bytes: Buffer): string {
  return utf16Of(bytes) ?? new TextDecoder("utf-8").decode(bytes);
}

/** The text of a file whose mark says that it is UTF-16, without the mark; null for any other. */
export function utf16Of(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le", 2);
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return null;
  return Buffer.from(bytes.subarray(2, bytes.length & ~1))
    .swap16()
    .toString("utf16le");
}
