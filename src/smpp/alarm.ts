// One timer that can be set anew, and tells when it is due by the clock of a session.

import type { SessionClock } from "./session-clock.ts";

/** How soon the clock is looked at again when it stood still in between. */
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

  /** Rings at that time instead of any other; Infinity: never. */
  set(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    if (dueAt !== Infinity) this.#wait(Math.max(dueAt - this.#clock.now(), 1));
  }

  /** Rings no later than that. */
  bringForward(dueAt: number): void {
    if (dueAt < this.#dueAt) this.set(dueAt);
  }

  stop(): void {
    this.set(Infinity);
  }

  #wait(ms: number): void {
    // Rings only after the sockets were read once more: a process that was held up must not take that for silence.
    this.#timer = setTimeout(() => setImmediate(() => this.#ringIfDue()), ms);
  }

  #ringIfDue(): void {
    const leftMs = this.#dueAt - this.#clock.now();
    // A timer may be early by a part of a millisecond.
    if (leftMs <= 1) this.#ring();
    else if (this.#dueAt !== Infinity) this.#wait(Math.max(leftMs, shortestWaitMs));
  }
}
