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
