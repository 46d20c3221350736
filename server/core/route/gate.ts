/**
 * Whether a backend is ready to be asked about its whole project, judged by the server's own signal (`Ready` of its
 * adapter). The gate opens for good after a process's first ready; how long a question waits before it is the row's and
 * the limits' business (`queue.ts`). Pure: it is told of events and answers what follows.
 */
import type { Ready } from "../../../adapters/adapter.ts";

/** The gate of one process: a new process has a new one. */
export class Gate {
  readonly #ready: Ready;
  #open = false;
  /** Set once `initialized` was sent, on the clock of Ports.now(). */
  since: number | null = null;
  #matching = new Set<string | number>();
  /** Titles of all work-done progress that runs, for messages: token to title. */
  readonly #running = new Map<string | number, string>();
  #begun = false;

  constructor(ready: Ready) {
    this.#ready = ready;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Whether it has said that it loads its project; one that has none to load never does. */
  get begun(): boolean {
    return this.#begun;
  }

  /** What the server says it is doing, for messages. */
  get busyWith(): string | null {
    return [...this.#running.values()].pop() ?? null;
  }

  initialized(now: number): void {
    this.since = now;
    if (this.#ready.on === "initialized") this.#open = true;
  }

  /** Its first document was opened. Returns after how many ms to call `settled`, null when that is not needed. */
  opened(): number | null {
    if (this.#ready.on === "open") this.#open = true;
    return this.#ready.on === "progress" && !this.#begun ? this.#ready.settle : null;
  }

  /** The time that `opened` named has passed: nothing begun by now means there is nothing to wait for. */
  settled(): void {
    if (!this.#begun) this.#open = true;
  }

  /** The method of the notification that must be shown to `notified`, if any. */
  get listensTo(): string | null {
    return this.#ready.on === "notification" ? this.#ready.method : null;
  }

  notified(params: unknown): void {
    if (this.#ready.on === "notification" && this.#ready.when(params)) this.#open = true;
  }

  progress(token: string | number, value: { kind?: unknown; title?: unknown }): void {
    if (value.kind === "begin") {
      const title = typeof value.title === "string" ? value.title : "";
      this.#running.set(token, title);
      if (this.#ready.on === "progress" && (this.#ready.match.test(title) || this.#ready.match.test(String(token)))) {
        this.#begun = true;
        this.#matching.add(token);
      }
    } else if (value.kind === "end") {
      this.#running.delete(token);
      if (this.#matching.delete(token) && this.#matching.size === 0) this.#open = true;
    }
  }
}
