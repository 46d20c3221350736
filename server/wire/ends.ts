/**
 * A connection's end: bodies in, bodies out, over any pair of streams. What is sent waits in a bounded queue of our
 * own and is written in windows, so that a peer that has stopped reading is noticed, and never waited for. Which
 * streams these are (stdio, a process, a socket) is transport.ts's.
 */
import type { Readable, Writable } from "node:stream";
import { type Flow, type FrameProblem, FrameReader, header } from "./framing.ts";
import type { Body } from "./packet.ts";

export interface EndHandlers {
  /** One frame's body; see FrameOptions.onBody for how long it may be kept. */
  onBody(body: Body): void;
  /** See FrameOptions.onLong. */
  onLong?(start: Buffer, length: number): Flow | null;
  onProblem(problem: FrameProblem): void;
  /** Stray text, where it is to be expected; without it, it is a problem. */
  onNoise?(text: string): void;
  /** After a "full": there is room again. */
  onDrained(): void;
  /**
   * Called once: the peer's stream has ended, or ours to it has broken, stalled or overflowed. What is sent afterwards
   * is still written if it can be. The owner closes.
   */
  onClosed(reason: string): void;
}

export interface EndLimits {
  /** Longest body read, in bytes; default 256 MiB. */
  readonly maxFrameBytes?: number;
  /** Queued bytes from which on `send` says "full"; at twice as many the connection is given up. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** The connection is given up when nothing at all was taken for so long, in ms (at most twice). Default 60 s. */
  readonly stallMs?: number;
}

export interface End {
  /** Queues one frame; the header is added. "full": sent all the same, but hold back until `onDrained`. */
  send(body: readonly Buffer[]): "ok" | "full";
  /**
   * Begins one frame of `length` bytes that are still to come. What is sent meanwhile waits behind it, so whoever opens one
   * sees to its end. Null while another one is open.
   */
  open?(length: number): OpenFrame | null;
  /**
   * Ends both directions once what was sent has been written or proves unwritable; then calls `done`.
   * @param last bytes to be written behind all frames
   */
  close(done?: () => void, last?: Buffer): void;
  /** Bytes sent and not yet taken by the operating system. */
  readonly queuedBytes: number;
}

/** A frame that is being written; exactly as many bytes as were said must come before `close`. */
export interface OpenFrame {
  /** False: these bytes wait for the peer to read. */
  write(bytes: Buffer): boolean;
  close(): void;
}

/** Frames up to this many bytes are copied: one small write, and no chunk of 64 KiB is held by a tiny view of it. */
const SMALL = 4096;
/** Batches up to this size are joined into one buffer; above it the pieces are written as they are. */
const JOINED = 64 * 1024;
/** Bytes handed to the stream at a time. Each window taken is progress. */
const WINDOW = 512 * 1024;
const MAX_QUEUED = 64 * 1024 * 1024;
const STALL_MS = 60_000;

/** An end over two streams (or one duplex stream given twice). */
export function streamEnd(input: Readable, output: Writable, handlers: EndHandlers, limits: EndLimits = {}): End {
  return new StreamEnd(input, output, handlers, limits);
}

/** A chunk of some end's input is being looked at, and the ends for which that has brought something. */
let reading = false;
const toWrite: StreamEnd[] = [];

class StreamEnd implements End {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #handlers: EndHandlers;
  readonly #maxQueued: number;
  readonly #stallMs: number;
  #queue: Buffer[] = [];
  #head = 0;
  /** What waits for the end of a frame that is open; null: none is. */
  #behind: Buffer[] | null = null;
  #queued = 0;
  #inFlight = 0;
  #scheduled = false;
  #full = false;
  #broken = false;
  #closed = false;
  /** Counts windows taken, so that the stall timer can tell progress without a clock. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #whenTaken = (error?: Error | null): void => (error ? undefined : this.#onTaken());
  readonly #whenScheduled = (): void => this.#write();
  /** Set once close() was called. */
  #done: (() => void) | undefined;
  #last: Buffer | undefined;

