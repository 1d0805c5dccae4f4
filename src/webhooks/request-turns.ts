// How many requests a node has under way at a time, over all endpoints. Where all places are taken,
// endpoints wait in turns; those that are slow, or have not shown that they work, never take the
// places that are kept for the others.

export interface RequestTurnsOptions {
  readonly places: number;
  /** Of these, only for endpoints that are quick. */
  readonly placesForQuick: number;
}

export class RequestTurns<Endpoint> {
  readonly #options: RequestTurnsOptions;
  readonly #waiting: Readonly<Record<"quick" | "slow", Set<Endpoint>>> = { quick: new Set(), slow: new Set() };
  readonly #onTurn: (endpoint: Endpoint) => void;
  #taken = 0;
  /** Who is asked first changes with each free place, so that neither kind waits forever. */
  #quickFirst = true;

  /** `onTurn`: a place is free for this endpoint, which waited; it may take it or not. */
  constructor(options: RequestTurnsOptions, onTurn: (endpoint: Endpoint) => void) {
    this.#options = options;
    this.#onTurn = onTurn;
  }

  get taken(): number {
    return this.#taken;
  }

  /** False: none is free, and the endpoint waits for its turn. */
  take(endpoint: Endpoint, isQuick: boolean): boolean {
    if (this.#isFree(isQuick)) {
      this.#taken += 1;
      return true;
    }
    this.#waiting[isQuick ? "quick" : "slow"].add(endpoint);
    return false;
  }

  release(): void {
    this.#taken -= 1;
    this.#quickFirst = !this.#quickFirst;
    for (const isQuick of [this.#quickFirst, !this.#quickFirst]) {
      const waiting = this.#waiting[isQuick ? "quick" : "slow"];
      while (this.#isFree(isQuick)) {
        const [next] = waiting;
        if (next === undefined) break;
        waiting.delete(next);
        this.#onTurn(next);
      }
    }
  }

  forget(endpoint: Endpoint): void {
    this.#waiting.quick.delete(endpoint);
    this.#waiting.slow.delete(endpoint);
  }

  #isFree(isQuick: boolean): boolean {
    const { places, placesForQuick } = this.#options;
    return this.#taken < (isQuick ? places : places - placesForQuick);
  }
}
