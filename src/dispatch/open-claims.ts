// Claims of one dispatcher that are stored in the database. Pure.

interface OpenClaim {
  /** Messages that are not settled yet. */
  unsettled: number;
  /**
   * `open`: some messages are not settled, or their outcomes are not on disk. `kept`: an outcome
   * could not be written, so the claim is never finished: only this node knows what was written of
   * it, and nobody may take it for lost.
   */
  state: "open" | "kept";
}

export class OpenClaims {
  readonly #claims = new Map<string, OpenClaim>();

  /** Claims with messages that may not be settled on disk yet. */
  get ids(): readonly string[] {
    return [...this.#claims.keys()];
  }

  open(claimId: string, messages: number): void {
    this.#claims.set(claimId, { unsettled: messages, state: "open" });
  }

  /** Settles one message. Returns whether it was the last, so that the claim can be finished. */
  settle(claimId: string): boolean {
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return false;
    claim.unsettled -= 1;
    return claim.unsettled === 0 && claim.state === "open";
  }

  /** The outcome of the last message is on disk. */
  finish(claimId: string): void {
    if (this.#claims.get(claimId)?.state === "open") this.#claims.delete(claimId);
  }

  /** An outcome of one of its messages could not be written. */
  keep(claimId: string): void {
    const claim = this.#claims.get(claimId);
    if (claim !== undefined) claim.state = "kept";
  }
}
