/** Text that a process writes beside its frames, line by line, at a rate that a flood cannot raise. */
import type { Readable } from "node:stream";

const LINES_A_SECOND = 100;
const LINE_LENGTH = 1000;

/** Hands on lines at a bounded rate; a flood costs no more than counting it. */
export class LineLog {
  readonly #onLine: (line: string) => void;
  #rest = "";
  #left = LINES_A_SECOND;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    this.#timer ??= setTimeout(() => this.#nextSecond(), 1000).unref();
    if (this.#left === 0) {
      this.#dropped += text.length;
      return;
    }
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, LINE_LENGTH);
    for (const line of lines) this.#say(line);
  }

  /** Says what has not been said yet. */
  end(): void {
    this.#say(this.#rest);
    this.#rest = "";
    this.#nextSecond();
  }

  #say(line: string): void {
    const text = line.trim();
    if (text === "") return;
    if (this.#left === 0) this.#dropped += text.length;
    else {
      this.#left -= 1;
      this.#onLine(text.slice(0, LINE_LENGTH));
    }
  }

  #nextSecond(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = LINES_A_SECOND;
    if (this.#dropped > 0) this.#onLine(`(${this.#dropped} more characters of output left out)`);
    this.#dropped = 0;
  }
}

export function readLines(stream: Readable, log: LineLog): void {
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => log.add(text));
  stream.on("error", () => {});
}
