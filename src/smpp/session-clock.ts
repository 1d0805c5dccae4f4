// The clock of one session, in milliseconds. It stands still while this side does not take what the peer sends: whatever was to come in by
// then may lie in the socket, so that the peer's silence proves nothing.

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
