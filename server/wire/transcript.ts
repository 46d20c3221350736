/**
 * Conversations as text files (`.lspt`): one frame a line, with its time in ms, its lane, and an arrow: `>` came to
 * us, `<` went out. Bodies stand as they were on the wire, so that a number like 2^60 is read back unchanged.
 *
 *     # two clients ask at once
 *        12 client 1 > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
 *        13 gopls#2 < {"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}
 */

export interface Line {
  /** Milliseconds since the transcript's start. */
  readonly ms: number;
  /** Who is at the other end: "client 1", "gopls#2". Holds no arrow. */
  readonly lane: string;
  readonly direction: ">" | "<";
  readonly body: Buffer;
}

/** Writes the frames of a session as lines, through `write`; `now` gives milliseconds from any fixed point. */
export class TranscriptWriter {
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  readonly #start: number;

  constructor(write: (text: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
    this.#start = now();
  }

  frame(lane: string, direction: Line["direction"], body: readonly Buffer[]): void {
    const ms = Math.round(this.#now() - this.#start);
    this.#write(formatLine({ ms, lane, direction, body: Buffer.concat(body) }));
  }
}

/** One line with its line break. Breaks inside the body, which JSON has between tokens only, become spaces. */
export function formatLine({ ms, lane, direction, body }: Line): string {
  return `${String(ms).padStart(6)} ${lane} ${direction} ${body.toString("utf8").replace(/[\r\n]/g, " ")}\n`;
}

/** Reads a transcript; blank lines and lines that begin with # are comments. Throws on any other line, naming it. */
export function readTranscript(text: string): readonly Line[] {
  const lines: Line[] = [];
  text.split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return;
    const [, ms, lane, direction, body] = LINE.exec(line) ?? [];
    if (lane === undefined || body === undefined) {
      throw new Error(`line ${i + 1} is not "ms lane > body": ${line.slice(0, 80)}`);
    }
    lines.push({ ms: Number(ms), lane, direction: direction === ">" ? ">" : "<", body: Buffer.from(body) });
  });
  return lines;
}

const LINE = /^\s*(\d+)\s+(\S[^<>]*?)\s+([<>]) (.*)$/;
