// A clock that stands still until a test moves it.
import type { Clock } from "../../src/webhooks/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

export class ManualClock implements Clock {
  #nowMs = Date.now();
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** To the next timer, which it calls. */
  next(): void {
    const [first] = [...this.#timers].sort((one, other) => one.atMs - other.atMs);
    if (first !== undefined) this.advance(first.atMs - this.#nowMs);
  }

  /** Calls the timers that are due then. */
  advance(ms: number): void {
    this.#nowMs += Math.max(0, ms);
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.work();
    }
  }
}
