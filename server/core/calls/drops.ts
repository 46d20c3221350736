/** Counts what is dropped, by reason: nothing is dropped without a trace (shown by `$/switchboard/status`). */
export class Drops {
  readonly #counts = new Map<string, number>();

  count(reason: string, times = 1): void {
    if (times > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + times);
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
