// Whether the queue may hold messages for a connector. They go before messages accepted just now.
// True until a claim finds less than it asked for. Pure.

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
   * `tookAll`: the claim took all that it found, and had room for more. Then the queue is empty,
   * unless a notice came after the claim began: it may have read the queue before that. A claim
   * that filled its room counts as a notice for the other binds: it may have locked more than it
   * took, and their claims skipped those rows.
   */
  answered(tookAll: boolean, asked: number): void {
    if (!tookAll) this.note();
    else if (asked === this.#notices) this.#mayHold = false;
  }
}
