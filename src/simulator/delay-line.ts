/**
 * Runs actions later with few timers: those due within the same few milliseconds share one.
 * Thousands of receipts per second would otherwise need a timer each.
 */

const tickMs = 5;

export class DelayLine {
  readonly #ticks = new Map<number, { readonly timer: NodeJS.Timeout; readonly actions: (() => void)[] }>();

  /** At once if `delayMs` is not above 0. */
  after(delayMs: number, action: () => void): void {
    if (delayMs <= 0) {
      action();
      return;
    }
    const tick = Math.ceil((performance.now() + delayMs) / tickMs);
    const waiting = this.#ticks.get(tick);
    if (waiting !== undefined) {
      waiting.actions.push(action);
      return;
    }
    const actions = [action];
    const timer = setTimeout(
      () => {
        this.#ticks.delete(tick);
        for (const due of actions) due();
      },
      tick * tickMs - performance.now(),
    );
    this.#ticks.set(tick, { timer, actions });
  }

  /** Drops everything that is not due yet. */
  clear(): void {
    for (const { timer } of this.#ticks.values()) clearTimeout(timer);
    this.#ticks.clear();
  }
}

/** How many submissions an SMSC takes in a second before it throttles. */

export class SubmitRate {
  readonly #perSecond: number;
  #taken = 0;
  #second = 0;

  /** 0: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts one more. `now` in milliseconds. */
  isTooFast(now: number): boolean {
    if (this.#perSecond === 0) return false;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) this.#taken = 0;
    this.#second = second;
    this.#taken += 1;
    return this.#taken > this.#perSecond;
  }
}
