// How long new messages wait for room in a full window before they go to the queue. At full load
// the links then set the pace, and messages stay on the short path, which costs half. If the links
// are too slow for that, waiting is tried less and less often. Pure; times are monotonic
// milliseconds.

/** If nothing was settled for this long, the links stand still. */
export const stillMs = 50;
/**
 * The longest wait. If there is still no room, more arrives than the links or this node can take.
 */
const mostMs = 150;
const firstPauseMs = 250;
const longestPauseMs = 16_000;

export interface WindowAtLinks {
  /** Of all binds, in parts. */
  readonly window: number;
  /** How many parts have been settled so far. */
  readonly settled: number;
}

export class Patience {
  #wait: { readonly since: number; readonly from: number; settled: number; movedAt: number } | undefined;
  #noneUntil = Number.NEGATIVE_INFINITY;
  #pauseMs = firstPauseMs;

  /** There is no room: whether to wait from now on, or to go on waiting. */
  lasts(now: number, { window, settled }: WindowAtLinks): boolean {
    if (now < this.#noneUntil) return false;
    const wait = (this.#wait ??= { since: now, from: settled, settled, movedAt: now });
    if (settled !== wait.settled) [wait.settled, wait.movedAt] = [settled, now];
    if (now - wait.since < mostMs && now - wait.movedAt < stillMs) return true;
    this.#wait = undefined;
    this.#noneUntil = now + this.#pauseMs;
    // Quick links will have caught up soon.
    const isQuick = settled - wait.from >= window / 3;
    this.#pauseMs = isQuick ? firstPauseMs : Math.min(2 * this.#pauseMs, longestPauseMs);
    return false;
  }

  waitedMs(now: number): number {
    return this.#wait === undefined ? 0 : now - this.#wait.since;
  }

  /** There is room. */
  rewarded(): void {
    this.#wait = undefined;
    this.#noneUntil = Number.NEGATIVE_INFINITY;
    this.#pauseMs = firstPauseMs;
  }

  /** Nobody waits: no link could give room. */
  ended(): void {
    this.#wait = undefined;
  }
}
