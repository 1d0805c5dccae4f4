// One timer that can be set anew, and tells when it is due. Milliseconds of the monotonic clock.

export const monotonicNow = (): number => performance.now();

export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings at that time instead of any other; Infinity: never. */
  set(dueAt: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    if (dueAt === Infinity) return;
    // Rings only after the sockets were read once more: a process that was held up must not take that for silence.
    this.#timer = setTimeout(() => setImmediate(this.#ring), Math.max(dueAt - monotonicNow(), 1));
  }

  /** Rings no later than that. */
  bringForward(dueAt: number): void {
    if (dueAt < this.#dueAt) this.set(dueAt);
  }

  stop(): void {
    this.set(Infinity);
  }
}
