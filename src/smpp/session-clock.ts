// The clock of one session, in milliseconds. It stands still while this side does not read from the
// peer: an answer may already lie in the socket, so the peer's silence proves nothing.
import type { Socket } from "node:net";

export class SessionClock {
  #stoodMs = 0;
  #stoppedAt: number | undefined;

  now(): number {
    return (this.#stoppedAt ?? performance.now()) - this.#stoodMs;
  }

  stop(): void {
    this.#stoppedAt ??= performance.now();
  }

  go(): void {
    if (this.#stoppedAt === undefined) return;
    this.#stoodMs += performance.now() - this.#stoppedAt;
    this.#stoppedAt = undefined;
  }
}

// A timer that can be rescheduled and runs on the clock of a session.

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

// Whether a session reads from its socket: not while there is any reason to hold it back. The
// unread octets fill the peer's send buffer, so a peer that sends faster than it is served has to
// wait.

/**
 * `asked`: the owner of the session asked for it. `unsent`: the peer does not read our octets.
 * `unserved`: requests of the peer are waiting.
 */
export type HoldReason = "asked" | "unsent" | "unserved";

export class ReadingGate {
  readonly #socket: Socket;
  readonly #reasons = new Set<HoldReason>();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  set(reason: HoldReason, isHeld: boolean): void {
    if (isHeld) this.#hold(reason);
    else this.#release(reason);
  }

  #hold(reason: HoldReason): void {
    if (this.#reasons.size === 0) this.#socket.pause();
    this.#reasons.add(reason);
  }

  #release(reason: HoldReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#socket.resume();
  }
}
