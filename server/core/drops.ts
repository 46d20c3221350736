/** Counts what is dropped, by reason: nothing is dropped without a trace (shown by `$/switchboard/status`). */
export class Drops {
  readonly #counts = new Map<string, number>();

  count(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
