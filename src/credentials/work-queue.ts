// Runs costly work a few at once, the rest waits in two lanes: "next" goes before "later". Bounded, so that a flood is
// refused and not stored.

/** Too much waits. Carries what to answer: try again later. */
export class WorkQueueFull extends Error {
  readonly retriable = true;
  override readonly name = "WorkQueueFull";

  constructor() {
    super("too many password checks are waiting");
  }
}

export type Lane = "next" | "later";

export interface WorkQueueOptions {
  readonly atOnce: number;
  /** In each lane. */
  readonly maximumWaiting: number;
}

export class WorkQueue {
  readonly #atOnce: number;
  readonly #maximumWaiting: number;
  readonly #lanes: Readonly<Record<Lane, (() => void)[]>> = { next: [], later: [] };
  #running = 0;

  constructor({ atOnce, maximumWaiting }: WorkQueueOptions) {
    this.#atOnce = atOnce;
    this.#maximumWaiting = maximumWaiting;
  }

  async run<Result>(lane: Lane, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#atOnce) await this.#turn(lane);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const waiting = this.#lanes.next.shift() ?? this.#lanes.later.shift();
      // The place goes over to who waited; only without one does it become free.
      if (waiting === undefined) this.#running -= 1;
      else waiting();
    }
  }

  #turn(lane: Lane): Promise<void> {
    const waiting = this.#lanes[lane];
    if (waiting.length >= this.#maximumWaiting) throw new WorkQueueFull();
    return new Promise((resolve) => waiting.push(resolve));
  }
}
