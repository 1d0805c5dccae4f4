// Runs costly work a few at once; the rest waits in lanes that take turns (fair-lanes.ts). Bounded, so that a flood is refused
// and not stored.
import { FairLanes, type LaneBounds, type Place } from "./fair-lanes.ts";

/** Too much waits. Carries what to answer: try again later. */
export class WorkQueueFull extends Error {
  readonly retriable = true;
  override readonly name = "WorkQueueFull";

  constructor() {
    super("too many password checks are waiting");
  }
}

export interface WorkQueueOptions {
  readonly atOnce: number;
  readonly bounds: LaneBounds;
}

interface Waiting {
  readonly go: () => void;
  readonly refuse: (error: WorkQueueFull) => void;
}

export class WorkQueue {
  readonly #atOnce: number;
  readonly #lanes: FairLanes<Waiting>;
  #running = 0;

  constructor({ atOnce, bounds }: WorkQueueOptions) {
    this.#atOnce = atOnce;
    this.#lanes = new FairLanes(bounds);
  }

  /** What runs and what waits, in work and lanes: all 0 when nothing is to be done. */
  get load(): { readonly running: number; readonly waiting: number; readonly lanes: number } {
    return { running: this.#running, waiting: this.#lanes.waiting, lanes: this.#lanes.laneCount };
  }

  /** Throws WorkQueueFull where it finds no place to wait, or loses it. */
  async run<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#atOnce) await this.#turn(place);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const waiting = this.#lanes.next();
      // The place goes over to who waited; only without one does it become free.
      if (waiting === undefined) this.#running -= 1;
      else waiting.go();
    }
  }

  #turn(place: Place): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#lanes.add(place, { go: resolve, refuse: reject })?.refuse(new WorkQueueFull());
    });
  }
}
