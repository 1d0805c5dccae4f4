// A timer that can be rescheduled and runs on the clock of a session.

import type { SessionClock } from "./session-clock.ts";

/** Minimum delay before the clock is read again after it stood still. */
const shortestWaitMs = 20;

export class Alarm {
  readonly #clock: SessionClock;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;

  constructor(clock: SessionClock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Replaces the pending alarm. Infinity: never rings. */
  set(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    if (dueAt !== Infinity) this.#wait(Math.max(dueAt - this.#clock.now(), 1));
  }

  /** Rings no later than `dueAt`. */
  bringForward(dueAt: number): void {
    if (dueAt < this.#dueAt) this.set(dueAt);
  }

  stop(): void {
    this.set(Infinity);
  }

  #wait(ms: number): void {
    // Reads the sockets once more before it rings. Otherwise a process that was held up would take
    // its own delay for the peer's silence. Until then it may be set anew, and has a timer already.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#ringIfDue()), ms);
  }

  #ringIfDue(): void {
    const leftMs = this.#dueAt - this.#clock.now();
    // A timer may fire a fraction of a millisecond early.
    if (leftMs <= 1) this.#ring();
    else if (this.#dueAt !== Infinity) this.#wait(Math.max(leftMs, shortestWaitMs));
  }
}
