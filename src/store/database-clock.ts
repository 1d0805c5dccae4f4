// The time by the database's clock, as far as this process knows it. What holds for a message holds
// on every node: the wall clocks of nodes differ and are stepped, so hours, days and months are
// judged by the one clock that all of them share.

export class DatabaseClock {
  /** The database's time less the monotonic clock, in ms; undefined until it was heard. */
  #aheadMs: number | undefined;

  /**
   * In whole milliseconds. Before the first reading this is the wall clock of this node. After it,
   * the error is half of the time that the best reading took, plus any steps of the database's
   * clock since the last reading.
   */
  now(): number {
    return this.#aheadMs === undefined ? Date.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /**
   * Takes a reading: the database's time at some moment between `askedAt` (`performance.now`) and
   * now. The clock is corrected only as far as the reading proves it wrong, so a slow answer cannot
   * spoil a good reading.
   */
  heard(at: Date, askedAt: number): void {
    const [least, most] = [at.getTime() - performance.now(), at.getTime() - askedAt];
    this.#aheadMs = Math.min(most, Math.max(least, this.#aheadMs ?? (least + most) / 2));
  }
}
