// The time by the database's clock, as far as this process knows it. What holds for a message holds
// on every node: the wall clocks of nodes differ and are stepped, so hours, days and months are
// judged by the one clock that all of them share.

export class DatabaseClock {
  /** The database's time less the monotonic clock, in ms; undefined until it was heard. */
  #aheadMs: number | undefined;

  /**
   * In whole milliseconds; by this node's wall clock until the database's was heard. It is wrong by
   * half of the time that the best reading took, and by steps of the database's clock since the
   * last one.
   */
  now(): number {
    return this.#aheadMs === undefined ? Date.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /**
   * What the database said it was, at some moment between `askedAt` (`performance.now`) and now.
   * The clock moves only as far as that shows it to be wrong: a slow answer makes no good reading
   * worse.
   */
  heard(at: Date, askedAt: number): void {
    const [least, most] = [at.getTime() - performance.now(), at.getTime() - askedAt];
    this.#aheadMs = Math.min(most, Math.max(least, this.#aheadMs ?? (least + most) / 2));
  }
}
