// How fast parts may be written to a connector: the configured rate (setup `partsPerSecond`), and
// after a throttling answer a pause of 1 s and a slow rise. The caller gives times
// in milliseconds.

/** How long a throttled link pauses. */
const pauseMs = 1000;
/** The rate after a rest, as a share of what was written in the second before it. */
const fallBack = 0.5;
/** Factor by which the rate rises in each second without another throttling answer. */
const risePerSecond = 1.25;
/** Tokens that an idle link collects, in seconds of its rate. */
const burstSeconds = 0.1;

export class LinkPace {
  /** Parts per second; Infinity means no limit. */
  #limit: number;
  #rate: number;
  #tokens: number;
  #refilledAt: number;
  #pausedUntil = 0;
  #slowed = false;
  #rate0 = 0;
  #written = 0;
  #writtenSince: number;
  #writtenBefore = 0;

  constructor(partsPerSecond: number, now: number) {
    this.#limit = partsPerSecond > 0 ? partsPerSecond : Infinity;
    this.#rate = this.#limit;
    this.#tokens = this.#burst();
    this.#refilledAt = now;
    this.#writtenSince = now;
  }

  /**
   * Changes the share of the connector's rate, more than 0. A link that is recovering continues from
   * its current rate.
   */
  limitTo(partsPerSecond: number, now: number): void {
    if (partsPerSecond === this.#limit) return;
    this.#refill(now);
    this.#limit = partsPerSecond;
    this.#rate = this.#slowed ? Math.min(this.#rate, partsPerSecond) : partsPerSecond;
    this.#tokens = Math.min(this.#tokens, this.#burst());
  }

  /** Whether the link pauses after a throttling answer; nothing may be written then. */
  isResting(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** Parts worth waiting for when there is no hurry: half a burst. */
  get worthwhile(): number {
    return Math.max(1, Math.floor(this.#burst() / 2));
  }

  /** Parts that may be written now. */
  available(now: number): number {
    if (now < this.#pausedUntil) return 0;
    this.#refill(now);
    return this.#rate === Infinity ? Infinity : Math.max(0, Math.floor(this.#tokens));
  }

  /**
   * Pays for written parts. A message of several parts can take the balance below zero; later parts
   * wait for it.
   */
  take(parts: number, now: number): void {
    if (now - this.#writtenSince >= 1000) {
      this.#writtenBefore = now - this.#writtenSince < 2000 ? this.#written : 0;
      this.#written = 0;
      this.#writtenSince = now;
    }
    this.#written += parts;
    if (this.#rate !== Infinity) this.#tokens -= parts;
  }

  /** Milliseconds until `parts` parts may be written; 0 means now. */
  waitMs(now: number, parts = 1): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now;
    this.#refill(now);
    if (this.#rate === Infinity || this.#tokens >= parts) return 0;
    return Math.ceil(((parts - this.#tokens) / this.#rate) * 1000);
  }

  /** Reports a throttling answer. Further ones during the rest change nothing. */
  throttled(now: number): void {
    if (now < this.#pausedUntil) return;
    const seen = Math.max(this.#writtenBefore, this.#written, 1);
    this.#rate0 = Math.max(1, Math.min(this.#limit, this.#slowed ? this.#rate : seen));
    this.#rate = Math.max(1, this.#rate0 * fallBack);
    this.#slowed = true;
    // One part tries the link after the rest, unless the limit allows less than one a second.
    this.#tokens = this.#limit < 1 ? Math.min(this.#tokens, 1) : 1;
    this.#pausedUntil = now + pauseMs;
    this.#refilledAt = this.#pausedUntil;
  }

  #refill(now: number): void {
    const seconds = (now - this.#refilledAt) / 1000;
    if (seconds <= 0) return;
    this.#refilledAt = now;
    if (this.#slowed) this.#rise(seconds);
    if (this.#rate !== Infinity) this.#tokens = Math.min(this.#burst(), this.#tokens + seconds * this.#rate);
  }

  // At four times the rate at which it was throttled, the link has shown that the weakness was
  // temporary.
  #rise(seconds: number): void {
    this.#rate *= risePerSecond ** seconds;
    if (this.#rate < this.#limit && this.#rate < this.#rate0 * 4) return;
    this.#rate = this.#limit;
    this.#slowed = false;
    this.#pausedUntil = 0;
    if (this.#rate !== Infinity) this.#tokens = Math.min(this.#tokens, this.#burst());
  }

  #burst(): number {
    return this.#rate === Infinity ? 0 : Math.max(1, this.#rate * burstSeconds);
  }
}
