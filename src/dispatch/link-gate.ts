// Whether anything may be taken for a connector at all: asked in the same words before every claim,
// every reservation and every wait for room. Pure; times are milliseconds of one clock.

export interface LinkGateOptions {
  /** Without its lease this node may hold nothing: another may have the binds already. */
  readonly isLeaseHeld: () => boolean;
}

export class LinkGate {
  readonly #isLeaseHeld: () => boolean;
  #isStopped = false;
  #isPaused = false;
  #restUntil = 0;

  constructor({ isLeaseHeld }: LinkGateOptions) {
    this.#isLeaseHeld = isLeaseHeld;
  }

  /** Messages may be taken for the link now. */
  isOpen(now: number): boolean {
    return this.mayWrite && now >= this.#restUntil && this.#isLeaseHeld();
  }

  /** What is taken already may be written, as long as the lease holds. */
  get mayWrite(): boolean {
    return !this.#isStopped && !this.#isPaused;
  }

  /** For good. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Returns whether this changed anything. */
  pause(isPaused: boolean): boolean {
    const isChange = isPaused !== this.#isPaused;
    this.#isPaused = isPaused;
    return isChange;
  }

  /** A claim failed: nothing is taken until then. */
  rest(until: number): void {
    this.#restUntil = until;
  }
}
