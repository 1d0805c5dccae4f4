// The peer's requests, in order, until they are served. One turn of the event loop serves for a
// bounded time, so that a flood of requests delays nothing else. A request that cannot be served
// yet blocks those behind it.

import { monotonicNow } from "./session-clock.ts";

export interface ServingQueueOptions<Item> {
  /** Whether there is room for it now. If not, `resume` is called when there may be. */
  readonly hasRoom: (item: Item) => boolean;
  readonly serve: (item: Item) => void;
  /** Called after each turn. `isEmpty`: all are served. */
  readonly afterTurn: (isEmpty: boolean) => void;
}

/** The longest that other sessions and HTTP calls wait for one turn. */
const turnMs = 10;

export class ServingQueue<Item> {
  readonly #options: ServingQueueOptions<Item>;
  #items: Item[] = [];
  /** Items before this index are served. */
  #next = 0;
  #isServing = false;
  #isScheduled = false;

  constructor(options: ServingQueueOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  clear(): void {
    this.#items = [];
    this.#next = 0;
  }

  /** Serves items now while there is room; the rest follow in later turns. */
  serve(): void {
    const { hasRoom, serve, afterTurn } = this.#options;
    if (this.#isServing) return;
    this.#isServing = true;
    const endsAt = monotonicNow() + turnMs;
    let isTurnOver = false;
    for (let item = this.#items[this.#next]; item !== undefined && !isTurnOver; item = this.#items[this.#next]) {
      if (!hasRoom(item)) break;
      this.#next += 1;
      serve(item);
      isTurnOver = monotonicNow() > endsAt;
    }
    this.#isServing = false;
    const isEmpty = this.#next >= this.#items.length;
    if (isEmpty) this.clear();
    else if (isTurnOver) this.resume();
    afterTurn(isEmpty);
  }

  /** There may be room again: continues in the next turn if anything waits. */
  resume(): void {
    if (this.#isScheduled || this.#items.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#items.length > 0) this.serve();
    });
  }
}
