// Whether a session reads from its socket: not while there is any reason to hold it back. The
// unread octets fill the peer's send buffer, so a peer that sends faster than it is served has to
// wait.

import type { Socket } from "node:net";

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
