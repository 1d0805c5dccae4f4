// How fast parts may be written to a connector: its configured rate, and a pause and slow rise after the SMSC has said that it is too fast
// (setup `partsPerSecond`; decisions §7: 1 s pause). A value with methods; times are given, milliseconds.

/** How long a throttled link rests. */
const pauseMs = 1000;
/** The rate after a rest, as a share of what was written in the second before it. */
const fallBack = 0.5;
/** How the rate rises, for each second without another throttling answer. */
const risePerSecond = 1.25;
/** Tokens that gather on an idle link, in seconds of its rate. */
const burstSeconds = 0.1;

export class LinkPace {
  /** Parts per second; Infinity: no limit. */
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

  /** Another share of the connector's rate from now on, more than 0; a link that rises slowly goes on rising from where it is. */
  limitTo(partsPerSecond: number, now: number): void {
    if (partsPerSecond === this.#limit) return;
    this.#refill(now);
    this.#limit = partsPerSecond;
    this.#rate = this.#slowed ? Math.min(this.#rate, partsPerSecond) : partsPerSecond;
    this.#tokens = Math.min(this.#tokens, this.#burst());
  }

  /** The SMSC has just said that it is too fast: nothing may be written. */
  isResting(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** As many parts as it makes sense to wait for when there is no hurry: half of what may gather. */
  get worthwhile(): number {
    return Math.max(1, Math.floor(this.#burst() / 2));
  }

  /** Parts that may be written now. */
  available(now: number): number {
    if (now < this.#pausedUntil) return 0;
    this.#refill(now);
    return this.#rate === Infinity ? Infinity : Math.max(0, Math.floor(this.#tokens));
  }

  /** Takes the place of written parts. May go below zero by a message of several parts: the debt is paid by waiting. */
  take(parts: number, now: number): void {
    this.#count(parts, now);
    if (this.#rate !== Infinity) this.#tokens -= parts;
  }

  /** Milliseconds until so many parts may be written; 0: now. */
  waitMs(now: number, parts = 1): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now;
    this.#refill(now);
    if (this.#rate === Infinity || this.#tokens >= parts) return 0;
    return Math.ceil(((parts - this.#tokens) / this.#rate) * 1000);
  }

  /** The SMSC said that it is too fast. Further such answers during the rest change nothing. */
  throttled(now: number): void {
    if (now < this.#pausedUntil) return;
    const seen = Math.max(this.#writtenBefore, this.#written, 1);
    this.#rate0 = Math.max(1, Math.min(this.#limit, this.#slowed ? this.#rate : seen));
    this.#rate = Math.max(1, this.#rate0 * fallBack);
    this.#slowed = true;
    this.#tokens = 1;
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

  // Beyond four times the rate at which it was throttled the link has proven that it was a passing weakness.
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

  #count(parts: number, now: number): void {
    if (now - this.#writtenSince >= 1000) {
      this.#writtenBefore = now - this.#writtenSince < 2000 ? this.#written : 0;
      this.#written = 0;
      this.#writtenSince = now;
    }
    this.#written += parts;
  }
}
