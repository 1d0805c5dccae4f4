// The clock of one session, in milliseconds. It stands still while this side does not read from the
// peer: an answer may already lie in the socket, so the peer's silence proves nothing.

export const monotonicNow = (): number => performance.now();

export class SessionClock {
  #stoodMs = 0;
  #stoppedAt: number | undefined;

  now(): number {
    return (this.#stoppedAt ?? monotonicNow()) - this.#stoodMs;
  }

  stop(): void {
    this.#stoppedAt ??= monotonicNow();
  }

  go(): void {
    if (this.#stoppedAt === undefined) return;
    this.#stoodMs += monotonicNow() - this.#stoppedAt;
    this.#stoppedAt = undefined;
  }
}
