// Limits how many endpoints of a node do something at a time: prepare requests, or have requests
// under way. If all places are taken, endpoints wait in turns. Some places are kept for quick
// endpoints. Slow endpoints, and those that have not yet shown that they work, never take these. An
// endpoint that was quick and now hangs gives such a place up.

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
  /**
   * The kind that is asked first alternates with each free place, so that neither waits for ever.
   */
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
   * An endpoint that was quick when it took its place is slow now, and keeps the place. The quick
   * endpoints get another one for it. So there may be more than `places` until the slow ones end.
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
