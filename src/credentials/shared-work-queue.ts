// The queue of password checks that several workers share: it is elsewhere and gives turns, the
// work is done here.
import type { LanePlace } from "./fair-lanes.ts";
import type { WorkQueue } from "./work-queue.ts";

export interface SharedTurns {
  /**
   * Resolves when it is the turn; the function gives it back. Throws WorkQueueFull as the queue
   * does.
   */
  passwordTurn(place: LanePlace): Promise<() => void>;
  demote(lane: string): void;
}

export class SharedWorkQueue implements Pick<WorkQueue, "run" | "demote" | "load"> {
  readonly #turns: SharedTurns;
  #running = 0;
  #waiting = 0;

  constructor(turns: SharedTurns) {
    this.#turns = turns;
  }

  /** Of this worker; it does not know the lanes. */
  get load(): { readonly running: number; readonly waiting: number; readonly lanes: number } {
    return { running: this.#running, waiting: this.#waiting, lanes: 0 };
  }

  async run<Result>(place: LanePlace, work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const end = await this.#turns.passwordTurn(place).finally(() => (this.#waiting -= 1));
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      end();
    }
  }

  demote(lane: string): void {
    this.#turns.demote(lane);
  }
}
