// The time by the database's clock, as far as this process knows it. What holds for a message holds
// on every node: the wall clocks of nodes differ and are stepped, so hours, days and months are
// judged by the one clock that all of them share.

export class DatabaseClock {
  /** The database's time less the monotonic clock, in ms; undefined until it was heard. */
  #aheadMs: number | undefined;

  /**
   * In whole milliseconds; by this node's wall clock until the database's was heard. It is wrong by
   * half of the time that the last reading took, and by steps of the database's clock since then.
   */
  now(): number {
    return this.#aheadMs === undefined ? Date.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /** What the database said it was, when asked at `askedAt` (`performance.now`), just now. */
  heard(at: Date, askedAt: number): void {
    this.#aheadMs = at.getTime() - (askedAt + performance.now()) / 2;
  }
}
