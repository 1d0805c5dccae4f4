// How many of a node's endpoints do something at a time: prepare requests, or have one under way.
// Where all places are taken, endpoints wait in turns; those that are slow, or have not shown that
// they work, never take the places that are kept for the others. Who was quick and hangs now holds
// none of these either.

export interface EndpointTurnsOptions {
  readonly places: number;
  /** Of these, only for endpoints that are quick. */
  readonly placesForQuick: number;
}

export class EndpointTurns<Endpoint> {
  readonly #options: EndpointTurnsOptions;
  readonly #waiting: Readonly<Record<"quick" | "slow", Set<Endpoint>>> = { quick: new Set(), slow: new Set() };
  readonly #onTurn: (endpoint: Endpoint) => void;
  readonly #taken = { quick: 0, slow: 0 };
  /** Who is asked first changes with each free place, so that neither kind waits forever. */
  #quickFirst = true;

  /** `onTurn`: a place is free for this endpoint, which waited; it may take it or not. */
  constructor(options: EndpointTurnsOptions, onTurn: (endpoint: Endpoint) => void) {
    this.#options = options;
    this.#onTurn = onTurn;
  }

  get taken(): number {
    return this.#taken.quick + this.#taken.slow;
  }

  /** Somebody would take the next place that becomes free. */
  get isWaitedFor(): boolean {
    return this.#waiting.quick.size > 0 || (this.#waiting.slow.size > 0 && this.#taken.slow < this.#placesForSlow);
  }

  /** False: none is free, and the endpoint waits for its turn. */
  take(endpoint: Endpoint, isQuick: boolean): boolean {
    const kind = isQuick ? "quick" : "slow";
    if (this.#isFree(isQuick)) {
      this.#taken[kind] += 1;
      return true;
    }
    this.#waiting[kind].add(endpoint);
    return false;
  }

  /** `isQuick`: as the place was taken, or as it was demoted. */
  release(isQuick: boolean): void {
    this.#taken[isQuick ? "quick" : "slow"] -= 1;
    this.#handOut();
  }

  #handOut(): void {
    this.#quickFirst = !this.#quickFirst;
    for (const quick of [this.#quickFirst, !this.#quickFirst]) {
      const waiting = this.#waiting[quick ? "quick" : "slow"];
      while (this.#isFree(quick)) {
        const [next] = waiting;
        if (next === undefined) break;
        waiting.delete(next);
        this.#onTurn(next);
      }
    }
  }

  /**
   * Somebody who was quick as it took its place is slow now, and keeps it. The quick get one more
   * for it, so that there may be more than `places` for as long as the slow ones last.
   */
  demote(): void {
    this.#taken.quick -= 1;
    this.#taken.slow += 1;
    this.#handOut();
  }

  forget(endpoint: Endpoint): void {
    this.#waiting.quick.delete(endpoint);
    this.#waiting.slow.delete(endpoint);
  }

  get #placesForSlow(): number {
    return this.#options.places - this.#options.placesForQuick;
  }

  #isFree(isQuick: boolean): boolean {
    const { places, placesForQuick } = this.#options;
    if (isQuick) return this.taken < places || this.#taken.quick < placesForQuick;
    return this.taken < places && this.#taken.slow < this.#placesForSlow;
  }
}
