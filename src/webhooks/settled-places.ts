// Up to which place of the log all events of an endpoint are settled: delivered, or stored to be
// tried again. Requests end in any order; the place follows those that end in the order of the log.
import type { Position } from "../store/event-log.ts";

export interface OpenPlace {
  readonly end: Position;
  isSettled: boolean;
}

export class SettledPlaces {
  readonly #open: OpenPlace[] = [];
  #settled: Position;
  #begun: Position;

  constructor(beginning: Position) {
    this.#settled = beginning;
    this.#begun = beginning;
  }

  /** A request begins whose last event stands there. Requests begin in the order of the log. */
  begin(end: Position): OpenPlace {
    const place = { end, isSettled: false };
    this.#open.push(place);
    this.#begun = end;
    return place;
  }

  settle(place: OpenPlace): void {
    place.isSettled = true;
    const first = this.#open.findIndex(({ isSettled }) => !isSettled);
    const ended = this.#open.splice(0, first < 0 ? this.#open.length : first);
    this.#settled = ended.at(-1)?.end ?? this.#settled;
  }

  /** There was nothing to send up to this place. Only while nothing is open. */
  advance(position: Position): void {
    if (!this.isIdle) throw new Error("requests are open before this place");
    this.#settled = position;
    this.#begun = position;
  }

  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  get settled(): Position {
    return this.#settled;
  }

  /** The end of the request that began last. What lies behind it is untried. */
  get begun(): Position {
    return this.#begun;
  }
}
