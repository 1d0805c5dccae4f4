// How many parts wait in the queue for a connector, as far as its dispatcher knows. They go before
// messages that are accepted now. Pure.

interface Claim {
  readonly asked: number;
  readonly expected: number;
  readonly counted: number;
  readonly uncounted: number;
}

export class QueueEstimate {
  #waiting = Infinity;
  /** Parts that entered the queue since the start, and notices of an unknown number. */
  #counted = 0;
  #uncounted = 0;

  /** In parts; Infinity where nobody counted them. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Messages entered the queue. `parts`: Infinity if nobody counted them. */
  note(parts: number): void {
    if (parts === Infinity) this.#uncounted += 1;
    else this.#counted += parts;
    this.#waiting += parts;
  }

  /** A claim begins. It asks for one part more than is known, so that it shows when that is all. */
  ask(mostParts: number): Claim {
    const asked = Math.min(mostParts, this.#waiting + 1);
    return { asked, expected: this.#waiting, counted: this.#counted, uncounted: this.#uncounted };
  }

  /**
   * The claim took so many parts. If it had capacity for more, only what came after it began can
   * still wait. If it took more than was known, nobody knows how many there are. A claim that was
   * filled may have locked more than it took, and claims of other binds skipped those rows: at least
   * one is left for them to look for.
   */
  answered({ asked, expected, counted, uncounted }: Claim, taken: number): void {
    if (taken < asked) this.#waiting = uncounted === this.#uncounted ? this.#counted - counted : Infinity;
    else if (taken > expected) this.#waiting = Infinity;
    else this.#waiting = Math.max(1, this.#waiting - taken);
  }
}
