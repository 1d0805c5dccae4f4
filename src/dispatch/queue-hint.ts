// Whether the queue may hold messages for a connector. They go before messages accepted just now.
// True until a claim finds none. Pure.

export class QueueHint {
  #mayHold = true;
  #notices = 0;

  get mayHold(): boolean {
    return this.#mayHold;
  }

  /** A message may have entered the queue. */
  note(): void {
    this.#mayHold = true;
    this.#notices += 1;
  }

  /** A claim begins; `answered` takes what this returns. */
  ask(): number {
    return this.#notices;
  }

  /**
   * What a claim found counts as a notice for the claims of other binds: it may have locked all
   * that waits and taken a part. One that found nothing may have read the queue before a notice
   * came.
   */
  answered(found: number, asked: number): void {
    if (found > 0) this.note();
    else if (asked === this.#notices) this.#mayHold = false;
  }
}