  constructor(input: Readable, output: Writable, handlers: EndHandlers, limits: EndLimits) {
    this.#input = input;
    this.#output = output;
    this.#handlers = handlers;
    this.#maxQueued = limits.maxQueuedBytes ?? MAX_QUEUED;
    this.#stallMs = limits.stallMs ?? STALL_MS;
    const reader = new FrameReader({
      ...(limits.maxFrameBytes === undefined ? {} : { maxFrameBytes: limits.maxFrameBytes }),
      ...(handlers.onNoise === undefined ? {} : { onNoise: handlers.onNoise.bind(handlers) }),
      ...(handlers.onLong === undefined ? {} : { onLong: handlers.onLong.bind(handlers) }),
      onBody: handlers.onBody.bind(handlers),
      onProblem: handlers.onProblem.bind(handlers),
    });
    const ended = (reason: string): void => {
      reader.end();
      this.#close(reason);
    };
    input.on("data", (chunk: Buffer) => {
      reading = true;
      try {
        reader.push(chunk);
      } finally {
        reading = false;
        for (const end of toWrite) end.#write();
        toWrite.length = 0;
      }
      if (!reader.isAhead) return;
      // libuv reads up to 2 MB in one go: let others have their turn, one of whom is to read this.
      input.pause();
      setImmediate(resume);
    });
    const resume = (): void => void input.resume();
    input.on("end", () => ended("the stream ended"));
    input.on("close", () => ended("the stream was closed"));
    input.on("error", (e) => ended(`reading failed: ${e.message}`));
    output.on("error", (e) => this.#break(`writing failed: ${e.message}`));
    output.on("close", () => this.#break("the stream was closed"));
  }

  get queuedBytes(): number {
    return this.#queued;
  }

  send(body: readonly Buffer[]): "ok" | "full" {
    if (this.#broken || this.#done !== undefined) return "ok";
    if (this.#queued >= this.#maxQueued * 2) {
      this.#break(`${this.#queued} bytes are waiting to be read, more than the limit`);
      return "ok";
    }
    let length = 0;
    for (const piece of body) length += piece.length;
    const head = header(length);
    const queue = this.#behind ?? this.#queue;
    if (length <= SMALL) queue.push(Buffer.concat([head, ...body], head.length + length));
    else queue.push(head, ...body);
    this.#add(head.length + length);
    return this.#full ? "full" : "ok";
  }

  open(length: number): OpenFrame | null {
    if (this.#broken || this.#done !== undefined || this.#behind !== null) return null;
    const head = header(length);
    this.#queue.push(head);
    this.#add(head.length);
    this.#behind = [];
    return {
      write: (bytes) => this.#stream(bytes),
      close: () => {
        const behind = this.#behind ?? [];
        this.#behind = null;
        if (this.#broken) return;
        this.#queue.push(...behind);
        if (this.#done !== undefined && this.#queued === 0) this.#endOutput();
        else this.#schedule();
      },
    };
  }

  /** More of the frame that is open: at once where nothing is in front of it. */
  #stream(bytes: Buffer): boolean {
    if (this.#broken) return true;
    if (this.#inFlight > 0 || this.#scheduled) {
      this.#queue.push(bytes);
      this.#add(bytes.length);
      return this.#inFlight === 0;
    }
    this.#queued += bytes.length;
    this.#inFlight = bytes.length;
    this.#output.write(bytes, this.#whenTaken);
    this.#watch();
    return this.#output.writableLength === 0;
  }

  #add(bytes: number): void {
    this.#queued += bytes;
    this.#full ||= this.#queued >= this.#maxQueued;
    this.#schedule();
  }

  /** The frames that one chunk of input leads to go out as one write, when all of it has been looked at. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight > 0) return;
    this.#scheduled = true;
    if (reading) toWrite.push(this);
    else process.nextTick(this.#whenScheduled);
  }

  close(done: () => void = () => {}, last?: Buffer): void {
    if (this.#done !== undefined) return;
    this.#done = done;
    this.#last = last;
    this.#closed = true;
    if (this.#broken) this.#finish();
    else if (this.#queued === 0 && this.#behind === null) this.#endOutput();
  }

  #write(): void {
    this.#scheduled = false;
    if (this.#inFlight > 0 || this.#broken) return;
    const pieces = this.#takeWindow();
    const [only] = pieces;
    if (only === undefined) return;
    if (pieces.length === 1) this.#output.write(only, this.#whenTaken);
    else if (this.#inFlight <= JOINED) this.#output.write(Buffer.concat(pieces, this.#inFlight), this.#whenTaken);
    else {
      this.#output.cork();
      pieces.forEach((piece, i) => {
        this.#output.write(piece, i === pieces.length - 1 ? this.#whenTaken : undefined);
      });
      this.#output.uncork();
    }
    this.#watch();
  }

  /** The next pieces of the queue, a window at most; a longer piece is cut. */
  #takeWindow(): Buffer[] {
    const pieces: Buffer[] = [];
    for (let piece = this.#queue[this.#head]; piece !== undefined; piece = this.#queue[this.#head]) {
      const room = WINDOW - this.#inFlight;
      if (room === 0) return pieces;
      if (piece.length > room) {
        this.#queue[this.#head] = piece.subarray(room);
        piece = piece.subarray(0, room);
      } else this.#head += 1;
      pieces.push(piece);
      this.#inFlight += piece.length;
    }
    this.#queue = [];
    this.#head = 0;
    return pieces;
  }

  #onTaken(): void {
    if (this.#broken) return;
    this.#taken += 1;
    this.#queued -= this.#inFlight;
    this.#inFlight = 0;
    // The part of the queue that has gone must not hold its buffers.
    if (this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.#queued > 0) this.#write();
    else if (this.#done !== undefined && this.#behind === null) this.#endOutput();
    if (this.#full && this.#queued <= this.#maxQueued / 2) {
      this.#full = false;
      this.#handlers.onDrained();
    }
  }

  /** One timer runs while anything is unwritten: if no window was taken between two of its ticks, the peer is gone. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const seen = this.#taken;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#inFlight === 0) return;
      if (this.#taken === seen) this.#break(`nothing was read for ${this.#stallMs} ms`);
      else this.#watch();
    }, this.#stallMs);
    this.#timer.unref();
  }

  #break(reason: string): void {
    if (this.#broken) return;
    this.#broken = true;
    clearTimeout(this.#timer);
    this.#queue = [];
    this.#behind = null;
    this.#queued = 0;
    this.#output.destroy();
    if (this.#done !== undefined) this.#finish();
    this.#close(reason);
  }

  #close(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handlers.onClosed(reason);
  }

  #endOutput(): void {
    this.#output.end(this.#last, () => this.#finish());
  }

  #finish(): void {
    this.#broken = true;
    clearTimeout(this.#timer);
    this.#input.destroy();
    this.#output.destroy();
    const done = this.#done;
    this.#done = () => {};
    done?.();
  }
}

/** Two joined ends in memory. Bodies arrive in order, in a later turn; nothing is ever "full". */
export function memoryPair(a: EndHandlers, b: EndHandlers): readonly [End, End] {
  let open = true;
  const endTowards = (theirs: EndHandlers): End => ({
    queuedBytes: 0,
    send(body) {
      const joined = Buffer.concat(body);
      if (open) setImmediate(() => theirs.onBody(joined));
      return "ok";
    },
    close(done) {
      if (open) setImmediate(() => theirs.onClosed("the stream ended"));
      open = false;
      if (done !== undefined) setImmediate(done);
    },
  });
  return [endTowards(b), endTowards(a)];
}
