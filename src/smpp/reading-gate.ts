// Whether a session reads from its socket: not as long as anybody holds it back, for whatever reason. What is not read fills the peer's
// send buffer, so that a peer that sends faster than it is served has to wait.

import type { Socket } from "node:net";

/** `asked`: by the owner of the session. `unsent`: the peer does not take our octets. `unserved`: requests of the peer wait to be served. */
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
