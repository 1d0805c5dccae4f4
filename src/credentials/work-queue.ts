// Runs a few pieces of costly work at once; the rest waits in lanes that take turns
// (fair-lanes.ts). Bounded, so that a flood is refused instead of stored.
import { FairLanes, type LaneBounds, type LanePlace, type Standing } from "./fair-lanes.ts";

/** Too much work waits. The answer asks the client to try again later. */
export class WorkQueueFull extends Error {
  readonly retriable = true;
  override readonly name = "WorkQueueFull";

  constructor() {
    super("too many password checks are waiting");
  }
}

export interface WorkQueueOptions {
  readonly atOnce: number;
  /**
   * Guesses that run at once; by default the same limit. A lower limit lets other callers find a
   * place at once.
   */
  readonly guessesAtOnce?: number;
  readonly bounds: LaneBounds;
}

interface Waiting {
  /** Called with the standing that its lane has at that time. */
  readonly go: (standing: Standing) => void;
  readonly refuse: (error: WorkQueueFull) => void;
}

export class WorkQueue {
  readonly #atOnce: number;
  readonly #guessesAtOnce: number;
  readonly #lanes: FairLanes<Waiting>;
  #running = 0;
  #guesses = 0;

  constructor({ atOnce, guessesAtOnce = atOnce, bounds }: WorkQueueOptions) {
    this.#atOnce = atOnce;
    this.#guessesAtOnce = guessesAtOnce;
    this.#lanes = new FairLanes(bounds);
  }

  /** Running and waiting work, and lanes; all 0 when there is nothing to do. */
  get load(): { readonly running: number; readonly waiting: number; readonly lanes: number } {
    return { running: this.#running, waiting: this.#lanes.waiting, lanes: this.#lanes.laneCount };
  }

  /** Throws WorkQueueFull when the work finds no place to wait, or loses it. */
  async run<Result>(place: LanePlace, work: () => Promise<Result>): Promise<Result> {
    const standing = this.#isFree(place.standing) ? this.#begin(place.standing) : await this.#turn(place);
    try {
      return await work();
    } finally {
      this.#end(standing);
    }
  }

  /** See FairLanes. */
  demote(lane: string): void {
    this.#lanes.demote(lane);
  }

  #isFree(standing: Standing): boolean {
    return this.#running < this.#atOnce && (standing !== "guessing" || this.#guesses < this.#guessesAtOnce);
  }

  #begin(standing: Standing): Standing {
    this.#running += 1;
    if (standing === "guessing") this.#guesses += 1;
    return standing;
  }

  #end(standing: Standing): void {
    this.#running -= 1;
    if (standing === "guessing") this.#guesses -= 1;
    // The place goes to the next waiter before a new caller can take it.
    while (this.#running < this.#atOnce) {
      const turn = this.#lanes.next((waiting) => this.#isFree(waiting));
      if (turn === undefined) return;
      turn.item.go(this.#begin(turn.standing));
    }
  }

  #turn(place: LanePlace): Promise<Standing> {
    return new Promise((resolve, reject) => {
      this.#lanes.add(place, { go: resolve, refuse: reject })?.refuse(new WorkQueueFull());
    });
  }
}
