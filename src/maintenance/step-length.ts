// How long a range of time the next step of a task covers. Steps should cover little where messages
// are dense, and go quickly through empty time.

export class StepLength {
  readonly #shortestMs: number;
  readonly #longestMs: number;
  #ms: number;

  constructor(shortestMs: number, longestMs: number) {
    this.#shortestMs = shortestMs;
    this.#longestMs = longestMs;
    this.#ms = shortestMs;
  }

  get ms(): number {
    return this.#ms;
  }

  get isShortest(): boolean {
    return this.#ms === this.#shortestMs;
  }

  lengthen(): void {
    this.#ms = Math.min(this.#longestMs, this.#ms * 2);
  }

  shorten(factor = 2): void {
    this.#ms = Math.max(this.#shortestMs, this.#ms / factor);
  }
}
